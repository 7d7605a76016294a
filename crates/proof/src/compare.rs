//! Compares what sessions of two groups come to.
//!
//! No band around a mean can hold for values without a bound, so values above a cap count as the cap. It comes from the
//! first sessions, which are not counted afterwards, so that it is fixed before any of those that are.

use tersely_account::HoldoutShare;

use crate::confidence_sequence::{MeanGap, gap, mean, threshold};

/// The first sessions, which say what is usual and are not compared.
pub const BURN_IN: usize = 20;

/// The fewest sessions of either group that are compared.
pub const LEAST: usize = 5;

/// The cap in what nine of ten of the first sessions do not exceed.
const CAP: f64 = 4.0;

/// What is told apart on the scale of ratios: from this part of the cap to the cap.
const FLOOR: f64 = 1e-3;

/// A difference that is worth knowing, as a part of the mean.
const TENTH: f64 = 0.1;

/// What the gamblers need beyond the threshold, because they do not know how bold to be: by simulation.
const UNSURE: f64 = 1.6;

/// What a session comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SessionValue {
    /// True when it was left as it came.
    pub is_held: bool,
    /// The amount, never less than none.
    pub value: f64,
}

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueScale {
    /// By the difference of their means; the cap is never less than this.
    Plain(f64),
    /// By the ratio of their typical values, which are geometric means.
    Ratio,
}

/// A group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroupMean {
    /// Its sessions that are compared.
    pub sessions: usize,
    /// Their mean.
    pub mean: f64,
}

/// Two groups compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The most that one session counts.
    pub cap: f64,
    /// How many came to more.
    pub capped: usize,
    /// Sessions that were shortened.
    pub treated: GroupMean,
    /// Sessions that were left as they came.
    pub held: GroupMean,
    /// Treated less held out; as a part of held out on the scale of ratios. Nothing while there are too few.
    pub gap: Option<MeanGap>,
    /// About how many more sessions it takes until the difference is clear, should it stay as it is; nothing where it is
    /// clear, or there is none to speak of.
    pub more: Option<u64>,
    /// About how many more it takes to tell a difference of a tenth.
    pub tenth: u64,
}

/// The values of both groups between 0 and 1.
struct Units {
    treated: Vec<f64>,
    held: Vec<f64>,
    /// About where they are.
    level: f64,
}

/// Compares the sessions of a trial in which this share is held out, in the order in which they ended.
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
    if units.treated.len() < LEAST || units.held.len() < LEAST {
        let lacks = |group: &[f64], part: f64| missing(LEAST.saturating_sub(group.len()), part);
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
    /// About how many sessions tell such a difference, at the present spread; none are enough for no difference.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is never less than none")]
    fn needed(&self, part: f64, difference: f64) -> u64 {
        if difference == 0.0 {
            return u64::MAX;
        }
        let spread = variance(&self.treated) / (1.0 - part) + variance(&self.held) / part;
        (2.0 * (threshold() + UNSURE) * spread / difference.powi(2)).ceil().min(1e15) as u64
    }
}

/// The most that a session counts: what is usual among the first, times some.
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

/// The amount that a unit stands for.
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

/// About how many sessions have so many of a group in them that makes up this part.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a handful, by a share that is more than none"
)]
fn missing(count: usize, part: f64) -> u64 {
    (count as f64 / part.max(1e-6)).ceil() as u64
}
