//! The event journal: its files are bounded, and no request waits for them.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tersely_account::{
    BreakCause, BreakOwner, GroupSum, LimitKind, LimitState, LimitUse, PromptBreak, RequestRecord,
    ResultGroup, ShownName, TokenChange,
};
use tersely_telemetry::{JournalSettings, NumbersForm, RequestEvent, Telemetry, Verb, journal};

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tersely-journal-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn telemetry(path: &Path, bytes: u64, files: usize) -> Telemetry {
    let settings = JournalSettings { path: path.to_owned(), bytes, files };
    Telemetry::new(vec![Box::new(journal(settings).expect("a file"))])
}

fn tell(telemetry: &Telemetry) {
    let event = RequestEvent { status: 200, ..RequestEvent::new(telemetry.begin(), Verb::of("POST")) };
    telemetry.end(event, None);
}

fn dropped(telemetry: &Telemetry) -> u64 {
    let text = String::from_utf8(telemetry.metrics(NumbersForm::Open)).expect("text");
    let line =
        text.lines().find_map(|line| line.strip_prefix("tersely_events_dropped_total{sink=\"events\"} "));
    line.expect("a number").parse().expect("a number")
}

/// Waits up to 20 seconds for a condition.
fn soon(is_so: impl Fn() -> bool) -> bool {
    let since = Instant::now();
    while !is_so() && since.elapsed() < Duration::from_mins(1) {
        sleep(Duration::from_millis(5));
    }
    is_so()
}

#[test]
fn files_are_bounded_in_size_and_number() {
    let folder = folder("bounds");
    let (path, bytes) = (folder.join("events.jsonl"), 4000);
    let telemetry = telemetry(&path, bytes, 3);
    let last = |path: &Path| fs::read_to_string(path).is_ok_and(|text| text.contains("\"id\":\"64\""));
    for number in 1..=100 {
        tell(&telemetry);
        // Gives the writer time, so that no event is dropped.
        assert!(number % 50 != 0 || soon(|| fs::metadata(&path).is_ok()));
        sleep(Duration::from_micros(200));
    }
    assert!(soon(|| last(&path)), "the last event is written");
    let mut names: Vec<_> =
        fs::read_dir(&folder).expect("a folder").flatten().map(|it| it.file_name()).collect();
    names.sort();
    assert_eq!(names, ["events.jsonl", "events.jsonl.1", "events.jsonl.2"]);
    for name in names {
        let text = fs::read_to_string(folder.join(name)).expect("a file");
        assert!(text.len() as u64 <= bytes && text.ends_with('\n'), "{}", text.len());
        let lines = text.lines().map(serde_json::from_str::<serde_json::Value>);
        assert!(lines.map(|line| line.expect("JSON")).all(|line| line["kind"] == "request"));
    }
    assert_eq!(dropped(&telemetry), 0);
    let _ = fs::remove_dir_all(folder);
}

/// Behaviour 13.2.
#[cfg(target_os = "linux")]
#[test]
fn nobody_else_reads_what_is_written() {
    use std::os::unix::fs::PermissionsExt;
    let path = folder("private").join("events.jsonl");
    let telemetry = telemetry(&path, 1, 2);
    tell(&telemetry);
    tell(&telemetry);
    let older = path.with_extension("jsonl.1");
    assert!(soon(|| older.exists()), "a second file is begun");
    for file in [&path, &older] {
        let mode = fs::metadata(file).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
}

#[test]
fn a_full_disk_costs_events_and_nothing_else() {
    let telemetry = telemetry(Path::new("/dev/full"), 1 << 20, 2);
    for _ in 0..10 {
        tell(&telemetry);
    }
    assert!(soon(|| dropped(&telemetry) == 10), "{}", dropped(&telemetry));
}

/// Behaviour 13.2.
#[cfg(unix)]
#[test]
fn a_disk_that_takes_nothing_holds_nobody_up() {
    let folder = folder("slow");
    let pipe = folder.join("events.jsonl");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    // Opens the pipe without reading from it, so that writes block.
    let reader = fs::OpenOptions::new().read(true).write(true).open(&pipe).expect("a pipe");
    let telemetry = telemetry(&pipe, 1 << 30, 2);
    let since = Instant::now();
    for _ in 0..5000 {
        tell(&telemetry);
    }
    assert!(since.elapsed() < Duration::from_mins(1), "{:?}", since.elapsed());
    assert!(dropped(&telemetry) > 1000, "{}", dropped(&telemetry));
    drop(reader);
    let _ = fs::remove_dir_all(folder);
}

/// Behaviour 13.2: a line that would be too long is dropped, and nothing else.
#[test]
fn no_line_is_longer_than_it_may_be() {
    let folder = folder("long");
    let path = folder.join("events.jsonl");
    let telemetry = telemetry(&path, 1 << 30, 2);
    let group = ResultGroup { tool: "bash", family: "generic" };
    let sum = GroupSum { group, results: 1, changed: 0, tokens: TokenChange::default() };
    for many in [1, 1000, 2] {
        let groups = vec![sum; many];
        telemetry.end(
            RequestEvent {
                record: RequestRecord { groups, ..RequestRecord::default() },
                ..RequestEvent::new(telemetry.begin(), Verb::of("POST"))
            },
            None,
        );
    }
    let lines = || fs::read_to_string(&path).unwrap_or_default().lines().count();
    assert!(soon(|| lines() == 2 && dropped(&telemetry) == 1), "{} lines", lines());
    let _ = fs::remove_dir_all(folder);
}

/// Behaviour 13.28: a line says what broke the cache and how much of each limit is used; the counters count the same.
#[test]
fn a_broken_cache_and_the_limits_are_told_in_numbers() {
    let folder = folder("breaks");
    let path = folder.join("events.jsonl");
    let telemetry = telemetry(&path, 1 << 20, 2);
    let found = PromptBreak {
        cause: BreakCause::ToolAdded,
        place: Some(3),
        line: None,
        tool: ShownName::of("mcp__files__list"),
        owner: BreakOwner::Mcp,
        server: ShownName::of("files"),
        lost: Some(51_000),
        cost: Some(293_250_000),
    };
    let five = LimitUse {
        kind: LimitKind::FIVE_HOURS,
        used: 4_375,
        resets: Some(1_789_003_600),
        state: LimitState::Warning,
    };
    let limits =
        vec![five, LimitUse { kind: LimitKind::Tokens, resets: None, state: LimitState::Unknown, ..five }];
    for cache_break in [Some(found), None] {
        let record = RequestRecord { cache_break, limits: limits.clone(), ..RequestRecord::default() };
        telemetry.end(
            RequestEvent { record, status: 200, ..RequestEvent::new(telemetry.begin(), Verb::of("POST")) },
            None,
        );
    }
    let text = || fs::read_to_string(&path).unwrap_or_default();
    assert!(soon(|| text().lines().count() == 2), "{}", text());
    let lines: Vec<Value> = text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let told = &lines[0]["cache_break"];
    assert_eq!(
        (&told["cause"], &told["owner"], &told["server"]),
        (&json!("tool_added"), &json!("mcp"), &json!("files"))
    );
    assert_eq!(
        (&told["place"], &told["line"], &told["lost_tokens"]),
        (&json!(3), &Value::Null, &json!(51_000))
    );
    assert!(lines[1]["cache_break"].is_null());
    let expected =
        json!({"name": "5h", "used_pct": 43.75, "resets": 1_789_003_600, "state": "allowed_warning"});
    assert_eq!((&lines[1]["limits"][0], &lines[1]["limits"][1]["state"]), (&expected, &Value::Null));
    let metrics = String::from_utf8(telemetry.metrics(NumbersForm::Open)).expect("text");
    assert!(
        metrics.contains("tersely_cache_breaks_total{cause=\"tool_added\",owner=\"mcp\"} 1\n"),
        "{metrics}"
    );
    let _ = fs::remove_dir_all(folder);
}
