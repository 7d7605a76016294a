//! A client and a server with the relay between them, message by message.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tersely_core::{Loss, Plan};
use tersely_engine::{Engine, EngineSettings};
use tersely_gateway::{GatewaySettings, McpClientSession, Originals, Pipe, relay};
use tersely_wire::mcp::StructuredCopies;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, duplex, split};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// One end of the relay.
struct End {
    says: tokio::io::WriteHalf<DuplexStream>,
    hears: Lines<BufReader<tokio::io::ReadHalf<DuplexStream>>>,
}

impl End {
    fn new(stream: DuplexStream) -> Self {
        let (hears, says) = split(stream);
        Self { says, hears: BufReader::new(hears).lines() }
    }

    async fn say(&mut self, line: &str) {
        self.says.write_all(format!("{line}\n").as_bytes()).await.expect("told");
    }

    async fn hear(&mut self) -> String {
        let line = timeout(Duration::from_mins(1), self.hears.next_line()).await;
        line.expect("in time").expect("heard").expect("a line")
    }
}

struct Pair {
    client: End,
    server: End,
    relayed: JoinHandle<std::io::Result<()>>,
}

fn pair(copies: StructuredCopies) -> Pair {
    pair_with(EngineSettings::default(), copies)
}

fn pair_with(settings: EngineSettings, copies: StructuredCopies) -> Pair {
    pair_within(&GatewaySettings::default(), settings, copies)
}

fn pair_within(gateway: &GatewaySettings, settings: EngineSettings, copies: StructuredCopies) -> Pair {
    let originals = Originals::in_memory().expect("memory");
    let door = McpClientSession::new(gateway, Engine::new(settings), copies, originals);
    let (client, to_client) = duplex(1 << 16);
    let (server, to_server) = duplex(1 << 16);
    let (client_from, client_to) = split(to_client);
    let (server_from, server_to) = split(to_server);
    let relayed = tokio::spawn(relay(
        Arc::new(door),
        Pipe { from: client_from, to: client_to },
        Pipe { from: server_from, to: server_to },
    ));
    Pair { client: End::new(client), server: End::new(server), relayed }
}

impl Pair {
    /// A request that must reach the server unchanged, and its response as the client gets it.
    async fn ask(&mut self, request: &str, answer: &str) -> String {
        self.client.say(request).await;
        assert_eq!(self.server.hear().await, request);
        self.server.say(answer).await;
        self.client.hear().await
    }

    async fn list(&mut self, tools: &Value) -> Value {
        let page = json!({"jsonrpc": "2.0", "id": "list", "result": {"tools": tools}});
        let heard =
            self.ask(r#"{"jsonrpc":"2.0","id":"list","method":"tools/list"}"#, &page.to_string()).await;
        serde_json::from_str(&heard).expect("JSON")
    }

    async fn call(&mut self, tool: &str, result: &Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": {}}});
        let answer = json!({"jsonrpc": "2.0", "id": 7, "result": result});
        let heard = self.ask(&request.to_string(), &answer.to_string()).await;
        serde_json::from_str::<Value>(&heard).expect("JSON")["result"].clone()
    }
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// Rows that have a shorter exact form.
fn rows() -> Value {
    (0..60).map(|n| json!({"id": n, "name": format!("item {n}"), "state": "open"})).collect()
}

/// A log that is longer than what is sent of one.
fn log() -> String {
    let line = |n: usize| {
        format!("2026-01-01T00:{:02}:{:02}Z INFO worker {} finished batch {n}\n", n / 60 % 60, n % 60, n % 7)
    };
    format!("{}error: disk full\n{}", (0..1500).map(line).collect::<String>(), line(9999))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_other_message_passes_byte_for_byte() {
    let mut pair = pair(StructuredCopies::Auto);
    let from_client = [
        r#"{"method":"server/discover","id":"server-discover-probe-1","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        r#"{ "jsonrpc" : "2.0", "id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"\u0074","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a://b"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"p"}}"#,
        r#"{"jsonrpc":"2.0","id":"s","result":{"roots":[]}}"#,
        r#"{"jsonrpc":"2.0","id":"t","error":{"code":-32601,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"something/new","params":{"name":"expand_context"}}"#,
        r#"[{"jsonrpc":"2.0","id":5,"method":"ping"},{"jsonrpc":"2.0","id":6,"method":"ping"}]"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"expand_context","arguments":{"id":"x"}}}"#,
        "no message at all",
        "",
        "{\"half\":",
    ];
    for line in from_client {
        pair.client.say(line).await;
        assert_eq!(pair.server.hear().await, line);
    }
    let from_server = [
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","id":"s","method":"roots/list"}"#,
        r#"{"jsonrpc":"2.0","id":"t","method":"sampling/createMessage","params":{"messages":[]}}"#,
        r#"{"jsonrpc":"2.0","id":"u","method":"elicitation/create","params":{"message":"?"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"a://b","text":"[{\"a\":1},{\"a\":1}]"}]}}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{"messages":[]}}"#,
        r#"{"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"Unknown tool"}}"#,
        r#"{"jsonrpc":"2.0","id":8,"result":{"resultType":"input_required","inputRequests":{},"requestState":"\u0061"}}"#,
        "garbage \u{fffd}",
        "",
    ];
    for line in from_server {
        pair.server.say(line).await;
        assert_eq!(pair.client.hear().await, line);
    }
}

/// Behaviour 10.10.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_shortened_in_time_passes_as_it_came() {
    let mut gateway = GatewaySettings::default();
    // So long that it is not processed inline.
    let rows: Vec<Value> = (0..20_000).map(|n| json!({"id": n, "name": format!("item {n}")})).collect();
    let rows = Value::from(rows).to_string();
    for (inline, is_shorter) in [(0, false), (usize::MAX, true)] {
        gateway.limits.inline = inline;
        gateway.timeouts.rewrite = Duration::ZERO;
        let mut pair = pair_within(&gateway, EngineSettings::default(), StructuredCopies::Keep);
        let result = pair.call("rows", &text(&rows)).await;
        assert_eq!(result["content"][0]["text"] != rows, is_shorter);
    }
}

/// Behaviour 10.6.
#[tokio::test(flavor = "multi_thread")]
async fn results_are_shorter_and_the_list_has_one_tool_more() {
    let mut pair = pair(StructuredCopies::Auto);
    let listed = pair.list(&json!([{"name": "rows", "inputSchema": {}, "x": 1}])).await;
    let tools = listed["result"]["tools"].as_array().expect("tools");
    assert_eq!(
        (tools.len(), &tools[0], &tools[1]["name"]),
        (2, &json!({"name": "rows", "inputSchema": {}, "x": 1}), &json!("expand_context"))
    );
    let rows = serde_json::to_string_pretty(&rows()).expect("JSON");
    let mut result = text(&rows);
    result["_meta"] = json!({"a": 1});
    result["content"]
        .as_array_mut()
        .expect("blocks")
        .push(json!({"type": "image", "data": "AA==", "mimeType": "image/png"}));
    let heard = pair.call("rows", &result).await;
    assert!(heard["content"][0]["text"].as_str().expect("text").len() < rows.len() / 2, "{heard}");
    assert_eq!((&heard["content"][1], &heard["_meta"]), (&result["content"][1], &result["_meta"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_omitted_comes_back_byte_for_byte() {
    let mut pair = pair(StructuredCopies::Auto);
    pair.list(&json!([])).await;
    let heard = pair.call("logs", &text(&log())).await;
    let shown = heard["content"][0]["text"].as_str().expect("text");
    let id = shown.strip_prefix("<<<SHADOW:").and_then(|rest| rest.split_once(">>>")).expect("a reference").0;
    assert!(shown.contains("error: disk full"), "{shown}");
    let ask = json!({"jsonrpc": "2.0", "id": "mine", "method": "tools/call", "params": {"name": "expand_context", "arguments": {"id": id}}});
    pair.client.say(&ask.to_string()).await;
    let answer: Value = serde_json::from_str(&pair.client.hear().await).expect("JSON");
    assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!("mine"), &json!(log())));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_omitted_where_the_model_was_told_of_no_tool() {
    let mut pair = pair(StructuredCopies::Auto);
    let heard = pair.call("logs", &text(&log())).await;
    assert!(!heard.to_string().contains("SHADOW"), "{heard}");
    pair.list(&json!([{"name": "expand_context"}])).await;
    let heard = pair.call("logs", &text(&log())).await;
    assert!(!heard.to_string().contains("SHADOW"), "{heard}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_tool_is_added_where_nothing_may_be_omitted() {
    let plan = Plan { loss: Loss::Form, ..EngineSettings::default().plan };
    let mut pair = pair_with(EngineSettings { plan, ..EngineSettings::default() }, StructuredCopies::Auto);
    let listed = pair.list(&json!([{"name": "logs"}])).await;
    assert_eq!(listed["result"]["tools"], json!([{"name": "logs"}]));
    let heard = pair.call("logs", &text(&log())).await;
    assert!(!heard.to_string().contains("SHADOW"), "{heard}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_the_text_goes_unless_it_was_promised() {
    let result = json!({"content": [{"type": "text", "text": rows().to_string()}], "structuredContent": {"result": rows()}});
    for (copies, schema, stays) in [
        (StructuredCopies::Auto, false, false),
        (StructuredCopies::Auto, true, true),
        (StructuredCopies::Keep, false, true),
        (StructuredCopies::Drop, true, false),
    ] {
        let mut pair = pair(copies);
        let tool = if schema {
            json!({"name": "rows", "outputSchema": {"type": "object"}})
        } else {
            json!({"name": "rows"})
        };
        let listed = pair.list(&json!([tool])).await;
        let has_schema = listed["result"]["tools"][0].get("outputSchema").is_some();
        assert_eq!(has_schema, schema && copies != StructuredCopies::Drop);
        let heard = pair.call("rows", &result).await;
        assert_eq!(heard.get("structuredContent").is_some(), stays, "{copies:?} {schema}");
        let other = json!({"content": [{"type": "text", "text": "two"}], "structuredContent": {"n": 2}});
        assert_eq!(pair.call("rows", &other).await, other);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_said_in_full() {
    let mut pair = pair(StructuredCopies::Auto);
    pair.list(&json!([])).await;
    let mut failed = text(&log());
    failed["isError"] = json!(true);
    let heard = pair.call("logs", &failed).await;
    assert!(!heard.to_string().contains("SHADOW"), "{heard}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_passes_without_being_held() {
    let mut pair = pair(StructuredCopies::Auto);
    pair.client.say(r#"{"id":1,"method":"tools/call","params":{"name":"x"}}"#).await;
    pair.server.hear().await;
    let head = r#"{"id":1,"result":{"content":[{"type":"text","text":""#;
    let size = 40 << 20;
    let server = tokio::spawn(async move {
        pair.server.says.write_all(head.as_bytes()).await.expect("told");
        let chunk = vec![b'x'; 1 << 20];
        for _ in 0..size >> 20 {
            pair.server.says.write_all(&chunk).await.expect("told");
        }
        pair.server.say("\"}]}}").await;
        pair.server.say("next").await;
    });
    let line = timeout(Duration::from_mins(1), pair.client.hears.next_line())
        .await
        .expect("in time")
        .expect("heard");
    assert_eq!(line.expect("a line").len(), head.len() + size + 5);
    assert_eq!(pair.client.hear().await, "next");
    server.await.expect("all said");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_side_hears_that_the_other_has_gone() {
    let Pair { client, mut server, relayed } = pair(StructuredCopies::Auto);
    drop(client);
    assert_eq!(server.hears.next_line().await.expect("an end"), None);
    drop(server);
    timeout(Duration::from_mins(1), relayed).await.expect("in time").expect("ended").ok();
    let Pair { mut client, server, relayed } = pair(StructuredCopies::Auto);
    drop(server);
    timeout(Duration::from_mins(1), relayed)
        .await
        .expect("in time")
        .expect("ended")
        .expect("heard to the end");
    assert_eq!(client.hears.next_line().await.expect("an end"), None);
}
