//! Reads `OpenCode` sessions from its database, with tables for sessions, messages and parts.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rusqlite::{Connection, OpenFlags, Row};
use serde_json::Value;

use crate::history::lines::MAX_LINE_BYTES;
use crate::recording::Recording;

/// Magic bytes of an `SQLite` database.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// True if a file is an `SQLite` database.
pub(crate) fn is_database(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *MAGIC
}

/// Passes each session of a database to `take`, and returns the number of unreadable rows. `None` if the database
/// contains no `OpenCode` sessions.
pub(crate) fn read(path: &Path, take: &mut dyn FnMut(Recording)) -> io::Result<Option<usize>> {
    let database = open(path).map_err(io::Error::other)?;
    let Ok(sessions) = rows(&database, "SELECT id, directory, '' FROM session ORDER BY id", "") else {
        return Ok(None);
    };
    let mut unread = 0;
    for (id, folder, _) in sessions {
        let mut recording = super::session(&id, Some(&folder));
        unread += fill(&mut recording, &database, &id).map_err(io::Error::other)?;
        take(recording);
    }
    Ok(Some(unread))
}

/// Opens a database read-only. If no process is writing to it, it is opened as immutable, so that no files are created
/// next to it.
fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut journal = path.as_os_str().to_owned();
    journal.push("-wal");
    let name = path.to_str().filter(|name| !Path::new(&journal).exists() && !name.contains(['?', '#', '%']));
    match name {
        Some(name) => Connection::open_with_flags(
            format!("file:{name}?immutable=1"),
            flags | OpenFlags::SQLITE_OPEN_URI,
        ),
        None => Connection::open_with_flags(path, flags),
    }
}

/// Adds the messages of a session, and returns the number of unreadable rows.
fn fill(recording: &mut Recording, database: &Connection, session: &str) -> rusqlite::Result<usize> {
    let messages = "SELECT id, id, data FROM message WHERE session_id = ? ORDER BY time_created, id";
    let parts = "SELECT message_id, id, data FROM part WHERE session_id = ? ORDER BY id";
    let mut unread = 0;
    let mut value = |text: &str| {
        let value = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
        unread += usize::from(value.is_none());
        value
    };
    let mut by_message: HashMap<String, Vec<Value>> = HashMap::new();
    for (message, _, data) in rows(database, parts, session)? {
        by_message.entry(message).or_default().extend(value(&data));
    }
    for (id, _, data) in rows(database, messages, session)? {
        let Some(mut message) = value(&data) else { continue };
        message["id"] = Value::from(id.as_str());
        super::take(recording, &message, &by_message.remove(&id).unwrap_or_default());
    }
    Ok(unread)
}

/// The rows of a query with three text columns. A text that is too long is treated as missing.
fn rows(database: &Connection, query: &str, about: &str) -> rusqlite::Result<Vec<(String, String, String)>> {
    let mut query = database.prepare(query)?;
    let given: &[&dyn rusqlite::ToSql] = if query.parameter_count() == 1 { &[&about] } else { &[] };
    query.query_map(given, |row| Ok((text(row, 0), text(row, 1), text(row, 2))))?.collect()
}

fn text(row: &Row<'_>, at: usize) -> String {
    let text = row.get_ref(at).ok().and_then(|value| value.as_str().ok());
    text.filter(|text| text.len() <= MAX_LINE_BYTES).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: &str = "
        CREATE TABLE session (id TEXT, directory TEXT);
        CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
        CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);";

    fn made(name: &str, tables: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("tersely-audit-{}-{name}.db", std::process::id()));
        let _ = std::fs::remove_file(&path);
        Connection::open(&path).unwrap().execute_batch(tables).unwrap();
        path
    }

    #[test]
    fn sessions_have_their_messages_in_order() {
        let rows = r#"
            INSERT INTO session VALUES ('ses_1', '/code');
            INSERT INTO message VALUES ('msg_2', 'ses_1', 2, '{"role":"assistant","modelID":"m","tokens":{"input":70,"output":5,"reasoning":2,"cache":{"read":30,"write":1}}}');
            INSERT INTO message VALUES ('msg_1', 'ses_1', 1, '{"role":"user"}');
            INSERT INTO message VALUES ('msg_3', 'ses_1', 3, 'torn');
            INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', '{"type":"text","text":"go"}');
            INSERT INTO part VALUES ('prt_2', 'msg_2', 'ses_1', '{"type":"tool","tool":"bash","callID":"c","state":{"status":"completed","input":{"command":"ls"},"output":"a.rs"}}');"#;
        let path = made("sessions", &format!("{TABLES}{rows}"));
        assert!(is_database(&path));
        let mut found = Vec::new();
        assert_eq!(read(&path, &mut |recording| found.push(recording)).unwrap(), Some(1));
        let [recording] = &found[..] else { panic!("{found:?}") };
        let roles: Vec<_> = recording.messages.iter().map(|message| message["role"].clone()).collect();
        assert_eq!(roles, ["user", "assistant", "user"]);
        assert_eq!(recording.messages[2]["content"][0]["content"], "a.rs");
        assert_eq!((recording.turns.len(), recording.turns[0].messages), (1, 1));
        let billed = recording.turns[0].billed.unwrap();
        assert_eq!((billed.input, billed.cache_read, billed.output), (70, 30, 7));
    }

    #[test]
    fn other_databases_are_foreign() {
        let path = made("foreign", "CREATE TABLE song (name TEXT)");
        assert_eq!(read(&path, &mut |_| panic!("there is none")).unwrap(), None);
    }
}
