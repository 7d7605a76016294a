//! Models resold by clouds: how their requests are recognized, what is signed, and streams of binary messages.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use serde_json::{Value, json};
use tersely_core::{Loss, Plan};
use tersely_engine::{Engine, EngineSettings};
use tersely_gateway::{EngineRewriter, GatewaySettings, Upstreams, Vendor};
use tersely_testing::stream;

use crate::scene::{Answer, SeenRequest, gateway, post, recorder, send, settings, soon, upstream};

const TOOL: &str = "expand_context";

const STREAM: &str = "application/vnd.amazon.eventstream";

fn live() -> Arc<EngineRewriter> {
    let plan = Plan { loss: Loss::Detail, max_bytes: 4096, ..Plan::default() };
    Arc::new(EngineRewriter::new(Engine::new(EngineSettings { plan, ..EngineSettings::default() })))
}

/// A log that is mostly noise, so that much of it is left out.
fn log() -> String {
    let line = |n| format!("INFO worker {} finished batch {n}\n", n % 7);
    let noise: String = (0..1500).map(line).collect();
    format!("{noise}error: disk full\n")
}

fn converse() -> Value {
    json!({
        "messages": [
            {"role": "user", "content": [{"text": "Look"}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t0", "name": "Bash", "input": {"command": "run"}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "t0", "content": [{"text": log()}]}}]},
        ],
        "toolConfig": {"tools": [{"toolSpec": {"name": "Bash", "inputSchema": {"json": {"type": "object"}}}}]},
    })
}

fn messages() -> Value {
    json!({
        "anthropic_version": "bedrock-2023-05-31", "max_tokens": 100,
        "messages": [
            {"role": "user", "content": "Look"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t0", "name": "Bash", "input": {"command": "run"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t0", "content": log()}]},
        ],
        "tools": [{"name": "Bash", "input_schema": {"type": "object"}}],
    })
}

/// The first id of an original in a text.
fn shadow(text: &str) -> String {
    let start = text.find("<<<SHADOW:shadow_").map_or(0, |at| at + 10);
    text[start..].chars().take_while(|char| char.is_ascii_alphanumeric() || *char == '_').collect()
}

/// An upstream's script: the model asks for what was left out, and then answers.
fn lines(path: &str, round: usize, id: &str) -> String {
    let input = json!({ "id": id }).to_string();
    match (path.contains("converse"), round) {
        (true, 0) => format!(
            "event messageStart {{\"role\":\"assistant\"}}\n\
             event contentBlockDelta {{\"contentBlockIndex\":0,\"delta\":{{\"text\":\"Let me see. \"}}}}\n\
             event contentBlockStop {{\"contentBlockIndex\":0}}\n\
             event contentBlockStart {{\"contentBlockIndex\":1,\"start\":{{\"toolUse\":{{\"toolUseId\":\"t1\",\"name\":\"{TOOL}\"}}}}}}\n\
             event contentBlockDelta {{\"contentBlockIndex\":1,\"delta\":{{\"toolUse\":{{\"input\":{}}}}}}}\n\
             event contentBlockStop {{\"contentBlockIndex\":1}}\n\
             event messageStop {{\"stopReason\":\"tool_use\"}}\n\
             event metadata {{\"usage\":{{\"inputTokens\":100,\"outputTokens\":7,\"totalTokens\":107}},\"metrics\":{{\"latencyMs\":1}}}}\n",
            json!(input),
        ),
        (true, _) => "event messageStart {\"role\":\"assistant\"}\n\
             event contentBlockDelta {\"contentBlockIndex\":0,\"delta\":{\"text\":\"Disk full.\"}}\n\
             event contentBlockStop {\"contentBlockIndex\":0}\n\
             event messageStop {\"stopReason\":\"end_turn\"}\n\
             event metadata {\"usage\":{\"inputTokens\":100,\"outputTokens\":7,\"totalTokens\":107},\"metrics\":{\"latencyMs\":1}}\n"
            .to_owned(),
        (false, 0) => format!(
            "chunk {{\"type\":\"message_start\",\"message\":{{\"id\":\"m1\",\"usage\":{{\"input_tokens\":100}}}}}}\n\
             chunk {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"{TOOL}\",\"input\":{{}}}}}}\n\
             chunk {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":{}}}}}\n\
             chunk {{\"type\":\"content_block_stop\",\"index\":0}}\n\
             chunk {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"tool_use\"}},\"usage\":{{\"output_tokens\":7}}}}\n\
             chunk {{\"type\":\"message_stop\"}}\n",
            json!(input),
        ),
        (false, _) => "chunk {\"type\":\"message_start\",\"message\":{\"id\":\"m2\",\"usage\":{\"input_tokens\":100}}}\n\
             chunk {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"Disk full.\"}}\n\
             chunk {\"type\":\"content_block_stop\",\"index\":0}\n\
             chunk {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":7}}\n\
             chunk {\"type\":\"message_stop\"}\n"
            .to_owned(),
    }
}

/// What a Bedrock client with a key gets, and the bodies that the upstream saw.
async fn ask(path: &'static str, body: &Value, change: fn(Vec<u8>) -> Vec<u8>) -> (Answer, Vec<Value>) {
    let seen = Arc::new(Mutex::new(Vec::<Value>::new()));
    let bodies = Arc::clone(&seen);
    let address = upstream(move |request: Request<Incoming>| {
        let bodies = Arc::clone(&bodies);
        async move {
            let seen = SeenRequest::of(request).await;
            let mut bodies = bodies.lock().unwrap();
            let said = lines(path, bodies.len(), &shadow(&String::from_utf8_lossy(&seen.body)));
            bodies.push(serde_json::from_slice(&seen.body).unwrap());
            let said = change(stream::encode(said.as_bytes()));
            Response::builder().header("content-type", STREAM).body(Full::from(said)).unwrap()
        }
    })
    .await;
    let gateway = gateway(settings(address), live()).await;
    let request = Request::post(gateway.url(path)).header("authorization", "Bearer bedrock-api-key-x");
    let answer = soon(send(request.body(Full::<Bytes>::from(body.to_string())).unwrap())).await;
    let seen = seen.lock().unwrap().clone();
    (answer, seen)
}

/// Behaviour 2.12, 6.7 and 7.3.
#[tokio::test]
async fn what_was_left_out_is_fetched_back_in_a_stream_of_messages() {
    for (path, body) in
        [("/model/m/converse-stream", converse()), ("/model/m/invoke-with-response-stream", messages())]
    {
        let (answer, seen) = ask(path, &body, |said| said).await;
        assert_eq!((answer.status, answer.header("content-type")), (StatusCode::OK, STREAM));
        let said = String::from_utf8(stream::decode(&answer.body)).unwrap();
        assert!(said.contains("Disk full.") && said.contains("end_turn"), "{said}");
        assert!(!said.contains(TOOL) && !said.contains("broken") && !said.contains("\"tool_use\""), "{said}");
        assert_eq!(seen.len(), 2, "{path}");
        let [first, second] = [seen[0].to_string(), seen[1].to_string()];
        assert!(first.contains(TOOL) && !first.contains("batch 700\\n"), "{first}");
        assert!(second.contains("batch 700\\n"), "{path}: not fetched back");
        let tokens = |name| answer.header(name).parse::<u64>().unwrap();
        assert!(tokens("x-tersely-tokens-before") > 10 * tokens("x-tersely-tokens-after"));
    }
}

/// Behaviour 7.7: a corrupt message ends the response, and nothing after it is forwarded.
#[tokio::test]
async fn a_stream_whose_sums_are_wrong_ends_with_an_exception() {
    let (answer, _) = ask("/model/m/converse-stream", &converse(), |mut said| {
        let at = said.windows(4).position(|word| word == b"Let ").unwrap();
        said[at] = b'G';
        said
    })
    .await;
    let said = String::from_utf8(stream::decode(&answer.body)).unwrap();
    let last = "exception internalServerException {\"message\":\"the upstream's response cannot be read\"}\n";
    assert!(said.ends_with(last) && !said.contains("contentBlockDelta"), "{said}");
}

/// Behaviour 2.13.
#[tokio::test]
async fn what_aws_signs_goes_on_as_it_came() {
    let (address, seen) = recorder().await;
    let gateway = gateway(settings(address), live()).await;
    let signed = "AWS4-HMAC-SHA256 Credential=AK/20261116/us-east-1/bedrock/aws4_request, \
                  SignedHeaders=host;x-amz-date;x-tersely-mode, Signature=00";
    for (query, header) in
        [("", Some(signed)), ("?X-Amz-Signature=00&X-Amz-SignedHeaders=host%3Bx-tersely-mode", None)]
    {
        for path in ["/model/m/converse", "/model/m/invoke", "/v1/messages"] {
            let body = if path.ends_with("converse") { converse() } else { messages() }.to_string();
            let mut request = Request::post(gateway.url(&format!("{path}{query}")))
                .header("host", "localhost:1")
                .header("x-tersely-mode", "aggressive");
            if let Some(header) = header {
                request = request.header("authorization", header);
            }
            let answer = soon(send(request.body(Full::<Bytes>::from(body.clone())).unwrap())).await;
            assert_eq!(answer.header("x-tersely-missed"), "signed", "{path}{query}");
            let seen = seen.lock().unwrap().pop().unwrap();
            assert!(seen.body == body.as_bytes(), "{path}{query}: another body");
            // Behaviour 14.5: only AWS sees the signed host name.
            let host =
                if path.starts_with("/model/") { "localhost:1".to_owned() } else { address.to_string() };
            assert_eq!(seen.headers["host"].to_str().unwrap(), host, "{path}{query}");
            assert_eq!(seen.headers.contains_key("x-tersely-mode"), path.starts_with("/model/"));
        }
    }
}

/// Behaviour 2.14 and 15.2.
#[tokio::test]
async fn a_provider_without_an_address_for_all_needs_one() {
    let gateway = gateway(GatewaySettings::default(), live()).await;
    for (path, pointer, set) in [
        ("/model/m/converse", "/message", "upstreams.bedrock"),
        ("/openai/deployments/d/chat/completions?api-version=1", "/error/message", "upstreams.azure"),
        (
            "/v1/projects/p/locations/l/publishers/google/models/g:generateContent",
            "/error/message",
            "upstreams.vertex",
        ),
    ] {
        let answer = soon(post(&gateway.url(path), "{}")).await;
        let message = answer.json().pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(message.contains(&format!("set {set} to your server, such as https://")), "{message}");
    }
}

/// Behaviour 2.12: each is forwarded to its own server.
#[tokio::test]
async fn each_cloud_has_a_server_of_its_own() {
    for (vendor, path) in [
        (Vendor::Bedrock, "/model/m/converse"),
        (Vendor::Azure, "/openai/v1/chat/completions"),
        (Vendor::Vertex, "/v1/projects/p/locations/l/publishers/anthropic/models/c:rawPredict"),
    ] {
        let (address, seen) = recorder().await;
        let server = format!("http://{address}").parse().unwrap();
        let upstreams = Upstreams::default().with(vendor, server);
        let gateway = gateway(GatewaySettings { upstreams, ..GatewaySettings::default() }, live()).await;
        let answer = soon(post(&gateway.url(path), "{}")).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert_eq!(seen.lock().unwrap()[0].uri.path(), path);
    }
}
