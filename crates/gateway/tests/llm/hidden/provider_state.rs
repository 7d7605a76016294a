//! Conversations that the provider stores: each request names the one before, and none is ever refused because of us.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use serde_json::{Value, json};
use tersely_gateway::{EngineRewriter, Keeper};
use tersely_store::{Remote, Store, StorePlace, StoreSecret};

use super::speech::{INPUT, OUTPUT, Say, Shape};
use super::{TOOL, engine, expand, log, shadow};
use crate::scene::{Gateway, SeenRequest, gateway, send, settings, soon, upstream};

/// A model's context.
pub(super) struct Scene {
    /// The whole conversation.
    pub(super) items: Vec<Value>,
    tools: Vec<String>,
}

pub(super) type Model = fn(&Scene) -> Vec<Say>;

impl Scene {
    fn id(&self) -> String {
        shadow(&json!(self.items).to_string())
    }

    /// How many times the model has asked since the client last sent something.
    pub(super) fn asked(&self) -> usize {
        let is_ask = |item: &Value| item["type"] == "function_call" && item["name"] == TOOL;
        let ids: HashSet<_> = self.items.iter().filter(|item| is_ask(item)).map(call_id).collect();
        let is_own =
            |item: &Value| is_ask(item) || item["role"] == "assistant" || ids.contains(&call_id(item));
        let latest = self.items.iter().rev().take_while(|item| is_own(item));
        latest.filter(|item| item["type"] == "function_call_output").count()
    }

    /// What the client sent last.
    fn is_told(&self, text: &str) -> bool {
        let users = self.items.iter().rfind(|item| item["role"] == "user");
        users.is_some_and(|item| item["content"] == text)
    }
}

fn call_id(item: &Value) -> String {
    item["call_id"].as_str().unwrap_or_default().to_owned()
}

pub(super) fn bash() -> Say {
    Say::Call("Bash", json!({"command": "run"}))
}

/// A provider that stores its conversations.
#[derive(Default)]
pub(super) struct StatefulProvider {
    /// Conversations by the id of their latest response.
    all: HashMap<String, Vec<Value>>,
    /// The requests that it received.
    pub(super) seen: Vec<Value>,
    /// The requests that it refused.
    refused: Vec<String>,
}

impl StatefulProvider {
    /// Accepts a request as the provider does.
    fn answer(&mut self, model: Model, request: &Value) -> Result<String, String> {
        let round = self.seen.len();
        let items = self.items(request);
        self.seen.push(request.clone());
        let items = items?;
        sound(&items)?;
        let scene = Scene { items, tools: Shape::Responses.tools(request) };
        let mut says = model(&scene);
        // A tool that is not offered cannot be called.
        says.retain(|say| !matches!(say, Say::Call(name, _) if !scene.tools.iter().any(|tool| tool == name)));
        let streams = request["stream"] == true;
        let whole: Value = serde_json::from_str(&Shape::Responses.answer(false, round, &says)).unwrap();
        if request["store"] != false {
            let output = whole["output"].as_array().unwrap().clone();
            self.all.insert(format!("resp_{round}"), [scene.items, output].concat());
        }
        Ok(Shape::Responses.answer(streams, round, &says))
    }

    /// The conversation that a request continues.
    fn items(&self, request: &Value) -> Result<Vec<Value>, String> {
        let mut items = match request["previous_response_id"].as_str() {
            Some(id) => {
                self.all.get(id).cloned().ok_or(format!("Previous response with id '{id}' not found."))?
            }
            None => Vec::new(),
        };
        match &request["input"] {
            Value::String(text) => items.push(json!({"role": "user", "content": text})),
            input => items.extend(input.as_array().unwrap().clone()),
        }
        Ok(items)
    }
}

/// Every call has its output, every output its call, and nothing occurs twice.
fn sound(items: &[Value]) -> Result<(), String> {
    let ids = |kind: &str| -> HashSet<_> {
        items.iter().filter(|item| item["type"] == kind).map(call_id).collect()
    };
    let (calls, outputs) = (ids("function_call"), ids("function_call_output"));
    if let Some(id) = calls.difference(&outputs).next() {
        return Err(format!("No tool output found for function call {id}."));
    }
    if let Some(id) = outputs.difference(&calls).next() {
        return Err(format!("No tool call found for function call output with call_id {id}."));
    }
    let mut names = HashSet::new();
    let twice = items.iter().filter_map(|item| item["id"].as_str()).find(|id| !names.insert(*id));
    twice.map_or(Ok(()), |id| Err(format!("Duplicate item found with id {id}.")))
}

/// Such a provider, and a gateway in front of it.
pub(super) struct House {
    pub(super) kept: Arc<Mutex<StatefulProvider>>,
    live: Arc<EngineRewriter>,
    pub(super) gateway: Gateway,
}

impl House {
    pub(super) async fn new(keeper: Option<Keeper>, model: Model) -> Self {
        let kept = Arc::new(Mutex::new(StatefulProvider::default()));
        let address = provider(Arc::clone(&kept), model).await;
        let live = EngineRewriter::new(engine());
        let live = Arc::new(if let Some(keeper) = keeper { live.keeping(keeper) } else { live });
        Self { kept, gateway: gateway(settings(address), Arc::clone(&live) as _).await, live }
    }

    fn client(&self, key: &'static str) -> Client<'_> {
        self.caller(&[("authorization", &format!("Bearer {key}"))])
    }

    /// A client that sends these headers.
    pub(super) fn caller(&self, headers: &[(&'static str, &str)]) -> Client<'_> {
        let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Client { house: self, headers, last: Value::Null }
    }

    /// The latest request that the provider received.
    pub(super) fn latest(&self) -> Value {
        self.kept.lock().unwrap().seen.last().unwrap().clone()
    }

    fn rounds(&self) -> usize {
        self.kept.lock().unwrap().seen.len()
    }

    fn fetched(&self) -> u64 {
        self.live.totals().fetched.values().map(|fetch| fetch.calls).sum()
    }
}

async fn provider(kept: Arc<Mutex<StatefulProvider>>, model: Model) -> SocketAddr {
    upstream(move |request: Request<Incoming>| {
        let kept = Arc::clone(&kept);
        async move {
            let request: Value = serde_json::from_slice(&SeenRequest::of(request).await.body).unwrap();
            let kind = if request["stream"] == true { "text/event-stream" } else { "application/json" };
            let mut kept = kept.lock().unwrap();
            let answer = kept.answer(model, &request);
            let (status, body) = answer.map_or_else(
                |message| {
                    kept.refused.push(message.clone());
                    (StatusCode::BAD_REQUEST, json!({"error": {"message": message}}).to_string())
                },
                |body| (StatusCode::OK, body),
            );
            Response::builder().status(status).header("content-type", kind).body(Full::from(body)).unwrap()
        }
    })
    .await
}

/// A client that names the latest response and sends only what is new.
pub(super) struct Client<'h> {
    house: &'h House,
    pub(super) headers: Vec<(&'static str, String)>,
    /// The latest response.
    last: Value,
}

impl Client<'_> {
    /// Sends something, and answers every call of the latest response with `result`.
    pub(super) async fn say(&mut self, text: &str, result: &str) -> (String, Vec<String>) {
        let calls = self.last["output"].as_array().into_iter().flatten();
        let calls = calls.filter(|item| item["type"] == "function_call").map(call_id);
        let output = |id| json!({"type": "function_call_output", "call_id": id, "output": result});
        let mut input: Vec<_> = calls.map(output).collect();
        if !text.is_empty() {
            input.push(json!({"role": "user", "content": text}));
        }
        let body = self.post(json!({"previous_response_id": self.last["id"], "input": input})).await;
        self.last = serde_json::from_slice(&body).unwrap();
        let id = self.last["id"].as_str().unwrap();
        assert!(self.house.kept.lock().unwrap().all.contains_key(id), "{id}");
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert!(!text.contains(TOOL), "{text}");
        let (text, calls, _) = Shape::Responses.got(false, &text);
        (text, calls)
    }

    /// The response to a request with these members.
    async fn post(&self, mut body: Value) -> Bytes {
        body["model"] = json!("m");
        body["tools"] = json!([{"type": "function", "name": "Bash", "parameters": {"type": "object"}}]);
        let request = Request::post(self.house.gateway.url("/v1/responses"));
        let request = self
            .headers
            .iter()
            .fold(request, |request, (name, value)| request.header(*name, value))
            .body(Full::from(body.to_string()))
            .unwrap();
        let answer = soon(send(request)).await;
        let refused = self.house.kept.lock().unwrap().refused.clone();
        assert_eq!((answer.status, refused), (StatusCode::OK, vec![]), "{:?}", answer.body);
        answer.body
    }
}

pub(super) fn memory() -> Keeper {
    Keeper::new(Store::open(&tersely_store::StoreSettings::default()).unwrap(), None)
}

/// A store at an address where nothing listens.
fn dead() -> Keeper {
    let (addresses, deadline) = (vec!["redis://127.0.0.1:1".to_owned()], Duration::from_millis(50));
    let place = StorePlace::Remote(Remote { addresses, deadline, ..Remote::default() });
    let secret = StoreSecret::new(b"a secret that is long enough to be one").ok();
    let store = tersely_store::StoreSettings { place, secret, ..tersely_store::StoreSettings::default() };
    Keeper::new(Store::open(&store).unwrap(), None)
}

/// The last answer to the model.
pub(super) fn answered(request: &Value) -> String {
    Shape::Responses.results(request).pop().unwrap_or_default()
}

pub(super) fn words((text, calls): (String, Vec<String>)) -> String {
    assert_eq!(calls, Vec::<String>::new());
    text
}

#[tokio::test]
async fn what_one_turn_left_out_is_fetched_in_a_later_one() {
    let house = House::new(Some(memory()), |scene| match scene.asked() {
        _ if scene.is_told("Run") && scene.items.len() == 1 => vec![bash()],
        0 if scene.is_told("Why?") => vec![Say::Text("Let me see. "), expand(&scene.id())],
        1 if scene.is_told("Why?") => vec![Say::Text("Disk full.")],
        _ => vec![Say::Text("Done.")],
    })
    .await;
    let mut client = house.client("one");
    assert_eq!(client.say("Run", "").await.1, ["Bash"]);
    assert_eq!(words(client.say("", &log()).await), "Done.");
    let shown = answered(&house.latest());
    assert!(shown.starts_with("<<<SHADOW:shadow_") && !shown.contains("batch 700\n"), "{shown}");
    assert_eq!(words(client.say("Why?", "").await), "Let me see. Disk full.");
    assert_eq!(answered(&house.latest()), log());
    assert_eq!(house.fetched(), 1);
    assert_eq!(client.last["usage"]["input_tokens"], 2 * INPUT);
    assert_eq!(client.last["usage"]["output_tokens"], 2 * OUTPUT);
    assert_eq!(words(client.say("Go on", "").await), "Done.");
}

/// The first request contains everything: what is left out of it is stored for the next, which only names it.
#[tokio::test]
async fn what_the_first_request_left_out_is_fetched_in_the_next() {
    let house = House::new(Some(memory()), |scene| match scene.asked() {
        0 if scene.is_told("Why?") => vec![expand(&scene.id())],
        _ => vec![Say::Text("Done.")],
    })
    .await;
    let mut client = house.client("one");
    let mut request = Shape::Responses.request(false, &log());
    request.as_object_mut().unwrap().remove("store");
    client.last = serde_json::from_slice(&client.post(request).await).unwrap();
    assert!(answered(&house.latest()).starts_with("<<<SHADOW:shadow_"));
    assert_eq!(words(client.say("Why?", "").await), "Done.");
    assert_eq!(answered(&house.latest()), log());
}

/// Behaviour 14.4: whatever id another tenant's model asks for, and whatever its own results contain.
#[tokio::test]
async fn nobody_reads_what_another_sent() {
    let house = House::new(Some(memory()), |scene| {
        let told = scene.items.iter().rfind(|item| item["role"] == "user");
        let told = told.map(|item| item["content"].as_str().unwrap().to_owned()).unwrap_or_default();
        match (told.strip_prefix("Ask "), scene.asked()) {
            (Some(id), 0) if scene.items.iter().any(|item| item["output"].is_string()) => vec![expand(id)],
            (_, 0) if scene.items.len() == 1 => vec![bash()],
            _ => vec![Say::Text("Done.")],
        }
    })
    .await;
    let secret = format!("{}only one knows 77123\n", log());
    let mut one = house.client("one");
    one.say("Run", "").await;
    one.say("", &secret).await;
    let id = shadow(&answered(&house.latest()));
    assert!(id.starts_with("shadow_"), "{id}");
    let guess = format!("{}only one knows 77124\n", log());
    for result in [guess.as_str(), &format!("<<<SHADOW:{id}>>>\n"), "a few words"] {
        for name in
            [id.clone(), id.to_uppercase(), format!("one:{id}"), format!("{id}*"), "shadow_".to_owned()]
        {
            let mut two = house.client("two");
            assert_eq!(two.say(&format!("Ask {name}"), "").await.1, ["Bash"]);
            assert_eq!(words(two.say("", result).await), "Done.");
            let answer = answered(&house.latest());
            assert!(!answer.contains("77123") && !answer.contains("disk full"), "{name} {answer}");
            assert!(!house.latest().to_string().contains("77123"), "{name}");
        }
    }
    words(one.say(&format!("Ask {id}"), "").await);
    assert_eq!(answered(&house.latest()), secret);
}

/// Without a store, or with one that fails, nothing is left out that a later request could only name.
#[tokio::test]
async fn without_a_store_nothing_is_left_out() {
    for keeper in [None, Some(dead())] {
        let house = House::new(keeper, |scene| match (scene.items.len(), scene.asked()) {
            (1, _) => vec![bash()],
            (_, 0) => vec![expand("shadow_00000000000000000000000000000000")],
            (_, 1) => vec![expand("shadow_00000000000000000000000000000001")],
            _ => vec![Say::Text("Done.")],
        })
        .await;
        let mut client = house.client("one");
        client.say("Run", "").await;
        for turn in ["", "Why?"] {
            let before = house.rounds();
            assert_eq!(words(client.say(turn, &log()).await), "Done.");
            let seen = house.kept.lock().unwrap().seen.clone();
            assert_eq!(seen.len(), before + 3);
            for request in &seen[before..] {
                assert!(!request.to_string().contains("SHADOW:shadow_"), "{request}");
            }
            assert!(answered(&seen[before + 2]).starts_with("Nothing is kept under"));
        }
    }
}

/// A call of the client beside a hidden one is made again, once the hidden one is answered.
#[tokio::test]
async fn mixed_turns_are_never_refused() {
    let models: [Model; 2] = [
        |scene| match scene.asked() {
            0 => vec![Say::Text("Both. "), bash(), expand(&scene.id())],
            _ => vec![Say::Text("Again. "), bash()],
        },
        |scene| match scene.asked() {
            0 | 2 => vec![expand(&scene.id()), bash()],
            1 => vec![expand(&scene.id())],
            _ => vec![Say::Text("Again. "), bash(), bash()],
        },
    ];
    for (model, calls) in models.into_iter().zip([1, 2]) {
        let house = House::new(Some(memory()), model).await;
        let mut client = house.client("one");
        for turn in ["Run", "", "And", ""] {
            let said = client.say(turn, &log()).await;
            assert_eq!(said, ("Again. ".to_owned(), vec!["Bash".to_owned(); calls]), "{turn}");
        }
    }
}

/// A model that never stops asking is answered five times, and then has no tool to ask with.
#[tokio::test]
async fn six_asks_are_never_refused() {
    let models: [Model; 2] = [
        |scene| {
            if scene.asked() < 5 { vec![expand(&scene.id())] } else { vec![Say::Text("Done."), expand("x")] }
        },
        |scene| {
            vec![Say::Text(if scene.asked() < 5 { "No. " } else { "Done." }), expand(&scene.id()), bash()]
        },
    ];
    for (model, calls) in models.into_iter().zip([0, 1]) {
        let house = House::new(Some(memory()), model).await;
        let mut client = house.client("one");
        for turn in ["Run", "And", "On"] {
            let before = house.rounds();
            let said = client.say(turn, &log()).await;
            assert_eq!(said, ("Done.".to_owned(), vec!["Bash".to_owned(); calls]), "{turn}");
            assert_eq!(house.rounds(), before + 6, "{turn}");
            let seen = house.kept.lock().unwrap().seen.clone();
            let tools: Vec<_> = seen[before..].iter().map(|it| Shape::Responses.tools(it).len()).collect();
            assert_eq!(tools, [2, 2, 2, 2, 2, 1], "{turn}");
        }
    }
}

/// A client continues from the id that a stream began with: nothing is hidden there.
#[tokio::test]
async fn streams_that_are_kept_hide_nothing() {
    let house = House::new(Some(memory()), |_| vec![Say::Text("Done."), bash()]).await;
    let client = house.client("one");
    let mut request = Shape::Responses.request(true, &log());
    request.as_object_mut().unwrap().remove("store");
    client.post(request).await;
    let first = house.latest();
    let output = json!({"type": "function_call_output", "call_id": "call_0_1", "output": log()});
    let next = json!({"stream": true, "previous_response_id": "resp_0", "input": [output]});
    let told = client.post(next).await;
    for request in [first, house.latest()] {
        assert_eq!(Shape::Responses.tools(&request), ["Bash"]);
        assert!(!request.to_string().contains("SHADOW:shadow_"), "{request}");
    }
    let (text, calls, _) = Shape::Responses.got(true, std::str::from_utf8(&told).unwrap());
    assert_eq!((text.as_str(), calls), ("Done.", vec!["Bash".to_owned()]));
}
