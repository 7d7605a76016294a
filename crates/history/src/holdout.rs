//! Compares the arms of the current holdout trial, or of the last one.

use rusqlite::{Connection, Row};
use tersely_account::HoldoutShare;
use tersely_proof::{Comparison, SessionValue, ValueScale, compare};

use crate::error::HistoryError;
use crate::read::{HistoryView, count};

/// Maximum number of sessions compared; the latest ones count.
const MAX_SESSIONS: i64 = 100_000;

/// Nanodollars in a dollar.
const BILLION: f64 = 1e9;

/// Hundredths of a percent in a point.
const HUNDREDTHS: f64 = 100.0;

/// A comparison of the arms of a trial.
#[derive(Clone, Debug)]
pub struct HoldoutReport {
    /// True when all sessions are compressed, and the held-out ones only not cleared.
    pub is_clearing: bool,
    /// The share of sessions that is held out.
    pub share: HoldoutShare,
    /// Treated sessions that are over.
    pub treated: u64,
    /// Held-out sessions that are over.
    pub held: u64,
    /// Sessions that are still running.
    pub running: u64,
    /// Sessions with requests in both arms, because a setting changed; they are not compared.
    pub mixed: u64,
    /// Finished sessions with a request of unknown price; their cost is not compared.
    pub unpriced: u64,
    /// Finished sessions during which other sessions used the same window; their points are not compared.
    pub shared: u64,
    /// The comparison for each measure; no window where the provider reports none.
    pub measures: Vec<HoldoutMeasure>,
}

/// One measure of the comparison.
#[derive(Clone, Copy, Debug)]
pub struct HoldoutMeasure {
    /// The measure.
    pub kind: MeasureKind,
    /// The comparison of this measure between the arms.
    pub compared: Comparison,
}

/// What is compared between the arms.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MeasureKind {
    /// The bill of a session, in dollars.
    Cost,
    /// The bill of a session, compared as a ratio of geometric means.
    Ratio,
    /// Requests in a session.
    Turns,
    /// Tool calls that repeat an earlier call of the session, plus texts fetched back.
    Rereads,
    /// Points, that is, percent, of the account's 5-hour window.
    Window,
}

/// A finished session of a trial.
struct TrialSession {
    is_held: bool,
    turns: u64,
    priced: u64,
    paid: u64,
    rereads: u64,
    /// What the session used of the 5-hour window, in hundredths of a percent; `None` if that is unknown.
    window: Option<u64>,
    /// True when other sessions used the window in between.
    is_shared: bool,
}

impl MeasureKind {
    /// All measures.
    pub const ALL: [Self; 5] = [Self::Cost, Self::Ratio, Self::Turns, Self::Rereads, Self::Window];

    /// The name of the measure.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cost => "billed_cost",
            Self::Ratio => "billed_cost_ratio",
            Self::Turns => "turns",
            Self::Rereads => "rereads",
            Self::Window => "window_5h_points",
        }
    }

    /// The scale on which this measure is compared. The minimum cap of 10 ensures that ordinary counts of turns and
    /// calls are not capped.
    fn scale(self) -> ValueScale {
        match self {
            Self::Cost => ValueScale::Plain(1e-6),
            Self::Ratio => ValueScale::Ratio,
            Self::Turns | Self::Rereads | Self::Window => ValueScale::Plain(10.0),
        }
    }

    /// The value of this measure for a session; `None` if it is unknown.
    #[expect(clippy::cast_precision_loss, reason = "amounts of one session")]
    fn value(self, session: &TrialSession) -> Option<f64> {
        let priced = session.priced == session.turns;
        match self {
            Self::Cost | Self::Ratio => priced.then(|| session.paid as f64 / BILLION),
            Self::Turns => Some(session.turns as f64),
            Self::Rereads => Some(session.rereads as f64),
            Self::Window => {
                session.window.filter(|_| !session.is_shared).map(|risen| risen as f64 / HUNDREDTHS)
            }
        }
    }
}

impl HistoryView {
    /// The current trial, or the last one; `None` if there was none.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn holdout(&self) -> Result<Option<HoldoutReport>, HistoryError> {
        self.with(|connection| {
            let last = format!(
                "SELECT share, {CLEARING} FROM trial_sessions WHERE arm != 'mixed' ORDER BY latest DESC, session LIMIT 1"
            );
            let mut last = connection.prepare_cached(&last)?;
            let trial = last.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.next().transpose()?;
            trial.map(|trial| report(connection, trial)).transpose()
        })
    }
}

/// The share of a trial, and whether it is one of clearing.
type Trial = (u32, bool);

/// True in rows of a trial of clearing.
const CLEARING: &str = "arm IN ('cleared', 'uncleared')";

fn report(connection: &Connection, trial: Trial) -> rusqlite::Result<HoldoutReport> {
    let mut counts = connection.prepare_cached(&format!(
        "SELECT coalesce(sum(arm != 'mixed' AND latest >= {OPEN}), 0), coalesce(sum(arm = 'mixed'), 0)
         FROM trial_sessions WHERE share = ?1 AND (arm = 'mixed' OR {CLEARING} = ?2)"
    ))?;
    let (running, mixed) = counts.query_one(trial, |row| Ok((count(row, 0)?, count(row, 1)?)))?;
    let sessions = over(connection, trial)?;
    let (share, is_clearing) = trial;
    let part = HoldoutShare::millionths(share);
    let held = sessions.iter().filter(|session| session.is_held).count() as u64;
    let measure = |kind: MeasureKind| {
        let value = |session: &TrialSession| {
            Some(SessionValue { is_held: session.is_held, value: kind.value(session)? })
        };
        let values: Vec<_> = sessions.iter().filter_map(value).collect();
        HoldoutMeasure { kind, compared: compare(kind.scale(), part, &values) }
    };
    let has_window = sessions.iter().any(|session| session.window.is_some());
    let kinds = MeasureKind::ALL.into_iter().filter(|kind| has_window || *kind != MeasureKind::Window);
    Ok(HoldoutReport {
        is_clearing,
        share: part,
        treated: sessions.len() as u64 - held,
        held,
        running,
        mixed,
        unpriced: sessions.iter().filter(|session| session.priced < session.turns).count() as u64,
        shared: sessions.iter().filter(|session| session.is_shared).count() as u64,
        measures: kinds.map(measure).collect(),
    })
}

/// A session is over after an hour without a request, and is compared only then. A session with a request after this
/// time is still running.
const OPEN: &str = "(unixepoch('now') * 1000 - 3600000)";

/// The finished sessions, in the order in which they ended.
fn over(connection: &Connection, trial: Trial) -> rusqlite::Result<Vec<TrialSession>> {
    let mut rows = connection.prepare_cached(&format!(
        "SELECT arm, turns, priced, paid, repeats + fetches, risen, coalesce(shared, 0) FROM
            (SELECT * FROM trial_sessions WHERE share = ?1 AND {CLEARING} = ?2 AND arm != 'mixed' AND latest < {OPEN}
             ORDER BY latest DESC, session DESC LIMIT {MAX_SESSIONS}) AS trial
         LEFT JOIN session_limits ON session_limits.session = trial.session AND name = '5h'
         ORDER BY trial.latest, trial.session"
    ))?;
    rows.query_map(trial, session)?.collect()
}

fn session(row: &Row<'_>) -> rusqlite::Result<TrialSession> {
    Ok(TrialSession {
        is_held: ["held_out", "uncleared"].contains(&row.get::<_, String>(0)?.as_str()),
        turns: count(row, 1)?,
        priced: count(row, 2)?,
        paid: count(row, 3)?,
        rereads: count(row, 4)?,
        window: row.get::<_, Option<i64>>(5)?.map(|risen| risen.max(0).unsigned_abs()),
        is_shared: row.get(6)?,
    })
}
