//! Checks that a response of several rounds keeps spelling and order wherever nothing must change.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use tersely_wire::hidden::{CloseReason, HiddenNames, ResponseFraming};
use tersely_wire::{HistoryPlace, claimed_provider};

/// Plays these whole bodies; a call in the last one is not answered.
fn check(target: &str, bodies: &[&str], expected: &str) {
    let hides = claimed_provider(target).and_then(|provider| provider.hides(target)).expect("hides");
    let (mut watch, mut out) =
        (hides.watch(HiddenNames::new(&["own"]), ResponseFraming::Whole, HistoryPlace::Here), Vec::new());
    let mut turn = None;
    for body in bodies {
        watch.see(body.as_bytes(), &mut out);
        turn = watch.end(&mut out);
    }
    if turn.is_some() {
        watch.close(CloseReason::Enough, &mut out);
    }
    assert_eq!(String::from_utf8_lossy(&out), expected);
}

const CHAT: &str = "/v1/chat/completions";

const ASKS: &str = r#"{"id":"a","created":1,"choices":[{"message":{"role":"assistant","content":"On\u0065.","tool_calls":[{"id":"c1","function":{"name":"own","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":10,"completion_tokens":1}}"#;

#[test]
fn an_answer_in_chat_keeps_what_need_not_change() {
    check(
        CHAT,
        &[
            ASKS,
            concat!(
                "\n{ \"big\" : 12345678901234567890123, \"id\" : \"b\" ,\n  \"choices\" : [ { \"finish_reason\" : \"stop\",\n",
                "    \"message\" : { \"refusal\" : null, \"content\" : \"T\\u00e9o\\/\", \"x\" : 1.50 } } ],\n",
                "  \"usage\" : { \"completion_tokens\" : 2, \"cost\" : 1.50, \"prompt_tokens\" : 20 }, \"created\" : 2 }\n",
            ),
        ],
        concat!(
            "\n{ \"big\" : 12345678901234567890123, \"id\" : \"a\" ,\n  \"choices\" : [ { \"finish_reason\" : \"stop\",\n",
            "    \"message\" : { \"refusal\" : null, \"content\" : \"On\\u0065.\\n\\nT\\u00e9o\\/\", \"x\" : 1.50 } } ],\n",
            "  \"usage\" : { \"completion_tokens\" : 3, \"cost\" : 1.50, \"prompt_tokens\" : 30 }, \"created\" : 1 }\n",
        ),
    );
}

#[test]
fn what_a_chat_leaves_out_is_added_behind_the_rest() {
    check(
        CHAT,
        &[ASKS, r#"{"choices":[{"message":{"role":"assistant"},"finish_reason":"stop"}]}"#],
        r#"{"choices":[{"message":{"role":"assistant","content":"On\u0065."},"finish_reason":"stop"}],"id":"a","created":1,"usage":{"prompt_tokens":10,"completion_tokens":1}}"#,
    );
}

#[test]
fn calls_of_a_chat_s_client_stay_as_they_are() {
    let body = |calls: &str| {
        format!(
            r#"{{"choices":[{{"message":{{"tool_calls":{calls},"content":null}},"finish_reason":"x"}}]}}"#
        )
    };
    let (own, other) = (r#"{"function":{"name":"own"}}"#, r#"{ "function" : {"name":"sh","n":1.0} }"#);
    for (calls, left) in [
        (format!("[ {own} , {other} ]"), format!("[ {other} ]")),
        (format!("[ {other} , {own} ]"), format!("[ {other} ]")),
        (format!("[{other},\n {own},\n {own}\n]"), format!("[{other}\n]")),
        (format!("[{own},{own}, {other} , {own} ,{other}]"), format!("[{other} ,{other}]")),
    ] {
        check(CHAT, &[&body(&calls)], &body(&left));
    }
}

#[test]
fn a_chat_that_is_not_answered_keeps_its_order() {
    check(
        CHAT,
        &[
            ASKS,
            r#"{"choices":[{"message":{"content":"Two.","tool_calls":[{"id":"c2","function":{"name":"own"}}],"refusal":null},"finish_reason":"tool_calls"}]}"#,
        ],
        r#"{"choices":[{"message":{"content":"On\u0065.\n\nTwo.","refusal":null},"finish_reason":"stop"}],"id":"a","created":1,"usage":{"prompt_tokens":10,"completion_tokens":1}}"#,
    );
    check(
        CHAT,
        &[
            r#"{"choices":[{"message":{"content": null,"tool_calls":[{"function":{"name":"own"}}],"role":"assistant"},"finish_reason" : "stop"}]}"#,
        ],
        r#"{"choices":[{"message":{"content": "The model kept asking for text that had been left out of its context, and gave no answer.","role":"assistant"},"finish_reason" : "stop"}]}"#,
    );
}

#[test]
fn a_chat_that_is_read_in_two_ways_goes_on_as_it_came() {
    for body in [
        r#"{"choices":[{"message":{"content":"a","content":"b"},"finish_reason":"stop"}]}"#,
        r#"{"id":"x","id":"y","choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}"#,
    ] {
        check(CHAT, &[ASKS, body], body);
    }
}

#[test]
fn the_usage_of_a_response_keeps_its_order() {
    let asks = r#"{"status":"completed","output":[{"type":"function_call","call_id":"c","name":"own","arguments":"{}"}],"usage":{"input_tokens":1,"input_tokens_details":{"cached_tokens":1},"output_tokens":2}}"#;
    let last = r#"{"status":"completed","output":[],"usage" : { "output_tokens" : 3, "cost":1.50, "input_tokens" : 4 } }"#;
    let sums = r#"{"status":"completed","output":[],"usage" : { "output_tokens" : 5, "cost":1.50, "input_tokens" : 5 ,"input_tokens_details":{"cached_tokens":1}} }"#;
    check("/v1/responses", &[asks, last], sums);
}
