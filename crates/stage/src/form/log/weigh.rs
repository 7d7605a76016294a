//! Estimates the token cost of a text roughly and fast, to choose between ways to write a log.

/// Estimates the cost: a word by its length, one token for three digits, and one for two other characters. A single
/// space in front of a word is free.
pub(crate) fn weigh(text: &str) -> usize {
    let mut rest = text.as_bytes();
    let mut sum = 0;
    while let Some(&first) = rest.first() {
        let kind = kind(first);
        let length = rest.iter().take_while(|&&byte| self::kind(byte) == kind).count();
        sum += match kind {
            Kind::Letter => 1 + (length - 1) / 7,
            Kind::Digit => length.div_ceil(3),
            Kind::Sign => length.div_ceil(2),
            Kind::Space => {
                usize::from(length > 1 || first != b' ' || rest.get(1).is_some_and(u8::is_ascii_digit))
            }
        };
        rest = &rest[length..];
    }
    sum
}

#[derive(PartialEq, Clone, Copy)]
enum Kind {
    Letter,
    Digit,
    Sign,
    Space,
}

fn kind(byte: u8) -> Kind {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => Kind::Letter,
        b'0'..=b'9' => Kind::Digit,
        b' ' | b'\t' | b'\r' | b'\n' => Kind::Space,
        _ => Kind::Sign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_follow_the_kinds_of_characters() {
        for (text, weight) in
            [("", 0), ("one", 1), ("one two", 2), ("12345", 2), ("a  b", 3), ("{}", 1), ("é", 1)]
        {
            assert_eq!(weigh(text), weight, "{text}");
        }
    }
}
