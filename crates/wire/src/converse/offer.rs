//! Adds a hidden tool and its answers to Converse requests.

use memchr::memmem;
use tersely_json::{Insertion, JsonError, JsonNode, list, string};

use super::{events, whole};
use crate::blocks::turn;
use crate::blocks::whole::watch_blocks;
use crate::hidden::events::watch_events;
use crate::hidden::hiding::ToolHiding;
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::HiddenTool;
use crate::hidden::watch::{ResponseFraming, ResponseWatch};
use crate::protocol::event_format::EventFormat;
use crate::request::history::HistoryPlace;
use crate::request::reading::Reading;

pub(super) static HIDING: ToolHiding = ToolHiding {
    offer,
    answer: |turn, answers, body| turn::answer(turn, answers, body, result),
    withdraw: |_, _| Ok(None),
    watch,
};

fn offer(tool: &HiddenTool, reading: &Reading<'_>) -> Result<Option<Insertion>, JsonError> {
    let ([name, description], schema) = (tool.quote(), tool.parameters);
    let definition = format!(
        r#"{{"toolSpec":{{"name":{name},"description":{description},"inputSchema":{{"json":{schema}}}}}}}"#
    );
    define(tool.name, &definition, reading.body())
}

fn watch(names: HiddenNames, framing: ResponseFraming, _: HistoryPlace) -> Box<dyn ResponseWatch> {
    let format = match framing {
        ResponseFraming::Whole => return watch_blocks(&whole::SPELLING, names),
        ResponseFraming::Events => EventFormat::Sse,
        ResponseFraming::Messages => EventFormat::Aws,
    };
    watch_events(names, events::ConverseEvents::new(names, format))
}

/// Adds a definition after the client's last tool; `None` when the client has no tools, or already has a tool called
/// `name`.
fn define(name: &str, definition: &str, body: &[u8]) -> Result<Option<Insertion>, JsonError> {
    let Some(config) = list::place("toolConfig", body)? else { return Ok(None) };
    let [tools] = JsonNode::at(config, body).get_all(["tools"]).ok_or(TWICE)?;
    let Some(tools) = tools.filter(|tools| tools.is_list() && !tools.is_empty()) else { return Ok(None) };
    if memmem::find(tools.bytes(), format!("\"{name}\"").as_bytes()).is_some() {
        return Ok(None);
    }
    Ok(Some(Insertion::append(&tools, definition)))
}

const TWICE: JsonError = JsonError { at: 0, expected: "each key only once" };

fn result(id: &str, text: &str) -> String {
    let (id, text) = (string::quote(id), string::quote(text));
    format!(r#"{{"toolResult":{{"toolUseId":{id},"content":[{{"text":{text}}}]}}}}"#)
}
