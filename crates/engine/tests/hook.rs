//! Holds the laws for what clients tell their hooks: every output of the corpus, and what mutations make of it.

#![expect(clippy::expect_used, reason = "a test fails loudly, and says how much it saw")]

use serde_json::{Value, json};
use tersely_core::{Loss, O200k, Plan, Redaction};
use tersely_engine::{Engine, EngineSettings, HookAnswer, Request};
use tersely_testing::corpus::{outputs, recorded_calls};
use tersely_testing::mutate;
use tersely_wire::hook::HookCall;
use tersely_wire::{PROVIDERS, Provider};

/// An output as Claude Code tells it to a hook.
fn event(command: &str, text: &str) -> Value {
    json!({
        "session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t",
        "tool_input": { "command": command },
        "tool_response": { "stdout": text, "stderr": "", "interrupted": false, "isImage": false },
    })
}

fn anthropic() -> &'static Provider {
    PROVIDERS.iter().find(|provider| provider.name() == "anthropic").expect("a provider")
}

/// The same output as a gateway sees it in a request.
fn request(command: &str, text: &str) -> Vec<u8> {
    let call = json!({ "type": "tool_use", "id": "t", "name": "Bash", "input": { "command": command } });
    let result = json!({ "type": "tool_result", "tool_use_id": "t", "content": text });
    json!({ "model": "claude-opus-4-6", "messages": [
        { "role": "user", "content": "go" },
        { "role": "assistant", "content": [call] },
        { "role": "user", "content": [result] },
    ]})
    .to_string()
    .into_bytes()
}

fn hook(engine: &Engine, told: &[u8], most: Loss) -> HookAnswer {
    let call = HookCall::read(told).expect("a call");
    engine.hook(&call, most, |id| format!("[All of it: {id}]"))
}

/// The result that a client takes in place of the tool's; `None` if it keeps that.
fn updated(answer: &HookAnswer) -> Option<Value> {
    let answer: Value = serde_json::from_slice(answer.answer.as_ref()?).expect("an answer is JSON");
    Some(answer["hookSpecificOutput"]["updatedToolOutput"].clone())
}

/// An engine that masks nothing: hooks cannot restore a mask, so they mask only what the operator masks everywhere.
fn engine() -> Engine {
    let plan = Plan { redact: Redaction::Off, ..Plan::default() };
    Engine::new(EngineSettings { plan, ..EngineSettings::default() })
}

/// Behaviour 25.1: the text is that of a gateway, nothing else changes, and nothing gets longer.
#[test]
fn a_hook_says_what_a_gateway_says() {
    let (engine, commands) = (engine(), recorded_calls());
    let (mut seen, mut changed) = (0, 0);
    for output in outputs() {
        let command = commands.get(&output.name).and_then(|(_, command)| command.as_deref()).unwrap_or("run");
        for most in [Loss::None, Loss::Form] {
            let told = event(command, &output.text).to_string().into_bytes();
            let answer = hook(&engine, &told, most);
            let request = Request { most, ..Request::new(anthropic(), "/v1/messages") };
            let body = request_body(&engine, &request, command, &output.text);
            let now = updated(&answer);
            let text =
                now.as_ref().map_or(output.text.as_str(), |now| now["stdout"].as_str().expect("a text"));
            assert_eq!(text, body, "{} {most:?}", output.name);
            let Some(now) = &now else { continue };
            assert_eq!(*now, event(command, text)["tool_response"], "{}", output.name);
            let tokens = answer.record.result_tokens;
            assert_eq!((tokens.before, tokens.after), (O200k.count(&output.text), O200k.count(text)));
            assert!(tokens.after < tokens.before || text.contains("<<<TEXT"), "{} {tokens:?}", output.name);
            changed += 1;
        }
        seen += 1;
    }
    assert!(seen > 90 && changed > seen, "{changed} of {seen}");
}

fn request_body(engine: &Engine, asked: &Request<'_>, command: &str, text: &str) -> String {
    let body = request(command, text);
    let sent = engine.pass(asked, &body).expect("nothing to refuse").body;
    let sent: Value = serde_json::from_slice(&sent).expect("JSON");
    sent["messages"][2]["content"][0]["content"].as_str().expect("a text").to_owned()
}

/// Behaviour 25.5: what is cut is kept, the text names it, and it costs less with these words than before.
#[test]
fn what_a_hook_cuts_is_kept_and_named() {
    let (engine, commands) = (engine(), recorded_calls());
    let mut cut = 0;
    for output in outputs() {
        let command = commands.get(&output.name).and_then(|(_, command)| command.as_deref()).unwrap_or("run");
        let told = event(command, &output.text).to_string().into_bytes();
        let answer = hook(&engine, &told, Loss::Detail);
        let Some(now) = updated(&answer) else { continue };
        let text = now["stdout"].as_str().expect("a text");
        let tokens = answer.record.result_tokens;
        assert_eq!(tokens.after, O200k.count(text), "{}", output.name);
        for kept in &answer.kept {
            assert_eq!(kept.text, output.text, "{}", output.name);
            assert!(text.ends_with(&format!("[All of it: {}]", kept.id)), "{}", output.name);
            assert!(tokens.after < tokens.before, "{}", output.name);
            cut += 1;
        }
    }
    assert!(cut > 10, "{cut} outputs were cut");
}

/// Law 5: whatever a client tells, there is an answer in its own shape or none.
#[test]
fn broken_events_get_no_answer_or_a_sound_one() {
    let (engine, mut seed, mut answered) = (Engine::default(), 7, 0);
    let rows: Vec<_> = (0..20).map(|n| json!({ "id": n, "kind": "fruit", "ripe": null })).collect();
    let told = event("run", &serde_json::to_string_pretty(&rows).expect("rows")).to_string();
    for _ in 0..3_000 {
        let told = mutate(&mut seed, told.as_bytes());
        let Some(call) = HookCall::read(&told) else { continue };
        let answer = engine.hook(&call, Loss::Form, |_| String::new());
        // What is no JSON cannot come from a client, and an answer to it is none either.
        let Ok(came) = serde_json::from_slice::<Value>(&told) else { continue };
        let Some(now) = updated(&answer) else { continue };
        if let (Some(came), Some(now)) = (came["tool_response"].as_object(), now.as_object()) {
            assert!(came.keys().eq(now.keys()), "{}", String::from_utf8_lossy(&told));
        }
        answered += 1;
    }
    assert!(answered > 100, "{answered} were answered");
}
