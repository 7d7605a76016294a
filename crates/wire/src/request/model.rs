//! Finds the name of the model in a request's path or body.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use tersely_json::{JsonError, JsonScan, string};

/// The path segments that precede a model's name: deployments in Azure, models in Bedrock, Gemini and Vertex AI.
const BEFORE: [&str; 3] = ["/deployments/", "/model/", "/models/"];

/// The model of a request to `target`, a path with its query, whose body has the member `model`. The path takes
/// precedence over the body, as it does on the server. `None` when neither contains a model's name.
pub(crate) fn of<'a>(target: &'a str, member: Option<&'a [u8]>) -> Option<Cow<'a, str>> {
    in_path(target).or_else(|| string::decode(member?)).filter(|name| !name.is_empty())
}

/// The model of a request to `target` whose body begins with `beginning`: in the path, or in the first `model` member.
/// Nothing after that member is read.
#[must_use]
pub fn early_model<'a>(target: &'a str, beginning: &'a [u8]) -> Option<Cow<'a, str>> {
    let mut member = None;
    let _ended = JsonScan::new(beginning).members(|scan, key| {
        let place = scan.skip()?;
        if key != b"model" {
            return Ok(());
        }
        member = Some(place);
        Err(JsonError { at: scan.at(), expected: "no more" })
    });
    of(target, member.map(|place| &beginning[place]))
}

fn in_path(target: &str) -> Option<Cow<'_, str>> {
    let path = target.split('?').next().unwrap_or_default();
    let rest = BEFORE.iter().find_map(|before| Some(path.rsplit_once(before)?.1))?;
    let name = rest.split('/').next().unwrap_or_default();
    // The last colon precedes the method, unless another path segment follows; a version may contain a colon too.
    let name =
        if name.len() == rest.len() { name.rsplit_once(':').map_or(name, |(name, _)| name) } else { name };
    Some(unescaped(name))
}

/// Decodes percent escapes such as `%3A` in a part of a path.
fn unescaped(part: &str) -> Cow<'_, str> {
    percent_decode_str(part).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::{PROVIDERS, claimed_provider};

    fn check(target: &str, body: &str, expected: Option<&str>) {
        let provider = claimed_provider(target).unwrap_or(PROVIDERS[0]);
        assert_eq!(provider.read(body.as_bytes()).model(target).as_deref(), expected, "{target} {body}");
        assert_eq!(early_model(target, body.as_bytes()).as_deref(), expected, "{target} {body}");
    }

    /// Behaviour 19.2.
    #[test]
    fn every_shape_of_a_request_names_its_model() {
        let body = r#"{"messages":[{"content":"\"model\":\"x\"","model":"y"}],"model":"from-body","n":1}"#;
        let targets = [
            ("/v1/messages?beta=true", "from-body"),
            ("/v1/messages/count_tokens", "from-body"),
            ("/v1/chat/completions", "from-body"),
            ("/v1/responses", "from-body"),
            ("/api/chat", "from-body"),
            ("/v1internal:streamGenerateContent?alt=sse", "from-body"),
            ("/v1beta/models/gemini-2.5-pro:generateContent", "gemini-2.5-pro"),
            ("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "gemini-2.5-pro"),
            ("/model/meta.llama3-2-1b-instruct-v1%3A0/converse", "meta.llama3-2-1b-instruct-v1:0"),
            ("/model/amazon.nova-pro-v1:0/converse-stream", "amazon.nova-pro-v1:0"),
            ("/model/anthropic.claude/invoke", "anthropic.claude"),
            ("/openai/deployments/my-gpt/chat/completions?api-version=1", "my-gpt"),
            ("/openai/v1/chat/completions", "from-body"),
            ("/v1/projects/p/locations/l/publishers/google/models/g-2:generateContent", "g-2"),
            ("/v1/projects/p/locations/l/publishers/anthropic/models/c@1:rawPredict", "c@1"),
            ("/v1/projects/p/locations/l/endpoints/openapi/chat/completions", "from-body"),
        ];
        for (target, model) in targets {
            check(target, body, Some(model));
        }
        let mut claimed: Vec<_> =
            targets.iter().filter_map(|(target, _)| Some(claimed_provider(target)?.name())).collect();
        claimed.sort_unstable();
        claimed.dedup();
        assert_eq!(claimed.len(), PROVIDERS.len(), "a shape is not asked: {claimed:?}");
    }

    #[test]
    fn who_is_not_named_is_not_guessed() {
        for body in ["", "no JSON", "[]", "{}", r#"{"model":7}"#, r#"{"model":""}"#, r#"{"a":{"model":"x"}}"#]
        {
            check("/v1/messages", body, None);
        }
        check("/v1/messages", r#"{"model":"a"#, None);
        check("/v1/models", r#"{"model":"a"}"#, Some("a"));
    }

    #[test]
    fn signs_that_are_spelled_out_are_read() {
        for (part, whole) in
            [("a%3Ab", "a:b"), ("%", "%"), ("%4", "%4"), ("%zz%41", "%zzA"), ("%+5", "%+5"), ("%C3%A9", "é")]
        {
            assert_eq!(unescaped(part), whole);
        }
    }
}
