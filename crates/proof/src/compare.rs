//! Compares the sessions of two groups by their values.
//!
//! No confidence interval for a mean is valid for unbounded values, so values above a cap count as the cap. The first
//! sessions determine the cap and are not compared, so the cap is fixed before any session that is compared.

use tersely_account::HoldoutShare;

use crate::confidence_sequence::{MeanGap, gap, mean, threshold};

/// The number of initial sessions, which determine the cap and are not compared.
pub const BURN_IN: usize = 20;

/// Minimum number of sessions in each group for a comparison.
pub const MIN_SESSIONS: usize = 5;

/// The cap as a multiple of the 90th percentile of the initial sessions.
const CAP: f64 = 4.0;

/// The lowest value on the ratio scale, as a fraction of the cap. Lower values count as this value.
const FLOOR: f64 = 1e-3;

/// The difference that `Comparison::tenth` refers to, as a fraction of the mean.
const TENTH: f64 = 0.1;

/// The log capital that is needed beyond the threshold because the best stake is unknown. Found by simulation.
const UNSURE: f64 = 1.6;

/// The value of one session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SessionValue {
    /// True when the session was held out.
    pub is_held: bool,
    /// The value of the session, never negative.
    pub value: f64,
}

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueScale {
    /// By the difference of the means. The number is the minimum of the cap.
    Plain(f64),
    /// By the ratio of the geometric means.
    Ratio,
}

/// The size and mean of one group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroupMean {
    /// The number of sessions that are compared.
    pub sessions: usize,
    /// The mean of their values; on the ratio scale, the geometric mean.
    pub mean: f64,
}

/// A comparison of two groups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The cap on the value of a session.
    pub cap: f64,
    /// The number of sessions with a value above the cap.
    pub capped: usize,
    /// The compressed sessions.
    pub treated: GroupMean,
    /// The held-out sessions.
    pub held: GroupMean,
    /// The treated mean minus the held-out mean; on the ratio scale, that difference relative to the held-out mean.
    /// `None` while there are too few sessions.
    pub gap: Option<MeanGap>,
    /// The estimated number of further sessions until the difference is clear, if it remains the same. `None` if it
    /// is already clear or too small to matter.
    pub more: Option<u64>,
    /// The estimated number of further sessions needed to detect a difference of 10 %.
    pub tenth: u64,
}

/// The values of both groups, scaled to the range from 0 to 1.
struct Units {
    treated: Vec<f64>,
    held: Vec<f64>,
    /// The approximate mean of the values, from the initial sessions.
    level: f64,
}

/// Compares the sessions of a trial that holds out `share` of them. The sessions must be in the order in which they
/// ended.
#[must_use]
pub fn compare(scale: ValueScale, share: HoldoutShare, sessions: &[SessionValue]) -> Comparison {
    let (first, rest) = sessions.split_at(sessions.len().min(BURN_IN));
    let cap = cap(scale, first);
    let unit = |session: &SessionValue| unit(scale, cap, session.value);
    let group = |is_held| rest.iter().filter(|it| it.is_held == is_held).map(unit).collect::<Vec<_>>();
    let level = mean(&first.iter().map(unit).collect::<Vec<_>>()).clamp(0.01, 0.99);
    let units = Units { treated: group(false), held: group(true), level };
    let side = |values: &[f64]| GroupMean { sessions: values.len(), mean: back(scale, cap, mean(values)) };
    let mut compared = Comparison {
        cap,
        capped: rest.iter().filter(|session| session.value > cap).count(),
        treated: side(&units.treated),
        held: side(&units.held),
        gap: None,
        more: None,
        tenth: 0,
    };
    let part = share.part();
    if units.treated.len() < MIN_SESSIONS || units.held.len() < MIN_SESSIONS {
        let lacks = |group: &[f64], part: f64| missing(MIN_SESSIONS.saturating_sub(group.len()), part);
        let few = lacks(&units.held, part).max(lacks(&units.treated, 1.0 - part));
        compared.tenth = few + (BURN_IN - first.len()) as u64;
        return compared;
    }
    let found = gap(&units.treated, &units.held, part / (1.0 - part), units.level);
    let needed = |difference: f64| units.needed(part, difference).saturating_sub(rest.len() as u64);
    let tenth = match scale {
        ValueScale::Plain(_) => mean(&units.held) * TENTH,
        ValueScale::Ratio => (1.0 - TENTH).ln() / FLOOR.ln(),
    };
    let is_worth = found.difference.abs() * 5.0 > tenth;
    compared.more = (!found.is_clear() && is_worth).then(|| needed(found.difference).max(1));
    compared.tenth = needed(tenth);
    compared.gap = Some(match scale {
        ValueScale::Plain(_) => scaled(found, |difference| difference * cap),
        ValueScale::Ratio => scaled(found, |difference| FLOOR.powf(-difference) - 1.0),
    });
    compared
}

impl Units {
    /// The estimated number of sessions needed to detect this difference at the observed variance; `u64::MAX` if the
    /// difference is 0.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is never less than none")]
    fn needed(&self, part: f64, difference: f64) -> u64 {
        if difference == 0.0 {
            return u64::MAX;
        }
        let spread = variance(&self.treated) / (1.0 - part) + variance(&self.held) / part;
        (2.0 * (threshold() + UNSURE) * spread / difference.powi(2)).ceil().min(1e15) as u64
    }
}

/// The cap: a multiple of the 90th percentile of the initial sessions.
fn cap(scale: ValueScale, first: &[SessionValue]) -> f64 {
    let mut values: Vec<f64> = first.iter().map(|session| session.value).collect();
    values.sort_by(f64::total_cmp);
    let usual = values.get((values.len() * 9 / 10).saturating_sub(1)).copied().unwrap_or_default();
    let least = match scale {
        ValueScale::Plain(least) => least,
        ValueScale::Ratio => f64::MIN_POSITIVE,
    };
    (usual * CAP).max(least)
}

fn unit(scale: ValueScale, cap: f64, value: f64) -> f64 {
    let part = (value / cap).clamp(0.0, 1.0);
    match scale {
        ValueScale::Plain(_) => part,
        ValueScale::Ratio => 1.0 - part.max(FLOOR).ln() / FLOOR.ln(),
    }
}

/// Converts a scaled value back to the original unit.
fn back(scale: ValueScale, cap: f64, unit: f64) -> f64 {
    match scale {
        ValueScale::Plain(_) => unit * cap,
        ValueScale::Ratio => cap * FLOOR.powf(1.0 - unit),
    }
}

fn scaled(gap: MeanGap, scale: impl Fn(f64) -> f64) -> MeanGap {
    MeanGap { difference: scale(gap.difference), low: scale(gap.low), high: scale(gap.high) }
}

#[expect(clippy::cast_precision_loss, reason = "there are never so many values")]
fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    squares / (values.len().max(2) - 1) as f64
}

/// The expected number of sessions until `count` of them are in a group with this share.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a handful, by a share that is more than none"
)]
fn missing(count: usize, part: f64) -> u64 {
    (count as f64 / part.max(1e-6)).ceil() as u64
}
