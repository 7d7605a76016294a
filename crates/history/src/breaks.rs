//! Records why prompts were not read from a provider's cache.

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};
use tersely_account::{BreakCause, BreakOwner, PromptBreak, ShownName};
use tersely_telemetry::RequestEvent;

use crate::amount::{at, number};
use crate::error::HistoryError;
use crate::read::{HistoryView, count};

/// A cache break, and when it was.
#[derive(Clone, Debug)]
pub struct SeenBreak {
    /// When the request arrived, in milliseconds since 1970.
    pub at: u64,
    /// The break.
    pub found: PromptBreak,
}

/// The breaks of one owner.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct BreakTotal {
    /// Who caused them.
    pub owner: BreakOwner,
    /// The MCP server that caused them.
    pub server: Option<String>,
    /// The cause.
    pub cause: BreakCause,
    /// Their number.
    pub breaks: u64,
    /// The tokens that had to be processed again.
    pub lost: u64,
    /// What that cost, in nanodollars.
    pub cost: u64,
}

const COLUMNS: &str = "cause, place, line, tool, owner, server, lost, cost";

/// Adds the break of a request.
pub(crate) fn add(to: &Transaction<'_>, request: i64, event: &RequestEvent) -> rusqlite::Result<()> {
    let Some(found) = &event.record.cache_break else { return Ok(()) };
    let mut insert = to.prepare_cached(
        "INSERT OR REPLACE INTO cache_breaks VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    insert.execute(params![
        request,
        at(event),
        event.session.map(u64::cast_signed),
        found.cause.name(),
        found.place,
        found.line,
        found.tool.as_ref().map(ShownName::as_str),
        found.owner.name(),
        found.server.as_ref().map(ShownName::as_str),
        found.lost.map(number),
        found.cost.map(number),
    ])?;
    Ok(())
}

/// The break of a request.
pub(crate) fn of_request(connection: &Connection, request: u64) -> rusqlite::Result<Option<PromptBreak>> {
    let text = format!("SELECT {COLUMNS} FROM cache_breaks WHERE request = ?1");
    let mut found = connection.prepare_cached(&text)?;
    Ok(found.query_one([request.cast_signed()], cache_break).optional()?.flatten())
}

impl HistoryView {
    /// The latest break of a session.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn last_break(&self, session: u64) -> Result<Option<SeenBreak>, HistoryError> {
        let text = format!(
            "SELECT {COLUMNS}, at FROM cache_breaks WHERE session = ?1 ORDER BY request DESC LIMIT 1"
        );
        self.with(|connection| {
            let mut found = connection.prepare_cached(&text)?;
            let found =
                found.query_one([session.cast_signed()], |row| Ok((cache_break(row)?, count(row, 8)?)));
            Ok(found.optional()?.and_then(|(found, at)| Some(SeenBreak { at, found: found? })))
        })
    }

    /// The recorded breaks by owner, most expensive first; those of one session, or all.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn breaks(&self, session: Option<u64>) -> Result<Vec<BreakTotal>, HistoryError> {
        let text = "SELECT owner, server, cause, count(*) AS breaks, coalesce(sum(lost), 0) AS lost,
                coalesce(sum(cost), 0) AS cost FROM cache_breaks WHERE ?1 IS NULL OR session = ?1
             GROUP BY owner, server, cause ORDER BY cost DESC, lost DESC, breaks DESC LIMIT 100";
        self.with(|connection| {
            let mut found = connection.prepare_cached(text)?;
            let found = found.query_map([session.map(u64::cast_signed)], |row| {
                let (owner, cause): (String, String) = (row.get(0)?, row.get(2)?);
                let known = BreakOwner::of_name(&owner).zip(BreakCause::of_name(&cause));
                let (server, breaks) = (row.get(1)?, count(row, 3)?);
                let (lost, cost) = (count(row, 4)?, count(row, 5)?);
                Ok(known.map(|(owner, cause)| BreakTotal { owner, server, cause, breaks, lost, cost }))
            })?;
            Ok(found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        })
    }
}

/// A break; `None` if a newer version recorded one that this version does not know.
fn cache_break(row: &Row<'_>) -> rusqlite::Result<Option<PromptBreak>> {
    let (cause, owner): (String, String) = (row.get(0)?, row.get(4)?);
    let name = |place| {
        Ok::<_, rusqlite::Error>(row.get::<_, Option<String>>(place)?.and_then(|it| ShownName::of(&it)))
    };
    let amount = |place| {
        Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(place)?.map(|it| it.max(0).unsigned_abs()))
    };
    let (Some(cause), Some(owner)) = (BreakCause::of_name(&cause), BreakOwner::of_name(&owner)) else {
        return Ok(None);
    };
    Ok(Some(PromptBreak {
        cause,
        place: row.get(1)?,
        line: row.get(2)?,
        tool: name(3)?,
        owner,
        server: name(5)?,
        lost: amount(6)?,
        cost: amount(7)?,
    }))
}
