//! Wording shared by the text, the page and the JSON of an audit.

use tersely_audit::{AuditSum, AuditSummary, CauseSum, ReducedBill};
use tersely_terminal::number::{grouped, many};

use super::Findings;

/// The contents of an audit report.
pub(super) struct AuditWords<'s> {
    pub(super) summary: &'s AuditSummary,
    pub(super) findings: &'s Findings,
    /// The date of the prices.
    pub(super) date: &'s str,
}

impl AuditWords<'_> {
    /// The error of our simulated cost against the reported usage, in percent. The first value is calculated from times
    /// and texts alone, the second also includes the cache misses that clients caused. `None` if no request with a
    /// known price has reported usage.
    pub(super) fn errors(&self) -> Option<[f64; 2]> {
        let bill = self.summary.all.bill;
        let off = |reckoned| percent(reckoned - bill.counted, bill.counted);
        (bill.counted > 0.0).then(|| [bill.simulated, bill.explained].map(off))
    }

    /// The limitations of the figures.
    pub(super) fn limits(&self) -> Vec<String> {
        let all = &self.summary.all;
        let mut limits = vec![
            format!("Paid: tokens counted by the providers, at list prices of {}. The price of a subscription is not considered.", self.date),
            "Saved: an estimate from replaying the requests offline. It does not include text that a model would have fetched back.".to_owned(),
        ];
        let uncounted = all.requests - all.counted;
        if uncounted > 0 {
            limits.push(format!(
                "{} of {} requests have no token count from the provider; Tersely estimates it.",
                grouped(uncounted),
                grouped(all.requests)
            ));
        }
        let capped = better(all).0.capped;
        if capped > 0 {
            limits.push(format!(
                "{} of {} requests contain more text than their provider counted; their savings are limited to the amount paid.",
                grouped(capped),
                grouped(all.requests)
            ));
        }
        if all.unpriced > 0 {
            limits.push(format!(
                "{} with models of unknown price; these count as free.",
                many(all.unpriced as u64, "conversation")
            ));
        }
        limits
    }

    /// Notes about files and lines that could not be read.
    pub(super) fn unread(&self) -> Vec<String> {
        let Findings { lines, foreign, faults, .. } = self.findings;
        let mut all = Vec::new();
        if *lines > 0 {
            all.push(many(*lines as u64, "broken line"));
        }
        if *foreign > 0 {
            all.push(format!("{} of other kinds", many(*foreign as u64, "file")));
        }
        all.extend(faults.iter().take(5).cloned());
        if faults.len() > 5 {
            all.push(format!("and {} more", faults.len() - 5));
        }
        all
    }
}

/// Why requests paid again for what they could have read from the cache, in the words of `tersely why`.
pub(super) fn why(cause: &CauseSum) -> String {
    match &cause.diagnosis {
        Some(word) => format!("the provider says: {word}"),
        None => cause.cause.words().to_owned(),
    }
}

/// The saving, in percent of the amount paid.
pub(super) fn share(sum: &AuditSum, saved: ReducedBill) -> f64 {
    percent(saved.dollars, sum.bill.paid)
}

/// The larger of the two savings, and its name. They are compared by money if prices are known.
pub(super) fn better(sum: &AuditSum) -> (ReducedBill, &'static str) {
    let [_, exact, standard] = sum.result_tokens;
    let is_standard =
        if sum.bill.paid > 0.0 { sum.standard.dollars > sum.exact.dollars } else { standard < exact };
    if is_standard { (sum.standard, "standard") } else { (sum.exact, "exact") }
}

pub(super) fn percent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole * 100.0 } else { 0.0 }
}

/// Converts a count to `usize`.
pub(super) fn narrow(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// An amount such as `$12.34`. Amounts under a cent are shown to a hundredth of a cent.
pub(super) fn dollars(amount: f64) -> String {
    let sign = if amount < 0.0 { "-" } else { "" };
    let amount = amount.abs();
    if amount < 0.01 && amount > 0.0 {
        return format!("{sign}${amount:.4}");
    }
    let cents = format!("{amount:.2}");
    let (whole, cents) = cents.split_once('.').unwrap_or((&cents, "00"));
    format!("{sign}${}.{cents}", grouped(whole))
}

/// Shortens a text to one line with a maximum of `most` characters, without control characters. A long text keeps both
/// ends.
pub(super) fn short(text: &str, most: usize) -> String {
    let line: String = text.chars().take(4_096).map(|it| if it.is_control() { ' ' } else { it }).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = line.chars().count();
    if length <= most {
        return line;
    }
    let (head, tail) = (most / 2, most - most / 2 - 1);
    let end: String = line.chars().skip(length - tail).collect();
    format!("{}…{end}", line.chars().take(head).collect::<String>())
}

/// Formats a number of days since 1970 as a date: `2026-02-19`.
pub(super) fn day(number: i64) -> String {
    let shifted = number + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_easy_to_read() {
        assert_eq!(dollars(1_234.5), "$1,234.50");
        assert_eq!(dollars(0.001), "$0.0010");
        assert_eq!(dollars(-3.0), "-$3.00");
        assert_eq!(dollars(0.0), "$0.00");
    }

    #[test]
    fn a_long_text_shows_its_ends_and_moves_no_cursor() {
        assert_eq!(short("cargo test\n\u{1b}[2J  --all", 40), "cargo test [2J --all");
        assert_eq!(short("packages/server/app/src/main.rs", 16), "packages…main.rs");
        assert_eq!(short(&"é".repeat(50), 11).chars().count(), 11);
    }

    #[test]
    fn days_have_their_dates() {
        assert_eq!([0, 19_782, 20_503].map(day), ["1970-01-01", "2024-02-29", "2026-02-19"]);
    }
}
