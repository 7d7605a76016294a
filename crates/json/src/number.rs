//! Measures the length of JSON numbers.

/// The length of the JSON number at the start of `bytes`; 0 when there is no number.
#[must_use]
pub fn number_length(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    match bytes.get(at) {
        Some(b'0') => at += 1,
        Some(b'1'..=b'9') => at += digits(at),
        _ => return 0,
    }
    if bytes.get(at) == Some(&b'.') {
        match digits(at + 1) {
            0 => return 0,
            count => at += 1 + count,
        }
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        match digits(at + 1 + sign) {
            0 => return 0,
            count => at += 1 + sign + count,
        }
    }
    if bytes.get(at).is_some_and(u8::is_ascii_digit) { 0 } else { at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_json_ends_them() {
        for (text, length) in
            [("0", 1), ("-0", 2), ("1.50,", 4), ("1E+2]", 4), ("12x", 2), ("123456789012345678901234", 24)]
        {
            assert_eq!(number_length(text.as_bytes()), length, "{text}");
        }
        for text in ["", "-", "01", "+1", ".5", "1.", "1e", "1e+", "--1", "NaN"] {
            assert_eq!(number_length(text.as_bytes()), 0, "{text}");
        }
    }
}
