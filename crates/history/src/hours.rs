//! Reads the last 24 hours: tokens, requests, and failures with their causes.

use crate::error::HistoryError;
use crate::read::{HistoryView, count, list};

/// What happened in one hour.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct HourSums {
    /// When the hour began, in milliseconds since 1970.
    pub at: u64,
    /// Tokens received.
    pub before: u64,
    /// Tokens sent, with those that fetching back cost.
    pub after: u64,
    /// Requests.
    pub requests: u64,
    /// Those of them that failed.
    pub failed: u64,
}

/// Failed requests of one kind.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FailureSum {
    /// The status of the response; 0 if there was none.
    pub status: u16,
    /// How these requests ended: who was at fault.
    pub ended: String,
    /// Number of requests.
    pub requests: u64,
}

/// A request failed unless its response was a success.
const FAILED: &str = "(status < 200 OR status >= 300)";

/// The first millisecond of the hour that was 23 hours ago.
const SINCE: &str = "(unixepoch('now') / 3600 - 23) * 3600000";

/// Maximum number of kinds of failures.
const MAX_KINDS: usize = 12;

impl HistoryView {
    /// The last 24 hours, the current one last.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn hours(&self) -> Result<Vec<HourSums>, HistoryError> {
        let text = format!(
            "WITH RECURSIVE back (n) AS (SELECT 23 UNION ALL SELECT n - 1 FROM back WHERE n > 0),
                sent AS (SELECT at / 3600000 AS hour, sum(before) AS before, sum(after + fetched) AS after,
                    count(*) AS requests, sum({FAILED}) AS failed FROM requests WHERE at >= {SINCE} GROUP BY 1)
             SELECT (unixepoch('now') / 3600 - n) * 3600000, coalesce(before, 0), coalesce(after, 0),
                coalesce(requests, 0), coalesce(failed, 0)
             FROM back LEFT JOIN sent ON hour = unixepoch('now') / 3600 - n ORDER BY 1"
        );
        self.with(|connection| {
            list(connection, &text, |row| {
                let [at, before, after] = [count(row, 0)?, count(row, 1)?, count(row, 2)?];
                Ok(HourSums { at, before, after, requests: count(row, 3)?, failed: count(row, 4)? })
            })
        })
    }

    /// The failures of the last 24 hours by status and cause, most frequent first.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn failures(&self) -> Result<Vec<FailureSum>, HistoryError> {
        let text = format!(
            "SELECT status, ended, count(*) FROM requests WHERE at >= {SINCE} AND {FAILED}
             GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT {MAX_KINDS}"
        );
        self.with(|connection| {
            list(connection, &text, |row| {
                Ok(FailureSum { status: row.get(0)?, ended: row.get(1)?, requests: count(row, 2)? })
            })
        })
    }
}
