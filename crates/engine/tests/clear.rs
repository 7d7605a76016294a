//! Which results are cleared at a point, what stands for them, and that nothing else changes.

#![expect(clippy::expect_used, reason = "a test fails loudly, and says how much it saw")]

use serde_json::{Value, json};
use tersely_core::{O200k, Plan, Reader, Redaction, redact};
use tersely_engine::{ClearPoint, Engine, EngineSettings, ForwardBody, Memo, Recall, Request};
use tersely_testing::corpus::conversations;
use tersely_wire::{PROVIDERS, Provider};

/// The least number of tokens of a result that is cleared here.
const LEAST: usize = 100;

/// A conversation with a coding agent.
#[derive(Clone)]
struct Talk(Vec<Value>);

/// A long text; no two of these have a line in common.
fn long(seed: &str) -> String {
    let line = |at: usize| format!("{seed} has a line {at} about {}\n", at * 7919 % 10_007);
    (0..60).map(line).collect()
}

impl Talk {
    fn new() -> Self {
        Self(vec![json!({"role": "user", "content": "Go."})])
    }

    fn result(&mut self, tool: &str, input: &Value, text: &str) -> &mut Self {
        self.add(tool, input, text, false)
    }

    fn add(&mut self, tool: &str, input: &Value, text: &str, is_error: bool) -> &mut Self {
        let id = format!("t{}", self.0.len());
        let call = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error});
        self.0.push(json!({"role": "assistant", "content": [call]}));
        self.0.push(json!({"role": "user", "content": [result]}));
        self
    }

    fn read(&mut self, path: &str, text: &str) -> &mut Self {
        self.result("Read", &json!({ "file_path": path }), text)
    }

    fn model(&mut self, text: &str) -> &mut Self {
        self.0.push(json!({"role": "assistant", "content": [{"type": "text", "text": text}]}));
        self
    }

    /// Ten turns that are too short to be cleared, and then a person.
    fn time_passes(&mut self) -> &mut Self {
        for at in 0..10 {
            self.result("Bash", &json!({"command": format!("true {at}")}), "ok");
        }
        self.model("Done.");
        self.0.push(json!({"role": "user", "content": "Go on."}));
        self
    }

    fn body(&self) -> Vec<u8> {
        let tools = json!([{"name": "Bash", "input_schema": {"type": "object"}}]);
        json!({"model": "m", "tools": tools, "messages": self.0}).to_string().into_bytes()
    }

    /// The results as they are sent if the conversation is cleared at its end.
    fn cleared(&self) -> Vec<String> {
        self.cleared_by(Plan::default())
    }

    fn cleared_by(&self, plan: Plan) -> Vec<String> {
        let engine = Engine::new(EngineSettings { plan, ..EngineSettings::default() });
        let points = [ClearPoint { messages: self.0.len(), least: LEAST }];
        let body = pass(&engine, anthropic(), &points, &self.body());
        results(anthropic(), &body)
    }
}

fn anthropic() -> &'static Provider {
    PROVIDERS[0]
}

fn pass(engine: &Engine, provider: &'static Provider, points: &[ClearPoint], body: &[u8]) -> Vec<u8> {
    let request = Request { clearings: points, ..Request::new(provider, path(provider)) };
    engine.pass(&request, body).expect("nothing to refuse").body.into_owned()
}

fn path(provider: &Provider) -> &'static str {
    match provider.name() {
        "anthropic" => "/v1/messages",
        "responses" => "/v1/responses",
        "gemini" => "/v1beta/models/m:generateContent",
        _ => "/v1/chat/completions",
    }
}

fn results(provider: &'static Provider, body: &[u8]) -> Vec<String> {
    let slots = provider.slots(body).expect("slots");
    slots.iter().map(|slot| slot.text().expect("a text").into_owned()).collect()
}

fn is_cleared(result: &str) -> bool {
    result.starts_with("<<<SHADOW:shadow_") && result.contains("\n[cleared, ")
}

/// Behaviour 26.7.
#[test]
fn an_old_result_leaves_its_call_its_size_and_its_names() {
    let mut talk = Talk::new();
    let text = format!("{}fn parse_config(path: &Path) -> Config {{\n    src/settings/load.rs\n", long("a"));
    talk.read("src/main.rs", &text).time_passes();
    // Who asks for a thing does not say where it is.
    talk.0.push(json!({"role": "user", "content": "What about parse_config?"}));
    let sent = talk.cleared().remove(0);
    assert!(
        is_cleared(&sent) && sent.contains("[cleared, 62 lines: Read src/main.rs; names in it: "),
        "{sent}"
    );
    assert!(sent.contains("parse_config") && sent.contains("src/settings/load.rs"), "{sent}");
    assert!(O200k.count(&sent) < 120, "{sent}");
}

/// Behaviour 26.7.
#[test]
fn what_is_recent_small_or_meant_to_be_followed_stays() {
    let mut talk = Talk::new();
    let [recent, plan, skill] = ["recent", "plan", "skill"].map(long);
    talk.result("ExitPlanMode", &json!({}), &plan).result("Skill", &json!({"command": "deploy"}), &skill);
    talk.read("src/a.rs", "short\n").time_passes().read("src/b.rs", &recent);
    talk.0.push(json!({"role": "user", "content": "And?"}));
    let sent = talk.cleared();
    assert!(sent.iter().all(|result| !is_cleared(result)), "{sent:?}");
    assert_eq!(sent[2], "short\n");
}

/// Behaviour 26.8: what was read before is superseded by what was read later; the latest read of a file that was edited
/// after it stays.
#[test]
fn the_latest_read_of_an_edited_file_stays() {
    let [first, second, other, third] = ["first", "second", "other", "third"].map(long);
    let edit = json!({"file_path": "/repo/src/a.rs", "old_string": "x", "new_string": "y"});
    let mut talk = Talk::new();
    talk.read("/repo/src/a.rs", &first).read("/repo/src/a.rs", &second).read("src/b.rs", &other);
    talk.result("Edit", &edit, "The file was updated.");
    talk.result("Bash", &json!({"command": "cat src/a.rs"}), &third).time_passes();
    let sent = talk.cleared();
    assert!(is_cleared(&sent[0]) && sent[0].contains("a later result shows it again"), "{}", sent[0]);
    assert_eq!(sent[1], second);
    assert!(is_cleared(&sent[2]), "{}", sent[2]);
    // Edited, and read again by its name alone.
    let mut talk = Talk::new();
    talk.result("Bash", &json!({"command": "cd src && cat a.rs"}), &third);
    talk.result("Edit", &edit, "The file was updated.").time_passes();
    assert_eq!(talk.cleared()[0], third);
}

/// Behaviour 26.8: errors of the latest run stay in sight, those of an older one do not.
#[test]
fn errors_of_the_latest_run_stay_in_sight() {
    let run = json!({"command": "cargo test"});
    let mut talk = Talk::new();
    let old = format!("{}error: the first failure\n", long("old"));
    let new = format!("{}error: the last failure\n", long("new"));
    talk.result("Bash", &run, &old)
        .result("Bash", &run, &new)
        .add("Bash", &run, &long("failed"), true)
        .time_passes();
    let sent = talk.cleared();
    assert!(is_cleared(&sent[0]) && !sent[0].contains("the first failure"), "{}", sent[0]);
    assert!(is_cleared(&sent[1]) && sent[1].contains("\nerror: the last failure"), "{}", sent[1]);
    assert!(!is_cleared(&sent[2]), "what a client reports as failed stays: {}", sent[2]);
}

/// Behaviour 26.8: a line that a later message quotes stays in sight, unless a later result shows it.
#[test]
fn what_a_later_message_quotes_stays_in_sight() {
    let quoted = "    let total = items.iter().map(|item| item.price * item.count).sum();";
    let mut talk = Talk::new();
    let text = format!("{}  61\t{quoted}\n", long("a"));
    talk.read("src/a.rs", &text);
    talk.model(&format!("The bug is here:\n```\n{quoted}\n```\n")).time_passes();
    let sent = talk.cleared().remove(0);
    assert!(is_cleared(&sent) && sent.ends_with(&format!("\n{}", quoted.trim())), "{sent}");
    let mut again = talk.clone();
    again.result("Grep", &json!({"pattern": "total"}), &format!("src/a.rs:61:{quoted}\n"));
    again.0.push(json!({"role": "user", "content": "And?"}));
    let sent = again.cleared().remove(0);
    assert!(is_cleared(&sent), "{sent}");
}

/// Law 6: what is masked is not in the words for a result, and a secret in a file is no name.
#[test]
fn no_secret_stands_in_the_words() {
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let text = format!("{}GITHUB_TOKEN={secret}\n", long("a"));
    for redact in [Redaction::Off, Redaction::Usual, Redaction::All] {
        let mut talk = Talk::new();
        talk.read("src/.env", &text).result("Bash", &json!({"command": "env"}), &text).time_passes();
        let sent = talk.cleared_by(Plan { redact, ..Plan::default() });
        for result in &sent[..2] {
            assert!(is_cleared(result) && !result.contains(&secret), "{result}");
        }
    }
}

/// A model that does not fetch is not asked to, and nothing is cleared where nothing can be fetched.
#[test]
fn nothing_is_cleared_that_would_not_be_fetched() {
    let mut talk = Talk::new();
    let text = long("a");
    talk.read("src/main.rs", &text).time_passes();
    let small = Plan { reader: Reader::Small, ..Plan::default() };
    assert_eq!(talk.cleared_by(small)[0], text);
    let points = [ClearPoint { messages: talk.0.len(), least: LEAST }];
    let body = json!({"model": "m", "messages": talk.0}).to_string().into_bytes();
    let sent = pass(&Engine::default(), anthropic(), &points, &body);
    assert_eq!(results(anthropic(), &sent)[0], text, "no tools, so nobody can ask");
}

/// The messages of a body up to a number of them.
fn first(body: &Value, list: &str, count: usize) -> Vec<u8> {
    let mut body = body.clone();
    body[list].as_array_mut().expect("messages").truncate(count);
    body.to_string().into_bytes()
}

/// Laws 2, 3 and 4 over every conversation at hand: after a clearing, each request begins as the one before it; what
/// was cleared is fetched back exactly; no result costs more than without; with a memo or without, the bytes are the
/// same.
#[test]
fn clearings_keep_the_laws_in_every_conversation() {
    let mut count = 0;
    for transcript in conversations() {
        let mut body: Value = serde_json::from_slice(&transcript.body).expect("JSON");
        let list = body[transcript.list].as_array_mut().expect("messages");
        let at = list.len() * 4 / 5;
        // Somebody returns here.
        list.insert(at, json!({"role": "user", "content": "Go on.", "parts": [{"text": "Go on."}]}));
        let messages = list.len();
        let opening = messages - transcript.provider.read(body.to_string().as_bytes()).messages().len();
        let at = at + 1;
        let points = [ClearPoint { messages: at.saturating_sub(opening), least: LEAST }];
        let (engine, memo) = (Engine::default(), Memo::default());
        let mut before: Option<Vec<Value>> = None;
        for end in (at..=messages).step_by(((messages - at) / 4).max(1)) {
            let came = first(&body, transcript.list, end);
            let request = |memo| Request {
                clearings: &points,
                memo,
                ..Request::new(transcript.provider, path(transcript.provider))
            };
            let made = |memo| engine.pass(&request(memo), &came).expect("nothing to refuse");
            let remembered = made(Some(Recall { memo: &memo, whose: b"me" })).body.into_owned();
            let ForwardBody { body: sent, report, hidden } = made(None);
            let sent = sent.into_owned();
            assert!(remembered == sent, "{}: the memo changes bytes", transcript.name);
            count += report.record.cleared_results();
            let tokens = report.record.result_tokens;
            assert!(tokens.after <= tokens.before, "{}", transcript.name);
            let kept = hidden.map(|hidden| hidden.kept).unwrap_or_default();
            let (came, shown) = (results(transcript.provider, &came), results(transcript.provider, &sent));
            for (came, shown) in came.iter().zip(&shown).filter(|(_, shown)| is_cleared(shown)) {
                let id = &shown["<<<SHADOW:".len()..shown.find(">>>").expect("an id")];
                let original = kept.iter().find(|it| it.id == id).expect("an original");
                assert!(original.text == *came || original.text == redact(came), "{}", transcript.name);
            }
            let sent: Value = serde_json::from_slice(&sent).expect("JSON");
            let now = sent[transcript.list].as_array().expect("messages").clone();
            let is_same = before.as_ref().is_none_or(|before| now.starts_with(before));
            assert!(is_same, "{}: what was sent has changed", transcript.name);
            before = Some(now);
        }
    }
    assert!(count > 20, "{count} results were cleared");
}
