//! Events in a file: a line of JSON for each, in files of bounded size and number.
//!
//! Where the disk is slow or full they are dropped and counted: no request ever waits for its event.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::{Value, json};

use crate::event::RequestEvent;
use crate::shown::ShownName;
use crate::sink::EventQueue;
use crate::tokens::TokenChange;

/// The format of the lines; a field that changes its meaning changes this.
const VERSION: u32 = 1;

/// Where events are written, and how much of them is kept.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct JournalSettings {
    /// The file; older ones have a number behind its name.
    pub path: PathBuf,
    /// The most bytes of one file.
    pub bytes: u64,
    /// The most files.
    pub files: usize,
}

/// Begins to write events to a file.
///
/// # Errors
/// When the file cannot be opened.
pub fn journal(settings: JournalSettings) -> io::Result<EventQueue> {
    let mut pages = Pages::open(settings)?;
    EventQueue::start("events", move |end| end.each(|event| pages.add(&format!("{}\n", line(event)))))
}

/// The files, the newest open.
struct Pages {
    settings: JournalSettings,
    file: File,
    written: u64,
}

impl Pages {
    fn open(settings: JournalSettings) -> io::Result<Self> {
        let file = appending(&settings.path)?;
        let written = file.metadata()?.len();
        Ok(Self { settings, file, written })
    }

    fn add(&mut self, event: &str) -> io::Result<()> {
        let bytes = u64::try_from(event.len()).unwrap_or(u64::MAX);
        if self.written > 0 && self.written.saturating_add(bytes) > self.settings.bytes {
            self.turn()?;
        }
        self.file.write_all(event.as_bytes())?;
        self.written = self.written.saturating_add(bytes);
        Ok(())
    }

    /// Begins a file; each older one moves by one, and the oldest goes.
    fn turn(&mut self) -> io::Result<()> {
        let JournalSettings { path, files, .. } = &self.settings;
        for number in (1..*files).rev() {
            let older = if number == 1 { path.clone() } else { numbered(path, number - 1) };
            // One that is not there need not move.
            let _ = fs::rename(older, numbered(path, number));
        }
        if *files <= 1 {
            fs::remove_file(path)?;
        }
        self.file = appending(path)?;
        self.written = 0;
        Ok(())
    }
}

fn appending(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

/// `events.jsonl.1`
fn numbered(path: &Path, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

/// The event as JSON.
fn line(event: &RequestEvent) -> Value {
    let at = event.at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (results, whole) = (event.result_tokens, event.request_tokens);
    json!({
        "kind": "request",
        "event_version": VERSION,
        "timestamp_ms": u64::try_from(at.as_millis()).unwrap_or(u64::MAX),
        "id": format!("{:x}", event.id),
        "method": event.verb.name(),
        "provider": event.provider,
        "model": event.model.as_ref().map(ShownName::as_str),
        "status": event.status,
        "end": event.end.name(),
        "missed": event.missed,
        "duration_us": micros(event.took),
        "upstream_us": event.upstream.map(micros),
        "our_us": event.ours.map(micros),
        "results": event.results,
        "changed": event.changed,
        "result_tokens": tokens(results),
        "request_tokens": tokens(whole),
        "tool_tokens": event.tool_tokens,
        "stages": event.stages.iter().map(|(stage, saved)| ((*stage).to_owned(), json!(saved))).collect::<serde_json::Map<_, _>>(),
        "redacted": event.redacted,
        "memo_reused": event.reused,
        "faults": event.faults,
    })
}

fn micros(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn tokens(change: TokenChange) -> Value {
    json!({ "before": change.before, "after": change.after })
}
