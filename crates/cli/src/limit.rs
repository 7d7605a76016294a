//! Formats how much of an account's limits is used.

/// Formats hundredths of a percent: 42 %, 42.5 %.
pub(crate) fn percent(hundredths: u32) -> String {
    format!("{} %", tenths(hundredths))
}

/// Formats hundredths of a percent as points: 7, 7.5.
pub(crate) fn points(hundredths: u32) -> String {
    tenths(hundredths)
}

/// Rounds to a tenth, and omits it if it is zero.
fn tenths(hundredths: u32) -> String {
    let tenths = hundredths.saturating_add(5) / 10;
    if tenths.is_multiple_of(10) {
        (tenths / 10).to_string()
    } else {
        format!("{}.{}", tenths / 10, tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_is_shown_if_there_is_one() {
        for (hundredths, shown) in
            [(0, "0 %"), (4_200, "42 %"), (4_249, "42.5 %"), (4_204, "42 %"), (10_375, "103.8 %")]
        {
            assert_eq!(percent(hundredths), shown);
        }
        assert_eq!((points(730), points(u32::MAX).is_empty()), ("7.3".to_owned(), false));
    }
}
