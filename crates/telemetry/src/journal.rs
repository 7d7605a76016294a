//! Writes events to a file: one JSON line per request and per new result, with rotation by size and count.
//!
//! If the disk is slow or full, events are dropped and counted: no request ever waits for its event.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::{Map, Value, json};
use tersely_account::{
    FetchSum, FormSum, GroupSum, LimitUse, PromptBreak, RemoteSums, RequestRecord, ResultRecord, ShownName,
    StageSaving, TextSize, TokenChange, TokenUsage,
};

use crate::event::RequestEvent;
use crate::sink::EventQueue;

/// Version of the line format; it changes when a field changes its meaning.
const VERSION: u32 = 1;

/// The longest line written, in bytes.
const MAX_LINE_BYTES: usize = 64 << 10;

/// Where events are written, and how many are retained.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct JournalSettings {
    /// The current file; rotated files have a number appended to its name.
    pub path: PathBuf,
    /// Maximum size of one file.
    pub bytes: u64,
    /// Maximum number of files.
    pub files: usize,
}

/// Starts writing events to a file.
///
/// # Errors
/// When the file cannot be opened.
pub fn journal(settings: JournalSettings) -> io::Result<EventQueue> {
    let mut pages = Pages::open(settings)?;
    EventQueue::start("events", move |end| {
        end.each(|event| lines(event).try_for_each(|line| pages.add(&format!("{line}\n"))));
    })
}

/// The journal's files; the newest is open.
struct Pages {
    settings: JournalSettings,
    file: File,
    written: u64,
    /// True for a regular file; pipes and devices are not rotated.
    is_rotated: bool,
    /// True when a line was written in part, because the disk became full.
    is_torn: bool,
}

impl Pages {
    fn open(settings: JournalSettings) -> io::Result<Self> {
        if let Some(folder) = settings.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        let file = appending(&settings.path)?;
        let about = file.metadata()?;
        let (written, is_rotated) = (about.len(), about.is_file());
        let is_torn = is_rotated && ends_in_a_line(&settings.path).is_ok_and(|is_whole| !is_whole);
        Ok(Self { settings, file, written, is_rotated, is_torn })
    }

    fn add(&mut self, event: &str) -> io::Result<()> {
        if event.len() > MAX_LINE_BYTES {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        let bytes = u64::try_from(event.len()).unwrap_or(u64::MAX);
        let is_full = self.written > 0 && self.written.saturating_add(bytes) > self.settings.bytes;
        if self.is_rotated && is_full {
            self.turn()?;
        }
        // The rest of a torn line is lost; the next event must not be lost with it.
        if self.is_torn {
            self.write(b"\n")?;
        }
        self.write(event.as_bytes())
    }

    /// Writes all bytes, and remembers whether only a part of them was written.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            match self.file.write(rest) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero)),
                Ok(count) => {
                    rest = &rest[count..];
                    self.written = self.written.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            self.is_torn = !rest.is_empty();
        }
        Ok(())
    }

    /// Rotates: renames each older file to the next number, deletes the oldest, and opens a new one.
    fn turn(&mut self) -> io::Result<()> {
        let JournalSettings { path, files, .. } = &self.settings;
        for number in (1..*files).rev() {
            let older = if number == 1 { path.clone() } else { numbered(path, number - 1) };
            // A missing file need not be renamed.
            let _ = fs::rename(older, numbered(path, number));
        }
        if *files <= 1 {
            fs::remove_file(path)?;
        }
        self.file = appending(path)?;
        (self.written, self.is_torn) = (0, false);
        Ok(())
    }
}

/// Opens the file for appending. A new file is readable by its owner only.
fn appending(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
        // Opening a named pipe only for writing would wait for its reader.
        let is_pipe = fs::metadata(path).is_ok_and(|about| about.file_type().is_fifo());
        options.mode(0o600).read(is_pipe);
    }
    options.create(true).append(true).open(path)
}

/// True unless a file ends in the middle of a line.
fn ends_in_a_line(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// The path of a rotated file, such as `events.jsonl.1`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

/// All lines of an event: one for the request, and one for each result that is new in its conversation.
fn lines(event: &RequestEvent) -> impl Iterator<Item = Value> {
    std::iter::once(request(event)).chain(event.record.fresh.iter().map(|fresh| result(event, fresh)))
}

/// The fields that every line starts with.
fn head(kind: &str, event: &RequestEvent) -> Map<String, Value> {
    let at = event.at.duration_since(UNIX_EPOCH).unwrap_or_default();
    members(json!({
        "kind": kind,
        "event_version": VERSION,
        "timestamp_ms": u64::try_from(at.as_millis()).unwrap_or(u64::MAX),
        "id": format!("{:x}", event.id),
        "session": event.session.map(|session| format!("{session:016x}")),
        "provider": event.provider,
        "model": name(event.model.as_ref()),
        "client": event.client,
        "tenant": name(event.attribution.tenant.as_ref()),
        "key": name(event.attribution.key.as_ref()),
        "project": name(event.attribution.project.as_ref()),
        "request": (!event.record.words.is_empty()).then(|| words(&event.record.words)),
    }))
}

fn name(name: Option<&ShownName>) -> Option<&str> {
    name.map(ShownName::as_str)
}

/// Metadata that the client attached to its request for the records.
fn words(words: &[(String, String)]) -> Map<String, Value> {
    words.iter().map(|(name, word)| (name.clone(), json!(word))).collect()
}

fn request(event: &RequestEvent) -> Value {
    let mut line = head("request", event);
    line.extend(members(json!({
        "method": event.verb.name(),
        "trace_id": event.trace.map(|trace| format!("{:032x}", trace.trace)),
        "parent_id": event.trace.map(|trace| format!("{:016x}", trace.parent)),
        "status": event.status,
        "end": event.end.name(),
        "missed": event.missed,
        "duration_us": micros(event.took),
        "upstream_us": event.upstream.map(micros),
        "our_us": event.ours.map(micros),
        "results": event.record.slots,
        "changed": event.record.changed,
        "fresh": event.record.fresh.len(),
        "groups": event.record.groups.iter().map(group).collect::<Vec<_>>(),
        "result_tokens": tokens(event.record.result_tokens),
        "request_tokens": tokens(event.record.total_tokens()),
        "tool_tokens": event.record.tool_tokens,
        "stages": savings(&event.record.stages),
        "redacted": event.record.redacted,
        "memo_reused": event.record.reused,
        "memo_changed": event.record.renewed,
        "faults": event.record.faults,
        "arm": event.record.arm.name(),
        "holdout": event.record.arm.share().map(|share| share.to_string()),
        "would": event.record.would.as_deref().map(|it| would(it, event.record.would_paid)),
        "fetched": event.record.fetched.iter().map(fetch).collect::<Vec<_>>(),
        "forms": event.record.forms.iter().map(form).collect::<Vec<_>>(),
        "remote": remote(event.record.remote),
        "billed": event.record.usage.map(billed),
        "rounds": billed(event.record.rounds),
        "paid_nanodollars": event.record.cost.map(|cost| cost.paid),
        "estimate_without_nanodollars": event.record.cost.map(|cost| cost.without),
        "cache_break": event.record.cache_break.as_ref().map(cache_break),
        "cache_diagnosis": event.record.diagnosis.as_ref().map(|it| json!({
            "reason": it.reason.as_str(), "tokens": it.tokens,
        })),
        "limits": event.record.limits.iter().map(limit).collect::<Vec<_>>(),
    })));
    Value::Object(line)
}

/// Why the provider's cache was not read: numbers, our own words, and the names of a tool and a server.
fn cache_break(found: &PromptBreak) -> Value {
    json!({
        "cause": found.cause.name(),
        "place": found.place,
        "line": found.line,
        "tool": found.tool.as_ref().map(ShownName::as_str),
        "owner": found.owner.name(),
        "server": found.server.as_ref().map(ShownName::as_str),
        "lost_tokens": found.lost,
        "cost_nanodollars": found.cost,
    })
}

/// A limit. Percentages have two digits, as they are recorded.
fn limit(limit: &LimitUse) -> Value {
    json!({
        "name": limit.kind.to_string(),
        "used_pct": f64::from(limit.used) / 100.0,
        "resets": limit.resets,
        "state": limit.state.name(),
    })
}

fn result(event: &RequestEvent, result: &ResultRecord) -> Value {
    let acted = |names: &[&str]| result.stages.iter().any(|(stage, _)| names.contains(stage));
    let TokenChange { before, after } = result.tokens;
    let saved = difference(before, after);
    let mut line = head("result", event);
    line.extend(members(json!({
        "tool_call_id": result.call.as_ref().map(ShownName::as_str),
        "tool_name": result.tool.as_ref().map(ShownName::as_str),
        "message_index": result.place.message,
        "tool_result_index": result.place.result,
        "canonical_tool": result.group.tool,
        "family": result.group.family,
        "mode": result.mode,
        "status": result.status.name(),
        "strategies": result.stages.iter().map(|(stage, _)| *stage).collect::<Vec<_>>(),
        "stages": stages(&result.stages),
        "before_tokens": before,
        "after_tokens": after,
        "saved_tokens": saved,
        "saved_pct": percent(saved, before),
        "would_after_tokens": result.would,
        "redacted": result.redacted > 0,
        "secrets": result.redacted,
        "capped": acted(&CAPS),
        "deduped": acted(&REPEATS),
        "memo_reused": false,
        "memo_changed": result.is_renewed,
        "args_fingerprint64": result.arguments.map(|hash| format!("{hash:016x}")),
    })));
    line.extend(size("input", result.before));
    line.extend(size("output", result.after));
    Value::Object(line)
}

/// Stages that cut long texts, and stages that refer to an earlier copy.
const CAPS: [&str; 2] = ["cap", "cap_error_window"];
const REPEATS: [&str; 2] = ["duplicate", "earlier"];

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn group(sum: &GroupSum) -> Value {
    json!({
        "canonical_tool": sum.group.tool,
        "family": sum.group.family,
        "results": sum.results,
        "changed": sum.changed,
        "before_tokens": sum.tokens.before,
        "after_tokens": sum.tokens.after,
    })
}

fn would(would: &RequestRecord, paid: Option<u64>) -> Value {
    json!({
        "changed": would.changed,
        "result_tokens": tokens(would.result_tokens),
        "request_tokens": tokens(would.total_tokens()),
        "tool_tokens": would.tool_tokens,
        "stages": savings(&would.stages),
        "estimate_nanodollars": paid,
    })
}

/// What a form that the client asked for saved. The ratio is bytes sent to bytes received, of what was converted.
fn form(sum: &FormSum) -> Value {
    let [before, after] = sum.bytes;
    json!({
        "form": sum.form, "texts": sum.texts, "converted": sum.converted, "bytes_before": before,
        "bytes_after": after, "ratio": ratio(before, after), "duration_us": sum.micros,
    })
}

fn remote(sums: RemoteSums) -> Map<String, Value> {
    let some = sums.each().filter(|(_, count)| *count > 0);
    some.map(|(outcome, count)| (outcome.name().to_owned(), json!(count))).collect()
}

/// A ratio with two decimals; `None` if nothing was converted.
fn ratio(before: u64, after: u64) -> Option<f64> {
    let hundredths = (u128::from(after) * 100 + u128::from(before) / 2).checked_div(before.into())?;
    Some(f64::from(u32::try_from(hundredths).unwrap_or(u32::MAX)) / 100.0)
}

fn fetch(sum: &FetchSum) -> Value {
    json!({ "stage": sum.stage, "calls": sum.calls, "tokens": sum.tokens })
}

fn billed(tokens: TokenUsage) -> Value {
    let TokenUsage { input, cache_read, cache_write, output, reasoning, .. } = tokens;
    json!({
        "input": input,
        "cache_read": cache_read,
        "cache_write": cache_write,
        "output": output,
        "reasoning": reasoning,
    })
}

fn size(name: &str, size: TextSize) -> [(String, Value); 4] {
    [
        (format!("{name}_bytes"), json!(size.bytes)),
        (format!("{name}_chars"), json!(size.chars)),
        (format!("{name}_lines"), json!(size.lines)),
        (format!("{name}_fingerprint64"), json!(format!("{:016x}", size.hash))),
    ]
}

fn savings(stages: &[StageSaving]) -> Map<String, Value> {
    stages.iter().map(|it| (it.stage.to_owned(), json!(it.saved))).collect()
}

fn stages(stages: &[(&'static str, i64)]) -> Map<String, Value> {
    stages.iter().map(|(stage, saved)| ((*stage).to_owned(), json!(saved))).collect()
}

fn difference(before: usize, after: usize) -> i64 {
    let whole = |tokens| i64::try_from(tokens).unwrap_or(i64::MAX);
    whole(before) - whole(after)
}

/// The percentage saved, with one decimal.
fn percent(saved: i64, before: usize) -> f64 {
    let before = i64::try_from(before).unwrap_or(i64::MAX).max(1);
    let tenths = i32::try_from(saved.saturating_mul(1000) / before).unwrap_or_default();
    f64::from(tenths) / 10.0
}

fn micros(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn tokens(change: TokenChange) -> Value {
    json!({ "before": change.before, "after": change.after })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A gateway is often restarted because the disk is full.
    #[test]
    fn a_line_that_was_torn_before_a_restart_takes_no_other_with_it() {
        let path = std::env::temp_dir().join(format!("tersely-torn-{}.jsonl", std::process::id()));
        for (before, after) in [("{\"a\":1", "{\"a\":1\n{}\n"), ("{}\n", "{}\n{}\n"), ("", "{}\n")] {
            fs::write(&path, before).unwrap();
            let mut pages =
                Pages::open(JournalSettings { path: path.clone(), bytes: 1 << 20, files: 2 }).unwrap();
            pages.add("{}\n").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), after);
            assert_eq!(pages.written, u64::try_from(after.len()).unwrap(), "every byte counts");
        }
        fs::remove_file(&path).unwrap();
    }

    /// A named pipe whose reader is not there yet, and which is not a file to be renamed.
    #[cfg(unix)]
    #[test]
    fn a_pipe_neither_waits_for_its_reader_nor_is_rotated() {
        let path = std::env::temp_dir().join(format!("tersely-pipe-{}", std::process::id()));
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        let (opened, is_open) = std::sync::mpsc::channel();
        let settings = JournalSettings { path: path.clone(), bytes: 10, files: 2 };
        std::thread::spawn(move || opened.send(Pages::open(settings)));
        let pages = is_open.recv_timeout(std::time::Duration::from_secs(10));
        let mut pages = pages.expect("nobody has to read").unwrap();
        for number in 0..9 {
            pages.add(&format!("{{\"number\":{number}}}\n")).unwrap();
        }
        let mut first = [0; 13];
        File::open(&path).unwrap().read_exact(&mut first).unwrap();
        assert_eq!(&first, b"{\"number\":0}\n");
        assert!(!numbered(&path, 1).exists(), "it is where it was");
        fs::remove_file(&path).unwrap();
    }
}
