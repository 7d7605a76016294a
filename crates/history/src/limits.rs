//! Records how much of an account's limits is used: at each response, and what each session used of a window.
//!
//! A limit is the account's, not the session's. A session is charged with the rises between its own responses. If
//! another session of the same sender had a response in between, or ran at the same time, nobody can tell who caused a
//! rise: both sessions are marked as shared, and their rises are upper bounds.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};
use tersely_account::{LimitKind, LimitRise, LimitState, LimitUse};
use tersely_telemetry::RequestEvent;

use crate::amount::{at, number};
use crate::error::HistoryError;
use crate::read::{HistoryView, count};

/// Number of recent requests that are searched for the latest report.
const BACK: u64 = 2_000;

/// The latest report of a limit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SeenLimit {
    /// The limit.
    pub limit: LimitUse,
    /// When the response arrived, in milliseconds since 1970.
    pub at: u64,
}

/// What a session used of a window.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SessionLimit {
    /// The latest report, and the sum of the rises between the session's responses.
    pub rise: LimitRise,
    /// True when other sessions used the window in between, so that the rises are an upper bound.
    pub is_shared: bool,
}

/// A session's row: what it used, and when its latest response arrived.
struct SessionRow {
    limit: SessionLimit,
    latest: i64,
}

/// Adds the limits that a response reports.
pub(crate) fn add(to: &Transaction<'_>, request: i64, event: &RequestEvent) -> rusqlite::Result<()> {
    let arrival = event.upstream.unwrap_or(Duration::ZERO);
    let seen = at(event).saturating_add(i64::try_from(arrival.as_millis()).unwrap_or(i64::MAX));
    for limit in &event.record.limits {
        let mut insert = to.prepare_cached("INSERT OR REPLACE INTO limits VALUES (?1, ?2, ?3, ?4, ?5)")?;
        let resets = limit.resets.map(number);
        insert.execute(params![request, limit.kind.to_string(), limit.used, resets, limit.state.name()])?;
        if let (Some(session), Some(sender), true) = (event.session, event.sender, limit.kind.is_window()) {
            charge(to, [session, sender].map(u64::cast_signed), seen, limit)?;
        }
    }
    Ok(())
}

/// Adds a report to its session. Responses are recorded when they end, so an older report may come later: it is
/// not counted.
fn charge(
    to: &Transaction<'_>,
    [session, sender]: [i64; 2],
    seen: i64,
    limit: &LimitUse,
) -> rusqlite::Result<()> {
    let name = limit.kind.to_string();
    let mut known = to.prepare_cached(
        "SELECT name, used, resets, NULL, risen, shared, latest FROM session_limits WHERE session = ?1 AND name = ?2",
    )?;
    let known = known.query_one(params![session, name], session_row).optional()?.flatten();
    let Some(SessionRow { limit: mut before, latest }) = known else {
        let mut insert =
            to.prepare_cached("INSERT INTO session_limits VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?6, 0)")?;
        insert.execute(params![session, name, sender, limit.used, limit.resets.map(number), seen])?;
        return Ok(());
    };
    let mut others = to.prepare_cached(
        "UPDATE session_limits SET shared = 1 WHERE sender = ?1 AND name = ?2 AND latest >= ?3 AND session != ?4",
    )?;
    before.is_shared |= others.execute(params![sender, name, latest, session])? > 0;
    if seen >= latest {
        before.rise.see(*limit);
    }
    let mut update = to.prepare_cached(
        "UPDATE session_limits SET used = ?3, resets = ?4, risen = ?5, latest = max(latest, ?6), shared = ?7
         WHERE session = ?1 AND name = ?2",
    )?;
    let LimitRise { latest: LimitUse { used, resets, .. }, risen } = before.rise;
    update.execute(params![session, name, used, resets.map(number), risen, seen, before.is_shared])?;
    Ok(())
}

impl HistoryView {
    /// The latest report of each window that has not been reset since, shortest window first.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn limits(&self) -> Result<Vec<SeenLimit>, HistoryError> {
        let text =
            "SELECT name, used, resets, state, (SELECT at FROM requests WHERE id = request), max(request)
             FROM limits WHERE request > (SELECT max(id) FROM requests) - ?1
             GROUP BY name HAVING resets > unixepoch('now')";
        let mut limits: Vec<_> = self.with(|connection| {
            let mut found = connection.prepare_cached(text)?;
            let found = found.query_map([number(BACK)], |row| Ok((limit_use(row)?, count(row, 4)?)))?;
            let found = found.collect::<Result<Vec<_>, _>>()?;
            Ok(found.into_iter().filter_map(|(limit, at)| Some(SeenLimit { limit: limit?, at })).collect())
        })?;
        limits.retain(|seen: &SeenLimit| seen.limit.kind.is_window());
        limits.sort_by_key(|seen: &SeenLimit| seen.limit.kind);
        Ok(limits)
    }
}

/// The limits that the response to a request reported.
pub(crate) fn of_request(connection: &Connection, request: u64) -> rusqlite::Result<Vec<LimitUse>> {
    let mut found =
        connection.prepare_cached("SELECT name, used, resets, state FROM limits WHERE request = ?1")?;
    let found = found.query_map([request.cast_signed()], limit_use)?.collect::<Result<Vec<_>, _>>()?;
    let mut limits: Vec<_> = found.into_iter().flatten().collect();
    limits.sort_by_key(|limit| limit.kind);
    Ok(limits)
}

/// What a session used of each window, shortest window first.
pub(crate) fn of_session(connection: &Connection, session: i64) -> rusqlite::Result<Vec<SessionLimit>> {
    let mut found = connection.prepare_cached(
        "SELECT name, used, resets, NULL, risen, shared, latest FROM session_limits WHERE session = ?1",
    )?;
    let found = found.query_map([session], session_row)?.collect::<Result<Vec<_>, _>>()?;
    let mut limits: Vec<_> = found.into_iter().flatten().map(|row| row.limit).collect();
    limits.sort_by_key(|limit| limit.rise.latest.kind);
    Ok(limits)
}

/// Reads the columns name, used, resets and state; `None` if a later version wrote a name that this one cannot read.
fn limit_use(row: &Row<'_>) -> rusqlite::Result<Option<LimitUse>> {
    let kind = LimitKind::of_name(&row.get::<_, String>(0)?);
    let resets: Option<i64> = row.get(2)?;
    let state: Option<String> = row.get(3)?;
    let used = u32::try_from(count(row, 1)?).unwrap_or(u32::MAX);
    Ok(kind.map(|kind| LimitUse {
        kind,
        used,
        resets: resets.and_then(|resets| u64::try_from(resets).ok()),
        state: state.as_deref().map(LimitState::of_name).unwrap_or_default(),
    }))
}

/// Reads the columns of a limit, then risen, shared and latest.
fn session_row(row: &Row<'_>) -> rusqlite::Result<Option<SessionRow>> {
    let risen = u32::try_from(count(row, 4)?).unwrap_or(u32::MAX);
    let (is_shared, latest) = (row.get(5)?, row.get(6)?);
    Ok(limit_use(row)?.map(|used| SessionRow {
        limit: SessionLimit { rise: LimitRise { latest: used, risen }, is_shared },
        latest,
    }))
}
