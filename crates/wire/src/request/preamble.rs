//! Measures the tools and the system prompt, which a model reads before the conversation.
//!
//! They are the same in every request of a conversation; if a client changes them, the provider's prompt cache starts
//! over anyway, because they come first. Tools with deferred loading are not counted: the model does not read them at
//! the start, and they may change without affecting the cache.

use std::ops::Range;

use tersely_json::{JsonError, JsonScan, string};

use crate::request::reading::Reading;

/// The part of a request that a model reads before the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestHead {
    /// The total size of the tools and the system prompt.
    pub bytes: usize,
    /// The names of the tools.
    pub tools: Vec<String>,
}

/// The tools that a model reads at the start, as the walk through a body finds them.
#[derive(Debug, Default)]
pub(crate) struct FoundTools {
    /// The total size of the tools.
    bytes: usize,
    /// Where their names are.
    names: Vec<Range<usize>>,
    /// Where the tools are, as far as there is room for them.
    pub(crate) parts: Vec<FoundTool>,
}

/// The maximum number of tools whose places are remembered.
const MAX_TOOLS: usize = 2_048;

/// Where a tool and its name are.
#[derive(Debug)]
pub(crate) struct FoundTool {
    pub(crate) span: Range<usize>,
    pub(crate) name: Option<Range<usize>>,
}

/// Measures the tools, and the members with these names.
pub(crate) fn beside(names: &[&str], reading: &Reading<'_>) -> RequestHead {
    let members = names.iter().filter_map(|name| reading.value(name));
    let bytes = reading.found().tools.bytes + members.map(<[u8]>::len).sum::<usize>();
    RequestHead { bytes, tools: tool_names(reading) }
}

/// Measures the members with these names, one of which contains the tools.
pub(crate) fn around(names: &[&str], reading: &Reading<'_>) -> RequestHead {
    let members = names.iter().filter_map(|name| reading.value(name));
    RequestHead { bytes: members.map(<[u8]>::len).sum(), tools: tool_names(reading) }
}

fn tool_names(reading: &Reading<'_>) -> Vec<String> {
    let names = reading.found().tools.names.iter();
    names.filter_map(|place| Some(string::decode(&reading.body()[place.clone()])?.into_owned())).collect()
}

/// The members of an entry that contain the definition of a tool, or several definitions.
const WRAPS: [&str; 5] = ["function", "custom", "toolSpec", "functionDeclarations", "function_declarations"];

impl FoundTools {
    /// Reads the array of tools at the current position.
    pub(crate) fn read(&mut self, scan: &mut JsonScan<'_>) -> Result<(), JsonError> {
        if scan.peek() != Some(b'[') {
            return scan.skip().map(drop);
        }
        scan.items(|scan| self.entry(scan))
    }

    /// Reads one entry. For a tool without a name, such as `local_shell`, its type is taken.
    fn entry(&mut self, scan: &mut JsonScan<'_>) -> Result<(), JsonError> {
        scan.peek();
        let (start, mark, part) = (scan.at(), self.names.len(), self.parts.len());
        let (mut name, mut kind, mut is_deferred) = (None, None, false);
        scan.members(|scan, key| match key {
            b"name" => keep_first(&mut name, scan),
            b"type" => keep_first(&mut kind, scan),
            b"defer_loading" => {
                let place = scan.skip()?;
                is_deferred = &scan.body()[place] == b"true";
                Ok(())
            }
            _ if WRAPS.iter().any(|wrap| wrap.as_bytes() == key) => scan.items(|scan| self.definition(scan)),
            _ => scan.skip().map(drop),
        })?;
        if is_deferred {
            self.names.truncate(mark);
            self.parts.truncate(part);
            return Ok(());
        }
        self.bytes += scan.at() - start;
        if self.parts.len() == part {
            self.remember(start..scan.at(), name.clone().or_else(|| kind.clone()));
        }
        if self.names.len() == mark {
            self.names.extend(name.or(kind));
        }
        Ok(())
    }

    /// Reads the definition of a tool inside an entry.
    fn definition(&mut self, scan: &mut JsonScan<'_>) -> Result<(), JsonError> {
        let mut name = None;
        scan.peek();
        let start = scan.at();
        scan.members(|scan, key| match key {
            b"name" => keep_first(&mut name, scan),
            _ => scan.skip().map(drop),
        })?;
        self.remember(start..scan.at(), name.clone());
        self.names.extend(name);
        Ok(())
    }

    fn remember(&mut self, span: Range<usize>, name: Option<Range<usize>>) {
        if self.parts.len() < MAX_TOOLS {
            self.parts.push(FoundTool { span, name });
        }
    }
}

fn keep_first(field: &mut Option<Range<usize>>, scan: &mut JsonScan<'_>) -> Result<(), JsonError> {
    let place = scan.skip()?;
    field.get_or_insert(place);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::providers::PROVIDERS;

    /// Checks that the head of a body is as long as these parts together.
    fn check(path: &str, body: &str, parts: &[&str]) {
        let provider = PROVIDERS.iter().find(|provider| provider.claims(path)).expect("a provider");
        assert!(parts.iter().all(|part| body.contains(part)), "{body}");
        let bytes: usize = parts.iter().map(|part| part.len()).sum();
        assert_eq!(provider.read(body.as_bytes()).head().bytes, bytes, "{path} {body}");
    }

    #[test]
    fn tools_are_called_what_each_api_calls_them() {
        for (path, tools, names) in [
            ("/v1/messages", r#"[{"name":"a","type":"x"},{"name":"b"}]"#, vec!["a", "b"]),
            ("/v1/messages", r#"[{"name":"a","defer_loading":true},{"name":"b"}]"#, vec!["b"]),
            ("/v1/chat/completions", r#"[{"type":"function","function":{"name":"a"}}]"#, vec!["a"]),
            (
                "/v1/responses",
                r#"[{"type":"function","name":"a"},{"type":"local_shell"}]"#,
                vec!["a", "local_shell"],
            ),
            (
                "/v1beta/models/m:generateContent",
                r#"[{"functionDeclarations":[{"name":"a"},{"name":"b"}]}]"#,
                vec!["a", "b"],
            ),
            ("/v1/messages", "[1,{},[]]", vec![]),
        ] {
            let provider = PROVIDERS.iter().find(|provider| provider.claims(path)).expect("a provider");
            let body = format!(r#"{{"tools":{tools}}}"#);
            assert_eq!(provider.read(body.as_bytes()).head().tools, names, "{path} {body}");
        }
        let provider = PROVIDERS.iter().find(|it| it.claims("/model/x/converse")).expect("a provider");
        let body = r#"{"toolConfig":{"tools":[{"toolSpec":{"name":"a"}}],"toolChoice":{}}}"#;
        assert_eq!(provider.read(body.as_bytes()).head().tools, ["a"]);
    }

    #[test]
    fn tools_and_system_are_the_head() {
        let body = r#"{"messages":[{"role":"user"}],"system":[{"text":"s"}],"tools":[{"a":1}, {"b":2}]}"#;
        check("/v1/messages", body, &[r#"[{"text":"s"}]"#, r#"{"a":1}"#, r#"{"b":2}"#]);
        let invoke = body.replacen('{', r#"{"anthropic_version":"1","#, 1);
        check("/model/x/invoke", &invoke, &[r#"[{"text":"s"}]"#, r#"{"a":1}"#, r#"{"b":2}"#]);
        let body = r#"{"system":[{"text":"s"}],"toolConfig":{"tools":[1]},"messages":[]}"#;
        check("/model/x/converse", body, &[r#"[{"text":"s"}]"#, r#"{"tools":[1]}"#]);
        let gemini = r#"{"contents":[1],"tools":[{}],"systemInstruction":{"parts":[]}}"#;
        check("/v1beta/models/m:generateContent", gemini, &["{}", r#"{"parts":[]}"#]);
        let wrapped = format!(r#"{{"request":{gemini}}}"#);
        check("/v1internal:generateContent", &wrapped, &["{}", r#"{"parts":[]}"#]);
    }

    #[test]
    fn what_the_operator_says_first_is_part_of_it() {
        let (one, two) = (r#"{"role":"system","content":"s"}"#, r#"{"role":"developer"}"#);
        let body = format!(r#"{{"messages":[{one},{two},{{"role":"user"}},{one}],"tools":[{{}}]}}"#);
        check("/v1/chat/completions", &body, &["{}", one, two]);
        let body = format!(r#"{{"input":[{two},{{"role":"user"}}],"instructions":"i","store":false}}"#);
        check("/v1/responses", &body, &["\"i\"", two]);
    }

    #[test]
    fn where_the_next_request_may_leave_it_out_it_is_not() {
        let two = r#"{"role":"developer"}"#;
        let body = format!(r#"{{"input":[{two},{{"role":"user"}}],"instructions":"i","tools":[{{}}]}}"#);
        check("/v1/responses", &body, &["\"i\"", "{}"]);
        let next =
            r#"{"input":[{"role":"user"}],"instructions":"i","tools":[{}],"previous_response_id":"r"}"#;
        check("/v1/responses", next, &["\"i\"", "{}"]);
    }

    #[test]
    fn tools_that_have_to_be_searched_for_do_not_count() {
        let body = r#"{"tools":[{"a":1},{"name":"x","defer_loading":true},{"defer_loading":false}]}"#;
        check("/v1/messages", body, &[r#"{"a":1}"#, r#"{"defer_loading":false}"#]);
    }

    #[test]
    fn what_cannot_be_read_has_no_head() {
        for body in ["", "[]", "{", r#"{"tools":[1"#, r#"{"messages":7}"#] {
            check("/v1/messages", body, &[]);
            check("/v1/chat/completions", body, &[]);
        }
    }
}
