//! Opens a history and migrates it to the current schema.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::error::HistoryError;
use crate::migrations::STEPS;

/// How long a call waits for another process's write lock.
const PATIENCE: Duration = Duration::from_secs(3);

/// Opens the file for writing; creates it, readable by its owner only, if it is missing.
pub(crate) fn create(path: &Path) -> Result<Connection, HistoryError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        private_folder(folder)?;
    }
    private_file(path)?;
    prepare(Connection::open_with_flags(path, FLAGS)?)
}

/// Opens an existing file.
pub(crate) fn open(path: &Path) -> Result<Connection, HistoryError> {
    // An empty file has no schema yet: another process is about to create it.
    if fs::metadata(path).map_or(0, |file| file.len()) == 0 {
        return Err(HistoryError::Missing);
    }
    prepare(Connection::open_with_flags(path, FLAGS)?)
}

/// Opens an existing file only to read it, without waiting for anybody. A file with the schema of another version is
/// an error, because it would have to be migrated.
pub(crate) fn peek(path: &Path) -> Result<Connection, HistoryError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::ZERO)?;
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    match usize::try_from(version) {
        Ok(version) if version == STEPS.len() => Ok(connection),
        Ok(version) if version < STEPS.len() => Err(HistoryError::Missing),
        _ => Err(HistoryError::Newer(version)),
    }
}

/// A history in memory, which ends with the process.
pub(crate) fn in_memory() -> Result<Connection, HistoryError> {
    prepare(Connection::open_in_memory()?)
}

/// Without `SQLITE_OPEN_URI`, so that a path is never parsed as a URI. No mutex: a connection has one user at a time.
const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

fn prepare(mut connection: Connection) -> Result<Connection, HistoryError> {
    connection.busy_timeout(PATIENCE)?;
    // With WAL, readers and writers do not block each other. A crash may lose the last second, never the file.
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    migrate(&mut connection, STEPS)?;
    Ok(connection)
}

/// Runs the missing steps in one transaction.
fn migrate(connection: &mut Connection, steps: &[&str]) -> Result<(), HistoryError> {
    let version = |connection: &Connection| {
        connection.pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0))
    };
    let last = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    if version(connection)? == last {
        return Ok(());
    }
    // Take the write lock first, because another process may be migrating too.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let from = version(&transaction)?;
    if from > last {
        return Err(HistoryError::Newer(from));
    }
    for step in steps.iter().skip(from as usize) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", last)?;
    Ok(transaction.commit()?)
}

#[cfg(unix)]
fn private_folder(folder: &Path) -> Result<(), HistoryError> {
    use std::os::unix::fs::DirBuilderExt as _;
    Ok(fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?)
}

#[cfg(not(unix))]
fn private_folder(folder: &Path) -> Result<(), HistoryError> {
    Ok(fs::create_dir_all(folder)?)
}

fn private_file(path: &Path) -> Result<(), HistoryError> {
    let mut options = fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.append(true).create(true).open(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_file_gets_the_steps_that_it_lacks() {
        let steps = ["CREATE TABLE t (a)", "ALTER TABLE t ADD COLUMN b; UPDATE t SET b = a * 2"];
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &steps[..1]).unwrap();
        connection.execute("INSERT INTO t VALUES (21)", []).unwrap();
        migrate(&mut connection, &steps).unwrap();
        migrate(&mut connection, &steps).unwrap();
        let b: i64 = connection.query_one("SELECT b FROM t", [], |row| row.get(0)).unwrap();
        assert_eq!(b, 42);
    }

    #[test]
    fn a_step_that_fails_leaves_the_file_as_it_was() {
        let steps = ["CREATE TABLE t (a)", "CREATE TABLE u (a); DROP TABLE nothing"];
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &steps[..1]).unwrap();
        assert!(migrate(&mut connection, &steps).is_err());
        assert!(connection.prepare("SELECT * FROM u").is_err());
        let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        assert_eq!(version, 1);
    }

    /// Behaviour 13.30: what was recorded before there were tenants is nobody's, and adds up too.
    #[test]
    fn days_before_there_were_tenants_are_nobodys() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &STEPS[..5]).unwrap();
        let numbers = vec!["1"; 18].join(", ");
        // A folder may have the name of those that have none.
        for key in [
            "'claude', 'shop', 'p', 'm'",
            "'codex', 'shop', 'p', 'm'",
            "'codex', '', 'p', 'n'",
            "'codex', 'none', 'p', 'm'",
        ] {
            connection
                .execute(&format!("INSERT INTO days VALUES ('2026-10-01', {key}, {numbers})"), [])
                .unwrap();
        }
        migrate(&mut connection, STEPS).unwrap();
        let text =
            "SELECT tenant || ' ' || project || ' ' || requests || ' ' || would_spare FROM day_tenants";
        let mut rows = connection.prepare(text).unwrap();
        let rows: Vec<String> =
            rows.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(rows, ["none none 2 2", "none shop 2 2"]);
    }

    #[test]
    fn a_newer_file_is_left_alone() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
        assert!(matches!(migrate(&mut connection, STEPS), Err(HistoryError::Newer(99))));
    }
}
