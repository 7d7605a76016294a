//! Finds places in Anthropic's Messages, where `tool_result` blocks answer `tool_use` blocks.
//!
//! Only the client's own results are slots. Those of the provider's tools (`web_search_tool_result` and its like) come
//! back as the provider wrote them, and it may check that they do.

use crate::call::Call;
use crate::command::given;
use crate::content::texts;
use crate::hidden::{self, Hides};
use crate::scan::Scan;
use crate::slot::{Answer, Found, find};
use crate::{Description, Prompt, Provider, Slot, WireError, drops, prompt, schema};

pub(crate) struct Anthropic;

impl Provider for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn claims(&self, path: &str) -> bool {
        let path = path.strip_suffix("/count_tokens").unwrap_or(path);
        let raw = path.ends_with(":rawPredict") || path.ends_with(":streamRawPredict");
        path.ends_with("/v1/messages")
            || ["/messages", "/anthropic/messages"].contains(&path)
            || (raw && path.contains("/publishers/anthropic/"))
    }

    fn slots<'a>(&self, body: &'a [u8]) -> Result<Vec<Slot<'a>>, WireError> {
        find(body, request)
    }

    fn descriptions<'a>(&self, body: &'a [u8]) -> Result<Vec<Description<'a>>, WireError> {
        schema::find(body, tools)
    }

    fn prompts<'a>(&self, body: &'a [u8]) -> Result<Vec<Prompt<'a>>, WireError> {
        prompt::find(body, prompts)
    }

    fn drops_results(&self, body: &[u8]) -> bool {
        drops::is_managed(body)
    }

    fn hides(&self, _target: &str) -> Option<&'static dyn Hides> {
        Some(&hidden::anthropic::Hide)
    }
}

fn request<'a>(scan: &mut Scan<'a>, found: &mut Found<'a>) -> Result<(), WireError> {
    scan.items_of("messages", |scan| message(scan, found))
}

fn tools<'a>(scan: &mut Scan<'a>, found: &mut schema::Found<'a>) -> Result<(), WireError> {
    scan.items_of("tools", |scan| schema::tool(&["input_schema"], scan, found))
}

fn prompts<'a>(scan: &mut Scan<'a>, found: &mut prompt::Found<'a>) -> Result<(), WireError> {
    scan.items_of("messages", |scan| prompt::message(scan, found))
}

fn message<'a>(scan: &mut Scan<'a>, found: &mut Found<'a>) -> Result<(), WireError> {
    found.calls.begin();
    scan.items_of("content", |scan| block(scan, found))
}

/// A call, a result or something else; which one it is may be said last.
fn block<'a>(scan: &mut Scan<'a>, found: &mut Found<'a>) -> Result<(), WireError> {
    let (mut kind, mut id, mut name, mut input) = (None, None, None, None);
    let (mut answers, mut content, mut fails) = (None, None, None);
    let mark = found.mark();
    scan.members(|scan, key| match key {
        b"type" => scan.word(&mut kind),
        b"id" => scan.word(&mut id),
        b"name" => scan.word(&mut name),
        b"tool_use_id" => scan.word(&mut answers),
        b"is_error" => scan.place(&mut fails),
        b"input" => {
            let given = given(scan)?;
            scan.once(&mut input, given)
        }
        b"content" => {
            scan.once(&mut content, ())?;
            texts(scan, found)
        }
        _ => scan.skip().map(drop),
    })?;
    match kind.as_deref() {
        Some("tool_use") => {
            let (id, tool) = (id.unwrap_or_default(), name.unwrap_or_default());
            found.calls.make(Call::of(id, tool, input.unwrap_or_default()));
            found.forget(mark);
        }
        Some("tool_result") => {
            let is_error = fails.is_some_and(|span| &scan.body()[span] == b"true");
            let answer = Answer { id: answers.unwrap_or_default(), is_error, ..Answer::default() };
            found.settle(mark, scan.body(), answer);
        }
        _ => found.forget(mark),
    }
    Ok(())
}
