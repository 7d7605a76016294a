//! What a history says about an account's limits, and what it charges sessions with.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tersely_account::{
    Holdout, LimitKind, LimitState, LimitUse, RequestRecord, ShownName, TokenChange, session_name,
};
use tersely_history::{
    HistoryError, HistoryReader, HistorySettings, HistorySink, HistoryView, MeasureKind, NamedSession, purge,
};
use tersely_telemetry::{EventSink, RequestEnd, RequestEvent, Verb};

/// A history in a file that is removed after the test.
struct Ledger {
    file: PathBuf,
    sink: HistorySink,
}

impl Ledger {
    fn open(name: &str) -> Self {
        let file = std::env::temp_dir().join(format!("tersely-limits-{}-{name}.db", std::process::id()));
        let _ = fs::remove_file(&file);
        let settings = HistorySettings { file: Some(file.clone()), days: 14, project: None };
        Self { sink: HistorySink::start(settings).unwrap(), file }
    }

    fn record(&self, events: &[RequestEvent]) {
        for chunk in events.chunks(500) {
            for event in chunk {
                self.sink.hear(&Arc::new(event.clone()));
            }
            assert_eq!(self.sink.finish(Duration::from_mins(1)), 0);
        }
        assert_eq!((self.sink.dropped(), self.sink.fault()), (0, None));
    }

    fn look<T>(&self, read: impl FnOnce(&HistoryView) -> Result<T, HistoryError>) -> T {
        HistoryReader::peek(&self.file).unwrap().look(read).unwrap()
    }

    /// Each session's points of the 5-hour window, and whether it shared the window, by session.
    fn points(&self) -> Vec<(u64, u32, bool)> {
        let sessions = self.look(|view| view.sessions(20));
        let five = |limit: &&tersely_history::SessionLimit| limit.rise.latest.kind == LimitKind::FIVE_HOURS;
        let one = |it: &tersely_history::SeenSession| {
            let limit = it.limits.iter().find(five)?;
            Some((it.session, limit.rise.risen, limit.is_shared))
        };
        let mut points: Vec<_> = sessions.iter().filter_map(one).collect();
        points.sort_unstable();
        points
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

fn five_hours(used: u32, resets: u64) -> LimitUse {
    LimitUse { kind: LimitKind::FIVE_HOURS, used, resets: Some(resets), state: LimitState::Allowed }
}

/// A request of a session, some seconds ago, whose response reports this much of the 5-hour window.
fn request(session: u64, ago: u64, used: u32) -> RequestEvent {
    RequestEvent {
        at: SystemTime::now() - Duration::from_secs(ago),
        session: Some(session),
        named: Some(session_name(format!("name-{session}").as_bytes())),
        sender: Some(7),
        model: ShownName::of("claude-opus-5"),
        status: 200,
        end: RequestEnd::Answered,
        record: RequestRecord {
            request_tokens: Some(TokenChange { before: 1_000, after: 900 }),
            limits: vec![five_hours(used, now() + 3_600)],
            ..RequestRecord::default()
        },
        ..RequestEvent::new(1, Verb::of("POST"))
    }
}

/// Behaviour 13.26.
#[test]
fn a_session_that_runs_alone_is_charged_with_its_rises() {
    let ledger = Ledger::open("alone");
    ledger.record(&[
        request(1, 900, 1_000),
        request(1, 800, 1_250),
        request(1, 700, 1_300),
        // The next session begins where this one ended.
        request(2, 600, 1_400),
        request(2, 500, 1_900),
    ]);
    assert_eq!(ledger.points(), [(1, 300, false), (2, 500, false)]);
}

#[test]
fn sessions_side_by_side_are_marked() {
    let ledger = Ledger::open("shared");
    ledger.record(&[
        request(1, 900, 1_000),
        request(2, 850, 1_100),
        request(3, 840, 1_150),
        request(1, 800, 1_250),
        request(4, 500, 1_300),
        request(4, 400, 1_400),
    ]);
    assert_eq!(ledger.points(), [(1, 250, true), (2, 0, true), (3, 0, true), (4, 100, false)]);
    // Another sender has other limits.
    let other = RequestEvent { sender: Some(8), ..request(5, 450, 9_000) };
    ledger.record(&[other, request(4, 350, 1_500)]);
    assert_eq!(ledger.points()[3..], [(4, 200, false), (5, 0, false)]);
}

#[test]
fn a_reset_and_a_late_report_add_nothing() {
    let ledger = Ledger::open("reset");
    let mut next = request(1, 300, 200);
    next.record.limits = vec![five_hours(200, now() + 18_000)];
    // This response ended last, but its headers arrived before those of the others.
    let late = request(1, 950, 100);
    ledger.record(&[request(1, 900, 9_000), request(1, 800, 9_500), next, late]);
    assert_eq!(ledger.points(), [(1, 500, false)]);
    let limits = ledger.look(HistoryView::limits);
    assert_eq!(limits.len(), 1);
    assert_eq!(limits[0].limit.kind, LimitKind::FIVE_HOURS);
}

#[test]
fn the_latest_report_is_shown_until_its_reset() {
    let ledger = Ledger::open("latest");
    let week = LimitUse { kind: LimitKind::SEVEN_DAYS, ..five_hours(1_800, now() + 90_000) };
    let tokens = LimitUse { kind: LimitKind::Tokens, ..five_hours(10, now() + 60) };
    let mut all = request(1, 100, 4_250);
    all.record.limits.extend([week, tokens]);
    ledger.record(&[request(1, 200, 4_000), all.clone()]);
    let seen = |ledger: &Ledger| {
        let limits = ledger.look(HistoryView::limits);
        limits.iter().map(|it| (it.limit.kind.to_string(), it.limit.used)).collect::<Vec<_>>()
    };
    assert_eq!(seen(&ledger), [("5h".to_owned(), 4_250), ("7d".to_owned(), 1_800)]);
    let turns = ledger.look(|view| view.turns(1, 9));
    assert_eq!(turns[1].limits, all.record.limits);
    let mut over = request(1, 50, 9_900);
    over.record.limits = vec![five_hours(9_900, now() - 5)];
    ledger.record(&[over]);
    assert_eq!(seen(&ledger), [("7d".to_owned(), 1_800)], "the 5-hour window is over");
    purge(&ledger.file).unwrap();
    assert_eq!((seen(&ledger), ledger.points()), (vec![], vec![]));
}

/// Behaviour 13.27: also after its credentials changed, which makes another session of it elsewhere.
#[test]
fn a_session_is_found_by_its_name() {
    let ledger = Ledger::open("named");
    let renewed = RequestEvent { named: request(1, 0, 0).named, sender: Some(9), ..request(2, 100, 4_300) };
    let failed = RequestEvent { status: 429, ..request(1, 50, 9_999) };
    ledger.record(&[request(1, 300, 4_000), request(1, 200, 4_250), failed, renewed, request(3, 10, 5_000)]);
    let found = ledger.look(|view| view.named(session_name(b"name-1"))).unwrap();
    assert_eq!((found.tokens, found.session), ([3_000, 2_700, 0], Some(2)));
    assert_eq!(found.limits[0].rise.latest.used, 4_300);
    let none = ledger.look(|view| view.named(session_name(b"name-9")));
    assert_eq!(none, None::<NamedSession>);
}

#[test]
fn a_reader_that_must_not_wait_fails_at_once() {
    let ledger = Ledger::open("locked");
    assert!(HistoryReader::peek(&ledger.file.with_extension("none")).is_err());
    ledger.record(&[request(1, 10, 100)]);
    let lock = rusqlite::Connection::open(&ledger.file).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(ledger.points().len(), 1, "a writer keeps no reader out");
    lock.execute_batch("ROLLBACK").unwrap();
    drop(lock);
    let ledger = Ledger::open("held");
    ledger.record(&[request(1, 10, 100)]);
    let (file, copy) = (ledger.file.clone(), ledger.file.with_extension("copy"));
    fs::copy(&file, &copy).unwrap();
    let lock = rusqlite::Connection::open(&copy).unwrap();
    lock.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE mine (a)").unwrap();
    let since = std::time::Instant::now();
    assert!(HistoryReader::peek(&copy).is_err(), "it is locked for everybody");
    assert!(since.elapsed() < Duration::from_secs(4));
    drop(lock);
    let lock = rusqlite::Connection::open(&file).unwrap();
    lock.execute_batch("PRAGMA user_version = 1").unwrap();
    assert!(matches!(HistoryReader::peek(&ledger.file), Err(HistoryError::Missing)));
    lock.execute_batch("PRAGMA user_version = 99").unwrap();
    assert!(matches!(HistoryReader::peek(&ledger.file), Err(HistoryError::Newer(99))));
}

/// Behaviour 20.7: held-out sessions take twice as much of the window.
#[test]
fn a_trial_compares_points_of_the_window() {
    let ledger = Ledger::open("trial");
    let holdout = Holdout { share: "50%".parse().unwrap(), salt: String::new() };
    let mut events = Vec::new();
    let mut ago = 2_000_000;
    for session in 0..400_u64 {
        let arm = holdout.arm(session);
        let step = if arm.is_applied() { 100 } else { 200 };
        for turn in 0..3 {
            ago -= 100;
            let mut event = request(session, ago, 1_000 + turn * step);
            event.record.arm = arm;
            event.record.limits = vec![five_hours(1_000 + turn * step, 1_000_000 + session * 1_000)];
            events.push(event);
        }
    }
    ledger.record(&events);
    let report = ledger.look(HistoryView::holdout).unwrap();
    let measure = report.measures.iter().find(|it| it.kind == MeasureKind::Window).unwrap();
    assert_eq!((measure.compared.treated.mean, measure.compared.held.mean), (2.0, 4.0));
    assert!(measure.compared.gap.unwrap().is_clear() && report.shared == 0, "{measure:?}");
}
