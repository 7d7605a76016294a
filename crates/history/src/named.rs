//! Finds a session by the name that its client gave it.

use rusqlite::params;

use crate::error::HistoryError;
use crate::limits::{SessionLimit, of_session};
use crate::read::{HistoryView, count};

/// A session that its client has named. Requests with other credentials belong to it, too, which is usual after a
/// login was renewed.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct NamedSession {
    /// Tokens as received and as sent, and the tokens that fetching back cost.
    pub tokens: [u64; 3],
    /// What the session used of the account's windows.
    pub limits: Vec<SessionLimit>,
    /// The hash that identifies the latest part of the session.
    pub session: Option<u64>,
}

impl HistoryView {
    /// The session with this name, as [`tersely_account::session_name`] hashes it; `None` if nothing is recorded of it.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn named(&self, name: u64) -> Result<Option<NamedSession>, HistoryError> {
        let sums =
            "SELECT count(*), coalesce(sum(before), 0), coalesce(sum(after), 0), coalesce(sum(fetched), 0)
             FROM requests WHERE named = ?1";
        let last = "SELECT max(id), session FROM requests WHERE named = ?1";
        let name = name.cast_signed();
        self.with(|connection| {
            let mut sums = connection.prepare_cached(sums)?;
            let (turns, tokens) = sums.query_one(params![name], |row| {
                Ok((count(row, 0)?, [count(row, 1)?, count(row, 2)?, count(row, 3)?]))
            })?;
            if turns == 0 {
                return Ok(None);
            }
            let mut last = connection.prepare_cached(last)?;
            let session: Option<i64> = last.query_one(params![name], |row| row.get(1))?;
            let limits = session.map(|session| of_session(connection, session)).transpose()?;
            Ok(Some(NamedSession {
                tokens,
                limits: limits.unwrap_or_default(),
                session: session.map(i64::cast_unsigned),
            }))
        })
    }
}
