//! The two supported request formats: builds requests, and parses answers.

use clap::ValueEnum;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tersely_account::TokenUsage;
use tersely_wire::hidden::HiddenAsk;
use tersely_wire::{Provider, claimed_provider};

use crate::set::EvalQuestion;

/// The shape of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EvalApi {
    /// Chat Completions
    Openai,
    /// Messages
    Anthropic,
}

/// The model and its options.
#[derive(Debug, Clone)]
pub(super) struct AskedModel {
    /// The name of the model.
    pub(super) model: String,
    /// The maximum number of output tokens.
    pub(super) most: u32,
    /// The temperature; `None` for the server's default.
    pub(super) temperature: Option<f64>,
    /// True for `OpenAI`'s own server, where the field for the maximum number of output tokens has another name.
    pub(super) is_openai: bool,
}

/// A model's answer.
#[derive(Debug, Default)]
pub(super) struct HeardAnswer {
    /// The text.
    pub(super) text: String,
    /// The tool calls in the answer.
    pub(super) calls: Vec<HiddenAsk>,
    /// The whole message of the model, which is sent back with the results of its calls.
    turn: Value,
    /// The reported token usage.
    pub(super) tokens: TokenUsage,
}

/// The system prompt.
const SYSTEM: &str = "Answer the question from what the tool showed. Reply with the answer alone: no sentence, no explanation.";

/// The first user message.
const FIRST: &str = "Look at this, then I will ask about it.";

/// The result of a call to any other tool.
pub(super) const AGAIN: &str = "This tool cannot be called now. Answer from what was shown.";

impl EvalApi {
    /// The request path.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Openai => "/v1/chat/completions",
            Self::Anthropic => "/v1/messages",
        }
    }

    /// The name of the API.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    /// The provider that locates tool results in requests of this format.
    pub(super) fn provider(self) -> Option<&'static Provider> {
        claimed_provider(self.path())
    }

    /// The headers that contain the key.
    pub(super) fn headers(self, key: Option<&str>) -> Option<HeaderMap> {
        let mut headers = HeaderMap::new();
        if self == Self::Anthropic {
            headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        }
        let Some(key) = key else { return Some(headers) };
        let (name, value) = match self {
            Self::Openai => (http::header::AUTHORIZATION, format!("Bearer {key}")),
            Self::Anthropic => (HeaderName::from_static("x-api-key"), key.to_owned()),
        };
        let mut value = HeaderValue::try_from(value).ok()?;
        value.set_sensitive(true);
        headers.insert(name, value);
        Some(headers)
    }

    /// A request like that of an agent: a tool call, its result, and the question about it.
    pub(super) fn body(self, asked: &AskedModel, nonce: &str, question: &EvalQuestion) -> Value {
        let tool = question.about.tool.as_str();
        let named = match tool {
            "bash" | "Bash" | "shell" => "command",
            "Read" => "file_path",
            _ => "query",
        };
        let input = json!({ named: question.about.command });
        let schema =
            json!({ "type": "object", "properties": { named: { "type": "string" } }, "required": [named] });
        // Providers cache common prefixes of requests. The nonce keeps the arms from sharing cache entries.
        let system = format!("[{nonce}] {SYSTEM}");
        let (text, ask) = (&question.about.text, &question.question);
        let mut body = match self {
            Self::Openai => json!({ "messages": [
                { "role": "system", "content": system },
                { "role": "user", "content": FIRST },
                { "role": "assistant", "content": null, "tool_calls": [{
                    "id": "call_1", "type": "function", "function": { "name": tool, "arguments": input.to_string() },
                }] },
                { "role": "tool", "tool_call_id": "call_1", "content": text },
                { "role": "user", "content": ask },
            ], "tools": [{ "type": "function", "function": { "name": tool, "description": "", "parameters": schema } }] }),
            Self::Anthropic => json!({ "system": system, "messages": [
                { "role": "user", "content": FIRST },
                { "role": "assistant", "content": [{ "type": "tool_use", "id": "call_1", "name": tool, "input": input }] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "call_1", "content": text },
                    { "type": "text", "text": ask },
                ] },
            ], "tools": [{ "name": tool, "description": "", "input_schema": schema }] }),
        };
        body["model"] = json!(asked.model);
        body[if asked.is_openai { "max_completion_tokens" } else { "max_tokens" }] = json!(asked.most);
        if let Some(temperature) = asked.temperature {
            body["temperature"] = json!(temperature);
        }
        body
    }

    /// Parses an answer, or returns the reason why it is invalid.
    pub(super) fn read(self, body: &[u8]) -> Result<HeardAnswer, String> {
        let body: Value = serde_json::from_slice(body).map_err(|_| "the response is not JSON".to_owned())?;
        let heard = match self {
            Self::Openai => chat(&body),
            Self::Anthropic => messages(&body),
        };
        heard.ok_or_else(|| "the response contains no message".to_owned())
    }

    /// Appends a model's message and the results of its calls to a request.
    pub(super) fn go_on(self, body: &mut Value, heard: HeardAnswer, given: Vec<String>) {
        let Some(turns) = body["messages"].as_array_mut() else { return };
        turns.push(heard.turn);
        let given = heard.calls.into_iter().map(|call| call.id).zip(given);
        match self {
            Self::Openai => {
                turns.extend(
                    given.map(|(id, text)| json!({ "role": "tool", "tool_call_id": id, "content": text })),
                );
            }
            Self::Anthropic => {
                let results = given
                    .map(|(id, text)| json!({ "type": "tool_result", "tool_use_id": id, "content": text }));
                turns.push(json!({ "role": "user", "content": results.collect::<Vec<_>>() }));
            }
        }
    }
}

fn chat(body: &Value) -> Option<HeardAnswer> {
    let message = body.pointer("/choices/0/message").filter(|it| it.is_object())?;
    let text = match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    };
    let call = |call: &Value| {
        let word = |path: &str| call.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        HiddenAsk { id: word("/id"), tool: word("/function/name"), input: word("/function/arguments") }
    };
    let calls: Vec<_> = message["tool_calls"].as_array().into_iter().flatten().map(call).collect();
    let mut turn = json!({ "role": "assistant", "content": message["content"] });
    if !calls.is_empty() {
        turn["tool_calls"] = message["tool_calls"].clone();
    }
    let count = |path: &str| body["usage"].pointer(path).and_then(Value::as_u64).unwrap_or_default();
    let cached = count("/prompt_tokens_details/cached_tokens");
    let tokens = TokenUsage {
        input: count("/prompt_tokens").saturating_sub(cached),
        cache_read: cached,
        output: count("/completion_tokens"),
        reasoning: count("/completion_tokens_details/reasoning_tokens"),
        ..TokenUsage::default()
    };
    Some(HeardAnswer { text: without_thoughts(&text), calls, turn, tokens })
}

fn messages(body: &Value) -> Option<HeardAnswer> {
    let blocks = body["content"].as_array()?;
    let of = |kind: &str| blocks.iter().filter(move |it| it["type"] == kind).collect::<Vec<_>>();
    let text: String = of("text").into_iter().filter_map(|it| it["text"].as_str()).collect();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let calls = of("tool_use").into_iter().map(|it| HiddenAsk {
        id: word(&it["id"]),
        tool: word(&it["name"]),
        input: it["input"].to_string(),
    });
    let count = |name: &str| body["usage"][name].as_u64().unwrap_or_default();
    let tokens = TokenUsage {
        input: count("input_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens"),
        cache_write_hour: 0,
        output: count("output_tokens"),
        reasoning: 0,
    };
    let turn = json!({ "role": "assistant", "content": blocks });
    Some(HeardAnswer { text: without_thoughts(&text), calls: calls.collect(), turn, tokens })
}

/// The answer without the model's reasoning, which some servers leave in front of it.
fn without_thoughts(text: &str) -> String {
    text.rsplit_once("</think>").map_or(text, |(_, said)| said).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(api: EvalApi, body: &str, text: &str, calls: usize, tokens: [u64; 4]) {
        let heard = api.read(body.as_bytes()).unwrap();
        let TokenUsage { input, cache_read, cache_write, output, .. } = heard.tokens;
        assert_eq!((&*heard.text, heard.calls.len()), (text, calls), "{body}");
        assert_eq!([input, cache_read, cache_write, output], tokens, "{body}");
    }

    #[test]
    fn answers_of_both_shapes_are_read() {
        use EvalApi::{Anthropic, Openai};
        check(
            Openai,
            r#"{"choices":[{"message":{"content":"<think>7?</think>\n8"}}],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}"#,
            "8",
            0,
            [5, 4, 0, 2],
        );
        check(
            Openai,
            r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","function":{"name":"expand_context","arguments":"{}"}},7]}}]}"#,
            "",
            2,
            [0; 4],
        );
        check(
            Openai,
            r#"{"choices":[{"message":{"content":[{"text":"a"},{"text":"b"},3]}}],"usage":"x"}"#,
            "ab",
            0,
            [0; 4],
        );
        check(
            Anthropic,
            r#"{"content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"8"},{"type":"tool_use","id":"t","name":"bash","input":{}}],"usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,"cache_creation_input_tokens":4}}"#,
            "8",
            1,
            [1, 3, 4, 2],
        );
        check(Anthropic, r#"{"content":[]}"#, "", 0, [0; 4]);
    }

    #[test]
    fn what_is_no_answer_is_none() {
        for api in [EvalApi::Openai, EvalApi::Anthropic] {
            for body in [
                "",
                "<html>",
                "[]",
                "null",
                "7",
                r#"{"choices":[]}"#,
                r#"{"choices":{"0":1}}"#,
                r#"{"content":{"type":"text"}}"#,
                r#"{"choices":[{"message":"x"}]}"#,
            ] {
                assert!(api.read(body.as_bytes()).is_err(), "{body}");
            }
        }
    }
}
