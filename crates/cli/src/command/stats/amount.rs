//! Formats token counts, percentages and amounts of money so that they are quick to read.

use tersely_terminal::number::grouped;

/// Formats a number of tokens: 950, 12.3 k, 4.56 M.
pub(crate) fn tokens(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let size = number.unsigned_abs();
    let (unit, name) = match size {
        0..1_000 => return format!("{sign}{size}"),
        1_000..1_000_000 => (1_000, "k"),
        1_000_000..1_000_000_000 => (1_000_000, "M"),
        _ => (1_000_000_000, "G"),
    };
    // Show three digits.
    let digits = match size / unit {
        0..10 => 2,
        10..100 => 1,
        _ => 0,
    };
    #[expect(clippy::cast_precision_loss, reason = "three digits of it are shown")]
    let value = size as f64 / unit as f64;
    format!("{sign}{value:.digits$} {name}")
}

/// Formats the share that was saved, in percent.
pub(crate) fn share(saved: i64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    #[expect(clippy::cast_precision_loss, reason = "three digits of it are shown")]
    let percent = saved as f64 * 100.0 / whole as f64;
    format!("{percent:.1} %")
}

/// Formats billionths of a dollar: $0.42, $1,234.
pub(crate) fn money(billionths: i64) -> String {
    let sign = if billionths < 0 { "-" } else { "" };
    let cents = (billionths.unsigned_abs() + 5_000_000) / 10_000_000;
    if cents >= 100_000 {
        return format!("{sign}${}", grouped(cents / 100));
    }
    format!("{sign}${}.{:02}", cents / 100, cents % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_three_digits() {
        for (number, shown) in [
            (0, "0"),
            (999, "999"),
            (-12, "-12"),
            (1_000, "1.00 k"),
            (12_345, "12.3 k"),
            (-123_456, "-123 k"),
            (4_560_000, "4.56 M"),
            (7_000_000_000, "7.00 G"),
        ] {
            assert_eq!(tokens(number), shown);
        }
    }

    #[test]
    fn money_has_cents_while_they_matter() {
        for (billionths, shown) in [
            (0, "$0.00"),
            (4_000_000, "$0.00"),
            (5_000_000, "$0.01"),
            (12_340_000_000, "$12.34"),
            (-1_500_000_000, "-$1.50"),
            (1_234_567_000_000_000, "$1,234,567"),
        ] {
            assert_eq!(money(billionths), shown);
        }
    }

    #[test]
    fn a_share_of_nothing_is_none() {
        assert_eq!(
            (share(1, 0), share(31, 1000), share(-5, 100)),
            ("–".into(), "3.1 %".into(), "-5.0 %".into())
        );
    }
}
