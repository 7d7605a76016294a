//! Adds a hidden tool and its answers to Responses requests.

use serde_json::json;
use tersely_json::{BytePatch, Insertion, JsonError, list, string, top_members};

use super::object::ResponseItem;
use super::{events, request, turn, whole};
use crate::hidden::events::watch_events;
use crate::hidden::hiding::ToolHiding;
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::{HiddenTool, HiddenTurn};
use crate::hidden::watch::{ResponseFraming, ResponseWatch};
use crate::hidden::whole::watch_whole;
use crate::request::history::HistoryPlace;
use crate::request::reading::Reading;

pub(super) static HIDING: ToolHiding = ToolHiding { offer, answer, withdraw, watch };

fn offer(tool: &HiddenTool, reading: &Reading<'_>) -> Result<Option<Insertion>, JsonError> {
    if !can_hide(reading) {
        return Ok(None);
    }
    let (name, description) = (json!(tool.name), json!(tool.description));
    let function = format!(
        r#"{{"type":"function","name":{name},"description":{description},"parameters":{},"strict":false}}"#,
        tool.parameters
    );
    let tools = reading.list("tools")?;
    Ok(tools.and_then(|tools| list::add(tools, tool.name, &function, reading.body())))
}

fn answer(turn: &HiddenTurn, answers: &[String], body: &[u8]) -> Result<Vec<u8>, JsonError> {
    let results = turn.asks.iter().zip(answers).map(|(ask, answer)| {
        json!({"type": "function_call_output", "call_id": ask.id, "output": answer}).to_string()
    });
    let is_kept = top_members(&["store"], body)?.iter().all(|it| it.value != b"false");
    let messages = if is_kept { None } else { turn::without_lost(&turn.messages) };
    let items: Vec<_> =
        std::iter::once(messages.unwrap_or_else(|| turn.messages.clone())).chain(results).collect();
    let items = items.join(",");
    match list::place("input", body)?.filter(|place| body[place.start] == b'"') {
        None => list::push("input", &items, body),
        Some(place) => {
            let user = string::raw(&place, body);
            let mut patch = BytePatch::default();
            let list = format!(r#"[{{"type":"message","role":"user","content":{user}}},{items}]"#);
            patch.put(place, list);
            Ok(patch.apply(body).into_owned())
        }
    }
}

fn withdraw(names: HiddenNames, body: &[u8]) -> Result<Option<Vec<u8>>, JsonError> {
    let Some(list) = list::place("tools", body)?.filter(|_| request::history_of(body).is_kept()) else {
        return Ok(None);
    };
    let tools = ResponseItem::list(&body[list.clone()]);
    // The hidden tool follows a tool of the client, so the comma between them is removed too.
    let pair = tools.windows(2).find(|pair| pair[1].is_tool(names));
    Ok(pair.map(|pair| {
        let mut patch = BytePatch::default();
        patch.put(list.start + pair[0].place.end..list.start + pair[1].place.end, "");
        patch.apply(body).into_owned()
    }))
}

fn watch(names: HiddenNames, framing: ResponseFraming, history: HistoryPlace) -> Box<dyn ResponseWatch> {
    match framing {
        ResponseFraming::Whole | ResponseFraming::Messages => {
            watch_whole(names, whole::ResponsesWhole::new(names, history))
        }
        ResponseFraming::Events => watch_events(names, events::ResponsesEvents::new(names)),
    }
}

/// True when a tool can be hidden in the response. It cannot be hidden in a background response, because no one waits
/// for it, or in a stored conversation, because the conversation would keep the hidden calls.
///
/// A stored response can be continued only from its last round. A stream has already sent the id of its first round,
/// and cannot take back a client's call that is next to a hidden call.
fn can_hide(reading: &Reading<'_>) -> bool {
    let is_set = |name: &str| reading.value(name).is_some_and(|value| !matches!(value, b"false" | b"null"));
    let is_kept = reading.history().is_kept();
    !(is_set("background") || is_set("conversation") || is_set("stream") && is_kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hidden::turn::HiddenAsk;

    const TOOL: HiddenTool = HiddenTool { name: "own", description: "A \"tool\".", parameters: "{}" };

    const OWN: HiddenNames = HiddenNames::new(&["own"]);

    fn offered(body: &str) -> Option<Vec<u8>> {
        let offered = offer(&TOOL, &crate::providers::PROVIDERS[2].read(body.as_bytes())).unwrap();
        offered.map(|tool| tool.apply(body.as_bytes()))
    }

    fn check_offer(body: &str, expected: Option<&str>) {
        assert_eq!(offered(body).as_deref().map(String::from_utf8_lossy).as_deref(), expected);
    }

    #[test]
    fn the_tool_stands_behind_the_client_s() {
        check_offer(
            r#"{"tools":[{}],"background":false}"#,
            Some(
                r#"{"tools":[{},{"type":"function","name":"own","description":"A \"tool\".","parameters":{},"strict":false}],"background":false}"#,
            ),
        );
    }

    #[test]
    fn where_it_cannot_be_hidden_it_is_not_offered() {
        check_offer(r#"{"tools":[{}],"background":true}"#, None);
        check_offer(r#"{"tools":[{}],"conversation":"conv_1"}"#, None);
        check_offer(r#"{"tools":[{}],"stream":true}"#, None);
        check_offer(r#"{"tools":[{"type":"function","name":"own"}]}"#, None);
        check_offer(r#"{"tools":[]}"#, None);
    }

    fn check_answer(messages: &str, body: &str, expected: &str) {
        let turn = HiddenTurn {
            asks: vec![HiddenAsk { id: "c".into(), tool: "own".into(), input: "{}".into() }],
            messages: messages.into(),
        };
        let answered = answer(&turn, &["a\n".into()], body.as_bytes()).unwrap();
        assert_eq!(String::from_utf8_lossy(&answered), expected);
    }

    #[test]
    fn one_text_becomes_a_list() {
        check_answer(
            "{}",
            r#"{"input":"\u00e9","x":1}"#,
            r#"{"input":[{"type":"message","role":"user","content":"\u00e9"},{},{"type":"function_call_output","call_id":"c","output":"a\n"}],"x":1}"#,
        );
    }

    #[test]
    fn thoughts_that_nobody_kept_are_left_out() {
        let messages = r#"{"type":"reasoning","id":"rs"},{"type":"function_call","id":"fc","call_id":"c"}"#;
        let result = r#"{"type":"function_call_output","call_id":"c","output":"a\n"}"#;
        let short = r#"{"type":"function_call","call_id":"c"}"#;
        check_answer(
            messages,
            r#"{"input":[],"store":false}"#,
            &format!(r#"{{"input":[{short},{result}],"store":false}}"#),
        );
        check_answer(messages, r#"{"input":[]}"#, &format!(r#"{{"input":[{messages},{result}]}}"#));
    }

    #[test]
    fn a_last_round_that_is_kept_is_without_the_tool() {
        let offered = offered(r#"{"tools":[ {} , {"x":[1]} ],"input":[]}"#).unwrap();
        let last = withdraw(OWN, &offered).unwrap().unwrap();
        assert_eq!(String::from_utf8_lossy(&last), r#"{"tools":[ {} , {"x":[1]} ],"input":[]}"#);
        assert_eq!(withdraw(OWN, &last), Ok(None));
        assert_eq!(withdraw(OWN, br#"{"tools":[{},{"name":"own"}],"store":false}"#), Ok(None));
    }
}
