//! The numbers that escape imitations of our marks: each number has a successor, which almost never costs more tokens.
//!
//! Any three digits are one token. So 999 is followed by 0, then 00 to 09 and 000 to 099, and only then by 1000, which
//! costs one token more. Such a step is inevitable: there are finitely many texts of a given cost, and our own marks
//! use some of them.

/// The maximum number of digits in a token.
const DIGITS_PER_TOKEN: usize = 3;

/// The digits that `text` begins with, and the rest.
pub(crate) fn split(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// The number after `digits`.
pub(crate) fn next(digits: &str) -> String {
    let length = digits.len();
    let whole = length.is_multiple_of(DIGITS_PER_TOKEN);
    let Some(tail) = digits.strip_prefix('0') else {
        return match add_one(digits) {
            Some(sum) => sum,
            None if whole => "0".repeat(length - (DIGITS_PER_TOKEN - 1)),
            None => one_and_zeros(length),
        };
    };
    match add_one(tail) {
        Some(sum) => format!("0{sum}"),
        None if whole => one_and_zeros(length),
        None => "0".repeat(length + 1),
    }
}

/// The number before `digits`; `None` for 1, which is the first number, and for an empty string.
pub(crate) fn previous(digits: &str) -> Option<String> {
    let length = digits.len();
    let Some(tail) = digits.strip_prefix('0') else {
        let zeros = digits.strip_prefix('1').filter(|rest| rest.bytes().all(|digit| digit == b'0'));
        return match zeros.map(str::len) {
            None => take_one(digits),
            Some(0) => None,
            Some(zeros) if zeros.is_multiple_of(DIGITS_PER_TOKEN) => Some(zero_and_nines(zeros)),
            Some(zeros) => Some("9".repeat(zeros)),
        };
    };
    if let Some(difference) = take_one(tail) {
        return Some(format!("0{difference}"));
    }
    let first = length % DIGITS_PER_TOKEN == 1;
    Some(if first { "9".repeat(length + DIGITS_PER_TOKEN - 1) } else { zero_and_nines(length - 1) })
}

fn one_and_zeros(zeros: usize) -> String {
    format!("1{}", "0".repeat(zeros))
}

/// A zero followed by nines, `length` digits in total.
fn zero_and_nines(length: usize) -> String {
    format!("0{}", "9".repeat(length - 1))
}

/// Adds one, keeping the number of digits; `None` when they are all 9.
fn add_one(digits: &str) -> Option<String> {
    let last = digits.rfind(|digit| digit != '9')?;
    let (head, digit) = (&digits[..last], digits.as_bytes()[last]);
    Some(format!("{head}{}{}", char::from(digit + 1), "0".repeat(digits.len() - last - 1)))
}

/// Subtracts one, keeping the number of digits; `None` when they are all 0.
fn take_one(digits: &str) -> Option<String> {
    let last = digits.rfind(|digit| digit != '0')?;
    let (head, digit) = (&digits[..last], digits.as_bytes()[last]);
    Some(format!("{head}{}{}", char::from(digit - 1), "9".repeat(digits.len() - last - 1)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn numbers_follow_each_other() {
        for (digits, after) in [
            ("1", "2"),
            ("9", "10"),
            ("99", "100"),
            ("998", "999"),
            ("999", "0"),
            ("0", "00"),
            ("09", "000"),
            ("000", "001"),
            ("099", "1000"),
            ("1099", "1100"),
            ("999999", "0000"),
            ("0999", "00000"),
            ("099999", "1000000"),
            ("999999999", "0000000"),
        ] {
            assert_eq!(next(digits), after);
            assert_eq!(previous(after).as_deref(), Some(digits), "{after}");
        }
        assert_eq!((previous("1"), previous("")), (None, None));
    }

    /// Every number of up to four digits is reached from 1 and has exactly one predecessor, and only one step costs
    /// more tokens.
    #[test]
    fn every_number_has_its_place() {
        let mut seen = HashSet::new();
        let mut digits = "1".to_owned();
        while digits.len() < 5 {
            let after = next(&digits);
            assert_eq!(previous(&after).as_ref(), Some(&digits));
            let costs_more = after.len().div_ceil(DIGITS_PER_TOKEN) > digits.len().div_ceil(DIGITS_PER_TOKEN);
            assert_eq!(costs_more, digits == "099", "{digits}");
            assert!(seen.insert(digits));
            digits = after;
        }
        assert_eq!(seen.len(), 1110 + 9000);
    }
}
