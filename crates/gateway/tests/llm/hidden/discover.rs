//! Of many tools a model is shown a few, finds the others, and calls them; the client sees calls of its own tools.

use tersely_engine::Discovery;

use super::*;

/// Settings with tool discovery.
const BRIDGED: [Shape; 3] = [Shape::Anthropic, Shape::Chat, Shape::Responses];

/// Verbs and objects: three hundred tools of which no two do the same.
const DEEDS: [(&str, &str); 10] = [
    ("create", "Makes a new"),
    ("delete", "Removes a"),
    ("list", "Shows every"),
    ("update", "Changes a"),
    ("archive", "Puts away a"),
    ("share", "Gives others access to a"),
    ("rename", "Gives another name to a"),
    ("export", "Writes to a file a"),
    ("count", "Says how many there are of a"),
    ("lock", "Keeps others from changing a"),
];
const THINGS: [&str; 30] = [
    "invoice",
    "ticket",
    "calendar",
    "playlist",
    "contract",
    "sensor",
    "recipe",
    "branch",
    "dashboard",
    "webhook",
    "mailbox",
    "vehicle",
    "warehouse",
    "payslip",
    "lecture",
    "patient",
    "apartment",
    "flight",
    "museum",
    "orchard",
    "podcast",
    "satellite",
    "tournament",
    "vineyard",
    "wallet",
    "aquarium",
    "bakery",
    "cinema",
    "dentist",
    "elevator",
];

const WANTED: &str = "archive_vineyard";

fn tools(shape: Shape) -> Vec<Value> {
    let tool = |(deed, says): (&str, &str), thing: &str| {
        let (name, description) = (format!("{deed}_{thing}"), format!("{says} {thing}."));
        let schema = json!({"type": "object", "properties": {format!("{thing}_id"): {"type": "string"}}});
        match shape {
            Shape::Anthropic => json!({"name": name, "description": description, "input_schema": schema}),
            Shape::Chat => json!({"type": "function",
                "function": {"name": name, "description": description, "parameters": schema}}),
            _ => json!({"type": "function", "name": name, "description": description, "parameters": schema}),
        }
    };
    THINGS.iter().flat_map(|thing| DEEDS.iter().map(move |deed| tool(*deed, thing))).collect()
}

/// The first request of a conversation.
fn opening(shape: Shape, streams: bool) -> Value {
    let mut request = shape.request(streams, "");
    request["tools"] = tools(shape).into();
    let messages = if shape == Shape::Responses { "input" } else { "messages" };
    request[messages] =
        json!([{"role": "user", "content": "Please rename the playlist, then count the flights."}]);
    request
}

/// The request after a call was answered.
fn later(shape: Shape, streams: bool) -> Value {
    let (mut request, input) = (opening(shape, streams), json!({"vineyard_id": "v 7"}));
    let messages = if shape == Shape::Responses { "input" } else { "messages" };
    let more = match shape {
        Shape::Anthropic => vec![
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": WANTED, "input": input}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "done"}]}),
        ],
        Shape::Chat => vec![
            json!({"role": "assistant", "tool_calls": [{"id": "c", "type": "function",
                "function": {"name": WANTED, "arguments": input.to_string()}}]}),
            json!({"role": "tool", "tool_call_id": "c", "name": WANTED, "content": "done"}),
        ],
        _ => vec![
            json!({"type": "function_call", "call_id": "c", "name": WANTED, "arguments": input.to_string()}),
            json!({"type": "function_call_output", "call_id": "c", "output": "done"}),
        ],
    };
    request[messages].as_array_mut().expect("messages").extend(more);
    request
}

fn choosing() -> Arc<EngineRewriter> {
    let discovery = Some(Discovery { always_keep: vec!["lock_a*".to_owned()], ..Discovery::default() });
    Arc::new(EngineRewriter::new(Engine::new(EngineSettings { discovery, ..EngineSettings::default() })))
}

async fn ask(stage: &Stage, live: &Arc<EngineRewriter>, request: &Value) -> Answer {
    let gateway = gateway(settings(stage.address), Arc::clone(live) as _).await;
    soon(post(&gateway.url(stage.shape.path(stage.streams)), request.to_string())).await
}

/// The results of the client's calls.
fn given(shape: Shape, streams: bool, body: &[u8]) -> String {
    let text = std::str::from_utf8(body).expect("text");
    let lines = text.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|line| *line != "[DONE]");
    let events: Vec<Value> = if streams {
        lines.map(|line| serde_json::from_str(line).expect("JSON")).collect()
    } else {
        vec![serde_json::from_str(text).expect("JSON")]
    };
    let word = |value: &Value| value.as_str().map(str::to_owned).unwrap_or_default();
    let of = |event: &Value| match (shape, streams) {
        (Shape::Anthropic, true) => word(&event["delta"]["partial_json"]),
        (Shape::Anthropic, false) => event["content"]
            .as_array()
            .expect("blocks")
            .iter()
            .filter_map(|block| block.get("input"))
            .map(Value::to_string)
            .collect(),
        (Shape::Chat, true) => word(&event["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"]),
        (Shape::Chat, false) => {
            word(&event["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"])
        }
        (_, true) => word(
            &event["response"]["output"].as_array().and_then(|items| items.last()).unwrap_or(&Value::Null)["arguments"],
        ),
        (_, false) => word(
            &event["output"].as_array().and_then(|items| items.last()).unwrap_or(&Value::Null)["arguments"],
        ),
    };
    events.iter().map(of).collect()
}

/// Behaviour 18.1, 18.2, 18.3, 18.4.
#[tokio::test]
async fn a_tool_that_is_not_shown_is_found_and_called() {
    for (shape, streams) in BRIDGED.into_iter().flat_map(|shape| [(shape, false), (shape, true)]) {
        let stage = Stage::new(shape, streams, |round, _| match round {
            0 => vec![
                Say::Text("Let me see. "),
                Say::Call("search_tools", json!({"query": "put away a vineyard"})),
            ],
            1 => vec![
                Say::Text("There."),
                Say::Call("call_tool", json!({"name": WANTED, "arguments": {"vineyard_id": "v 7"}})),
            ],
            _ => vec![Say::Text("Done.")],
        })
        .await;
        let live = choosing();
        let answer = ask(&stage, &live, &opening(shape, streams)).await;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(!text.contains("search_tools") && !text.contains("call_tool"), "{shape:?} {text}");
        let (said, calls, _) = stage.got(&answer);
        assert!(said.replace('\n', "").starts_with("Let me see. There."), "{said}");
        assert_eq!(calls, [WANTED], "{shape:?} {streams} {text}");
        assert_eq!(
            given(shape, streams, &answer.body),
            r#"{"vineyard_id":"v 7"}"#,
            "{shape:?} {streams} {text}"
        );
        let answer = ask(&stage, &live, &later(shape, streams)).await;
        assert_eq!(stage.got(&answer).0, "Done.");
        assert_eq!(answer.headers["x-tersely-tools"], "shown=25, all=300");
        let [first, second, third] = &stage.bodies()[..] else { panic!("three rounds") };
        let heads = [first, second, third].map(|body| body["tools"].to_string());
        assert!(
            heads[0] == heads[1] && heads[1] == heads[2],
            "{shape:?}: the head of the prompt has changed"
        );
        let shown = shape.tools(first);
        for name in ["rename_playlist", "count_flight", "lock_apartment", "lock_aquarium", "expand_context"] {
            assert!(shown.iter().any(|it| it == name), "{shape:?} {name} {shown:?}");
        }
        assert!(shown.len() == 28 && shown.ends_with(&["search_tools".to_owned(), "call_tool".to_owned()]));
        assert!(!shown.iter().any(|it| it == WANTED));
        let found = shape.results(second).pop().expect("an answer");
        assert!(found.lines().next().is_some_and(|line| line.contains(WANTED)), "{found}");
        assert_eq!(found.lines().count(), 5);
        let third = third.to_string();
        assert!(!third.contains(&format!("\"name\":\"{WANTED}\"")) || shape == Shape::Anthropic, "{third}");
        assert!(third.contains("call_tool") && third.contains(WANTED), "{third}");
    }
}

/// Behaviour 18.5.
#[tokio::test]
async fn a_call_that_means_no_tool_is_answered_unseen() {
    for (shape, streams) in BRIDGED.into_iter().flat_map(|shape| [(shape, false), (shape, true)]) {
        let stage = Stage::new(shape, streams, |round, _| match round {
            0 => vec![
                Say::Call("call_tool", json!({"name": "no_such_tool", "arguments": {}})),
                Say::Call("call_tool", json!({"name": WANTED, "arguments": [1]})),
                Say::Call("search_tools", json!({"query": "zebra"})),
            ],
            _ => vec![Say::Text("So be it.")],
        })
        .await;
        let answer = ask(&stage, &choosing(), &opening(shape, streams)).await;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert_eq!(stage.got(&answer).0, "So be it.", "{text}");
        assert!(!text.contains("call_tool"), "{text}");
        let results = shape.results(&stage.bodies()[1]);
        assert!(results[0].starts_with("Nothing was called.") && results[0] == results[1], "{results:?}");
        assert!(results[2].starts_with("No tool matches \"zebra\"."), "{results:?}");
    }
}

/// Behaviour 18.4: a hidden call beside one of the client's own reaches the client with it.
#[tokio::test]
async fn calls_beside_others_all_reach_the_client() {
    for (shape, streams) in BRIDGED.into_iter().flat_map(|shape| [(shape, false), (shape, true)]) {
        let stage = Stage::new(shape, streams, |_, _| {
            vec![
                Say::Call("rename_playlist", json!({"playlist_id": "p"})),
                Say::Call("call_tool", json!({"name": WANTED, "arguments": {}})),
                Say::Call("search_tools", json!({"query": "vineyard"})),
                Say::Call("call_tool", json!({"name": "lock_wallet"})),
                Say::Call("count_flight", json!({})),
            ]
        })
        .await;
        let answer = ask(&stage, &choosing(), &opening(shape, streams)).await;
        let calls = stage.got(&answer).1;
        assert_eq!(calls, ["rename_playlist", WANTED, "lock_wallet", "count_flight"], "{shape:?} {streams}");
        assert_eq!(stage.bodies().len(), 1);
    }
}

/// Behaviour 18.6: few tools, tools that the client asks for by name, and the provider's searches stay unchanged.
#[tokio::test]
async fn what_is_not_ours_to_choose_is_left_alone() {
    let says = |_: usize, _: &str| vec![Say::Text("Done.")];
    let mut requests = Vec::new();
    for shape in BRIDGED {
        let mut few = opening(shape, false);
        few["tools"].as_array_mut().expect("tools").truncate(25);
        let mut named = opening(shape, false);
        named["tool_choice"] = match shape {
            Shape::Anthropic => json!({"type": "tool", "name": WANTED}),
            _ => json!({"type": "function", "name": WANTED}),
        };
        let mut taken = opening(shape, false);
        let own = taken["tools"][0].to_string().replace("create_invoice", "call_tool");
        taken["tools"][0] = serde_json::from_str(&own).expect("a tool");
        requests.extend([(shape, few), (shape, named), (shape, taken)]);
    }
    let mut native = opening(Shape::Anthropic, false);
    native["tools"][7]["defer_loading"] = json!(true);
    let mut kept = opening(Shape::Responses, false);
    kept["store"] = json!(true);
    requests.extend([(Shape::Anthropic, native), (Shape::Responses, kept)]);
    for (shape, request) in requests {
        let stage = Stage::new(shape, false, says).await;
        let answer = ask(&stage, &choosing(), &request).await;
        assert!(!answer.headers.contains_key("x-tersely-tools"), "{shape:?}");
        let mut sent = stage.bodies().remove(0);
        sent["tools"].as_array_mut().expect("tools").retain(|tool| !tool.to_string().contains(TOOL));
        assert_eq!(sent, request, "{shape:?}");
    }
}
