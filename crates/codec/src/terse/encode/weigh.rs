//! Estimates how many tokens a model needs to read a text, by counting classes of characters.
//!
//! This estimate must never change: the encoder's choices depend on it, so a different estimate would give a
//! different form.

/// The weight of one token.
pub(super) const TOKEN: usize = 100;

/// The weight of `text`, in hundredths of a token.
pub(super) fn weigh(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut sum = 0;
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let class = class(bytes[at]);
        at += 1;
        while at < bytes.len() && self::class(bytes[at]) == class && !is_hump(bytes[at - 1], bytes[at]) {
            at += 1;
        }
        sum += run(class, at - start, bytes.get(at));
    }
    sum
}

#[derive(PartialEq, Clone, Copy)]
enum Class {
    Letter,
    Digit,
    Newline,
    Space,
    Mark,
    Wide,
}

fn class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
        b'0'..=b'9' => Class::Digit,
        b'\n' | b'\r' => Class::Newline,
        b' ' | b'\t' => Class::Space,
        0x80.. => Class::Wide,
        _ => Class::Mark,
    }
}

/// True between a lowercase and an uppercase letter, where compound words are split.
fn is_hump(before: u8, after: u8) -> bool {
    before.is_ascii_lowercase() && after.is_ascii_uppercase()
}

/// The weight of `length` characters of one class; `next` is the byte after them.
fn run(class: Class, length: usize, next: Option<&u8>) -> usize {
    match class {
        Class::Letter => 90 + 21 * length.saturating_sub(6),
        Class::Digit => 54 + 82 * length.div_ceil(3),
        Class::Newline => 100,
        Class::Space if length > 1 || next.is_some_and(u8::is_ascii_digit) => 50,
        Class::Space => 0,
        Class::Mark => 85 + 42 * length.saturating_sub(3),
        Class::Wide => 69 * length,
    }
}
