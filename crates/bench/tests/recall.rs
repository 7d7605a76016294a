//! Checks that later calls find what they name: facts in tool results can be read in what was sent.

#![expect(clippy::expect_used, reason = "a test fails loudly, and says how much it saw")]

use serde_json::{Value, json};
use tersely_bench::{RecallScore, recall};
use tersely_core::{Loss, Mode, Plan};
use tersely_engine::{Engine, EngineSettings, Request};
use tersely_testing::run::BuiltBinary;
use tersely_wire::{PROVIDERS, Provider};

const BENCH: BuiltBinary =
    BuiltBinary { path: env!("CARGO_BIN_EXE_tersely-bench"), place: env!("CARGO_TARGET_TMPDIR") };

fn provider() -> &'static Provider {
    PROVIDERS.into_iter().find(|provider| provider.name() == "anthropic").expect("a provider")
}

/// A conversation with two results, followed by calls that read a file of one and a line of the other.
fn talk(results: [&str; 2], asks: &Value) -> Vec<u8> {
    let mut messages = vec![json!({ "role": "user", "content": "Repair shelf/store.py." })];
    let call = |id: &str, tool: &str, input: &Value| json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": tool, "input": input }] });
    for (id, text) in ["c1", "c2"].into_iter().zip(results) {
        messages.push(call(id, "Bash", &json!({ "command": "rg put" })));
        messages.push(json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": text }] }));
    }
    messages.push(call("c3", "Read", asks));
    json!({ "model": "claude-opus-4-5", "messages": messages }).to_string().into_bytes()
}

fn check(sent: [&str; 2], asks: &Value, expected: ([usize; 2], usize, &[&str])) -> RecallScore {
    let came = talk([LIST, HITS], asks);
    let score = recall(provider(), &came, &talk(sent, asks)).expect("bodies");
    let misses: Vec<_> = score.misses.iter().map(|(_, _, fact)| fact.word.as_str()).collect();
    assert_eq!((score.all(), score.said, &*misses), expected, "{sent:?}");
    score
}

const LIST: &str = "src/shelf/amber.py\nsrc/shelf/birch.py\nshelf/store.py\n";
const HITS: &str = "41:def put_item(shelf, count):\n97:    put_item(shelf, 2)\n";

#[test]
fn what_is_gone_is_missed_and_named() {
    let asks = json!({ "file_path": "src/shelf/birch.py", "offset": 97, "limit": 20, "note": "put_item, never_shown, shelf/store.py" });
    check([LIST, HITS], &asks, ([4, 4], 0, &[]));
    let score = check(["src/shelf/amber.py\n", HITS], &asks, ([4, 2], 1, &["src/shelf/birch.py"]));
    assert_eq!(
        (score.misses[0].0, &*score.misses[0].1, &*score.misses[0].2.argument),
        (3, "Read", "file_path")
    );
    check([LIST, "41:def other(shelf):\n"], &asks, ([4, 2], 0, &["put_item", "97"]));
    check([HITS, LIST], &asks, ([4, 4], 0, &[]));
}

#[test]
fn what_comes_later_does_not_count() {
    let asks = json!({ "file_path": "src/shelf/amber.py" });
    let came = talk(["none\n", LIST], &asks);
    let mut body: Value = serde_json::from_slice(&came).expect("JSON");
    // The call now comes before the result that shows its file.
    body["messages"].as_array_mut().expect("messages").swap(3, 5);
    let body = body.to_string().into_bytes();
    assert_eq!(recall(provider(), &body, &body).expect("bodies").all(), [0, 0]);
}

#[test]
fn a_reference_counts_for_what_it_names_only_if_that_is_there() {
    let lines: Vec<_> =
        (1..=60).map(|at| format!("{at}\tlet part_{at} = read_part(shelf, {at} * {at});")).collect();
    let file = lines.join("\n");
    let read = |id: &str| json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "Read", "input": { "file_path": "/x/a.rs" } }] });
    let result = |id: &str, text: &str| json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": text }] });
    let talk = |first: &str, second: &str| {
        let last = json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "c3", "name": "Edit", "input": { "old_string": "part_33" } }] });
        let messages = [
            json!({ "role": "user", "content": "go" }),
            read("c1"),
            result("c1", first),
            read("c2"),
            result("c2", second),
            last,
        ];
        json!({ "model": "claude-opus-4-5", "messages": messages }).to_string().into_bytes()
    };
    let came = talk(&file, &file);
    let plan = Plan { mode: Mode::Standard, loss: Loss::None, ..Plan::default() };
    let engine = Engine::new(EngineSettings { plan, ..EngineSettings::default() });
    let sent = engine.pass(&Request::new(provider(), "/v1/messages"), &came).expect("nothing to refuse").body;
    let found: Value = serde_json::from_slice(&sent).expect("JSON");
    let second = found["messages"][4]["content"][0]["content"].as_str().expect("text");
    assert!(!second.contains("part_33"), "the second read names the first: {second}");
    let all = |sent: &[u8]| recall(provider(), &came, sent).expect("bodies").all();
    assert_eq!(all(&sent), [1, 1]);
    assert_eq!(all(&talk("gone", second)), [1, 0], "what it names is not there");
}

#[test]
fn our_own_transcripts_recall_everything_in_exact_form() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus");
    let ran = BENCH.run(&format!("recall --json {corpus}"), "");
    assert_eq!(ran.code, Some(0), "{} {}", ran.stdout, ran.stderr);
    let found: Value = serde_json::from_str(&ran.stdout).expect("an object");
    let all = &found["clients"]["all"]["modes"];
    assert!(all["exact"]["named"].as_u64() > Some(50), "{all}");
    assert_eq!(
        (&all["exact"]["read"], &all["exact"]["missed"]),
        (&all["exact"]["named"], &json!(0)),
        "{all}"
    );
    let page = BENCH.run(&format!("recall --verbose {corpus}"), "");
    assert!(page.stdout.contains("Claude Code") && page.stdout.contains("100.00 %"), "{}", page.stdout);
}
