//! Measures how long bodies take: `cargo test --release -p tersely-engine --test speed -- --ignored --nocapture`.

#![expect(clippy::expect_used, reason = "a test fails loudly, and a measurement is read")]

use std::time::Instant;

use tersely_core::{Loss, Mode, Plan};
use tersely_engine::{Engine, EngineSettings, Memo, Recall, Report, Request};
use tersely_testing::corpus::{SampleTranscript, conversations};
use tersely_testing::pace::thread_time;

/// Bytes of the shortest body that is measured. Shorter ones measure the clock.
const MIN_BODY_BYTES: usize = 500_000;

const ROUNDS: usize = 9;

#[test]
#[ignore = "a measurement, to be read by a person"]
fn milliseconds_a_megabyte() {
    println!("| body | MB | tokens | exact | form | ms a MB, disabled | exact | form |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    let mut all = [(0, 0); 2];
    for conversation in conversations() {
        let (exact, form) = (engine(Mode::Standard, Loss::None), engine(Mode::Standard, Loss::Form));
        let reports = [&exact, &form].map(|engine| run(engine, &conversation));
        for (sum, report) in all.iter_mut().zip(&reports) {
            *sum = (sum.0 + report.record.result_tokens.before, sum.1 + report.record.result_tokens.after);
        }
        if conversation.body.len() < MIN_BODY_BYTES {
            continue;
        }
        let disabled = engine(Mode::Disabled, Loss::Form);
        let [off, exact, form] = [&disabled, &exact, &form].map(|engine| best(engine, &conversation));
        let (name, size) = (&conversation.name, megabytes(conversation.body.len()));
        let [before, less, least] = [
            reports[0].record.result_tokens.before,
            reports[0].record.result_tokens.after,
            reports[1].record.result_tokens.after,
        ];
        println!("| {name} | {size:.2} | {before} | {less} | {least} | {off:.3} | {exact:.1} | {form:.1} |");
        assert!(off * 5.0 < form, "what is switched off costs {off:.3} of {form:.1} ms");
    }
    println!("all conversations: exact {:?}, form {:?}", all[0], all[1]);
}

/// Behaviour 16.6: the time for a result of 64 KB, and for a request that stays unchanged. A busy machine takes longer,
/// so the best of several counts; the build that tests run in is optimised a little, and takes up to four times as
/// long.
#[test]
fn results_and_requests_take_their_time_and_no_more() {
    let most = if cfg!(debug_assertions) { 40.0 } else { 10.0 };
    for (name, text) in texts() {
        let call =
            serde_json::json!({"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "x"}});
        let result = serde_json::json!({"type": "tool_result", "tool_use_id": "a", "content": text});
        let messages = serde_json::json!([{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]);
        let body = serde_json::json!({"model": "m", "messages": messages}).to_string().into_bytes();
        let provider = tersely_wire::PROVIDERS[0];
        let time = |mode| {
            let (engine, request) = (engine(mode, Loss::Detail), Request::new(provider, "/v1/messages"));
            best_of(|| engine.pass(&request, &body).expect("nothing to refuse").report)
        };
        let (off, on) = (time(Mode::Disabled), time(Mode::Standard));
        println!("{name}: {off:.3} ms where nothing is wanted, {on:.2} ms");
        assert!(off < 1.0, "{name}: {off:.3} ms where nothing is wanted");
        assert!(on < most, "{name}: {on:.2} ms");
    }
}

/// The best time of several, in milliseconds.
fn best_of<T>(work: impl Fn() -> T) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let start = thread_time();
        std::hint::black_box(work());
        thread_time().saturating_sub(start).as_secs_f64() * 1000.0
    });
    times.fold(f64::MAX, f64::min)
}

/// Texts of 64 KB, of several kinds.
fn texts() -> [(&'static str, String); 4] {
    let fill = |line: &dyn Fn(usize) -> String| {
        let (mut text, mut n) = (String::new(), 0);
        while text.len() < 65_536 {
            text.push_str(&line(n));
            n += 1;
        }
        text.truncate(65_536);
        text
    };
    let rows: Vec<_> = (0..900).map(|n| serde_json::json!({"id": n, "name": format!("item {n}"), "state": "open", "size": n * 31 % 97})).collect();
    [
        ("JSON", serde_json::Value::from(rows).to_string()),
        (
            "log",
            fill(&|n| {
                format!(
                    "2026-03-02T10:{:02}:{:02}Z shop INFO order {} was packed in {} ms\n",
                    n / 60 % 60,
                    n % 60,
                    8000 + n,
                    n * 31 % 97
                )
            }),
        ),
        (
            "search",
            fill(&|n| {
                format!("src/part_{}/file_{}.rs:{}: let value_{n} = make(n);\n", n / 40, n / 8, n % 8 * 17)
            }),
        ),
        ("words", fill(&|n| format!("Line {n} says {} and then {} words.\n", n * 7919 % 9973, n * 31 % 97))),
    ]
}

/// A conversation whose last result alone is new, without a memo and with one that knows the rest.
#[test]
#[ignore = "a measurement, to be read by a person"]
fn what_a_new_message_costs() {
    println!("| body | MB | ms, without a memo | with |");
    println!("|---|--:|--:|--:|");
    for conversation in conversations().into_iter().filter(|it| it.body.len() >= MIN_BODY_BYTES) {
        let engine = engine(Mode::Standard, Loss::Detail);
        // Both written by one hand, as a client writes them: what did not change is the same to the byte.
        let (before, body) = (shorter(&conversation), whole(&conversation));
        let without = best(&engine, &conversation) * megabytes(conversation.body.len());
        let with = (0..ROUNDS).map(|_| {
            let memo = Memo::default();
            let memo = Some(Recall { memo: &memo, whose: b"me" });
            let request = Request { memo, ..Request::new(conversation.provider, "/") };
            engine.pass(&request, &before).expect("nothing to refuse");
            let start = Instant::now();
            let passed = engine.pass(&request, &body).expect("nothing to refuse");
            assert!(passed.report.record.reused > 0, "{}", conversation.name);
            start.elapsed().as_secs_f64() * 1000.0
        });
        let (with, size) = (with.fold(f64::MAX, f64::min), megabytes(conversation.body.len()));
        println!("| {} | {size:.2} | {without:.1} | {with:.2} |", conversation.name);
        assert!(with * 2.0 < without, "remembering halves the time: {with:.2} of {without:.1} ms");
    }
}

/// The whole conversation.
fn whole(conversation: &SampleTranscript) -> Vec<u8> {
    let body: serde_json::Value = serde_json::from_slice(&conversation.body).expect("JSON");
    serde_json::to_vec(&body).expect("JSON")
}

/// The request before the last result came.
fn shorter(conversation: &SampleTranscript) -> Vec<u8> {
    let mut body: serde_json::Value = serde_json::from_slice(&conversation.body).expect("JSON");
    let messages = body["messages"].as_array_mut().expect("messages");
    let is_result =
        |it: &serde_json::Value| it["role"] == "tool" || it.to_string().contains("\"tool_result\"");
    let last = messages.iter().rposition(is_result).expect("a result");
    messages.truncate(last);
    serde_json::to_vec(&body).expect("JSON")
}

fn engine(mode: Mode, loss: Loss) -> Engine {
    Engine::new(EngineSettings { plan: Plan { mode, loss, ..Plan::default() }, ..EngineSettings::default() })
}

fn run(engine: &Engine, SampleTranscript { body, provider, .. }: &SampleTranscript) -> Report {
    let request = Request::new(provider, "/");
    engine.pass(&request, body).expect("nothing to refuse").report
}

/// The best time of several, in milliseconds for a megabyte.
fn best(engine: &Engine, conversation: &SampleTranscript) -> f64 {
    best_of(|| run(engine, conversation)) / megabytes(conversation.body.len())
}

#[expect(clippy::cast_precision_loss, reason = "bodies are far smaller than what a float can count")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1_000_000.0
}
