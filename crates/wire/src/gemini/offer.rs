//! Adds a hidden tool and its answers to Gemini requests.

use memchr::memmem;
use tersely_json::{BytePatch, Insertion, JsonError, JsonNode, JsonScan, string};

use super::{events, whole};
use crate::hidden::events::watch_events;
use crate::hidden::hiding::ToolHiding;
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::{HiddenTool, HiddenTurn};
use crate::hidden::watch::{ResponseFraming, ResponseWatch};
use crate::hidden::whole::watch_whole;
use crate::request::history::HistoryPlace;
use crate::request::reading::Reading;

pub(super) static HIDING: ToolHiding = ToolHiding { offer, answer, withdraw: |_, _| Ok(None), watch };

fn offer(tool: &HiddenTool, reading: &Reading<'_>) -> Result<Option<Insertion>, JsonError> {
    let ([name, description], schema) = (tool.quote(), tool.parameters);
    let declaration = format!(r#"{{"name":{name},"description":{description},"parameters":{schema}}}"#);
    declare(tool.name, &declaration, reading.body())
}

fn answer(turn: &HiddenTurn, answers: &[String], body: &[u8]) -> Result<Vec<u8>, JsonError> {
    let calls = JsonNode::object(turn.messages.as_bytes()).and_then(|turn| turn.get("parts"));
    let calls = calls.iter().flat_map(JsonNode::items).filter_map(|part| part.get("functionCall"));
    let parts: Vec<_> = calls.zip(answers).map(|(call, text)| response(&call, text)).collect();
    let user = format!(r#"{},{{"role":"user","parts":[{}]}}"#, turn.messages, parts.join(","));
    go_on(&user, body)
}

fn watch(names: HiddenNames, framing: ResponseFraming, _: HistoryPlace) -> Box<dyn ResponseWatch> {
    match framing {
        ResponseFraming::Whole | ResponseFraming::Messages => {
            watch_whole(names, whole::GeminiWhole::new(names))
        }
        ResponseFraming::Events => watch_events(names, events::GeminiEvents::new(names)),
    }
}

fn response(call: &JsonNode<'_>, text: &str) -> String {
    let member = |name| {
        let value = call.get(name).map(|value| String::from_utf8_lossy(value.bytes()).into_owned());
        value.map_or_else(String::new, |value| format!(r#""{name}":{value},"#))
    };
    let (id, name, output) = (member("id"), member("name"), string::quote(text));
    format!(r#"{{"functionResponse":{{{id}{name}"response":{{"output":{output}}}}}}}"#)
}

/// Adds a declaration after the client's last one; `None` when the client has no declarations, or already uses
/// `name`.
///
/// The declaration is added to the client's own array, because some of Google's servers refuse several arrays of
/// tools.
fn declare(name: &str, declaration: &str, body: &[u8]) -> Result<Option<Insertion>, JsonError> {
    let Some(request) = request(body)? else { return Ok(None) };
    let [tools] = request.get_all(["tools"]).ok_or(TWICE)?;
    let Some(tools) = tools.filter(|_| !wants_several(&request) && !wants_pieces(&request)) else {
        return Ok(None);
    };
    let is_taken = memmem::find(tools.bytes(), format!("\"{name}\"").as_bytes()).is_some();
    let lists = tools.items().into_iter().filter_map(|tool| either(&tool, DECLARATIONS));
    let last = lists.rev().find(|list| list.is_list() && !list.is_empty() && !is_taken);
    Ok(last.map(|list| Insertion::append(&list, declaration)))
}

/// Appends `contents` to the contents of the body.
fn go_on(contents: &str, body: &[u8]) -> Result<Vec<u8>, JsonError> {
    let list = request(body)?.and_then(|request| request.get("contents"));
    let list = list.ok_or(JsonError { at: 0, expected: "a list of contents" })?;
    let mut patch = BytePatch::default();
    if list.is_list() {
        patch.push(&list, contents);
    } else {
        // A single content is treated as an array with one item.
        patch.put(list.span.clone(), [b"[", list.bytes(), b",", contents.as_bytes(), b"]"].concat());
    }
    Ok(patch.apply(body).into_owned())
}

const TWICE: JsonError = JsonError { at: 0, expected: "each key only once" };

/// The member that contains the declarations. Google accepts names in camel case and in snake case.
const DECLARATIONS: [&str; 2] = ["functionDeclarations", "function_declarations"];

/// The request itself, or the `request` member that wraps it for signed-in clients; `None` for a request that only
/// counts tokens.
fn request(body: &[u8]) -> Result<Option<JsonNode<'_>>, JsonError> {
    let mut scan = JsonScan::new(body);
    scan.skip()?;
    scan.end()?;
    let Some(top) = JsonNode::object(body) else { return Ok(None) };
    let names = ["contents", "request", "generateContentRequest", "generate_content_request"];
    let [contents, wrapped, counted, other] = top.get_all(names).ok_or(TWICE)?;
    let wrapped = wrapped.filter(|wrapped| contents.is_none() && wrapped.is_object());
    Ok((counted.is_none() && other.is_none()).then_some(wrapped.unwrap_or(top)))
}

/// True when the client requests several answers at once.
fn wants_several(request: &JsonNode<'_>) -> bool {
    let config = either(request, ["generationConfig", "generation_config"]);
    let count = config.and_then(|config| either(&config, ["candidateCount", "candidate_count"]));
    count.is_some_and(|count| count.number() != Some(1))
}

/// True when the client wants calls in pieces; only the first piece of such a call names the tool.
fn wants_pieces(request: &JsonNode<'_>) -> bool {
    let config = either(request, ["toolConfig", "tool_config"]);
    let calling = config.and_then(|it| either(&it, ["functionCallingConfig", "function_calling_config"]));
    let names = ["streamFunctionCallArguments", "stream_function_call_arguments"];
    calling.and_then(|it| either(&it, names)).is_some_and(|it| it.bytes() != b"false")
}

fn either<'a>(object: &JsonNode<'a>, names: [&str; 2]) -> Option<JsonNode<'a>> {
    let [one, other] = object.get_all(names)?;
    one.or(other)
}
