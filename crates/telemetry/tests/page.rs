//! Checks alerts, dashboard and docs/metrics.md against the exported metrics.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tersely_account::{
    BreakCause, BreakOwner, FetchSum, FormSum, GroupSum, PriceTable, PromptBreak, RequestCost, RequestRecord,
    ResultGroup, ResultRecord, ResultStatus, StageSaving, TokenChange, TokenUsage,
};
use tersely_telemetry::{EventSink, NumbersForm, RequestEvent, SideNumbers, StoreNumbers, Telemetry, Verb};

struct Forgetful;

impl EventSink for Forgetful {
    fn name(&self) -> &'static str {
        "events"
    }

    fn hear(&self, _: &Arc<RequestEvent>) {}

    fn dropped(&self) -> u64 {
        1
    }
}

/// A request that sets every metric.
fn event() -> RequestEvent {
    let group = ResultGroup { tool: "bash", family: "log" };
    let tokens = TokenChange { before: 2, after: 1 };
    let result = ResultRecord {
        group,
        mode: "standard",
        status: ResultStatus::Compressed,
        tokens,
        ..ResultRecord::default()
    };
    RequestEvent {
        provider: Some("openai"),
        status: 200,
        missed: Some("late"),
        upstream: Some(Duration::from_millis(2)),
        ours: Some(Duration::from_millis(1)),
        record: RequestRecord {
            groups: vec![GroupSum { group, results: 1, changed: 1, tokens }],
            fresh: vec![Arc::new(result)],
            stages: vec![
                StageSaving { stage: "search", texts: 1, saved: 2 },
                StageSaving { stage: "numbered", texts: 1, saved: -1 },
            ],
            fetched: vec![FetchSum { stage: "search", calls: 1, tokens: 1 }],
            forms: vec![FormSum::of("stc", 2, Some(1))],
            usage: Some(TokenUsage { input: 1, ..TokenUsage::default() }),
            rounds: TokenUsage { input: 1, ..TokenUsage::default() },
            cost: Some(RequestCost { paid: 1, without: 2 }),
            would: Some(Arc::new(RequestRecord::default())),
            cache_break: Some(PromptBreak {
                cause: BreakCause::ToolAdded,
                place: Some(1),
                line: None,
                tool: None,
                owner: BreakOwner::Client,
                server: None,
                lost: Some(1),
                cost: None,
            }),
            ..RequestRecord::default()
        },
        ..RequestEvent::new(1, Verb::of("POST"))
    }
}

/// The names of all exported metrics.
fn told() -> BTreeSet<String> {
    let look = || SideNumbers { store: Some(StoreNumbers::default()), ..SideNumbers::default() };
    let telemetry = Telemetry::beside(PriceTable::known(), vec![Box::new(Forgetful)], Box::new(look));
    telemetry.end(event(), None);
    let text = String::from_utf8(telemetry.metrics(NumbersForm::Classic)).expect("text");
    let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    names.map(str::to_owned).collect()
}

fn text(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).expect("a file")
}

#[test]
fn every_number_that_is_asked_for_is_told() {
    let told = told();
    for path in ["deploy/prometheus/alerts.yml", "deploy/grafana/tersely.json"] {
        let text = text(path);
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let is_name = |word: &&str| word.starts_with("tersely_") || word.starts_with("process_");
        let asked: BTreeSet<_> = words.filter(is_name).collect();
        assert!(asked.len() > 5, "{path} asks for {asked:?}");
        for name in asked {
            let is_told =
                told.contains(name) || name.strip_suffix("_bucket").is_some_and(|it| told.contains(it));
            assert!(is_told, "{path} asks for {name}, which nobody tells");
        }
    }
}

/// Without failures there is no failure series, and a ratio of no series is empty, not 0.
#[test]
fn the_share_of_failures_is_shown_where_there_are_none() {
    let board = text("deploy/grafana/tersely.json").replace("\\\"", "\"");
    let failures =
        r#"sum(rate(tersely_requests_total{end=~"upstream|us", instance=~"$instance"}[$__rate_interval]))"#;
    assert_eq!(board.matches(failures).count(), 1);
    assert!(board.contains(&format!("({failures} or vector(0)) / ")), "it is empty on a healthy gateway");
}

/// The page explains every exported metric and no others.
#[test]
fn the_page_about_watching_names_every_number() {
    let page = text("docs/metrics.md");
    let rows = page.lines().filter(|line| line.starts_with("| `tersely_") || line.starts_with("| `process_"));
    let explained: BTreeSet<String> =
        rows.filter_map(|row| Some(row.split('`').nth(1)?.to_owned())).collect();
    assert_eq!(explained, told());
}
