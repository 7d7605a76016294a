//! Describes in words what the comparison with the holdout sessions shows.

use std::fmt::Write as _;

use tersely_history::{HoldoutMeasure, HoldoutReport, MeasureKind};
use tersely_proof::{BURN_IN, Comparison, MIN_SESSIONS, MeanGap};
use tersely_terminal::number::{grouped, many};

use crate::command::stats::block::{DIM, GOOD, HEAD};

/// A number of sessions that nobody will reach.
const FAR: u64 = 10_000_000;

/// The whole text.
pub(crate) fn page(report: &HoldoutReport) -> String {
    let held_out = if report.is_clearing { "held out from clearing" } else { "held out" };
    let mut out = format!(
        "{HEAD}{} of sessions {held_out}{HEAD:#} {DIM}· {} treated, {} held out, {} in progress{DIM:#}\n\n",
        report.share,
        grouped(report.treated),
        grouped(report.held),
        grouped(report.running),
    );
    for measure in &report.measures {
        out += &block(measure);
    }
    out + &notes(report)
}

fn block(HoldoutMeasure { kind, compared }: &HoldoutMeasure) -> String {
    let (treated, held) = (compared.treated, compared.held);
    let mut out = format!("{HEAD}{:<22}{HEAD:#}", title(*kind));
    if treated.sessions > 0 && held.sessions > 0 {
        let _ = write!(out, "{} treated, {} held out", amount(*kind, treated.mean), amount(*kind, held.mean));
    }
    out.push('\n');
    let Some(gap) = compared.gap else {
        let few = format!(
            "not enough data: {} treated and {} held-out sessions after the first {BURN_IN}; each group needs at least {MIN_SESSIONS}",
            grouped(treated.sessions),
            grouped(held.sessions)
        );
        let _ = writeln!(out, "  {few}; about {} to go\n", many(rough(compared.tenth), "more session"));
        return out;
    };
    let _ = writeln!(out, "  {}", verdict(*kind, compared, gap));
    let _ = writeln!(out, "  {DIM}{}{DIM:#}\n", detail(*kind, compared));
    out
}

/// States what is proved, or how many sessions a proof would need.
fn verdict(kind: MeasureKind, compared: &Comparison, gap: MeanGap) -> String {
    let band = format!("between {} and {}", change(kind, gap.low), change(kind, gap.high));
    if gap.is_clear() {
        let color = if gap.high < 0.0 { GOOD } else { HEAD };
        return format!("{color}{}{color:#}, with 95 % confidence: {band}", change(kind, gap.difference));
    }
    let more = match compared.more {
        Some(more) => {
            format!(
                "about {} needed if the difference and the spread stay the same",
                many(rough(more), "more session")
            )
        }
        None => "no noticeable difference so far".to_owned(),
    };
    let tenth = match compared.tenth {
        0 => "a difference of 10 % would be visible by now".to_owned(),
        FAR.. => "a difference of 10 % is too small to detect".to_owned(),
        count => {
            format!("detecting a difference of 10 % would take about {}", many(rough(count), "more session"))
        }
    };
    format!("not clear yet: {}, {band}; {more}; {tenth}", change(kind, gap.difference))
}

fn detail(kind: MeasureKind, compared: &Comparison) -> String {
    let (treated, held) = (grouped(compared.treated.sessions), grouped(compared.held.sessions));
    let cap = amount(kind, compared.cap);
    let capped = many(compared.capped as u64, "session");
    format!("{treated} treated and {held} held-out sessions; values above {cap} count as {cap} ({capped})")
}

fn notes(report: &HoldoutReport) -> String {
    let mut notes = vec![format!(
        "Each range holds with 95 % confidence, no matter how often you check. The first {BURN_IN} sessions set the caps and are not compared"
    )];
    if report.unpriced > 0 {
        notes.push(format!("{} excluded from costs: no known price", many(report.unpriced, "session")));
    }
    if report.mixed > 0 {
        notes.push(format!(
            "{} excluded: in both groups, because settings changed",
            many(report.mixed, "session")
        ));
    }
    if report.shared > 0 {
        notes.push(format!(
            "{} excluded from points: other sessions used the same window",
            many(report.shared, "session")
        ));
    }
    format!("{DIM}{}. docs/measuring.md explains how to read this.{DIM:#}\n", notes.join(". "))
}

fn title(kind: MeasureKind) -> &'static str {
    match kind {
        MeasureKind::Cost => "cost per session",
        MeasureKind::Ratio => "cost, typical session",
        MeasureKind::Turns => "turns per session",
        MeasureKind::Rereads => "re-reads per session",
        MeasureKind::Window => "5h points per session",
    }
}

/// Formats an amount with about three digits.
fn amount(kind: MeasureKind, value: f64) -> String {
    match kind {
        MeasureKind::Cost | MeasureKind::Ratio => dollars(value),
        MeasureKind::Turns | MeasureKind::Rereads | MeasureKind::Window => format!("{value:.1}"),
    }
}

/// Describes a difference in words.
fn change(kind: MeasureKind, gap: f64) -> String {
    let word = if gap < 0.0 { "less" } else { "more" };
    match kind {
        MeasureKind::Cost => format!("{} {word}", dollars(gap.abs())),
        MeasureKind::Ratio => format!("{:.1} % {word}", gap.abs() * 100.0),
        MeasureKind::Turns | MeasureKind::Rereads | MeasureKind::Window => {
            format!("{:.2} {word}", gap.abs())
        }
    }
}

/// Rounds a number to two digits, because it is not more precise than that.
fn rough(number: u64) -> u64 {
    let unit = 10_u64.pow(number.max(1).ilog10().saturating_sub(1));
    number.div_ceil(unit).saturating_mul(unit)
}

fn dollars(value: f64) -> String {
    if value < 1.0 { format!("${value:.4}") } else { format!("${value:.2}") }
}

#[cfg(test)]
mod tests {
    use tersely_proof::GroupMean;

    use super::*;

    fn compared(gap: Option<MeanGap>, more: Option<u64>, tenth: u64) -> Comparison {
        let group = |sessions, mean| GroupMean { sessions, mean };
        Comparison {
            cap: 4.0,
            capped: 3,
            treated: group(930, 0.412),
            held: group(48, 0.551),
            gap,
            more,
            tenth,
        }
    }

    fn said(kind: MeasureKind, compared: Comparison) -> String {
        let text = block(&HoldoutMeasure { kind, compared });
        [HEAD, GOOD, DIM].iter().fold(text, |text, style| {
            text.replace(&format!("{style}"), "").replace(&format!("{style:#}"), "")
        })
    }

    #[test]
    fn what_is_clear_is_said_with_its_band() {
        let gap = MeanGap { difference: -0.139, low: -0.3, high: -0.02 };
        assert_eq!(
            said(MeasureKind::Cost, compared(Some(gap), None, 0)),
            "cost per session      $0.4120 treated, $0.5510 held out\
             \n  $0.1390 less, with 95 % confidence: between $0.3000 less and $0.0200 less\
             \n  930 treated and 48 held-out sessions; values above $4.00 count as $4.00 (3 sessions)\n\n"
        );
    }

    #[test]
    fn what_is_not_clear_says_what_it_takes() {
        let gap = MeanGap { difference: -0.139, low: -0.3, high: 0.02 };
        let text = said(MeasureKind::Ratio, compared(Some(gap), Some(1_190), 5_000));
        assert!(
            text.contains(
                "not clear yet: 13.9 % less, between 30.0 % less and 2.0 % more; about 1,200 more sessions needed if \
                 the difference and the spread stay the same; detecting a difference of 10 % would take about 5,000 more sessions"
            ),
            "{text}"
        );
        let none = MeanGap { difference: 0.001, low: -0.3, high: 0.3 };
        let text = said(MeasureKind::Turns, compared(Some(none), None, 0));
        assert!(
            text.contains("no noticeable difference so far; a difference of 10 % would be visible by now"),
            "{text}"
        );
    }

    #[test]
    fn points_are_told_like_counts_and_what_was_shared_is_told() {
        let gap = MeanGap { difference: -1.5, low: -2.25, high: -0.75 };
        let window = HoldoutMeasure { kind: MeasureKind::Window, compared: compared(Some(gap), None, 0) };
        let text = said(MeasureKind::Window, window.compared);
        assert!(text.starts_with("5h points per session 0.4 treated, 0.6 held out\n"), "{text}");
        assert!(text.contains("1.50 less, with 95 % confidence: between 2.25 less and 0.75 less"), "{text}");
        let report = HoldoutReport {
            is_clearing: false,
            share: tersely_account::HoldoutShare::millionths(50_000),
            treated: 930,
            held: 48,
            running: 0,
            mixed: 0,
            unpriced: 0,
            shared: 7,
            measures: vec![window],
        };
        let text = page(&report);
        assert!(
            text.contains("7 sessions excluded from points: other sessions used the same window"),
            "{text}"
        );
        let alone = page(&HoldoutReport { shared: 0, ..report.clone() });
        assert!(!alone.contains("excluded from points"), "{alone}");
        let clearing = page(&HoldoutReport { is_clearing: true, ..report });
        let first = clearing.lines().next().unwrap_or_default();
        assert!(first.contains("5% of sessions held out from clearing"), "{clearing}");
        assert!(alone.contains("5% of sessions held out") && !alone.contains("from clearing"), "{alone}");
    }

    #[test]
    fn too_few_are_said_to_be_too_few() {
        let text = said(MeasureKind::Rereads, compared(None, None, 80));
        assert!(
            text.contains("not enough data: 930 treated and 48 held-out sessions after the first 20"),
            "{text}"
        );
        assert!(text.contains("about 80 more sessions to go"), "{text}");
        assert_eq!([0, 9, 81, 1_101, u64::MAX].map(rough)[..4], [0, 9, 81, 1_200]);
    }
}
