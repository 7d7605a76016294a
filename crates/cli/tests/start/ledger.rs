//! Tests the ledger: the events about each new result, and about the provider's usage.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::stage::{Running, post, scripted, start, turn};

/// A gateway with an upstream, and its event lines.
struct Ledger {
    served: Running,
    address: String,
    path: PathBuf,
}

impl Ledger {
    fn open(name: &str, upstream: &str, env: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("tersely-ledger-{name}-{}.jsonl", std::process::id()));
        let _ = fs::remove_file(&path);
        let url = format!("http://{upstream}");
        let file = path.to_string_lossy().into_owned();
        let env = [&[("TERSELY_EVENTS_FILE", file.as_str())], env].concat();
        let served = start(&["serve", "--listen", "127.0.0.1:0", "--upstream", &url], &env);
        let address = served.address();
        Self { served, address, path }
    }

    /// The lines of one kind, once there are `count`.
    fn lines(&self, kind: &str, count: usize) -> Vec<Value> {
        let since = Instant::now();
        loop {
            let text = fs::read_to_string(&self.path).unwrap_or_default();
            let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let lines: Vec<_> = lines.filter(|line| line["kind"] == kind).collect();
            if lines.len() >= count || since.elapsed() > Duration::from_mins(1) {
                assert_eq!(lines.len(), count, "{text}");
                return lines;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// The summary at the end.
    fn close(mut self) -> String {
        self.served.signal("INT");
        self.served.code();
        let lines: Vec<String> = self.served.said.iter().collect();
        let first = lines.iter().position(|line| line.contains(" tokens saved, ")).expect("a closing line");
        let _ = fs::remove_file(&self.path);
        lines[first..].join("\n")
    }
}

const MESSAGES: &str = "/v1/messages";
const CHAT: &str = "/v1/chat/completions";

/// A path, an answer, and its usage: input, cache read, cache write, output, reasoning.
type Told = (&'static str, &'static str, Option<[u64; 5]>);

/// Answers from the providers' documentation.
const ANSWERS: [Told; 10] = [
    (
        MESSAGES,
        r#"{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":{"input_tokens":21,"cache_creation_input_tokens":188,"cache_read_input_tokens":2051,"output_tokens":393,"service_tier":"standard"}}"#,
        Some([21, 2051, 188, 393, 0]),
    ),
    (
        MESSAGES,
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"usage\":{\"input_tokens\":25,\"cache_read_input_tokens\":100,\"output_tokens\":1}}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"usage\"}}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":15}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
        Some([25, 100, 0, 15, 0]),
    ),
    (
        CHAT,
        r#"{"id":"c","object":"chat.completion","choices":[{"message":{"role":"assistant","content":"Hi"}}],"usage":{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,"prompt_tokens_details":{"cached_tokens":1920,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":64}}}"#,
        Some([86, 1920, 0, 300, 64]),
    ),
    (
        CHAT,
        "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}],\"usage\":null}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":19,\"completion_tokens\":10,\"total_tokens\":29}}\n\ndata: [DONE]\n\n",
        Some([19, 0, 0, 10, 0]),
    ),
    // Without `include_usage`.
    (CHAT, "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: [DONE]\n\n", None),
    (
        "/v1/responses",
        r#"{"id":"resp_1","object":"response","output":[],"usage":{"input_tokens":328,"input_tokens_details":{"cached_tokens":256},"output_tokens":52,"output_tokens_details":{"reasoning_tokens":32},"total_tokens":380}}"#,
        Some([72, 256, 0, 52, 32]),
    ),
    (
        "/v1/responses",
        "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\",\"usage\":{\"input_tokens\":37,\"output_tokens\":11,\"total_tokens\":48}}}\n\n",
        Some([37, 0, 0, 11, 0]),
    ),
    (
        "/v1beta/models/gemini-2.5-flash:generateContent",
        r#"{"candidates":[{"content":{"parts":[{"text":"Hi"}]}}],"usageMetadata":{"promptTokenCount":264,"candidatesTokenCount":20,"totalTokenCount":384,"cachedContentTokenCount":200,"thoughtsTokenCount":100}}"#,
        Some([64, 200, 0, 120, 100]),
    ),
    (
        "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
        "data: {\"candidates\":[],\"usageMetadata\":{\"promptTokenCount\":8,\"totalTokenCount\":8}}\r\n\r\ndata: {\"candidates\":[],\"usageMetadata\":{\"promptTokenCount\":8,\"candidatesTokenCount\":12,\"totalTokenCount\":20}}\r\n\r\n",
        Some([8, 0, 0, 12, 0]),
    ),
    (
        "/api/chat",
        "{\"model\":\"m\",\"message\":{\"content\":\"Hi\"},\"done\":false}\n{\"model\":\"m\",\"done\":true,\"prompt_eval_count\":26,\"eval_count\":298}\n",
        Some([26, 0, 0, 298, 0]),
    ),
];

/// Behaviour 13.5: the reported usage is the provider's, to the token; without it, nothing is reported.
#[test]
fn what_providers_count_is_told_to_the_token() {
    let (upstream, _seen) = scripted(|asked| {
        let at = asked.body.split("case-").nth(1).and_then(|rest| rest.split('"').next());
        (200, ANSWERS[at.and_then(|at| at.parse::<usize>().ok()).unwrap_or_default()].1.to_owned())
    });
    let ledger = Ledger::open("counts", &upstream.to_string(), &[]);
    for (at, (path, answer, _)) in ANSWERS.iter().enumerate() {
        let body = json!({ "model": "claude-sonnet-4-5", "user": format!("case-{at}"), "messages": [] });
        let got = post(&ledger.address, path, &body.to_string());
        assert!(got.ends_with(answer), "it passes as it came: {got}");
    }
    let lines = ledger.lines("request", ANSWERS.len());
    for (line, (path, _, told)) in lines.iter().zip(ANSWERS) {
        let counts = ["input", "cache_read", "cache_write", "output", "reasoning"];
        let found = line["billed"]
            .is_object()
            .then(|| counts.map(|name| line["billed"][name].as_u64().expect("a count")));
        assert_eq!(found, told, "{path}: {line}");
        if told.is_none() {
            assert_eq!(line["paid_nanodollars"], Value::Null);
        }
    }
    // 21 × 3 + 188 × 3.75 + 2051 × 0.3 + 393 × 15 millionths of a dollar.
    assert_eq!(lines[0]["paid_nanodollars"], 7_278_300);
    let said = ledger.close();
    assert!(said.contains("; no usage reported for 1 request"), "{said}");
    assert!(said.contains("\n  estimated bill: $0."), "{said}");
}

/// Behaviour 13.5: removed tokens are priced like the rest of their request, and failures cost nothing.
#[test]
fn a_bill_falls_by_what_was_taken_out() {
    let (body, _) = turn();
    let body = body.replace("\"m\"", "\"mine\"");
    let (upstream, _seen) = scripted(|asked| {
        let status = if asked.line.contains("fail") { 429 } else { 200 };
        (status, json!({ "usage": { "input_tokens": 1000, "output_tokens": 0 } }).to_string())
    });
    let prices = std::env::temp_dir().join(format!("tersely-ledger-prices-{}.toml", std::process::id()));
    let table = "version = 1\nprice = [{ model = \"mine\", input = 1, output = 1 }]\n";
    fs::write(&prices, table).expect("a file");
    let ledger =
        Ledger::open("bill", &upstream.to_string(), &[("TERSELY_PRICES_FILE", &prices.to_string_lossy())]);
    post(&ledger.address, MESSAGES, &body);
    post(&ledger.address, &format!("{MESSAGES}?fail"), &body);
    let lines = ledger.lines("request", 2);
    let number = |name: &str| {
        lines[0].pointer(name).and_then(Value::as_u64).unwrap_or_else(|| panic!("{name} in {}", lines[0]))
    };
    let (before, after) = (number("/request_tokens/before"), number("/request_tokens/after"));
    assert_eq!(number("/paid_nanodollars"), 1_000_000);
    let scaled = 1000.min(after * 3 / 2);
    let more = (before - after) * scaled * 1_000 / after;
    assert!(number("/estimate_without_nanodollars").abs_diff(1_000_000 + more) <= 1, "{}", lines[0]);
    assert_eq!((&lines[1]["status"], &lines[1]["billed"]), (&429.into(), &Value::Null));
    assert_eq!(lines[1]["model"], "mine", "a request that failed has a model too");
    let said = ledger.close();
    assert!(said.contains("\n  1 failed request not counted: 1 with status 429"), "{said}");
    let _ = fs::remove_file(prices);
}

fn messages(results: &[(&str, &str, String)]) -> String {
    let turns = results.iter().flat_map(|(id, tool, text)| {
        // The last call repeats the first.
        let command = format!("./report {}", id.replace('7', "1"));
        let call = json!({ "type": "tool_use", "id": id, "name": tool, "input": { "command": command } });
        let result = json!({ "type": "tool_result", "tool_use_id": id, "content": text });
        [json!({ "role": "assistant", "content": [call] }), json!({ "role": "user", "content": [result] })]
    });
    let first = json!({ "role": "user", "content": "Look at it." });
    let turns: Vec<_> = [first].into_iter().chain(turns).collect();
    json!({ "model": "m", "messages": turns }).to_string()
}

fn rows() -> String {
    let row = |id: usize| json!({ "id": id, "name": format!("item-{id}"), "state": "open" });
    Value::from((0..300).map(row).collect::<Vec<_>>()).to_string()
}

/// Behaviour 13.1, 13.4 and 13.6: each result has one line when it is new, whatever its status.
#[test]
fn each_new_result_has_a_line_with_what_became_of_it() {
    let (upstream, _seen) = scripted(|_| (200, "{}".to_owned()));
    let env =
        [("TERSELY_MIN_BYTES", "20"), ("TERSELY_SKIP_ABOVE", "100000"), ("TERSELY_SKIP_TOOLS", "Other")];
    let ledger = Ledger::open("results", &upstream.to_string(), &env);
    let secret = tersely_testing::secrets::fill("ghp_{A36}", 1);
    let results = [
        ("call_1", "Bash", rows()),
        ("call_2", "Bash", "short".to_owned()),
        ("call_3", "Bash", "long ".repeat(30_000)),
        ("call_4", "Other", rows()),
        ("call_5", "Bash", format!("The quick brown fox jumps over {secret} today")),
        (
            "call_6",
            "Bash",
            format!("<<<SHADOW:shadow_{}>>>\nnot ours, and written as if it were\n", "0".repeat(32)),
        ),
        ("call_7", "Bash", rows()),
    ];
    // The conversation grows from request to request.
    for many in [2, 2, results.len()] {
        post(&ledger.address, MESSAGES, &messages(&results[..many]));
    }
    let lines = ledger.lines("result", results.len());
    for (at, (line, status)) in lines.iter().zip(STATUSES).enumerate() {
        let (id, tool, text) = &results[at];
        assert_eq!((&line["status"], &line["tool_call_id"]), (&status.into(), &(*id).into()), "{line}");
        assert_eq!((&line["tool_name"], &line["tool_result_index"]), (&(*tool).into(), &at.into()), "{line}");
        assert_eq!(
            (&line["message_index"], &line["input_bytes"]),
            (&(2 * at + 2).into(), &text.len().into())
        );
        let saved = line["before_tokens"].as_i64().expect("a count")
            - line["after_tokens"].as_i64().expect("a count");
        assert_eq!(line["saved_tokens"], saved);
        assert_eq!(line["redacted"], at == 4, "{line}");
        assert_eq!(line["deduped"], at == 6, "{line}");
        measures(line, tool, text);
        assert_eq!(line["mode"], if at == 3 { "disabled" } else { "standard" }, "{line}");
        let same = line["input_fingerprint64"] == line["output_fingerprint64"];
        assert_eq!(same, line["input_bytes"] == line["output_bytes"] && at != 4, "{line}");
    }
    let asked = |at: usize| &lines[at]["args_fingerprint64"];
    assert!(asked(0) == asked(6) && asked(0) != asked(1), "the last one asks for what the first did");
    let requests = ledger.lines("request", 3);
    let counts =
        |name: &str| requests.iter().map(|line| line[name].as_u64().expect("a count")).collect::<Vec<_>>();
    assert_eq!((counts("results"), counts("fresh")), (vec![2, 2, 7], vec![2, 0, 5]));
    let groups = requests[2]["groups"].as_array().expect("groups");
    assert_eq!(groups.iter().filter_map(|group| group["results"].as_u64()).sum::<u64>(), 7, "{groups:?}");
    let sessions: Vec<_> = requests.iter().map(|line| &line["session"]).collect();
    assert!(
        sessions[0].is_string() && sessions.iter().all(|session| *session == sessions[0]),
        "{sessions:?}"
    );
}

/// The statuses of the results of that conversation.
const STATUSES: [&str; 7] = [
    "compressed",
    "passthrough_small",
    "passthrough_large",
    "skipped_by_config",
    "ratio_exceeded",
    "already_compressed",
    "compressed",
];

/// Asserts that a result's line has the sizes before and after, and the kind.
fn measures(line: &Value, tool: &str, text: &str) {
    let number = |name: &str| line[name].as_u64().unwrap_or_else(|| panic!("{name} in {line}"));
    let count = |count: usize| u64::try_from(count).expect("a count");
    assert_eq!(number("event_version"), 1);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_millis();
    assert!(now.abs_diff(number("timestamp_ms").into()) < 600_000, "{line}");
    assert_eq!(line["canonical_tool"], if tool == "Bash" { "bash" } else { "generic" }, "{line}");
    assert!(["generic", "json"].contains(&line["family"].as_str().expect("a word")), "{line}");
    let came = [text.len(), text.chars().count(), text.lines().count()].map(count);
    assert_eq!(["bytes", "chars", "lines"].map(|name| number(&format!("input_{name}"))), came, "{line}");
    for name in ["input_fingerprint64", "output_fingerprint64", "args_fingerprint64"] {
        let hash = line[name].as_str().unwrap_or_else(|| panic!("{name} in {line}"));
        assert!(hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}: {hash}");
    }
    let is_same = line["input_fingerprint64"] == line["output_fingerprint64"];
    for name in ["bytes", "chars", "lines"] {
        let (came, sent) = (number(&format!("input_{name}")), number(&format!("output_{name}")));
        assert!(sent > 0 && (!is_same || came == sent), "{name} in {line}");
        let is_shorter = line["status"] == "compressed" && name != "lines";
        assert!(!is_shorter || sent < came, "{name} in {line}");
    }
    let strategies = line["strategies"].as_array().expect("a list").iter();
    let strategies: BTreeSet<_> = strategies.map(|name| name.as_str().expect("a name")).collect();
    let stages = line["stages"].as_object().expect("stages").keys().map(String::as_str);
    assert_eq!(strategies, stages.collect(), "{line}");
    let (saved, before) = (line["saved_tokens"].as_i64().expect("a count"), number("before_tokens"));
    let percent = line["saved_pct"].as_f64().expect("a number");
    let tenths = saved * 1000 / i64::try_from(before.max(1)).expect("a count");
    let told = f64::from(i32::try_from(tenths).expect("tenths")) / 10.0;
    assert_eq!(format!("{percent:.1}"), format!("{told:.1}"), "{line}");
    for name in ["capped", "memo_reused", "memo_changed"] {
        assert_eq!(line[name], false, "{name} in {line}");
    }
}

/// Behaviour 12.5 and 13.1: a client's `debug` value is in every event of its request.
#[test]
fn the_words_of_a_client_stand_in_its_events() {
    let (upstream, _seen) = scripted(|_| (200, "{}".to_owned()));
    let ledger = Ledger::open("words", &upstream.to_string(), &[]);
    let secret = tersely_testing::secrets::fill("ghp_{A36}", 3);
    let words =
        json!({ "run": 7, "token": secret, "nested": { "a": 1 }, "note": "x".repeat(300), "ok": true });
    let said = format!(",\"_forge\":{{\"debug\":{words}}}}}");
    post(&ledger.address, MESSAGES, &format!("{}{said}", turn().0.strip_suffix('}').expect("an object")));
    post(&ledger.address, MESSAGES, &turn().0);
    let requests = ledger.lines("request", 2);
    let told = &requests[0]["request"];
    assert_eq!(
        (&told["run"], &told["ok"], &told["note"]),
        (&"7".into(), &"true".into(), &"x".repeat(256).into())
    );
    assert_eq!(told["nested"], Value::Null);
    assert!(told["token"].as_str().is_some_and(|token| token.contains("REDACTED")), "{told}");
    assert_eq!(&ledger.lines("result", 1)[0]["request"], told);
    assert_eq!(requests[1]["request"], Value::Null, "nobody says it for another");
    let text = fs::read_to_string(&ledger.path).expect("events");
    assert!(!text.contains(&secret[4..12]), "{text}");
    ledger.close();
}

/// Behaviour 12.2 and 13.1: another gateway's variable names the same file, in a folder that does not exist yet.
#[test]
fn forge_names_the_file_too() {
    let (upstream, _seen) = scripted(|_| (200, "{}".to_owned()));
    let folder = std::env::temp_dir().join(format!("tersely-ledger-forge-{}", std::process::id()));
    let path = folder.join("target").join("compression.jsonl");
    let url = format!("http://{upstream}");
    let file = path.to_string_lossy().into_owned();
    let env = [("FORGE_TOOL_OUTPUT_COMPRESSION_LOG", file.as_str())];
    let served = start(&["serve", "--listen", "127.0.0.1:0", "--upstream", &url], &env);
    let address = served.address();
    post(&address, MESSAGES, &turn().0);
    let ledger = Ledger { served, address, path };
    assert_eq!(ledger.lines("result", 1)[0]["tool_name"], "Bash");
    ledger.close();
    let _ = fs::remove_dir_all(folder);
}

/// An upstream with answers that cannot be parsed.
fn hostile() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut reader = BufReader::new(stream);
                let (mut line, mut length) = (String::new(), 0);
                let mut first = String::new();
                while reader.read_line(&mut line).is_ok_and(|read| read > 0) && line.trim() != "" {
                    if first.is_empty() {
                        first.clone_from(&line);
                    }
                    let header = line.to_ascii_lowercase();
                    if let Some(value) = header.strip_prefix("content-length:") {
                        length = value.trim().parse().expect("a length");
                    }
                    line.clear();
                }
                reader.read_exact(&mut vec![0; length]).expect("a body");
                let name =
                    first.split("case=").nth(1).and_then(|rest| rest.split(' ').next()).expect("a case");
                let (coding, piece, times) = case(name);
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{coding}content-length: {}\r\nconnection: close\r\n\r\n",
                    piece.len() * times
                );
                let _ = reader.get_mut().write_all(head.as_bytes());
                for _ in 0..times {
                    let _ = reader.get_mut().write_all(&piece);
                }
            });
        }
    });
    address
}

const CASES: [&str; 7] = ["cut", "garbage", "deep", "long", "line", "bomb", "empty"];

/// A header, and bytes with the number of repetitions.
fn case(name: &str) -> (&'static str, Vec<u8>, usize) {
    const LONG: usize = 1600;
    match name {
        "cut" => ("", br#"{"usage":{"input_tokens":7,"#.to_vec(), 1),
        "garbage" => ("", (0..=255).cycle().skip(77).take(100_003).collect(), 1),
        "deep" => ("", b"{\"usage\":[".repeat(1 << 13), 100),
        "long" => ("", [b"{\"usage\":\"", "é".repeat(1 << 15).as_bytes()].concat(), LONG),
        "line" => ("", [b"data: ".as_slice(), &b"x".repeat(1 << 16)].concat(), LONG),
        "bomb" => ("content-encoding: gzip\r\n", b"\x1f\x8b\x08\0\0\0\0\0\0\x03".repeat(999), 1),
        _ => ("content-encoding: br\r\n", Vec::new(), 1),
    }
}

/// The length and a hash of an answer's body.
fn digest(mut body: impl Read) -> (usize, u64) {
    let (mut hasher, mut all, mut buffer) = (DefaultHasher::new(), 0, vec![0; 1 << 16]);
    while let Ok(read @ 1..) = body.read(&mut buffer) {
        buffer[..read].iter().for_each(|byte| hasher.write_u8(*byte));
        all += read;
    }
    (all, hasher.finish())
}

fn most_memory(pid: u32) -> Option<usize> {
    let status = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Answers that cannot be parsed pass byte for byte and use constant memory.
#[test]
fn hostile_answers_pass_and_cost_nothing() {
    let ledger = Ledger::open("hostile", &hostile().to_string(), &[]);
    let body = json!({ "model": "m", "messages": [] }).to_string();
    post(&ledger.address, &format!("{MESSAGES}?case=cut"), &body);
    let before = most_memory(ledger.served.child.id());
    for name in CASES {
        let mut stream = TcpStream::connect(&ledger.address).expect("a gateway");
        let head =
            format!("POST {MESSAGES}?case={name} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
        stream
            .write_all(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes())
            .expect("sent");
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while reader.read_line(&mut line).is_ok_and(|read| read > 0) && line.trim() != "" {
            line.clear();
        }
        let (_, piece, times) = case(name);
        let sent: Box<dyn Read> = (0..times).fold(Box::new(std::io::empty()) as Box<dyn Read>, |all, at| {
            if at % 64 == 0 { Box::new(all.chain(repeated(&piece, times.min(at + 64) - at))) } else { all }
        });
        assert_eq!(digest(reader), digest(sent), "{name}");
    }
    let lines = ledger.lines("request", CASES.len() + 1);
    assert!(lines.iter().all(|line| line["billed"].is_null() && line["status"] == 200), "{lines:?}");
    if let (Some(before), Some(after)) = (before, most_memory(ledger.served.child.id())) {
        assert!(after - before < 32 << 10, "{before} kB before, {after} kB after");
    }
}

/// The same bytes repeated.
fn repeated(piece: &[u8], times: usize) -> std::io::Cursor<Vec<u8>> {
    std::io::Cursor::new(piece.repeat(times))
}
