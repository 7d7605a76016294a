//! Deletes old requests, or the whole history.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, TransactionBehavior, params};

use crate::error::HistoryError;
use crate::schema;

/// Deletes everything in a history file and returns the number of requests that the history covered. Other processes
/// may keep writing to the file. A damaged file is removed.
///
/// # Errors
/// When the file is missing or cannot be written.
pub fn purge(path: &Path) -> Result<u64, HistoryError> {
    match schema::open(path) {
        Ok(mut connection) => empty(&mut connection),
        Err(error) if error.is_broken() => {
            fs::remove_file(path)?;
            for beside in ["-wal", "-shm"] {
                let mut name = path.as_os_str().to_owned();
                name.push(beside);
                // The file need not exist.
                let _ = fs::remove_file(name);
            }
            Ok(0)
        }
        Err(error) => Err(error),
    }
}

/// All tables.
const TABLES: [&str; 12] = [
    "requests",
    "results",
    "days",
    "day_groups",
    "day_stages",
    "trial_sessions",
    "trial_calls",
    "limits",
    "session_limits",
    "cache_breaks",
    "prompts",
    "day_tenants",
];

fn empty(connection: &mut Connection) -> Result<u64, HistoryError> {
    // Deleted rows are overwritten on disk.
    connection.pragma_update(None, "secure_delete", "ON")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let count: i64 =
        transaction.query_one("SELECT coalesce(sum(requests), 0) FROM days", [], |row| row.get(0))?;
    for table in TABLES {
        transaction.execute(&format!("DELETE FROM {table}"), [])?;
    }
    transaction.commit()?;
    connection.execute_batch("VACUUM")?;
    connection.pragma_update_and_check(None, "wal_checkpoint", "TRUNCATE", |_| Ok(()))?;
    Ok(count.unsigned_abs())
}

/// Deletes single requests older than `days`, and all but the newest `rows`.
pub(crate) fn forget(connection: &mut Connection, days: usize, rows: Option<usize>) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let by_age: Option<i64> = transaction.query_one(
        "SELECT max(id) FROM requests WHERE at < (unixepoch('now') - ?1 * 86400) * 1000",
        [days_ago(days)],
        |row| row.get(0),
    )?;
    let newest: Option<i64> = transaction.query_one("SELECT max(id) FROM requests", [], |row| row.get(0))?;
    let by_count = rows.and_then(|rows| newest?.checked_sub(i64::try_from(rows).ok()?));
    if let Some(last) = by_age.max(by_count).filter(|last| *last > 0) {
        transaction.execute("DELETE FROM results WHERE request <= ?1", params![last])?;
        transaction.execute("DELETE FROM limits WHERE request <= ?1", params![last])?;
        transaction.execute("DELETE FROM cache_breaks WHERE request <= ?1", params![last])?;
        transaction.execute("DELETE FROM prompts WHERE request <= ?1", params![last])?;
        transaction.execute("DELETE FROM requests WHERE id <= ?1", params![last])?;
    }
    // A session's totals are kept; its calls are needed only while the session is running.
    let ended = "SELECT session FROM trial_sessions WHERE latest < (unixepoch('now') - ?1 * 86400) * 1000";
    transaction.execute(&format!("DELETE FROM trial_calls WHERE session IN ({ended})"), [days_ago(days)])?;
    // The limits of a trial's sessions are compared later.
    let limits = "DELETE FROM session_limits WHERE latest < (unixepoch('now') - ?1 * 86400) * 1000
        AND session NOT IN (SELECT session FROM trial_sessions)";
    transaction.execute(limits, [days_ago(days)])?;
    if let Some(rows) = rows {
        let newest = "SELECT session FROM session_limits ORDER BY latest DESC LIMIT ?1";
        let delete = format!("DELETE FROM session_limits WHERE session NOT IN ({newest})");
        transaction.execute(&delete, [i64::try_from(rows).unwrap_or(i64::MAX)])?;
        let newest = "SELECT session FROM trial_sessions ORDER BY latest DESC LIMIT ?1";
        for table in ["trial_calls", "trial_sessions"] {
            let rows = i64::try_from(rows).unwrap_or(i64::MAX);
            transaction.execute(&format!("DELETE FROM {table} WHERE session NOT IN ({newest})"), [rows])?;
        }
    }
    transaction.commit()
}

/// A number of days that does not overflow when converted to seconds.
fn days_ago(days: usize) -> i64 {
    i64::try_from(days).unwrap_or(i64::MAX).min(i64::MAX / 100_000)
}
