//! Adds a hidden tool and its answers to Chat Completions requests.

use serde_json::json;
use tersely_json::{Insertion, JsonError, list};

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
    let is_single = reading.value("n").is_none_or(|count| matches!(count, b"1" | b"null"));
    if !is_single || reading.value("functions").is_some() {
        return Ok(None);
    }
    let name = json!(tool.name);
    let (description, parameters) = (json!(tool.description), tool.parameters);
    let function = format!(r#"{{"name":{name},"description":{description},"parameters":{parameters}}}"#);
    let definition = format!(r#"{{"type":"function","function":{function}}}"#);
    let tools = reading.list("tools")?;
    Ok(tools.and_then(|tools| list::add(tools, tool.name, &definition, reading.body())))
}

fn answer(turn: &HiddenTurn, answers: &[String], body: &[u8]) -> Result<Vec<u8>, JsonError> {
    let results =
        turn.asks.iter().zip(answers).map(|(ask, answer)| {
            json!({"role": "tool", "tool_call_id": ask.id, "content": answer}).to_string()
        });
    let messages: Vec<_> = std::iter::once(turn.messages.clone()).chain(results).collect();
    list::push("messages", &messages.join(","), body)
}

fn watch(names: HiddenNames, framing: ResponseFraming, _: HistoryPlace) -> Box<dyn ResponseWatch> {
    match framing {
        ResponseFraming::Whole | ResponseFraming::Messages => {
            watch_whole(names, whole::ChatWhole::new(names))
        }
        ResponseFraming::Events => watch_events(names, events::ChatEvents::new(names)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: HiddenTool = HiddenTool { name: "own", description: "A \"tool\".", parameters: "{}" };

    fn check(body: &str, expected: Option<&str>) {
        let offered = offer(&TOOL, &crate::providers::PROVIDERS[1].read(body.as_bytes())).unwrap();
        let offered = offered.map(|tool| tool.apply(body.as_bytes()));
        assert_eq!(offered.as_deref().map(String::from_utf8_lossy).as_deref(), expected);
    }

    #[test]
    fn the_tool_stands_behind_the_client_s() {
        check(
            r#"{"tools":[{}],"n":1}"#,
            Some(
                r#"{"tools":[{},{"type":"function","function":{"name":"own","description":"A \"tool\".","parameters":{}}}],"n":1}"#,
            ),
        );
    }

    #[test]
    fn where_it_cannot_be_hidden_it_is_not_offered() {
        check(r#"{"tools":[{}],"n":2}"#, None);
        check(r#"{"tools":[{}],"functions":[{}]}"#, None);
        check(r#"{"tools":[{"type":"function","function":{"name":"own"}}]}"#, None);
        check(r#"{"messages":[]}"#, None);
    }
}
