//! Finds the texts of a tool's result, and structured content that only repeats these texts.

use std::ops::Range;
use std::sync::Arc;

use tersely_json::{JsonNode, member_with_comma};

use crate::mcp::message::{RpcId, RpcMessage};
use crate::mcp::repeat::repeats;
use crate::request::call::SlotCall;
use crate::request::slot::Slot;

/// A server's answer to a tool call.
#[derive(Debug, Clone)]
pub struct ToolAnswer<'a> {
    /// The texts for the model, without images, audio, links and resources.
    pub slots: Vec<Slot<'a>>,
    /// The range of `structuredContent` and its comma, if the structured content only repeats the texts.
    pub repeat: Option<Range<usize>>,
}

impl<'a> ToolAnswer<'a> {
    /// Finds the answer to the request `id` in a server's message; `call` is the tool call that was requested.
    #[must_use]
    pub fn find(id: &RpcId, call: &Arc<SlotCall<'a>>, body: &'a [u8]) -> Option<Self> {
        let message = RpcMessage::all(body).into_iter().find(|message| message.id.as_ref() == Some(id))?;
        let result = message.result?;
        let [content, structured, error] = result.get_all(["content", "structuredContent", "isError"])?;
        let blocks = content.as_ref().map(JsonNode::items).unwrap_or_default();
        let is_error = error.is_some_and(|error| error.bytes() == b"true");
        let texts: Vec<JsonNode<'_>> = blocks.iter().filter_map(text).collect();
        let slots = texts.iter().filter(|text| !text.inside().is_empty()).map(|text| Slot {
            span: text.span.clone(),
            call: Arc::clone(call),
            token: text.bytes(),
            is_error,
            message: 0,
        });
        let says_all = texts.len() == blocks.len();
        let copy = structured.filter(|it| says_all && repeats(it, &texts.iter().collect::<Vec<_>>()));
        let repeat = copy.and_then(|_| member_with_comma(&result, "structuredContent"));
        Some(Self { slots: slots.collect(), repeat })
    }
}

/// The text of a block, if the block is meant for the model.
fn text<'a>(block: &JsonNode<'a>) -> Option<JsonNode<'a>> {
    let [kind, text, notes] = block.get_all(["type", "text", "annotations"])?;
    let audience = notes.and_then(|notes| notes.get("audience"));
    let is_read = audience.is_none_or(|list| list.items().iter().any(|whom| whom.is_str("assistant")));
    text.filter(|text| {
        is_read && kind.is_some_and(|kind| kind.is_str("text")) && text.bytes().starts_with(b"\"")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(body: &str) -> (Vec<String>, Option<String>) {
        let call = Arc::new(SlotCall::default());
        let answer = ToolAnswer::find(&RpcId::Number("1".into()), &call, body.as_bytes()).expect("an answer");
        let texts = answer.slots.iter().map(|slot| slot.text().expect("text").into_owned()).collect();
        let rest = answer.repeat.map(|span| {
            let mut body = body.to_owned();
            body.replace_range(span, "");
            body
        });
        (texts, rest)
    }

    #[test]
    fn only_texts_for_the_model_are_found() {
        let (texts, repeat) = find(
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a"},{"type":"image","data":"x"},
            {"type":"text","text":"b","annotations":{"audience":["user"]}},{"type":"text","text":""},
            {"type":"resource","resource":{"text":"r"}},{"text":"c","type":"text","_meta":{}}],"structuredContent":{"x":1}}}"#,
        );
        assert_eq!((texts, repeat), (vec!["a".to_owned(), "c".to_owned()], None));
    }

    #[test]
    fn what_repeats_the_texts_can_go() {
        let head = r#"{"id":1,"result":{"content":[{"type":"text","text":"{\"a\":1}"}]"#;
        let (_, rest) = find(&format!(r#"{head},"structuredContent":{{"a":1}},"isError":false}}}}"#));
        assert_eq!(rest.as_deref(), Some(&*format!(r#"{head},"isError":false}}}}"#)));
        let (_, rest) = find(&format!(r#"{head}, "structuredContent" : {{"a":1}} }}}}"#));
        assert_eq!(rest.as_deref(), Some(&*format!("{head} }}}}")));
    }

    #[test]
    fn other_answers_are_left_alone() {
        let call = Arc::new(SlotCall::default());
        for body in [
            r#"{"id":2,"result":{"content":[]}}"#,
            r#"{"id":"1","result":{"content":[]}}"#,
            r#"{"id":1,"error":{"code":1}}"#,
            r#"{"id":1,"result":{"content":[],"content":[]}}"#,
            "garbage",
        ] {
            assert!(ToolAnswer::find(&RpcId::Number("1".into()), &call, body.as_bytes()).is_none(), "{body}");
        }
    }
}
