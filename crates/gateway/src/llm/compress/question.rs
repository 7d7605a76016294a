//! Parses the body of `/v1/compress`.
//!
//! Invalid values are refused. Unknown names are ignored and listed in the response: gateways send options for other
//! servers too, and refusing such a request would help nobody.

use bytes::Bytes;
use serde_json::{Map, Value};
use tersely_engine::OptionError;
use tersely_wire::{LoneMessages, Provider, check_json, count_messages, lone_provider, top_members};

/// The maximum size of the options, which are separate from the messages.
const MAX_CONFIG_BYTES: usize = 64 << 10;

/// The maximum number of unknown names to report, and the maximum length of each.
const MAX_IGNORED_NAMES: usize = 16;
const MAX_IGNORED_CHARS: usize = 64;

/// Messages to compress, and the options for it.
pub struct CompressQuestion {
    messages: Bytes,
    model: Option<Bytes>,
    tools: Option<Bytes>,
    /// The format of the messages.
    pub(crate) provider: &'static Provider,
    /// The number of messages at the beginning that must not be changed.
    pub(crate) frozen: usize,
    /// True if the caller lets its model fetch omitted text.
    pub(crate) retrieves: bool,
    /// Unknown names in the body.
    pub(crate) ignored: Vec<String>,
}

impl CompressQuestion {
    /// Parses a body.
    ///
    /// # Errors
    /// Fails if the body is invalid; the message describes what is expected.
    pub(crate) fn read(body: &Bytes) -> Result<Self, OptionError> {
        check_json(body).map_err(|why| refuse(format!("the body is not JSON: {why}")))?;
        let names = ["messages", "model", "config", "tools", "gateway"];
        let found = top_members(&names, body).unwrap_or_default();
        let member = |name: &'static str| {
            let mut members = found.iter().filter(|member| member.name == name && member.value != b"null");
            let first = members.next().map(|member| body.slice_ref(member.value));
            if members.next().is_some() { Err(refuse(format!("{name}: given twice"))) } else { Ok(first) }
        };
        let expected = "messages: send a list of messages, {\"messages\":[{\"role\":…}],\"model\":\"…\"}";
        let messages = member("messages")?.ok_or_else(|| refuse(expected))?;
        let count = count_messages(&messages).ok_or_else(|| refuse(expected))?;
        let model = expect(member("model")?, "model: must be a string", b'"')?;
        let tools = expect(member("tools")?, "tools: must be a list", b'[')?;
        let asked = parse_config(member("config")?)?;
        let mut ignored = asked.ignored;
        ignored.extend(member("gateway")?.map(|_| "gateway".to_owned()));
        let alone = alone(&messages, model.as_ref(), tools.as_ref());
        let provider = asked.provider.unwrap_or_else(|| alone.provider());
        let frozen = asked.frozen.min(count);
        Ok(Self { messages, model, tools, provider, frozen, retrieves: asked.retrieves, ignored })
    }

    /// The messages, unchanged.
    pub(crate) fn as_sent(&self) -> LoneMessages<'_> {
        alone(&self.messages, self.model.as_ref(), self.tools.as_ref())
    }
}

/// The options of a request.
#[derive(Default)]
struct CompressConfig {
    provider: Option<&'static Provider>,
    frozen: usize,
    retrieves: bool,
    ignored: Vec<String>,
}

fn parse_config(config: Option<Bytes>) -> Result<CompressConfig, OptionError> {
    let Some(config) = config else { return Ok(CompressConfig::default()) };
    if config.len() > MAX_CONFIG_BYTES {
        return Err(refuse(format!("config: longer than {MAX_CONFIG_BYTES} bytes")));
    }
    let config: Map<String, Value> =
        serde_json::from_slice(&config).map_err(|_| refuse("config: must be an object"))?;
    let mut asked = CompressConfig::default();
    for (name, value) in config.iter().filter(|(_, value)| !value.is_null()) {
        let wrong = |expected: &str| refuse(format!("config.{name}: must be {expected}"));
        match name.as_str() {
            // The result depends only on the messages, so the session is not used.
            "session_id" => {}
            "frozen_message_count" => {
                let count = value.as_u64().ok_or_else(|| wrong("a whole number, 0 or more"))?;
                asked.frozen = usize::try_from(count).unwrap_or(usize::MAX);
            }
            "retrieve" => asked.retrieves = value.as_bool().ok_or_else(|| wrong("true or false"))?,
            "format" => {
                let known = value.as_str().and_then(format);
                asked.provider =
                    Some(known.ok_or_else(|| wrong("\"openai\", \"anthropic\" or \"responses\""))?);
            }
            _ => asked
                .ignored
                .push(format!("config.{}", name.chars().take(MAX_IGNORED_CHARS).collect::<String>())),
        }
    }
    asked.ignored.truncate(MAX_IGNORED_NAMES);
    Ok(asked)
}

fn format(word: &str) -> Option<&'static Provider> {
    lone_provider(if word == "openai" { "chat" } else { word })
}

fn alone<'a>(messages: &'a Bytes, model: Option<&'a Bytes>, tools: Option<&'a Bytes>) -> LoneMessages<'a> {
    LoneMessages { messages, model: model.map(|it| &**it), tools: tools.map(|it| &**it) }
}

/// Checks the type of a value by its first byte.
fn expect(value: Option<Bytes>, expected: &str, first: u8) -> Result<Option<Bytes>, OptionError> {
    match value {
        Some(value) if value.first() != Some(&first) => Err(refuse(expected)),
        value => Ok(value),
    }
}

fn refuse(message: impl Into<String>) -> OptionError {
    OptionError { message: message.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<CompressQuestion, String> {
        CompressQuestion::read(&Bytes::from(body.to_owned())).map_err(|refused| refused.message)
    }

    /// Behaviour 21.5.
    #[test]
    fn what_makes_no_sense_is_refused_with_a_sentence() {
        for (body, said) in [
            ("", "the body is not JSON"),
            ("{", "the body is not JSON"),
            ("[]", "messages: send a list"),
            ("{}", "messages: send a list"),
            (r#"{"messages":null}"#, "messages: send a list"),
            (r#"{"messages":"x"}"#, "messages: send a list"),
            (r#"{"messages":[1]}"#, "messages: send a list"),
            (r#"{"messages":[],"messages":[]}"#, "messages: given twice"),
            (r#"{"messages":[],"model":7}"#, "model: must be a string"),
            (r#"{"messages":[],"tools":{}}"#, "tools: must be a list"),
            (r#"{"messages":[],"config":[]}"#, "config: must be an object"),
            (r#"{"messages":[],"config":{"retrieve":"yes"}}"#, "config.retrieve: must be true or false"),
            (r#"{"messages":[],"config":{"format":"gemini"}}"#, "config.format: must be \"openai\""),
            (
                r#"{"messages":[],"config":{"frozen_message_count":-1}}"#,
                "config.frozen_message_count: must be",
            ),
            (
                r#"{"messages":[],"config":{"frozen_message_count":"2"}}"#,
                "config.frozen_message_count: must be",
            ),
        ] {
            let message = read(body).err().unwrap_or_default();
            assert!(message.starts_with(said), "{body}: {message}");
        }
    }

    #[test]
    fn names_for_others_are_passed_over_and_told_of() {
        let body = r#"{"messages":[{}],"model":null,"gateway":{"can_redrive":true},
            "config":{"session_id":"s","frozen_message_count":9,"retrieve":true,"target_ratio":0.5,"x":null}}"#;
        let question = read(body).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(question.ignored, ["config.target_ratio", "gateway"]);
        assert_eq!((question.frozen, question.retrieves), (1, true));
        assert_eq!(question.as_sent(), LoneMessages { messages: b"[{}]", model: None, tools: None });
    }
}
