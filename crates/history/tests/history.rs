//! A history records events whatever happens to its file, and never blocks a request.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tersely_account::{
    FetchSum, GroupSum, Price, PriceTable, RequestCost, RequestRecord, RequestSums, ResultGroup,
    ResultRecord, ResultStatus, ShownName, StageSaving, TokenChange, TokenRates, TokenUsage, per_million,
};
use tersely_history::{
    FailureSum, HistoryError, HistoryPeriod, HistoryReader, HistorySettings, HistorySink, HistoryView,
    StepTotal, purge,
};
use tersely_telemetry::{EventSink, RequestEnd, RequestEvent, Verb};

const DAY: Duration = Duration::from_hours(24);
const PATIENCE: Duration = Duration::from_mins(1);

/// A folder that is removed after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tersely-history-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("state/history.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn settings(file: &Path) -> HistorySettings {
    HistorySettings { file: Some(file.to_owned()), days: 14, project: Some("shop".to_owned()) }
}

/// A typical request: 1,000 tokens received, 700 sent, and 50 fetched back.
fn event() -> RequestEvent {
    let group = ResultGroup { tool: "bash", family: "log" };
    let tokens = TokenChange { before: 600, after: 300 };
    RequestEvent {
        provider: Some("anthropic"),
        model: ShownName::of("claude-opus-4-5"),
        client: Some("claude-code"),
        session: Some(u64::MAX - 1),
        status: 200,
        end: RequestEnd::Answered,
        took: Duration::from_millis(1200),
        upstream: Some(Duration::from_secs(1)),
        ours: Some(Duration::from_micros(400)),
        record: RequestRecord {
            slots: 3,
            changed: 1,
            groups: vec![GroupSum { group, results: 3, changed: 1, tokens }],
            fresh: vec![Arc::new(ResultRecord {
                tool: ShownName::of("Bash"),
                group,
                mode: "standard",
                status: ResultStatus::Compressed,
                stages: vec![("log", 290), ("cap", 10)],
                tokens,
                ..ResultRecord::default()
            })],
            result_tokens: tokens,
            request_tokens: Some(TokenChange { before: 1000, after: 700 }),
            stages: [("log", 290), ("cap", 10)]
                .map(|(stage, saved)| StageSaving { stage, texts: 1, saved })
                .to_vec(),
            fetched: vec![FetchSum { stage: "log", calls: 1, tokens: 50 }],
            usage: Some(TokenUsage {
                input: 10,
                cache_read: 600,
                cache_write: 90,
                output: 40,
                ..TokenUsage::default()
            }),
            cost: Some(RequestCost { paid: 2_000_000, without: 2_500_000 }),
            ..RequestRecord::default()
        },
        ..RequestEvent::new(1, Verb::of("POST"))
    }
}

fn all(file: &Path) -> RequestSums {
    HistoryReader::open(file).unwrap().look(|it| it.sums(HistoryPeriod::All)).unwrap()
}

fn record(sink: &HistorySink, events: impl IntoIterator<Item = RequestEvent>) {
    for event in events {
        sink.hear(&Arc::new(event));
    }
    assert_eq!(sink.finish(PATIENCE), 0);
}

#[test]
fn what_was_heard_can_be_read() {
    let folder = Folder::new("read");
    let sink = HistorySink::start(settings(&folder.file())).unwrap();
    let failed = RequestEvent { status: 529, ..event() };
    record(&sink, [event(), event(), failed]);
    assert_eq!((sink.dropped(), sink.fault()), (0, None));

    let reader = HistoryReader::open(&folder.file()).unwrap();
    let sums = reader.look(|it| it.sums(HistoryPeriod::Today)).unwrap();
    assert_eq!((sums.requests, sums.failed), (3, 1));
    assert_eq!(
        (sums.before, sums.after, sums.fetched, sums.saved()),
        (2000, 1400, 100, 500),
        "failed ones save nothing"
    );
    assert_eq!((sums.priced, sums.money()), (2, 1_000_000));
    assert_eq!(sums, reader.look(|it| it.sums(HistoryPeriod::All)).unwrap());

    let parts = reader.look(|it| it.parts(HistoryPeriod::Week)).unwrap();
    let names = [&parts.clients, &parts.projects, &parts.models].map(|list| list[0].0.as_str());
    assert_eq!(names, ["claude-code", "shop", "claude-opus-4-5"]);
    assert_eq!(
        (parts.groups[0].0.clone(), parts.groups[0].1.saved()),
        (["bash".to_owned(), "log".to_owned()], 600)
    );
    assert_eq!(
        (parts.stages[0].0.as_str(), parts.stages[0].1.saved, parts.stages[0].1.calls),
        ("log", 580, 2)
    );

    let recent = reader.look(|it| it.recent(10)).unwrap();
    assert_eq!((recent.len(), recent[0].status, recent[1].session), (3, 529, Some(u64::MAX - 1)));
    assert_eq!(recent[1].fresh[0].stages, ["log", "cap"]);
    let sessions = reader.look(|it| it.sessions(10)).unwrap();
    assert_eq!((sessions.len(), sessions[0].turns, sessions[0].cache), (1, 3, [30, 1800, 270]));
    assert_eq!(reader.look(|it| it.turns(u64::MAX - 1, 10)).unwrap().len(), 3);
    assert_eq!(reader.look(HistoryView::waits).unwrap().ours, [400, 400]);
    let days = reader.look(|it| it.days(30)).unwrap();
    assert_eq!((days.len(), days[29].1.requests, days[28].1.requests), (30, 3, 0));
    let hours = reader.look(HistoryView::hours).unwrap();
    assert_eq!((hours.len(), hours.iter().map(|hour| hour.before).sum::<u64>()), (24, 2000));
}

#[test]
fn single_requests_are_forgotten_and_sums_are_not() {
    let folder = Folder::new("old");
    let old = RequestEvent { at: SystemTime::now() - 20 * DAY, ..event() };
    let sink = HistorySink::start(settings(&folder.file())).unwrap();
    record(&sink, [old, event()]);
    // The next start deletes old requests.
    let next = HistorySink::start(settings(&folder.file())).unwrap();
    record(&next, [event()]);
    let reader = next.reader().unwrap();
    // They are deleted just after the batch is written.
    let until = Instant::now() + PATIENCE;
    while reader.look(|it| it.recent(10)).unwrap().len() > 2 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(reader.look(|it| it.recent(10)).unwrap().len(), 2);
    assert_eq!(reader.look(|it| it.sums(HistoryPeriod::All)).unwrap().requests, 3);
    assert_eq!(reader.look(|it| it.sums(HistoryPeriod::Today)).unwrap().requests, 2);
}

#[test]
fn without_a_file_it_lives_in_memory_and_stays_small() {
    let sink = HistorySink::start(HistorySettings { file: None, days: 14, project: None }).unwrap();
    for _ in 0..15 {
        record(&sink, (0..1000).map(|_| event()));
    }
    let reader = sink.reader().unwrap();
    assert_eq!(reader.look(|it| it.sums(HistoryPeriod::Today)).unwrap().requests + sink.dropped(), 15_000);
    let rows = reader.look(|it| it.recent(20_000)).unwrap().len();
    assert!(rows <= 12_000, "{rows}");
}

#[test]
fn a_file_that_cannot_be_written_costs_events_and_nothing_else() {
    let folder = Folder::new("broken");
    let broken = folder.0.join("broken.db");
    fs::write(&broken, vec![b'x'; 100_000]).unwrap();
    let blocked = folder.0.join("file/is/no/folder.db");
    fs::write(folder.0.join("file"), "").unwrap();
    for file in [broken.clone(), blocked, PathBuf::from("/dev/full")] {
        let sink = HistorySink::start(settings(&file)).unwrap();
        let since = Instant::now();
        for _ in 0..5000 {
            sink.hear(&Arc::new(event()));
        }
        assert!(since.elapsed() < Duration::from_secs(10), "whoever speaks does not wait");
        assert_eq!(sink.finish(PATIENCE), 0);
        assert_eq!(sink.dropped(), 5000, "{}", file.display());
        assert!(sink.fault().is_some());
    }
    assert!(HistoryReader::open(&broken).is_err_and(|error| error.is_broken()));
    assert_eq!(fs::read(&broken).unwrap().len(), 100_000, "it is left as it was");
    assert_eq!(purge(&broken).unwrap(), 0);
    assert!(!broken.exists());
}

#[test]
fn a_file_that_another_holds_is_waited_for_by_nobody_but_the_writer() {
    let folder = Folder::new("locked");
    record(&HistorySink::start(settings(&folder.file())).unwrap(), [event()]);
    let other = rusqlite::Connection::open(folder.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let sink = HistorySink::start(settings(&folder.file())).unwrap();
    let since = Instant::now();
    for _ in 0..3000 {
        sink.hear(&Arc::new(event()));
    }
    assert!(since.elapsed() < Duration::from_secs(10));
    assert!(sink.dropped() > 1000, "the queue is bounded");
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(sink.finish(PATIENCE), 0);
    let sums = all(&folder.file());
    assert_eq!(sums.requests + sink.dropped(), 3001, "what was not lost is there");
    assert!(sums.requests > 1);
}

#[test]
fn several_processes_write_one_file() {
    let folder = Folder::new("several");
    let children: Vec<_> = (0..3)
        .map(|_| {
            let mut child = Command::new(std::env::current_exe().unwrap());
            child.args(["--ignored", "--exact", "one_of_several"]).env("TERSELY_HISTORY", folder.file());
            child.stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let dropped = fs::read_dir(folder.file().parent().unwrap()).unwrap().flatten().map(|it| it.path());
    let dropped = dropped.filter(|path| path.extension().is_some_and(|it| it == "dropped"));
    let dropped: u64 = dropped.map(|path| fs::read_to_string(path).unwrap().parse::<u64>().unwrap()).sum();
    let sums = all(&folder.file());
    assert_eq!(sums.requests + dropped, 3 * 2000, "each is there, or counted as lost on a busy machine");
    assert!(sums.requests > 3 * 1000 && sums.before == sums.requests * 1000, "{dropped}");
}

#[test]
#[ignore = "run by several_processes_write_one_file"]
fn one_of_several() {
    let Some(file) = std::env::var_os("TERSELY_HISTORY") else { return };
    let file = std::path::PathBuf::from(file);
    let sink = HistorySink::start(settings(&file)).unwrap();
    for _ in 0..20 {
        record(&sink, (0..100).map(|_| event()));
    }
    let told = format!("{}.{}.dropped", file.display(), std::process::id());
    fs::write(told, sink.dropped().to_string()).unwrap();
}

#[test]
fn a_purge_leaves_nothing_and_others_go_on() {
    let folder = Folder::new("purge");
    assert!(matches!(purge(&folder.file()), Err(HistoryError::Missing)));
    let sink = HistorySink::start(settings(&folder.file())).unwrap();
    record(&sink, (0..500).map(|_| event()));
    assert_eq!(purge(&folder.file()).unwrap(), 500);
    let bytes = |end: &str| {
        let name = format!("{}{end}", folder.file().display());
        fs::read(name).unwrap_or_default()
    };
    for end in ["", "-wal"] {
        let bytes = bytes(end);
        assert!(!bytes.windows(11).any(|part| part == b"claude-code"), "history.db{end}");
    }
    record(&sink, [event()]);
    assert_eq!((sink.dropped(), sink.fault()), (0, None));
    assert_eq!(all(&folder.file()).requests, 1);
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new("private");
    record(&HistorySink::start(settings(&folder.file())).unwrap(), [event()]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder.file()), mode(folder.file().parent().unwrap())), (0o600, 0o700));
}

/// Behaviour 13.29.
#[test]
fn requests_above_a_price_step_are_added_up() {
    let folder = Folder::new("steps");
    let request = |model: &str, input: u64| {
        let usage = Some(TokenUsage { input, output: 100, ..TokenUsage::default() });
        RequestEvent {
            model: ShownName::of(model),
            record: RequestRecord { usage, ..event().record },
            ..event()
        }
    };
    let sink = HistorySink::start(settings(&folder.file())).unwrap();
    record(&sink, [request("long-one", 90_000), request("long-one", 150_000), request("other", 150_000)]);
    let rates = |dollars: &str| TokenRates {
        input: per_million(dollars).unwrap(),
        output: per_million("10").unwrap(),
        ..TokenRates::default()
    };
    let stepped = Price::flat(rates("1")).with_step(100_000, rates("2"));
    let prices = PriceTable::with(vec![("long-*".to_owned(), stepped)]);
    let total = sink.reader().unwrap().look(|view| view.steps(&prices)).unwrap();
    assert_eq!(total, StepTotal { requests: 1, cost: 150_000_000, lowest: 100_000 });
}

/// Behaviour 13.33: failures over time and by cause, and the sessions that cost most first.
#[test]
fn failures_and_costly_sessions_are_found() {
    let folder = Folder::new("failures");
    let sink = HistorySink::start(settings(&folder.file())).unwrap();
    let costs =
        |paid| RequestRecord { cost: Some(RequestCost { paid, without: paid * 2 }), ..event().record };
    let failed = |status, end| RequestEvent {
        status,
        end,
        session: Some(1),
        record: RequestRecord::default(),
        ..event()
    };
    record(
        &sink,
        [
            RequestEvent { session: Some(1), record: costs(10), ..event() },
            RequestEvent { session: Some(2), record: costs(30), ..event() },
            RequestEvent { session: Some(1), record: costs(5), ..event() },
            failed(529, RequestEnd::Answered),
            failed(529, RequestEnd::Answered),
            failed(502, RequestEnd::Upstream),
        ],
    );
    let reader = sink.reader().unwrap();
    let hours = reader.look(HistoryView::hours).unwrap();
    assert_eq!(hours.len(), 24);
    let sum = |of: fn(&tersely_history::HourSums) -> u64| hours.iter().map(of).sum::<u64>();
    assert_eq!((sum(|it| it.requests), sum(|it| it.failed), sum(|it| it.before)), (6, 3, 3_000));
    let kind = |status, ended: &str, requests| FailureSum { status, ended: ended.to_owned(), requests };
    let failures = reader.look(HistoryView::failures).unwrap();
    assert_eq!(failures, [kind(529, "answered", 2), kind(502, "upstream", 1)]);
    let sessions = reader.look(|view| view.costly_sessions(100, 10)).unwrap();
    let told: Vec<_> = sessions.iter().map(|it| (it.session, it.cost, it.turns, it.failed)).collect();
    assert_eq!(told[0], (2, [30, 60], 1, 0));
    assert_eq!(told[1], (1, [15, 30], 5, 3));
}
