//! Formats numbers for people.

use std::fmt::Display;

/// Formats a whole number with thousands separators: 12,345.
#[must_use]
pub fn grouped(number: impl Display) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a number with its noun: 1 request, 1,204 requests.
#[must_use]
pub fn many(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0_u64, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [1, 0, 1_204].map(|number| many(number, "request")),
            ["1 request", "0 requests", "1,204 requests"]
        );
    }
}
