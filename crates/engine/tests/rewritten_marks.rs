//! The marks of a rewritten body, derived from those of the body as it came, are those that a reading of it gives.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::sync::Arc;

use serde_json::Value;
use tersely_account::PromptMarks;
use tersely_core::{Loss, Mode, Plan};
use tersely_engine::{Engine, EngineSettings, ExpandOffer, Request, SentBody};
use tersely_testing::corpus::{SampleTranscript, conversations};
use tersely_wire::{PromptContext, prompt_marks, rewritten_marks};

fn path(transcript: &SampleTranscript) -> &'static str {
    match transcript.provider.name() {
        "anthropic" => "/v1/messages",
        "responses" => "/v1/responses",
        "gemini" => "/v1beta/models/m:generateContent",
        _ => "/v1/chat/completions",
    }
}

/// Some bodies of a conversation, each a beginning of the next.
fn bodies(transcript: &SampleTranscript) -> Vec<Vec<u8>> {
    let whole: Value = serde_json::from_slice(&transcript.body).expect("JSON");
    let count = whole[transcript.list].as_array().map_or(0, Vec::len);
    let prefix = |count: usize| {
        let mut body = whole.clone();
        if let Some(list) = body[transcript.list].as_array_mut() {
            list.truncate(count);
        }
        body.to_string().into_bytes()
    };
    (1..=count).step_by((count / 4).max(1)).chain([count]).map(prefix).collect()
}

fn engine(mode: Mode, expand: ExpandOffer) -> Engine {
    let plan = Plan { mode, loss: Loss::Detail, ..Plan::default() };
    Engine::new(EngineSettings { plan, expand, ..EngineSettings::default() })
}

#[test]
fn derived_marks_are_those_of_a_reading() {
    let engines = [
        engine(Mode::Standard, ExpandOffer::Always),
        engine(Mode::Standard, ExpandOffer::Never),
        engine(Mode::Aggressive, ExpandOffer::Auto),
    ];
    let (mut rewritten, mut derived) = (0, 0);
    for transcript in conversations() {
        for engine in &engines {
            let mut known: Vec<Arc<PromptMarks>> = Vec::new();
            for body in bodies(&transcript) {
                let reading = transcript.provider.read(&body);
                let request = Request::new(transcript.provider, path(&transcript));
                let Ok(passed) = engine.pass_reading(&request, &reading) else { continue };
                let SentBody::New(sent) = &passed.body else { continue };
                let context = PromptContext::default();
                let Some(came) = prompt_marks(&context, &reading, &[]) else { continue };
                let read = prompt_marks(&context, &transcript.provider.read(sent), &[]).expect("marks");
                rewritten += 1;
                let [found, alone] =
                    [&known[..], &[]].map(|known| rewritten_marks(&came, &reading, sent, known));
                assert_eq!(found, alone, "what is known changes nothing");
                if let Some(found) = found {
                    assert_eq!(found, read, "{}", transcript.name);
                    derived += 1;
                }
                known = vec![Arc::new(read)];
            }
        }
    }
    println!("{derived} of {rewritten} rewritten bodies");
    assert!(derived * 100 >= rewritten * 95, "{derived} of {rewritten}");
}

/// What is not a copy with other tools and messages is read as a whole.
#[test]
fn another_body_is_not_derived() {
    let transcript = conversations().into_iter().find(|it| it.provider.name() == "anthropic").expect("one");
    let whole: Value = serde_json::from_slice(&transcript.body).expect("JSON");
    let body = whole.to_string();
    let reading = transcript.provider.read(body.as_bytes());
    let came = prompt_marks(&PromptContext::default(), &reading, &[]).expect("marks");
    let derived = |sent: &str| rewritten_marks(&came, &reading, sent.as_bytes(), &[]);
    assert_eq!(derived(&body), Some(came.clone()));
    let mut other = whole.clone();
    other["system"] = Value::from("Another system prompt.");
    assert_eq!(derived(&other.to_string()), None);
    let mut other = whole.clone();
    other["messages"]
        .as_array_mut()
        .expect("messages")
        .push(serde_json::json!({ "role": "user", "content": "x" }));
    assert_eq!(derived(&other.to_string()), None);
    for sent in ["", "{", &body[..body.len() - 1], &body[..body.len() / 2], &format!("{body} ")] {
        assert_eq!(derived(sent), None);
    }
}
