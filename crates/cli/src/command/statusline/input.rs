//! Reads what Claude Code tells a status line command: a JSON document with the session and its numbers.

use serde_json::Value;
use tersely_account::{LimitKind, LimitState, LimitUse};

/// The longest name of a session, in bytes.
const MAX_NAME_BYTES: usize = 256;

/// What a client says about its session. All of it may be missing.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ClientState {
    /// The name of the session.
    pub(super) session: Option<String>,
    /// The part of the context window that is left, in hundredths of a percent.
    pub(super) context_left: Option<u32>,
    /// The account's windows, which Claude Code knows only without a gateway.
    pub(super) limits: Vec<LimitUse>,
    /// When the prompt cache last broke, in seconds since 1970, and why.
    pub(super) cache_break: Option<(u64, Option<&'static str>)>,
}

/// Claude Code's names for the causes of a cache break, and words for them. Others are not shown: only text of our own
/// goes to the terminal.
const CAUSES: [(&str, &str); 17] = [
    ("system_prompt_changed", "system prompt changed"),
    ("tools_changed", "tools changed"),
    ("model_changed", "model changed"),
    ("fast_mode_changed", "fast mode changed"),
    ("cache_scope_or_ttl_changed", "cache settings changed"),
    ("betas_changed", "beta features changed"),
    ("effort_changed", "effort changed"),
    ("thinking_mode_changed", "thinking changed"),
    ("thinking_display_changed", "thinking changed"),
    ("auto_mode_changed", "auto mode changed"),
    ("overage_changed", "extra usage changed"),
    ("extra_body_changed", "request fields changed"),
    ("defer_loading_changed", "tool loading changed"),
    ("messages_rewritten", "earlier messages changed"),
    ("ttl_expired_5m", "idle for 5 min"),
    ("ttl_expired_1h", "idle for 1 h"),
    ("likely_server_side", "the provider's side"),
];

impl ClientState {
    /// Reads the document. What is not as expected counts as missing.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let value: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let name = value["session_id"].as_str().filter(|name| (1..=MAX_NAME_BYTES).contains(&name.len()));
        let limits = [("five_hour", LimitKind::FIVE_HOURS), ("seven_day", LimitKind::SEVEN_DAYS)];
        let limits = limits.into_iter().filter_map(|(name, kind)| window(&value["rate_limits"][name], kind));
        Self {
            session: name.map(str::to_owned),
            context_left: hundredths(&value["context_window"]["remaining_percentage"]),
            limits: limits.collect(),
            cache_break: cache_break(&value["prompt_cache"]),
        }
    }
}

fn window(value: &Value, kind: LimitKind) -> Option<LimitUse> {
    let used = hundredths(&value["used_percentage"])?;
    Some(LimitUse { kind, used, resets: value["resets_at"].as_u64(), state: LimitState::Unknown })
}

fn cache_break(value: &Value) -> Option<(u64, Option<&'static str>)> {
    let causes = value["last_miss_cause"]["causes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let words = |cause: &Value| CAUSES.iter().find(|(name, _)| cause == name).map(|(_, words)| *words);
    Some((value["last_miss_at"].as_u64()?, causes.iter().find_map(words)))
}

/// A percentage in hundredths, up to ten times the whole.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
fn hundredths(value: &Value) -> Option<u32> {
    value
        .as_f64()
        .filter(|percent| (0.0..=1_000.0).contains(percent))
        .map(|percent| (percent * 100.0).round() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_claude_code_says_is_read() {
        let said = br#"{"session_id":"a-b","model":{"id":"m"},
            "context_window":{"context_window_size":200000,"used_percentage":29,"remaining_percentage":71},
            "rate_limits":{"five_hour":{"used_percentage":42.5,"resets_at":99}},
            "prompt_cache":{"last_miss_at":77,"last_miss_cause":{"causes":["new_thing","tools_changed"]}}}"#;
        let five = LimitUse {
            kind: LimitKind::FIVE_HOURS,
            used: 4_250,
            resets: Some(99),
            state: LimitState::Unknown,
        };
        let read = ClientState {
            session: Some("a-b".to_owned()),
            context_left: Some(7_100),
            limits: vec![five],
            cache_break: Some((77, Some("tools changed"))),
        };
        assert_eq!(ClientState::read(said), read);
    }

    #[test]
    fn what_is_not_as_expected_is_missing() {
        let deep = "[".repeat(200_000);
        for said in [
            "",
            "null",
            "[1]",
            "{",
            "\u{0}",
            &deep,
            r#"{"session_id":"","context_window":null,"rate_limits":[],"prompt_cache":7}"#,
            r#"{"session_id":7,"context_window":{"remaining_percentage":-1}}"#,
            r#"{"context_window":{"remaining_percentage":1e300},"prompt_cache":{"last_miss_at":null}}"#,
            r#"{"context_window":{"remaining_percentage":"71"},"rate_limits":{"five_hour":{"used_percentage":null}}}"#,
        ] {
            assert_eq!(ClientState::read(said.as_bytes()), ClientState::default());
        }
        let long = format!(r#"{{"session_id":"{}"}}"#, "x".repeat(300));
        assert_eq!(ClientState::read(long.as_bytes()), ClientState::default());
    }

    /// Whatever a client writes, what is read of it is small and has no words of the client but the session's name.
    #[test]
    fn damaged_input_is_read_as_far_as_it_makes_sense() {
        let said = br#"{"session_id":"a-b","context_window":{"remaining_percentage":71},
            "rate_limits":{"five_hour":{"used_percentage":42.5,"resets_at":99},"seven_day":{"used_percentage":1000}},
            "prompt_cache":{"last_miss_at":77,"last_miss_cause":{"causes":["tools_changed"]}}}"#;
        assert_eq!(ClientState::read(said).limits.len(), 2);
        for seed in 0..3000_u64 {
            let state = ClientState::read(&tersely_testing::mutate(&mut { seed }, said));
            assert!(state.session.is_none_or(|name| (1..=MAX_NAME_BYTES).contains(&name.len())));
            assert!(state.context_left.is_none_or(|left| left <= 100_000));
            assert!(state.limits.len() <= 2 && state.limits.iter().all(|limit| limit.used <= 100_000));
        }
    }
}
