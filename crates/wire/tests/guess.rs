//! Checks that the tool results of a body identify its provider.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

mod fixtures;

use fixtures::fixtures;
use tersely_testing::corpus::conversations;
use tersely_wire::{Provider, guess_provider};

#[test]
fn every_fixture_tells_its_provider() {
    for fixture in fixtures() {
        let slots = fixture.provider.slots(&fixture.body).unwrap_or_default();
        // Bedrock carries any model's shape, and only Anthropic's is known there.
        if fixture.provider.name() == "invoke" && slots.is_empty() {
            continue;
        }
        // Ollama's messages are those of Chat Completions, and Bedrock carries those of Anthropic.
        let name = match fixture.provider.name() {
            "ollama" => "chat",
            "invoke" => "anthropic",
            name => name,
        };
        let expected = (!slots.is_empty()).then_some(name);
        assert_eq!(guess_provider(&fixture.body).map(Provider::name), expected, "{}", fixture.path.display());
    }
}

#[test]
fn every_conversation_tells_its_provider() {
    for conversation in conversations() {
        let slots = conversation.provider.slots(&conversation.body).expect("slots");
        let expected = (!slots.is_empty()).then(|| conversation.provider.name());
        assert_eq!(guess_provider(&conversation.body).map(Provider::name), expected, "{}", conversation.name);
    }
}

#[test]
fn a_body_of_two_minds_tells_nothing() {
    let chat = r#"{"role":"tool","tool_call_id":"a","content":"one"}"#;
    let block = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"two"}]}"#;
    let body = format!(r#"{{"messages":[{chat},{block}]}}"#);
    for body in [body.as_str(), "", "{}", "no JSON", r#"{"messages":[]}"#] {
        assert_eq!(guess_provider(body.as_bytes()).map(Provider::name), None, "{body}");
    }
}
