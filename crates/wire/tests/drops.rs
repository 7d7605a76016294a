//! Checks which requests let their provider omit results from the model's input.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use tersely_wire::PROVIDERS;

fn check(provider: &str, body: &str, drops: bool) {
    let provider = PROVIDERS.into_iter().find(|known| known.name() == provider).expect("a provider");
    assert_eq!(provider.read(body.as_bytes()).drops_results(), drops, "{body}");
}

#[test]
fn what_clears_tool_uses_drops_results() {
    for (managed, drops) in [
        (r#"{"edits":[{"type":"clear_tool_uses_20250919"}]}"#, true),
        // As Claude Code 2.1.326 writes it when somebody returns after a while, and otherwise.
        (
            r#"{"edits":[{"type":"clear_thinking_20251015","keep":"all"},{"type":"clear_tool_uses_20250919",
                "trigger":{"type":"tool_uses","value":9},"keep":{"type":"tool_uses","value":5},
                "clear_at_least":{"type":"input_tokens","value":9000},"exclude_tools":["Edit"]}]}"#,
            true,
        ),
        (r#"{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]}"#, false),
        (r#"{"edits":[{"type":"clear_thinking_20251015"},{"type":"compact_20260112"}]}"#, true),
        (r#"{"edits":[{"type":"something_new"}]}"#, true),
        (r#"{"edits":[]}"#, false),
        (r#"{"other":1}"#, true),
        ("null", false),
        ("{}", false),
    ] {
        check("anthropic", &format!(r#"{{"context_management":{managed},"messages":[]}}"#), drops);
    }
    check("anthropic", r#"{"messages":[{"context_management":{"edits":[{"type":"x"}]}}]}"#, false);
}

/// The cached microcompact of earlier versions of Claude Code deletes results that the provider has in its cache, by their calls. What a result
/// says about it deletes nothing.
#[test]
fn what_edits_the_cache_drops_results() {
    let message = |content: &str| format!(r#"{{"messages":[{{"role":"user","content":[{content}]}}]}}"#);
    let edits = r#"{"type":"cache_edits","edits":[{"type":"delete","cache_reference":"toolu_1"}]}"#;
    check("anthropic", &message(edits), true);
    check(
        "anthropic",
        r#"{"cache_edits":[{"type":"delete","cache_reference":"toolu_1"}],"messages":[]}"#,
        true,
    );
    for content in [
        r#"{"type":"tool_result","tool_use_id":"toolu_1","cache_reference":"toolu_1","content":"x"}"#,
        r#"{"type":"tool_result","tool_use_id":"toolu_1","content":"{\"type\":\"cache_edits\"}"}"#,
        r#"{"type":"text","text":"what are cache_edits?"}"#,
    ] {
        check("anthropic", &message(content), false);
    }
}

#[test]
fn what_truncates_or_compacts_drops_results() {
    for (member, drops) in [
        (r#""truncation":"auto""#, true),
        (r#""truncation":"disabled""#, false),
        (r#""truncation":null"#, false),
        (r#""context_management":[{"type":"compaction","compact_threshold":9000}]"#, true),
        (r#""store":false"#, false),
    ] {
        check("responses", &format!(r#"{{{member},"input":[]}}"#), drops);
    }
    check("chat", r#"{"messages":[],"transforms":["middle-out"]}"#, true);
    check("chat", r#"{"messages":[],"transforms":[]}"#, false);
    check("chat", r#"{"messages":[],"plugins":[{"id":"context-compression"}]}"#, true);
    check("chat", r#"{"messages":[],"plugins":[{"id":"context-compression","enabled":false}]}"#, false);
    check("chat", r#"{"messages":[],"plugins":[{"id":"web"}]}"#, false);
    check("chat", r#"{"messages":[]}"#, false);
}

/// Ollama omits the oldest messages that do not fit, unless `truncate` is false.
#[test]
fn ollama_drops_results_unless_told_not_to() {
    check("ollama", r#"{"messages":[]}"#, true);
    check("ollama", r#"{"messages":[],"truncate":true}"#, true);
    check("ollama", r#"{"messages":[],"truncate":false}"#, false);
}
