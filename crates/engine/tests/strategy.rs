//! Remote compressors: which results they may be asked about, under which names, and what their answers change.

#![expect(clippy::unwrap_used, reason = "a test fails loudly, its scenery too")]

use serde_json::{Value, json};
use tersely_core::{Mode, Plan, Reader};
use tersely_engine::{
    Candidate, Engine, EngineSettings, Fallback, Memo, Recall, RemoteAnswer, RemoteAnswers, RemotePlan,
    Request, Strategy,
};
use tersely_wire::{Provider, claimed_provider};

const ERROR: &str = "error: disk full";

fn log(number: usize) -> String {
    let line = |n| format!("job {} of queue {} took {} ms\n", n * 7919 % 9973, n % 13, n * 31 % 997);
    (number * 100..number * 100 + 60).map(line).collect::<String>() + ERROR
}

fn remote(mark: &str) -> RemotePlan {
    RemotePlan { stage: "api", mark: mark.to_owned(), tells_question: true, fallback: Fallback::Whole }
}

fn engine(strategy: Strategy) -> Engine {
    let plan = Plan { reader: Reader::Small, ..Plan::default() };
    Engine::new(EngineSettings { plan, strategy, ..EngineSettings::default() })
}

fn provider() -> &'static Provider {
    claimed_provider("/v1/messages").unwrap()
}

/// A conversation in which a tool was called with each of these commands; each result is a log of its own.
fn body(question: &str, commands: &[&str]) -> String {
    let mut messages = vec![json!({"role": "user", "content": question})];
    for (at, command) in commands.iter().enumerate() {
        let id = format!("toolu_{at}");
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
        messages.push(json!({"role": "assistant", "content": [call]}));
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": log(at)});
        messages.push(json!({"role": "user", "content": [result]}));
    }
    json!({"tools": [{"name": "Bash", "input_schema": {}}], "messages": messages}).to_string()
}

fn candidates(engine: &Engine, body: &str) -> Vec<Candidate> {
    engine.candidates(&Request::new(provider(), "/v1/messages"), &provider().read(body.as_bytes()))
}

/// What is sent for the result at a place.
fn sent(engine: &Engine, agreed: &RemoteAnswers, body: &str, at: usize) -> String {
    let request = Request { agreed: Some(agreed), ..Request::new(provider(), "/v1/messages") };
    let passed = engine.pass(&request, body.as_bytes()).ok().unwrap();
    let body: Value = serde_json::from_slice(&passed.body).unwrap();
    body["messages"][at * 2 + 2]["content"][0]["content"].as_str().unwrap().to_owned()
}

/// Behaviour 8.11: only results after the model's last message.
#[test]
fn only_what_the_model_has_not_seen_is_asked_about() {
    let engine = engine(Strategy::Remote(remote("m")));
    let found = candidates(&engine, &body("why?", &["run a", "run b", "run c"]));
    let new: Vec<_> = found.iter().map(|it| (it.at, it.is_bound, it.ask.is_some())).collect();
    assert_eq!(new, [(0, true, false), (1, true, false), (2, true, true)]);
    let ask = found[2].ask.clone().unwrap();
    assert_eq!((ask.tool.as_str(), ask.question.as_str(), ask.text), ("Bash", "why?", log(2)));
}

/// Behaviour 8.12.
#[test]
fn what_an_agent_may_edit_is_nobody_elses() {
    let engine = engine(Strategy::Remote(remote("m")));
    for command in ["cat a.rs", "git diff", "rg key src", "apply_patch <<'EOF'", "sed -n 1,9p a.py"] {
        assert_eq!(candidates(&engine, &body("why?", &[command])), [], "{command}");
    }
    let failed =
        body("why?", &["run"]).replace(r#""type":"tool_result""#, r#""is_error":true,"type":"tool_result""#);
    assert_eq!(candidates(&engine, &failed), []);
    let without_tools = body("why?", &["run"]).replace(r#""tools""#, r#""other""#);
    assert_eq!(candidates(&engine, &without_tools), [], "nobody could fetch the original");
    let asked = body("why?", &["run"]).replacen('{', r#"{"_tersely":{"mode":"safe"},"#, 1);
    assert_eq!(candidates(&engine, &asked), []);
    let plan = Plan { mode: Mode::Standard, min_bytes: 1 << 16, ..Plan::default() };
    let settings = EngineSettings { plan, ..engine.settings().clone() };
    assert_eq!(candidates(&Engine::new(settings), &body("why?", &["run"])), []);
}

/// Behaviour 8.11 and 17.19: the name of an answer covers the configuration, the call, the text and the question before
/// it.
#[test]
fn a_name_covers_all_that_is_told() {
    let name =
        |plan: RemotePlan, body: &str| candidates(&engine(Strategy::Remote(plan)), body)[0].name.clone();
    let usual = body("why?", &["run"]);
    let first = name(remote("m"), &usual);
    let longer = body("why?", &["run", "run on"]).replacen(
        r#""messages""#,
        r#""metadata":{"user_id":"x"},"messages""#,
        1,
    );
    assert_eq!(name(remote("m"), &longer), first, "what follows is no part of it");
    for (plan, body) in [
        (remote("other"), usual.clone()),
        (RemotePlan { stage: "external_provider", ..remote("m") }, usual.clone()),
        (remote("m"), body("what?", &["run"])),
        (remote("m"), body("why?", &["run twice"])),
        (remote("m"), usual.replace("toolu_0", "toolu_9")),
        (remote("m"), usual.replace("queue 7", "queue 8")),
    ] {
        assert_ne!(name(plan, &body), first, "{body:.200}");
    }
    let silent = |question: &str| {
        let plan = RemotePlan { tells_question: false, ..remote("m") };
        name(plan, &body(question, &["run"]))
    };
    assert_eq!(silent("why?"), silent("what?"));
}

/// Behaviour 8.6: a stored answer is used or not whether or not the memo has it.
#[test]
fn a_memo_does_not_hide_what_is_agreed_on() {
    let engine = engine(Strategy::Remote(remote("m")));
    let body = body("why?", &["run a", "run b"]);
    let (memo, good) = (Memo::default(), format!("60 jobs ran.\n{ERROR}"));
    let agreed = |first: Option<&str>| {
        let mut agreed = RemoteAnswers::default();
        agreed.settle(0, first.map_or(RemoteAnswer::Failed, |said| RemoteAnswer::Text(said.to_owned())));
        agreed.settle(1, RemoteAnswer::Failed);
        agreed
    };
    let reading = provider().read(body.as_bytes());
    let recall = Some(Recall { memo: &memo, whose: b"me" });
    let asking = Request { memo: recall, ..Request::new(provider(), "/v1/messages") };
    engine.pass(&asking, body.as_bytes()).ok().unwrap();
    for first in [Some(good.as_str()), None, Some("a lie"), Some(good.as_str())] {
        let agreed = agreed(first);
        let plain = Request { agreed: Some(&agreed), ..Request::new(provider(), "/v1/messages") };
        // It is looked up before the compressor is asked.
        let found = engine.look_up(&asking, &reading);
        let known = Request { memo: recall, known: found.as_ref(), ..plain.clone() };
        let [plain, known] =
            [plain, known].map(|request| engine.pass(&request, body.as_bytes()).ok().unwrap());
        assert_eq!(plain.body, known.body, "{first:?}");
        let is_used = sent(&engine, &agreed, &body, 0).contains("60 jobs ran.");
        assert_eq!(is_used, first == Some(&good), "{first:?}");
    }
    // The same body once more, without answers.
    let plain = Request::new(provider(), "/v1/messages");
    let known = Request { memo: Some(Recall { memo: &memo, whose: b"me" }), ..plain.clone() };
    let [plain, known] = [plain, known].map(|request| engine.pass(&request, body.as_bytes()).ok().unwrap());
    assert_eq!(plain.body, known.body);
}

/// Behaviour 8.2.
#[test]
fn the_first_words_stand_for_a_result() {
    for (min_bytes, words) in [(0, 10), (10, 5), (200, 20), (1000, 50)] {
        let plan = Plan { min_bytes, ..Plan::default() };
        let settings = EngineSettings { plan, strategy: Strategy::Simple, ..EngineSettings::default() };
        let shown = sent(&Engine::new(settings), &RemoteAnswers::default(), &body("why?", &["run"]), 0);
        let lines: Vec<_> = shown.lines().collect();
        assert!(lines[0].starts_with("<<<SHADOW:shadow_") && lines[1].ends_with("..."), "{shown}");
        assert_eq!((lines[1].split(' ').count(), lines[2]), (words, ERROR), "{shown}");
    }
    let file = sent(&engine(Strategy::Simple), &RemoteAnswers::default(), &body("why?", &["cat a.txt"]), 0);
    assert!(file.contains("queue 12 took"), "a file stays whole: {file}");
}

/// Behaviour 8.5, 8.11: the first words replace a result that a compressor fails at, never one that it was not asked
/// about.
#[test]
fn what_nobody_was_asked_about_stays_whole() {
    let engine = engine(Strategy::Remote(RemotePlan { fallback: Fallback::Simple, ..remote("m") }));
    for (word, is_whole) in [(RemoteAnswer::Failed, false), (RemoteAnswer::Whole, true)] {
        let mut agreed = RemoteAnswers::default();
        agreed.settle(0, word.clone());
        let shown = sent(&engine, &agreed, &body("why?", &["run"]), 0);
        assert_eq!(!shown.contains("<<<SHADOW:"), is_whole, "{word:?}: {shown}");
        assert_eq!(shown.contains("queue 12 took"), is_whole, "{word:?}: {shown}");
    }
}
