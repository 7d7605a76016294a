//! Sessions of a holdout trial: their totals, and the comparison of the arms.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tersely_account::{
    Arm, FetchSum, Holdout, RequestCost, RequestRecord, ResultGroup, ResultRecord, ResultStatus, ShownName,
    TokenChange,
};
use tersely_history::{
    HistoryPeriod, HistoryReader, HistorySettings, HistorySink, HistoryView, HoldoutReport, MeasureKind,
    purge,
};
use tersely_telemetry::{EventSink, RequestEnd, RequestEvent, Verb};

/// A history in a file that is removed after the test.
struct Ledger {
    file: PathBuf,
    sink: HistorySink,
}

impl Ledger {
    fn open(name: &str) -> Self {
        let file = std::env::temp_dir().join(format!("tersely-trial-{}-{name}.db", std::process::id()));
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

    fn holdout(&self) -> Option<HoldoutReport> {
        HistoryReader::open(&self.file).ok()?.look(HistoryView::holdout).unwrap()
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
    }
}

fn holdout(share: &str) -> Holdout {
    Holdout { share: share.parse().unwrap(), salt: String::new() }
}

/// A request of a session, `hours` ago, that cost `cost` thousandths of a dollar.
fn request(session: u64, arm: Arm, hours: u64, cost: u64) -> RequestEvent {
    let request_tokens = Some(TokenChange { before: 1000, after: 600 });
    let would = Arc::new(RequestRecord { request_tokens, ..RequestRecord::default() });
    RequestEvent {
        at: SystemTime::now() - Duration::from_hours(hours),
        session: Some(session),
        status: 200,
        end: RequestEnd::Answered,
        record: RequestRecord {
            arm,
            would: (!arm.is_applied()).then_some(would),
            would_paid: (!arm.is_applied()).then_some(cost * 600_000),
            request_tokens: Some(TokenChange {
                before: 1000,
                after: if arm.is_applied() { 600 } else { 1000 },
            }),
            cost: Some(RequestCost { paid: cost * 1_000_000, without: cost * 1_000_000 }),
            ..RequestRecord::default()
        },
        ..RequestEvent::new(1, Verb::of("POST"))
    }
}

/// The result of a call with this id and these arguments.
fn result(call: &str, arguments: u64) -> Arc<ResultRecord> {
    Arc::new(ResultRecord {
        call: ShownName::of(call),
        tool: ShownName::of("Read"),
        group: ResultGroup { tool: "read", family: "generic" },
        mode: "standard",
        status: ResultStatus::RatioExceeded,
        arguments: Some(arguments),
        ..ResultRecord::default()
    })
}

#[test]
fn what_is_read_again_is_counted_once_for_each_call() {
    let ledger = Ledger::open("rereads");
    let arm = holdout("50%").arm(7);
    let with = |fresh: Vec<Arc<ResultRecord>>| RequestEvent {
        record: RequestRecord { fresh, ..request(7, arm, 3, 1).record },
        ..request(7, arm, 3, 1)
    };
    let fetched = vec![FetchSum { stage: "log", calls: 2, tokens: 9 }];
    ledger.record(&[
        with(vec![result("a", 1), result("b", 2)]),
        // After a restart every result counts as new, but only the third call is.
        with(vec![result("a", 1), result("b", 2), result("c", 1)]),
        with(vec![result("d", 1), result("e", 3)]),
        RequestEvent { record: RequestRecord { fetched, ..with(Vec::new()).record }, ..with(Vec::new()) },
        RequestEvent { status: 500, ..with(vec![result("f", 1)]) },
        // Another session may make the same call.
        RequestEvent {
            record: RequestRecord {
                fresh: vec![result("a", 1)],
                ..request(8, holdout("50%").arm(8), 3, 1).record
            },
            ..request(8, holdout("50%").arm(8), 3, 1)
        },
    ]);
    let connection = rusqlite::Connection::open(&ledger.file).unwrap();
    let text = "SELECT turns, repeats, fetches, paid FROM trial_sessions ORDER BY session";
    let rows: Vec<[i64; 4]> = connection
        .prepare(text)
        .unwrap()
        .query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(rows, [[4, 2, 2, 4_000_000], [1, 0, 0, 1_000_000]]);
}

#[test]
fn groups_are_compared_once_their_sessions_are_over() {
    let ledger = Ledger::open("groups");
    assert!(ledger.holdout().is_none(), "there is no trial");
    let holdout = holdout("50%");
    // Treated sessions cost about 60 % of what the others cost.
    let cost =
        |session: u64, arm: Arm| (if arm.is_applied() { 60 } else { 100 }) * (50 + session % 100) / 100;
    let all = |sessions: std::ops::Range<u64>, hours: u64| {
        let one =
            |session| request(session, holdout.arm(session), hours, cost(session, holdout.arm(session)));
        sessions.map(one).collect::<Vec<_>>()
    };
    ledger.record(&all(0..15, 4));
    let early = ledger.holdout().unwrap();
    assert_eq!((early.treated + early.held, early.measures[0].compared.gap), (15, None));
    assert!(early.measures[0].compared.tenth > 0, "it says how many are missing");
    ledger.record(&[all(15..600, 3), all(600..610, 0)].concat());
    let report = ledger.holdout().unwrap();
    assert_eq!(
        (report.treated + report.held, report.running, report.mixed, report.unpriced),
        (600, 10, 0, 0)
    );
    assert_eq!(report.share.to_string(), "50%");
    let of = |kind: MeasureKind| report.measures.iter().find(|it| it.kind == kind).unwrap().compared;
    let cost = of(MeasureKind::Cost);
    assert_eq!(cost.treated.sessions + cost.held.sessions, 580, "the first twenty set the cap");
    let gap = cost.gap.unwrap();
    assert!(gap.is_clear() && gap.low < -0.04 && -0.04 < gap.high && gap.high < 0.0, "{gap:?}");
    let ratio = of(MeasureKind::Ratio).gap.unwrap();
    assert!(ratio.low < -0.4 && -0.4 < ratio.high && ratio.high < 0.0, "{ratio:?}");
    let turns = of(MeasureKind::Turns);
    assert!(!turns.gap.unwrap().is_clear() && turns.more.is_none(), "{turns:?}");
    // Hypothetical savings are not counted as savings.
    let sums = HistoryReader::open(&ledger.file).unwrap().look(|it| it.sums(HistoryPeriod::All)).unwrap();
    let held = sums.would.requests;
    assert_eq!(
        (sums.saved(), sums.would.saved()),
        (i64::try_from((610 - held) * 400).unwrap(), i64::try_from(held * 400).unwrap())
    );
    assert_eq!(sums.money(), 0);
    assert!(sums.would.money > 0);
    purge(&ledger.file).unwrap();
    assert!(ledger.holdout().is_none());
}

#[test]
fn a_session_in_both_groups_is_in_neither_and_another_share_is_another_trial() {
    let ledger = Ledger::open("mixed");
    let [five, ten] = ["5%", "10%"].map(|share| share.parse().unwrap());
    ledger.record(&[
        request(1, Arm::Treated(five), 5, 1),
        request(2, Arm::Treated(five), 5, 1),
        request(2, Arm::Treated(ten), 3, 1),
        request(3, Arm::Treated(ten), 3, 1),
        request(4, Arm::HeldOut(ten), 3, 1),
        RequestEvent {
            record: RequestRecord { cost: None, ..request(4, Arm::HeldOut(ten), 2, 1).record },
            ..request(4, Arm::HeldOut(ten), 2, 1)
        },
        RequestEvent { session: None, ..request(5, Arm::HeldOut(ten), 2, 1) },
        request(6, Arm::Observed, 2, 1),
    ]);
    let report = ledger.holdout().unwrap();
    assert_eq!((report.share.to_string().as_str(), report.treated, report.held), ("10%", 1, 1));
    assert_eq!((report.mixed, report.unpriced), (1, 1));
}

/// A trial of clearing is another trial than one of everything, also if the shares are the same.
#[test]
fn a_trial_of_clearing_is_compared_by_itself() {
    let ledger = Ledger::open("clearing");
    let half = "50%".parse().unwrap();
    ledger.record(&[
        request(1, Arm::Treated(half), 5, 1),
        request(2, Arm::HeldOut(half), 5, 1),
        request(3, Arm::Cleared(half), 3, 1),
        request(4, Arm::Uncleared(half), 3, 1),
        request(5, Arm::Cleared(half), 3, 1),
    ]);
    let report = ledger.holdout().unwrap();
    assert!(report.is_clearing);
    assert_eq!((report.treated, report.held), (2, 1));
}

/// A file of the previous version is migrated and keeps its rows.
#[test]
fn an_older_file_is_brought_up_to_date() {
    let ledger = Ledger::open("older");
    ledger.record(&[request(1, Arm::Applied, 3, 1)]);
    let connection = rusqlite::Connection::open(&ledger.file).unwrap();
    connection
        .execute_batch(
            "DROP TABLE trial_sessions; DROP TABLE trial_calls; DROP TABLE limits; DROP TABLE session_limits; DROP TABLE cache_breaks;
             DROP TABLE prompts; DROP TABLE day_tenants;
             ALTER TABLE requests DROP COLUMN tenant; ALTER TABLE requests DROP COLUMN key_name;
             DROP INDEX requests_named; ALTER TABLE requests DROP COLUMN named;
             ALTER TABLE requests DROP COLUMN arm; ALTER TABLE requests DROP COLUMN would_before;
             ALTER TABLE requests DROP COLUMN would_after; ALTER TABLE requests DROP COLUMN would_paid;
             ALTER TABLE days DROP COLUMN untouched; ALTER TABLE days DROP COLUMN would_before;
             ALTER TABLE days DROP COLUMN would_after; ALTER TABLE days DROP COLUMN would_spare;
             PRAGMA user_version = 1;",
        )
        .unwrap();
    drop(connection);
    let reader = HistoryReader::open(&ledger.file).unwrap();
    let sums = reader.look(|it| it.sums(HistoryPeriod::All)).unwrap();
    assert_eq!((sums.requests, sums.saved(), sums.would.requests), (1, 400, 0));
    assert!(reader.look(HistoryView::holdout).unwrap().is_none());
}
