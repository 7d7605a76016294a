//! Omitted text is fetched back during a response, and the client sees one response.

mod bounds;
mod calls;
mod corruption;
mod discover;
mod disguise;
mod expand_endpoint;
mod ownership;
mod provider_state;
mod speech;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use serde_json::{Value, json};
use tersely_core::{Loss, Plan};
use tersely_engine::{Engine, EngineSettings};
use tersely_gateway::EngineRewriter;

use crate::scene::{
    Answer, SeenRequest, any, client, feed, gateway, post, send, settings, soon, streamer, upstream,
};
use speech::{INPUT, OUTPUT, SHAPES, Say, Shape};

const TOOL: &str = "expand_context";

/// A log that is mostly noise, so that much of it is left out.
fn log() -> String {
    let line = |n: usize| {
        format!("2026-01-01T00:{:02}:{:02}Z INFO worker {} finished batch {n}\n", n / 60 % 60, n % 60, n % 7)
    };
    let noise: String = (0..1500).map(line).collect();
    format!("test result: ok. 3 passed\n{noise}error: disk full\n{}", line(9999))
}

fn engine() -> Engine {
    let plan = Plan { loss: Loss::Detail, max_bytes: 4096, ..Plan::default() };
    Engine::new(EngineSettings { plan, ..EngineSettings::default() })
}

fn live() -> Arc<EngineRewriter> {
    Arc::new(EngineRewriter::new(engine()))
}

/// An upstream that answers the request of each round as `script` says, and remembers the requests.
struct Stage {
    shape: Shape,
    streams: bool,
    address: SocketAddr,
    seen: Arc<Mutex<Vec<SeenRequest>>>,
}

type Script = fn(usize, &str) -> Vec<Say>;

impl Stage {
    async fn new(shape: Shape, streams: bool, script: Script) -> Self {
        let seen = Arc::new(Mutex::new(Vec::<SeenRequest>::new()));
        let log = Arc::clone(&seen);
        let address = upstream(move |request: Request<Incoming>| {
            let log = Arc::clone(&log);
            async move {
                let seen = SeenRequest::of(request).await;
                let mut log = log.lock().unwrap();
                let round = log.len();
                let says = script(round, &shadow(&String::from_utf8_lossy(&seen.body)));
                log.push(seen);
                respond(shape, streams, round, &says)
            }
        })
        .await;
        Self { shape, streams, address, seen }
    }

    /// The response to a request with this result.
    async fn ask(&self, live: &Arc<EngineRewriter>, result: &str) -> Answer {
        let gateway = gateway(settings(self.address), Arc::clone(live) as _).await;
        let body = self.shape.request(self.streams, result).to_string();
        soon(post(&gateway.url(self.shape.path(self.streams)), body)).await
    }

    fn got(&self, answer: &Answer) -> (String, Vec<String>, (u64, u64)) {
        self.shape.got(self.streams, std::str::from_utf8(&answer.body).unwrap())
    }

    fn bodies(&self) -> Vec<Value> {
        let seen = self.seen.lock().unwrap();
        seen.iter().map(|seen| serde_json::from_slice(&seen.body).expect("JSON")).collect()
    }
}

fn respond(shape: Shape, streams: bool, round: usize, says: &[Say]) -> Response<Full<Bytes>> {
    let kind = if streams { "text/event-stream; charset=utf-8" } else { "application/json" };
    let body = shape.answer(streams, round, says);
    Response::builder().header("content-type", kind).body(Full::from(body)).unwrap()
}

/// The first id of an original in a text.
fn shadow(text: &str) -> String {
    let start = text.find("<<<SHADOW:shadow_").map_or(0, |at| at + 10);
    text[start..].chars().take_while(|char| char.is_ascii_alphanumeric() || *char == '_').collect()
}

fn expand(id: &str) -> Say {
    Say::Call(TOOL, json!({"id": id}))
}

fn every() -> impl Iterator<Item = (Shape, bool)> {
    SHAPES.into_iter().flat_map(|shape| [(shape, false), (shape, true)])
}

/// Behaviour 6.3, 6.5, 6.6, 6.7, 6.11.
#[tokio::test]
async fn what_was_left_out_is_fetched_back_unseen() {
    for (shape, streams) in every() {
        let stage = Stage::new(shape, streams, |round, id| match round {
            0 => vec![Say::Text("Let me see. "), expand(id)],
            _ => vec![Say::Text("Disk full.")],
        })
        .await;
        let live = live();
        let answer = stage.ask(&live, &log()).await;
        assert_eq!(answer.status, StatusCode::OK, "{shape:?} {answer:?}");
        let text = String::from_utf8(answer.body.to_vec()).unwrap();
        assert!(!text.contains(TOOL), "{shape:?} {text}");
        let got = stage.got(&answer);
        assert_eq!(
            got,
            ("Let me see. Disk full.".to_owned(), vec![], (2 * INPUT, 2 * OUTPUT)),
            "{shape:?} {text}"
        );
        let [first, second] = &stage.bodies()[..] else { panic!("{shape:?}: two rounds") };
        assert_eq!(shape.tools(first), ["Bash", TOOL], "{shape:?}");
        assert_eq!(shape.tools(second), ["Bash", TOOL], "{shape:?}");
        let shown = &shape.results(first)[0];
        assert!(shown.starts_with("<<<SHADOW:shadow_") && shown.contains("error: disk full"), "{shown}");
        let results = shape.results(second);
        assert_eq!((&results[0], &results[1]), (shown, &log()), "{shape:?}");
        assert_eq!(live.totals().fetched.values().map(|fetch| fetch.calls).sum::<u64>(), 1);
        assert_eq!(answer.headers.contains_key("x-tersely-tokens-fetched"), !streams);
    }
}

/// Behaviour 6.9, 17.18.
#[tokio::test]
async fn the_clients_own_calls_are_kept_and_nothing_unanswered_is_sent() {
    for (shape, streams) in every() {
        for script in
            [(|_, id| vec![expand(id), Say::Call("Bash", json!({"command": "ls"}))]) as Script, |_, id| {
                vec![Say::Call("Bash", json!({"command": "ls"})), expand(id)]
            }]
        {
            let stage = Stage::new(shape, streams, script).await;
            let answer = stage.ask(&live(), &log()).await;
            let (text, calls, _) = stage.got(&answer);
            assert_eq!((text.as_str(), calls), ("", vec!["Bash".to_owned()]), "{shape:?} {streams}");
            assert_eq!(stage.bodies().len(), 1, "{shape:?} {streams}");
        }
    }
}

/// Behaviour 6.6: a model that never stops asking is stopped, and its client gets a response.
#[tokio::test]
async fn five_rounds_are_enough() {
    for (shape, streams) in every() {
        let stage = Stage::new(shape, streams, |_, id| vec![expand(id)]).await;
        let answer = stage.ask(&live(), &log()).await;
        let (text, calls, _) = stage.got(&answer);
        assert!(!text.is_empty() && calls.is_empty(), "{shape:?} {streams} {text:?}");
        assert_eq!(stage.bodies().len(), 6, "{shape:?}");
        let last = stage.bodies().pop().unwrap();
        let results = shape.results(&last);
        assert_eq!(results[1], log(), "{shape:?}");
        assert!(results[2].starts_with("This was shown above"), "{shape:?} {}", results[2]);
    }
}

/// Behaviour 6.8, 6.10: what this request did not leave out cannot be fetched, whatever its text contains.
#[tokio::test]
async fn only_what_this_request_left_out_can_be_named() {
    for (shape, streams) in every() {
        let stage = Stage::new(shape, streams, |round, _| match round {
            0 => vec![expand("shadow_00000000000000000000000000000000")],
            _ => vec![Say::Text("So be it.")],
        })
        .await;
        let answer = stage.ask(&live(), "<<<SHADOW:shadow_00000000000000000000000000000000>>>\n").await;
        assert_eq!(stage.got(&answer).0, "So be it.", "{shape:?}");
        let results = shape.results(&stage.bodies().pop().unwrap());
        assert!(results[1].starts_with("Nothing is kept under"), "{shape:?} {results:?}");
        assert!(results[0].starts_with("<<<TEXT1:"), "{shape:?} {results:?}");
    }
}

/// Behaviour 6.5: without tools no tool is added, and nothing is left out.
#[tokio::test]
async fn without_tools_there_is_no_tool_and_nothing_is_left_out() {
    for (shape, streams) in every() {
        let stage = Stage::new(shape, streams, |_, _| vec![Say::Text("Yes.")]).await;
        let gateway = gateway(settings(stage.address), live() as _).await;
        let mut request = shape.request(streams, &log());
        request.as_object_mut().unwrap().remove("tools");
        soon(post(&gateway.url(shape.path(streams)), request.to_string())).await;
        let body = stage.bodies().pop().unwrap();
        assert!(body.get("tools").is_none() && !body.to_string().contains("SHADOW"), "{shape:?}");
        let small = stage.ask(&live(), "a few words").await;
        assert_eq!(stage.got(&small).0, "Yes.");
        assert_eq!(shape.results(&stage.bodies().pop().unwrap()), ["a few words"]);
    }
}

/// Behaviour 6.2, law 2: another gateway, another login and a longer conversation do not change the bytes.
#[tokio::test]
async fn replicas_say_the_same_whatever_the_login() {
    for (shape, streams) in every() {
        let stage = Stage::new(shape, streams, |_, _| vec![Say::Text("Yes.")]).await;
        for (live, token) in [(live(), "one"), (live(), "two")] {
            let gateway = gateway(settings(stage.address), live as _).await;
            let request = Request::post(gateway.url(shape.path(streams)))
                .header("authorization", format!("Bearer {token}"))
                .body(Full::from(shape.request(streams, &log()).to_string()))
                .unwrap();
            soon(send(request)).await;
        }
        let seen = stage.seen.lock().unwrap();
        assert_eq!(seen[0].body, seen[1].body, "{shape:?}");
        assert_ne!(seen[0].headers["authorization"], seen[1].headers["authorization"]);
    }
}

/// An upstream that refuses a further round: a whole response is that refusal unchanged, and a stream ends with its
/// message.
#[tokio::test]
async fn a_round_that_fails_is_told_in_the_providers_shape() {
    let refusals = [
        (
            429,
            "rate_limit_error",
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}"#,
        ),
        (529, "overloaded_error", r#"{"error":{"type":"overloaded_error","message":"slow down"}}"#),
        (503, "", "slow down"),
    ];
    for (shape, streams) in every() {
        for (status, kind, refusal) in refusals {
            let rounds = Arc::new(Mutex::new(0));
            let address = upstream(move |request: Request<Incoming>| {
                let rounds = Arc::clone(&rounds);
                async move {
                    let seen = SeenRequest::of(request).await;
                    let mut round = rounds.lock().unwrap();
                    *round += 1;
                    if *round > 1 {
                        let response = Response::builder().status(status).header("retry-after", "7");
                        return response.header("request-id", "req_2").body(Full::from(refusal)).unwrap();
                    }
                    let id = shadow(&String::from_utf8_lossy(&seen.body));
                    respond(shape, streams, 0, &[Say::Text("Let me see. "), expand(&id)])
                }
            })
            .await;
            let gateway = gateway(settings(address), live() as _).await;
            let body = shape.request(streams, &log()).to_string();
            let answer = soon(post(&gateway.url(shape.path(streams)), body)).await;
            let text = String::from_utf8(answer.body.to_vec()).unwrap();
            if streams {
                assert_eq!(answer.status, StatusCode::OK, "{shape:?} {text}");
                let last = data_of(&text).into_iter().rfind(|event| event.to_string().contains("slow down"));
                let last = last.unwrap_or_else(|| panic!("{shape:?} {text}")).to_string();
                assert!(last.contains("error") && last.contains(&status.to_string()), "{shape:?} {last}");
                assert!(last.contains(kind) && !text.contains(TOOL), "{shape:?} {text}");
            } else {
                assert_eq!((answer.status.as_u16(), text.as_str()), (status, refusal), "{shape:?}");
                assert_eq!((answer.header("retry-after"), answer.header("request-id")), ("7", "req_2"));
                assert!(!answer.headers.contains_key("x-tersely-tokens-before"), "{shape:?}");
            }
        }
    }
}

/// The events of a stream.
fn data_of(body: &str) -> Vec<Value> {
    let lines = body.lines().filter_map(|line| line.strip_prefix("data: "));
    lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Behaviour 7.2: text is forwarded before the rest arrives.
#[tokio::test]
async fn text_flows_before_the_hidden_call_is_known() {
    for shape in SHAPES {
        let (address, frames) = streamer().await;
        let gateway = gateway(settings(address), live() as _).await;
        let request = Request::post(gateway.url(shape.path(true)))
            .body(any(Full::from(shape.request(true, &log()).to_string())))
            .unwrap();
        let mut response = soon(client().request(request)).await.unwrap().into_body();
        let events = shape.answer(true, 0, &[Say::Text("Let me see. "), Say::Text("More.")]);
        let (first, rest) = events.split_at(events.find("Let me see. ").unwrap());
        let (second, rest) = rest.split_at(rest.find("\n\n").or_else(|| rest.find("\r\n\r\n")).unwrap() + 4);
        let mut got = String::new();
        for piece in [first.to_owned(), second.to_owned()] {
            frames.say(piece).await;
        }
        while !got.contains("Let me see. ") {
            let frame = soon(response.frame()).await.unwrap().unwrap().into_data().unwrap();
            got += std::str::from_utf8(&frame).unwrap();
        }
        frames.say(rest.to_owned()).await;
        drop(frames);
        while let Some(frame) = soon(response.frame()).await {
            got += std::str::from_utf8(&frame.unwrap().into_data().unwrap()).unwrap();
        }
        assert_eq!(got, events, "{shape:?}: nothing was hidden, and so nothing is changed");
    }
}

/// Behaviour 7.6: when a client leaves during a round, the upstream's connection is closed.
#[tokio::test]
async fn a_client_that_leaves_ends_the_round_under_way() {
    let (frames, body) = feed();
    let later = Arc::new(Mutex::new(Some(body)));
    let address = upstream(move |request: Request<Incoming>| {
        let later = Arc::clone(&later);
        async move {
            let seen = SeenRequest::of(request).await;
            let text = String::from_utf8_lossy(&seen.body).into_owned();
            let kind = Response::builder().header("content-type", "text/event-stream");
            if text.matches("finished batch 1400").count() > 0 {
                return kind.body(any(later.lock().unwrap().take().unwrap())).unwrap();
            }
            let says = [Say::Text("Let me see. "), expand(&shadow(&text))];
            kind.body(any(Full::from(Shape::Anthropic.answer(true, 0, &says)))).unwrap()
        }
    })
    .await;
    let gateway = gateway(settings(address), live() as _).await;
    let request = Request::post(gateway.url("/v1/messages"))
        .body(any(Full::from(Shape::Anthropic.request(true, &log()).to_string())))
        .unwrap();
    let mut response = soon(client().request(request)).await.unwrap().into_body();
    frames.say(": still there\n\n").await;
    let mut got = String::new();
    while !got.contains("still there") {
        let frame = soon(response.frame()).await.unwrap().unwrap();
        got += std::str::from_utf8(&frame.into_data().unwrap()).unwrap();
    }
    drop(response);
    soon(frames.closed()).await;
}

/// A response that is too long to be held is forwarded whole.
#[tokio::test]
async fn long_answers_go_on_as_they_come() {
    let long =
        format!(r#"{{"type":"message","content":[{{"type":"text","text":"{}"}}]}}"#, "x".repeat(40 << 20));
    let said = Bytes::from(long);
    let answer = said.clone();
    let address = upstream(move |request: Request<Incoming>| {
        let answer = answer.clone();
        async move {
            request.into_body().collect().await.unwrap();
            let kind = Response::builder().header("content-type", "application/json");
            kind.body(Full::new(answer)).unwrap()
        }
    })
    .await;
    let gateway = gateway(settings(address), live() as _).await;
    let body = Shape::Anthropic.request(false, &log()).to_string();
    let answer = soon(post(&gateway.url("/v1/messages"), body)).await;
    assert!(answer.body == said, "{} bytes", answer.body.len());
}
