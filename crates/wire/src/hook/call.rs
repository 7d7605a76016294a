//! A tool call that a client reports to its hooks, with its result.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use tersely_json::{BytePatch, JsonNode, JsonScan, patch, string};

use crate::hook::shape::{HookClient, is_string};
use crate::request::call::SlotCall;
use crate::request::command::read_arguments;
use crate::request::slot::Slot;

/// A tool call and its result, as a client reports them.
#[derive(Debug, Clone)]
pub struct HookCall<'a> {
    body: &'a [u8],
    client: HookClient,
    /// The client's name for the conversation.
    pub session: Option<Cow<'a, str>>,
    /// The texts that the model reads.
    pub slots: Vec<Slot<'a>>,
    /// The file to which the client wrote an output that it considers too long; the model sees only its beginning.
    pub file: Option<OutputFile>,
    /// The range of the result.
    response: Range<usize>,
}

/// A file with the whole output of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputFile {
    /// Its path.
    pub path: String,
    /// Its length in bytes.
    pub bytes: u64,
}

impl<'a> HookCall<'a> {
    /// Reads a report; `None` if it is about something else than the result of a tool call.
    #[must_use]
    pub fn read(body: &'a [u8]) -> Option<Self> {
        let names =
            ["hook_event_name", "session_id", "tool_name", "tool_use_id", "tool_input", "tool_response"];
        let [event, session, tool, id, input, response] = JsonNode::object(body)?.get_all(names)?;
        let text = |node: Option<JsonNode<'a>>| node.and_then(|node| node.text()).unwrap_or_default();
        let (client, response) = (HookClient::of_event(&text(event))?, response?);
        let tool = text(tool);
        let texts = client.texts(&tool, &response);
        let arguments = input.and_then(|input| read_arguments(&mut JsonScan::new(input.bytes())).ok());
        let call = Arc::new(SlotCall::of(text(id), tool, arguments.unwrap_or_default()));
        let slot = |text: JsonNode<'a>| Slot {
            span: text.span.clone(),
            call: Arc::clone(&call),
            token: text.bytes(),
            is_error: false,
            message: 0,
        };
        let slots = texts.into_iter().filter(|text| !text.inside().is_empty()).map(slot).collect();
        let file = OutputFile::of(&response);
        let session = session.and_then(|session| session.text());
        Some(Self { body, client, session, slots, file, response: response.span })
    }

    /// The name of the client in records.
    #[must_use]
    pub fn client(&self) -> &'static str {
        self.client.name()
    }

    /// The most tokens that the client shows to its model; it writes a longer result to a file.
    #[must_use]
    pub fn max_tokens(&self) -> Option<usize> {
        self.client.max_tokens(&self.slots.first()?.call.tool)
    }

    /// The report that the client would have sent had it shown the whole output to the model.
    #[must_use]
    pub fn with_whole(&self, output: &str) -> Option<Vec<u8>> {
        let response = JsonNode::at(self.response.clone(), self.body);
        let mut token = Vec::new();
        string::encode(&mut token, output);
        let mut whole = BytePatch::default();
        whole.put(response.get("stdout").filter(is_string)?.span, token);
        let mut body = whole.apply(self.body).into_owned();
        // One after the other, because two members side by side share a comma.
        for name in OutputFile::NAMES {
            let mut less = BytePatch::default();
            less.cut(&JsonNode::object(&body)?.get("tool_response")?, name);
            body = less.apply(&body).into_owned();
        }
        Some(body)
    }

    /// The answer with which the client replaces the texts in these ranges. They are in order and apart.
    #[must_use]
    pub fn answer<B: AsRef<[u8]>>(&self, edits: &[(Range<usize>, B)]) -> Vec<u8> {
        let begin = self.response.start;
        let edits: Vec<_> =
            edits.iter().map(|(span, bytes)| (span.start - begin..span.end - begin, bytes)).collect();
        let response = patch(&self.body[self.response.clone()], &edits);
        let head = br#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"#;
        [&head[..], &response, b"}}\n"].concat()
    }
}

impl OutputFile {
    /// The members that name the file.
    const NAMES: [&str; 2] = ["persistedOutputPath", "persistedOutputSize"];

    fn of(response: &JsonNode<'_>) -> Option<Self> {
        let [path, size] = response.get_all(Self::NAMES)?;
        Some(Self { path: path?.text()?.into_owned(), bytes: size?.number()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(event: &str, tool: &str, response: &str) -> String {
        format!(
            r#"{{"session_id":"s1","hook_event_name":"{event}","tool_name":"{tool}","tool_input":{{"command":"ls -l"}},
            "tool_response":{response},"tool_use_id":"t1"}}"#
        )
    }

    fn texts(event: &str, tool: &str, response: &str) -> Vec<String> {
        let body = report(event, tool, response);
        let call = HookCall::read(body.as_bytes()).expect("a call");
        call.slots.iter().map(|slot| slot.text().expect("a text").into_owned()).collect()
    }

    #[test]
    fn texts_are_found_in_known_shapes_alone() {
        let (claude, opencode) = ("PostToolUse", "tool.execute.after");
        let bash = r#"{"stdout":"a\n","stderr":"","interrupted":false,"isImage":false}"#;
        assert_eq!(texts(claude, "Bash", bash), ["a\n"]);
        let blocks = r#"[{"type":"text","text":"a"},{"type":"image","data":"x"},{"type":"text","text":""},{"type":"text","text":"b"}]"#;
        assert_eq!(texts(claude, "mcp__files__list", blocks), ["a", "b"]);
        assert_eq!(texts(claude, "mcp__files__list", r#""{\"a\":1}""#), [r#"{"a":1}"#]);
        assert_eq!(texts(opencode, "bash", r#"{"title":"t","output":"a","metadata":{"output":"b"}}"#), ["a"]);
        assert_eq!(texts(opencode, "files_list", &format!(r#"{{"content":{blocks}}}"#)), ["a", "b"]);
        for (event, tool, response) in [
            (claude, "Bash", r#""a""#),
            (claude, "Bash", r#"{"stdout":"a","isImage":true}"#),
            (claude, "Bash", r#"{"stdout":"a","backgroundTaskId":"b"}"#),
            (claude, "Bash", r#"{"stdout":"a","persistedOutputPath":"/b","persistedOutputSize":9}"#),
            (claude, "Bash", r#"{"stdout":"a","stdout":"b"}"#),
            (claude, "Read", r#"{"type":"text","file":{"content":"a"}}"#),
            (claude, "New", r#"{"stdout":"a"}"#),
            (claude, "mcp__a__b", r#"{"content":[{"type":"text","text":"a"}]}"#),
            (opencode, "bash", r#"{"output":"a","content":[]}"#),
            (opencode, "bash", r#"{"output":7}"#),
        ] {
            assert!(texts(event, tool, response).is_empty(), "{tool} {response}");
        }
        for body in
            ["", "[]", "{}", r#"{"hook_event_name":"PostToolUse"}"#, &report("PreToolUse", "Bash", bash)]
        {
            assert!(HookCall::read(body.as_bytes()).is_none(), "{body}");
        }
    }

    #[test]
    fn an_answer_is_the_result_with_other_texts() {
        let body = report("PostToolUse", "Bash", r#"{ "stdout" : "a\u0041", "stderr":"x","n":1.0 }"#);
        let call = HookCall::read(body.as_bytes()).expect("a call");
        let slot = &call.slots[0];
        assert_eq!(
            (&*slot.call.tool, slot.call.command.as_deref(), &*slot.call.id),
            ("Bash", Some("ls -l"), "t1")
        );
        assert_eq!(call.session.as_deref(), Some("s1"));
        let answer = call.answer(&[(slot.span.clone(), b"\"b\"")]);
        let expected = r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{ "stdout" : "b", "stderr":"x","n":1.0 }}}"#;
        assert_eq!(String::from_utf8_lossy(&answer), format!("{expected}\n"));
    }

    #[test]
    fn a_whole_output_takes_the_place_of_its_beginning() {
        let response =
            r#"{"stdout":"1\n","isImage":false,"persistedOutputPath":"/f","persistedOutputSize":4}"#;
        let body = report("PostToolUse", "Bash", response);
        let call = HookCall::read(body.as_bytes()).expect("a call");
        assert_eq!(call.file, Some(OutputFile { path: "/f".to_owned(), bytes: 4 }));
        let whole = call.with_whole("1\n2\n").expect("a report");
        assert_eq!(
            String::from_utf8_lossy(&whole),
            report("PostToolUse", "Bash", r#"{"stdout":"1\n2\n","isImage":false}"#)
        );
    }
}
