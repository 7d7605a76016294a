//! Table: the request and response format of each kind of compressor.

use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tersely_engine::CompressorAsk;

use crate::llm::compressor::prompt::PROMPT;
use crate::llm::compressor::settings::{CompressorSettings, CompressorShape};

/// The header with the version of Anthropic's API.
const ANTHROPIC_VERSION: HeaderName = HeaderName::from_static("anthropic-version");
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const GOOGLE_KEY: HeaderName = HeaderName::from_static("x-goog-api-key");

/// `OpenAI`'s own server, which uses another name for the token limit than compatible servers do.
const OPENAI: &str = "api.openai.com";

/// The approximate number of bytes per token.
const BYTES_PER_TOKEN: usize = 4;

/// A compressor's answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CompressorReply {
    /// The shortened text; `None` if there was no text or it had been cut off.
    pub(crate) text: Option<String>,
    /// The number of tokens used, if the compressor reports it.
    pub(crate) tokens: Option<u64>,
}

/// The body of a request to the compressor.
pub(crate) fn body(settings: &CompressorSettings, ask: &CompressorAsk) -> Value {
    let CompressorAsk { tool, text, question } = ask;
    let model = &settings.model;
    let most = (text.len() / BYTES_PER_TOKEN / 2).clamp(256, 4096);
    match settings.shape {
        CompressorShape::Api => {
            let mut body = json!({"tool_output": text, "tool_name": tool_name(tool), "compression_model_name": model, "source": "tersely"});
            if !question.is_empty() {
                body["query"] = json!(question);
            }
            body
        }
        CompressorShape::OpenAi => {
            let limit =
                if settings.endpoint.to_string() == OPENAI { "max_completion_tokens" } else { "max_tokens" };
            json!({"model": model, limit: most, "messages": [
                {"role": "system", "content": PROMPT}, {"role": "user", "content": prompt_text(ask)}
            ]})
        }
        CompressorShape::Anthropic => {
            json!({"model": model, "max_tokens": most, "system": PROMPT, "messages": [
                {"role": "user", "content": prompt_text(ask)}
            ]})
        }
        CompressorShape::Gemini => json!({
            "systemInstruction": {"parts": [{"text": PROMPT}]},
            "contents": [{"role": "user", "parts": [{"text": prompt_text(ask)}]}],
            "generationConfig": {"maxOutputTokens": most},
        }),
    }
}

fn tool_name(tool: &str) -> &str {
    if tool.is_empty() { "generic" } else { tool }
}

/// The text of the prompt, with the result to shorten.
fn prompt_text(ask: &CompressorAsk) -> String {
    let CompressorAsk { tool, text, question } = ask;
    let task = if question.is_empty() { String::new() } else { format!("The task:\n{question}\n\n") };
    format!("{task}The tool: {}\n\nIts output:\n{text}", tool_name(tool))
}

/// The headers that contain the key, and other headers that the server requires.
pub(crate) fn headers(shape: CompressorShape, key: Option<&str>) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    if shape == CompressorShape::Anthropic {
        headers.insert(ANTHROPIC_VERSION, HeaderValue::from_static("2023-06-01"));
    }
    let Some(key) = key else { return Some(headers) };
    let (name, value) = match shape {
        CompressorShape::Api | CompressorShape::Anthropic => (API_KEY, key.to_owned()),
        CompressorShape::OpenAi => (AUTHORIZATION, format!("Bearer {key}")),
        CompressorShape::Gemini => (GOOGLE_KEY, key.to_owned()),
    };
    let mut value = HeaderValue::try_from(value).ok()?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Some(headers)
}

/// Parses a response; `None` if it is invalid.
pub(crate) fn read(shape: CompressorShape, body: &[u8]) -> Option<CompressorReply> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let (text, is_cut, tokens) = match shape {
        CompressorShape::Api => {
            let data = body.get("data").unwrap_or(&body);
            let is_refused = body.get("success").is_some_and(|it| *it == false);
            (data.get("compressed_output")?.as_str()?.to_owned(), is_refused, None)
        }
        CompressorShape::OpenAi => {
            let choice = body.pointer("/choices/0")?;
            let text = choice.pointer("/message/content")?.as_str()?.to_owned();
            let tokens = sum(&body["usage"], &["prompt_tokens", "completion_tokens"]);
            (text, choice["finish_reason"] == "length", tokens)
        }
        CompressorShape::Anthropic => {
            let text = texts(body.get("content")?, |part| part["type"] == "text")?;
            let tokens = sum(&body["usage"], &["input_tokens", "output_tokens"]);
            (text, body["stop_reason"] == "max_tokens", tokens)
        }
        CompressorShape::Gemini => {
            let candidate = body.pointer("/candidates/0")?;
            let text = texts(candidate.pointer("/content/parts")?, |part| part["thought"] != true)?;
            let tokens = sum(&body["usageMetadata"], &["totalTokenCount"]);
            (text, candidate["finishReason"] == "MAX_TOKENS", tokens)
        }
    };
    let is_useful = !is_cut && !text.trim().is_empty();
    Some(CompressorReply { text: is_useful.then_some(text), tokens })
}

/// Joins the texts of the matching parts.
fn texts(parts: &Value, counts: impl Fn(&Value) -> bool) -> Option<String> {
    let parts = parts.as_array()?.iter().filter(|part| counts(part));
    Some(parts.filter_map(|part| part["text"].as_str()).collect())
}

/// The sum of these members; `None` if one of them is missing.
fn sum(usage: &Value, names: &[&str]) -> Option<u64> {
    names.iter().map(|name| usage[name].as_u64()).sum()
}

/// Estimates the tokens of a call from its number of bytes, for a compressor that does not report them.
pub(crate) fn estimate(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn settings(shape: CompressorShape, endpoint: &str) -> CompressorSettings {
        let endpoint = endpoint.parse().unwrap();
        CompressorSettings {
            shape,
            endpoint,
            key: None,
            model: "m".to_owned(),
            timeout: Duration::from_secs(1),
            rate: 0,
        }
    }

    fn ask(bytes: usize, question: &str) -> CompressorAsk {
        CompressorAsk { tool: "Bash".to_owned(), text: "x".repeat(bytes), question: question.to_owned() }
    }

    /// Behaviour 8.4.
    #[test]
    fn an_answer_has_room_for_half_of_what_was_sent() {
        for (bytes, most) in [(1, 256), (8000, 1000), (1 << 20, 4096)] {
            for (shape, endpoint, place) in [
                (CompressorShape::OpenAi, "http://h", "/max_tokens"),
                (CompressorShape::OpenAi, "https://api.openai.com", "/max_completion_tokens"),
                (CompressorShape::Anthropic, "http://h", "/max_tokens"),
                (CompressorShape::Gemini, "http://h", "/generationConfig/maxOutputTokens"),
            ] {
                let body = body(&settings(shape, endpoint), &ask(bytes, ""));
                assert_eq!(body.pointer(place), Some(&json!(most)), "{body}");
            }
        }
    }

    /// Behaviour 8.3.
    #[test]
    fn a_service_is_told_the_question_unless_it_is_not_to_be() {
        let settings = settings(CompressorShape::Api, "http://h");
        let asked = body(&settings, &ask(3, "why?"));
        let expected = json!({"tool_output": "xxx", "tool_name": "Bash", "compression_model_name": "m", "source": "tersely", "query": "why?"});
        assert_eq!(asked, expected);
        assert_eq!(body(&settings, &ask(3, "")).get("query"), None);
    }

    fn check(shape: CompressorShape, body: &str, expected: Option<(Option<&str>, Option<u64>)>) {
        let heard = read(shape, body.as_bytes());
        let expected =
            expected.map(|(text, tokens)| CompressorReply { text: text.map(str::to_owned), tokens });
        assert_eq!(heard, expected, "{body}");
    }

    #[test]
    fn every_shape_is_understood() {
        use CompressorShape::{Anthropic, Api, Gemini, OpenAi};
        check(Api, r#"{"success":true,"data":{"compressed_output":"a"}}"#, Some((Some("a"), None)));
        check(Api, r#"{"compressed_output":"a"}"#, Some((Some("a"), None)));
        check(Api, r#"{"success":false,"data":{"compressed_output":"a"}}"#, Some((None, None)));
        let usage = r#""usage":{"prompt_tokens":3,"completion_tokens":4}"#;
        check(
            OpenAi,
            &format!(r#"{{"choices":[{{"message":{{"content":"a"}}}}],{usage}}}"#),
            Some((Some("a"), Some(7))),
        );
        check(
            OpenAi,
            r#"{"choices":[{"message":{"content":"a"},"finish_reason":"length"}]}"#,
            Some((None, None)),
        );
        let usage = r#""usage":{"input_tokens":3,"output_tokens":4}"#;
        let blocks =
            r#"[{"type":"thinking","text":"x"},{"type":"text","text":"a"},{"type":"text","text":"b"}]"#;
        check(Anthropic, &format!(r#"{{"content":{blocks},{usage}}}"#), Some((Some("ab"), Some(7))));
        check(
            Anthropic,
            r#"{"content":[{"type":"text","text":"a"}],"stop_reason":"max_tokens"}"#,
            Some((None, None)),
        );
        let parts = r#"{"content":{"parts":[{"thought":true,"text":"x"},{"text":"a"}]}}"#;
        check(
            Gemini,
            &format!(r#"{{"candidates":[{parts}],"usageMetadata":{{"totalTokenCount":9}}}}"#),
            Some((Some("a"), Some(9))),
        );
        for shape in [Api, OpenAi, Anthropic, Gemini] {
            for none in [
                "",
                "{",
                "[]",
                "{}",
                "null",
                r#"{"choices":[]}"#,
                r#"{"content":7}"#,
                r#"{"data":{"compressed_output":7}}"#,
            ] {
                check(shape, none, None);
            }
        }
        check(OpenAi, r#"{"choices":[{"message":{"content":" \n"}}]}"#, Some((None, None)));
    }

    #[test]
    fn a_key_goes_where_its_server_looks_for_it() {
        use CompressorShape::{Anthropic, Api, Gemini, OpenAi};
        for (shape, name, value) in [
            (Api, "x-api-key", "k"),
            (Anthropic, "x-api-key", "k"),
            (OpenAi, "authorization", "Bearer k"),
            (Gemini, "x-goog-api-key", "k"),
        ] {
            assert_eq!(headers(shape, Some("k")).unwrap()[name], value);
            assert!(headers(shape, None).unwrap().get(name).is_none());
        }
        assert!(headers(Api, Some("a\nb")).is_none());
    }
}
