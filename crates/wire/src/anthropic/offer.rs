//! Adds a hidden tool and its answers to Messages requests.

use tersely_json::{Insertion, JsonError, list, string};

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

pub(crate) static HIDING: ToolHiding = ToolHiding {
    offer,
    answer: |turn, answers, body| turn::answer(turn, answers, body, result),
    withdraw: |_, _| Ok(None),
    watch,
};

fn offer(tool: &HiddenTool, reading: &Reading<'_>) -> Result<Option<Insertion>, JsonError> {
    let ([name, description], schema) = (tool.quote(), tool.parameters);
    let definition = format!(r#"{{"name":{name},"description":{description},"input_schema":{schema}}}"#);
    let tools = reading.list("tools")?;
    Ok(tools.and_then(|tools| list::add(tools, tool.name, &definition, reading.body())))
}

fn watch(names: HiddenNames, framing: ResponseFraming, _: HistoryPlace) -> Box<dyn ResponseWatch> {
    let format = match framing {
        ResponseFraming::Whole => return watch_blocks(&whole::SPELLING, names),
        ResponseFraming::Events => EventFormat::Sse,
        // Resellers such as Bedrock wrap Anthropic's events in their own messages.
        ResponseFraming::Messages => EventFormat::AwsWrapped,
    };
    watch_events(names, events::AnthropicEvents::new(names, format))
}

fn result(id: &str, text: &str) -> String {
    let (id, text) = (string::quote(id), string::quote(text));
    format!(r#"{{"type":"tool_result","tool_use_id":{id},"content":{text}}}"#)
}
