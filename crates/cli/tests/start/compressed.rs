//! Tests `POST /v1/compress` and `GET /v1/retrieve` of `tersely serve`, as other gateways call them.

use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::{Running, ask, start, upstream};

/// A gateway with these settings; its upstreams are not used.
fn served(env: &[(&str, &str)]) -> Running {
    start(&["serve", "--listen", "127.0.0.1:0"], env)
}

/// Sends a request; returns the status, the head and the body of the answer.
fn asked(address: &str, line: &str, headers: &str, body: &str) -> (u16, String, String) {
    let head = format!("{line} HTTP/1.1\r\ncontent-length: {}{headers}", body.len());
    let answer = ask(address, &head, body);
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
    let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).expect("a status");
    (status, head.to_owned(), body.to_owned())
}

/// The body of a successful answer.
fn compressed(address: &str, headers: &str, body: &str) -> String {
    let (status, _, answer) = asked(address, "POST /v1/compress", headers, body);
    assert_eq!(status, 200, "{answer}");
    answer
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A list of records that takes half the tokens as a table.
fn records(from: usize) -> String {
    let row = |id: usize| format!(r#"{{"id":{id},"name":"item-{id}","state":"open","owner":"team-a"}}"#);
    format!("[{}]", (from..from + 60).map(row).collect::<Vec<_>>().join(","))
}

/// A long log with little information.
fn log() -> String {
    let line = |n: usize| format!("2026-01-01 12:00:{:02} INFO worker {} finished batch {n}", n % 60, n % 7);
    (0..1500).map(line).collect::<Vec<_>>().join("\n")
}

/// One exchange in each format, with unknown members and unusual spelling around the text.
fn exchange(shape: &str, id: &str, text: &str) -> String {
    let text = Value::from(text);
    match shape {
        "openai" => format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"bash","arguments":"{{}}"}}}}], "x" : 1.10}}, {{"role":"tool","tool_call_id":"{id}","content":{text},"own":{{"b":1e5,"a":-0}}}}"#
        ),
        "anthropic" => format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"x"}}}}], "x" : 1.10}}, {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":{text},"cache_control":{{"type":"ephemeral"}}}}]}}"#
        ),
        _ => format!(
            r#"{{"type":"function_call","call_id":"{id}","name":"bash","arguments":"{{}}", "x" : 1.10}}, {{"type":"function_call_output","call_id":"{id}","output":{text},"own":{{"b":1e5,"a":-0}}}}"#
        ),
    }
}

const SHAPES: [&str; 3] = ["openai", "anthropic", "responses"];

/// Behaviour 21.1.
#[test]
fn messages_come_back_with_nothing_changed_but_their_results() {
    let served = served(&[]);
    let address = served.address();
    for shape in SHAPES {
        let (user, text) = (r#"{"role":"user", "content":"do it","é":[ ]}"#, records(1));
        let messages = format!("[ {user},{} ]", exchange(shape, "c1", &text));
        let body = format!(r#"{{"config":{{"session_id":"s"}},"messages":{messages},"model":"gpt-5"}}"#);
        let answer = compressed(&address, "", &body);
        let quoted = Value::from(text.as_str()).to_string();
        let (before, after) = messages.split_once(&quoted).expect("a result");
        let rest = answer.strip_prefix("{\"messages\":").and_then(|rest| rest.strip_prefix(before));
        let rest = rest.unwrap_or_else(|| panic!("{shape}: {answer}"));
        assert!(rest.contains(&format!("\"{after},\"tokens_before\":")), "{shape}: {answer}");
        let numbers = parsed(&answer);
        let number = |name: &str| numbers[name].as_u64().expect("a number");
        assert!(number("tokens_after") * 3 < number("tokens_before") * 2, "{shape}: {answer}");
        assert_eq!(number("tokens_saved"), number("tokens_before") - number("tokens_after"));
        assert!(numbers["compression_ratio"].as_f64().is_some_and(|ratio| ratio < 0.67));
        assert!(numbers["transforms_applied"].as_array().is_some_and(|stages| !stages.is_empty()));
        assert_eq!((&numbers["ccr_hashes"], &numbers["ignored"]), (&json!([]), &json!([])));
    }
}

/// Behaviour 21.2: on any replica, after any other request, with any session name.
#[test]
fn the_answer_is_a_function_of_the_question() {
    let (one, other) = (served(&[]), served(&[]));
    let (one, other) = (one.address(), other.address());
    for shape in SHAPES {
        let body = |turns: usize, session: &str| {
            let exchanges = (0..turns).map(|turn| exchange(shape, &format!("c{turn}"), &records(turn * 7)));
            let messages = exchanges.collect::<Vec<_>>().join(",");
            format!(r#"{{"messages":[{messages}],"model":"m","config":{{"session_id":"{session}"}}}}"#)
        };
        let mut before: Vec<Value> = Vec::new();
        for turns in 1..5 {
            let first = compressed(&one, "", &body(turns, "a"));
            assert_eq!(first, compressed(&other, "", &body(turns, "b")), "{shape}");
            assert_eq!(first, compressed(&one, "", &body(turns, "c")), "{shape}");
            let messages = parsed(&first)["messages"].as_array().expect("messages").clone();
            assert_eq!(messages.len(), turns * 2);
            assert_eq!(messages[..before.len()], before[..], "{shape}: what was sent stays as it was sent");
            before = messages;
        }
    }
}

/// Behaviour 21.3.
#[test]
fn frozen_messages_stay_and_are_still_referred_to() {
    let served = served(&[]);
    let address = served.address();
    for shape in SHAPES {
        let text = log();
        // A reference names the command whose output it refers to; file contents are shown unchanged.
        let messages = [exchange(shape, "c1", &text), exchange(shape, "c2", &text)].join(",");
        let messages = messages.replace(r#""arguments":"{}""#, r#""arguments":"{\"command\":\"cat x\"}""#);
        let messages = messages.replace(r#"{"command":"x"}"#, r#"{"command":"cat x"}"#);
        let body = |frozen: &str| {
            format!(r#"{{"messages":[{messages}],"config":{{"frozen_message_count":{frozen}}}}}"#)
        };
        let sent = |frozen: &str| -> Vec<Value> {
            parsed(&compressed(&address, "", &body(frozen)))["messages"].as_array().expect("messages").clone()
        };
        let came = parsed(&format!("[{messages}]"));
        assert_eq!(sent("4"), *came.as_array().expect("a list"), "{shape}");
        assert_eq!(sent("1000000"), sent("4"));
        let half = sent("2");
        assert_eq!(half[..3], came.as_array().expect("a list")[..3], "{shape}");
        let (first, second) = (half[1].to_string().len(), half[3].to_string().len());
        assert!(second * 10 < first, "{shape}: the second names the first: {second} of {first}");
        let compressed = sent("0");
        assert_ne!(compressed[1..], came.as_array().expect("a list")[1..], "{shape}");
    }
}

/// A request that lets its model fetch omitted text.
fn retrieving(shape: &str, tools: bool) -> String {
    let tool = match shape {
        "openai" => r#"{"type":"function","function":{"name":"bash","parameters":{}}}"#,
        "anthropic" => r#"{"name":"Bash","input_schema":{}}"#,
        _ => r#"{"type":"function","name":"bash","parameters":{}}"#,
    };
    let tools = if tools { format!(r#""tools":[{tool}],"#) } else { String::new() };
    let messages = exchange(shape, "c1", &log());
    format!(r#"{{{tools}"messages":[{messages}],"config":{{"retrieve":true}}}}"#)
}

const SMALL: &str = "\r\nx-tersely-reader: small";

/// Behaviour 21.4, 21.6.
#[test]
fn what_is_left_out_was_asked_for_and_comes_back_to_its_tenant_alone() {
    let served = served(&[("TERSELY_MAX_BYTES", "4KiB")]);
    let address = served.address();
    let mine = format!("{SMALL}\r\nauthorization: Bearer mine");
    let theirs = "\r\nauthorization: Bearer theirs";
    for shape in SHAPES {
        let plain = retrieving(shape, true).replace("\"retrieve\":true", "\"retrieve\":false");
        for (body, headers) in [
            (&plain, &mine),
            (&retrieving(shape, true), &SMALL.to_owned()),
            (&retrieving(shape, false), &mine),
        ] {
            let answer = compressed(&address, headers, body);
            assert!(!answer.contains("SHADOW") && !answer.contains("expand_context"), "{shape}: {answer}");
        }
        let answer = parsed(&compressed(&address, &mine, &retrieving(shape, true)));
        assert!(answer["tools"].to_string().contains("\"expand_context\""), "{shape}: {answer}");
        let id = answer["ccr_hashes"][0].as_str().expect("an id").to_owned();
        assert!(answer["messages"].to_string().contains(&format!("<<<SHADOW:{id}>>>")), "{shape}");
        let ask =
            |query: &str, headers: &str| asked(&address, &format!("GET /v1/retrieve/{query}"), headers, "");
        let (status, head, text) = ask(&id, &mine);
        assert_eq!((status, parsed(&text)["original_content"].as_str()), (200, Some(log().as_str())));
        assert!(head.contains("no-store"), "{head}");
        let (_, _, part) = ask(&format!("{}?query=lines+3-4", id.trim_start_matches("shadow_")), &mine);
        let lines: Vec<_> = log().lines().skip(2).take(2).map(|line| format!("{line}\n")).collect();
        assert_eq!(parsed(&part)["original_content"], lines.concat(), "{shape}");
        for (query, headers) in [(&*id, theirs), (&id, ""), ("00112233445566778899aabb", &mine)] {
            assert_eq!(ask(query, headers).0, 404, "{shape}: {query}");
        }
    }
}

/// Behaviour 21.4: secrets are unchanged, unless the operator enabled masking.
#[test]
fn nothing_is_masked_unless_the_operator_asked() {
    let secret = &["ghp_", "wJ4kXq9ZtR7bVn2LmYc8Ps5HdGf3Ae1Uo6Ti"].concat();
    let text = format!("token: {secret}\n{}", records(1));
    let body = format!(r#"{{"messages":[{}]}}"#, exchange("openai", "c1", &text));
    let plain = served(&[]);
    assert!(compressed(&plain.address(), "", &body).contains(secret));
    let sealed = served(&[("TERSELY_REDACT_SECRETS", "true")]);
    assert!(!compressed(&sealed.address(), "", &body).contains(secret));
}

/// Behaviour 21.5.
#[test]
fn a_question_that_is_none_is_refused_and_nothing_breaks() {
    let served = served(&[("TERSELY_LIMITS_BODY", "300000")]);
    let address = served.address();
    let deep = format!(r#"{{"messages":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let long = format!(r#"{{"messages":[{{"role":"user","content":"{}"}}]}}"#, "x".repeat(300_000));
    for (body, status) in [
        ("", 400),
        ("no JSON", 400),
        (r#"{"messages":[{]}"#, 400),
        (r#"{"messages":{}}"#, 400),
        (r#"{"messages":["x"]}"#, 400),
        (r#"{"messages":[],"config":{"frozen_message_count":1.5}}"#, 400),
        (&deep, 400),
        (&long, 413),
    ] {
        let (found, _, answer) = asked(&address, "POST /v1/compress", "", body);
        assert_eq!(found, status, "{answer}");
        let message = parsed(&answer)["error"]["message"].as_str().unwrap_or_default().to_owned();
        assert!(message.starts_with("tersely: "), "{answer}");
    }
    let (status, _, answer) = asked(&address, "POST /v1/compress", "\r\ncontent-encoding: gzip", "{}");
    assert_eq!(status, 415, "{answer}");
    for odd in [
        r#"{"messages":[]}"#,
        r#"{"messages":[{}]}"#,
        r#"{"messages":[{"role":"tool","content":7},{"role":"tool","content":[null,{"type":"text"}]}]}"#,
        r#"{"messages":[{"role":"tool","tool_call_id":"c","content":"\ud800"}]}"#,
        r#"{"messages":[{"role":"tool","role":"user","content":"x"}]}"#,
    ] {
        let answer = compressed(&address, "", odd);
        let came =
            odd.trim_end_matches('}').split_once(':').map(|(_, messages)| messages).unwrap_or_default();
        assert!(
            answer.starts_with(&format!("{{\"messages\":{}", came.trim_end_matches([']', '}']))),
            "{answer}"
        );
        parsed(&answer.replace("\\ud800", ""));
    }
    let (status, _, answer) = asked(&address, "POST /v1/compress/response", "", r#"{"turn_id":"t"}"#);
    assert!(status == 404 && answer.contains("keeps no state between turns"), "{answer}");
}

/// Behaviour 21.7.
#[test]
fn when_we_fail_the_messages_come_back_as_they_came() {
    let served = served(&[("TERSELY_TIMEOUTS_REWRITE", "1ms")]);
    let messages =
        (0..40).map(|turn| exchange("openai", &format!("c{turn}"), &log())).collect::<Vec<_>>().join(",");
    let body = format!(r#"{{"messages":[{messages}]}}"#);
    let (status, head, answer) = asked(&served.address(), "POST /v1/compress", "", &body);
    assert_eq!(status, 200);
    assert!(head.contains("x-tersely-missed: late"), "{head}");
    assert!(answer.starts_with(&format!("{{\"messages\":[{messages}],")));
    let answer = parsed(&answer);
    assert_eq!((&answer["tokens_before"], &answer["tokens_saved"]), (&answer["tokens_after"], &json!(0)));
}

/// Behaviour 21.8: when the endpoint is off, its paths go to the upstream.
#[test]
fn where_the_door_is_shut_its_paths_are_the_upstream_s() {
    let (address, seen) = upstream(Duration::ZERO);
    let url = format!("http://{address}");
    let started = |listen: &str, door: &str| {
        start(&["serve", "--listen", listen, "--upstream", &url], &[("TERSELY_COMPRESS_API", door)])
    };
    let body = r#"{"messages":[]}"#;
    let id = "/v1/retrieve/shadow_00112233445566778899aabbccddeeff";
    for (listen, door, answers) in [
        ("127.0.0.1:0", "auto", true),
        ("127.0.0.1:0", "off", false),
        ("0.0.0.0:0", "auto", false),
        ("0.0.0.0:0", "on", true),
    ] {
        let served = started(listen, door);
        let here = served.address();
        let (_, _, answer) = asked(&here, "POST /v1/compress", "", body);
        assert_eq!(answer.contains("tokens_before"), answers, "{listen} {door}: {answer}");
        let (status, _, _) = asked(&here, &format!("GET {id}"), "", "");
        assert_eq!(
            status,
            if !answers {
                200
            } else if listen == "0.0.0.0:0" {
                401
            } else {
                404
            }
        );
        for line in ["GET /v1/compress", "POST /v1/retrieve/x", "GET /v1/retrieve/file", "GET /v1/models"] {
            asked(&here, line, "", "");
            let found = std::iter::from_fn(|| seen.recv_timeout(Duration::from_mins(1)).ok());
            let lines: Vec<_> = found.map(|it| it.line).take_while(|it| !it.starts_with(line)).collect();
            assert_eq!(lines.is_empty(), answers || line != "GET /v1/compress", "{listen} {door}: {lines:?}");
        }
    }
}

/// Behaviour 21.9.
#[test]
fn what_is_done_here_is_told_like_any_request() {
    let folder = tempfile();
    let events = format!("{folder}/events.jsonl");
    let served = served(&[("TERSELY_EVENTS_FILE", &events), ("TERSELY_LOG_FORMAT", "json")]);
    let address = served.address();
    let body = format!(r#"{{"model":"gpt-5","messages":[{}]}}"#, exchange("openai", "c1", &records(1)));
    let (_, head, _) = asked(&address, "POST /v1/compress", "", &body);
    for name in ["x-tersely-request-id: ", "x-tersely-tokens-before: ", "x-tersely-stages: "] {
        assert!(head.contains(name), "{head}");
    }
    let line = (0..20).map(|_| served.line()).find(|line| line.contains("\"compress\"")).expect("a line");
    assert!(line.contains("\"gpt-5\""), "{line}");
    let found = (0..100).find_map(|_| {
        std::thread::sleep(Duration::from_millis(50));
        let text = std::fs::read_to_string(&events).ok()?;
        text.lines().map(parsed).find(|event| event["provider"] == "compress")
    });
    let event = found.expect("an event");
    assert!(event["model"] == "gpt-5" && !event.to_string().contains("item-1"), "{event}");
    let _ = std::fs::remove_dir_all(folder);
}

/// Every example on the page works as documented.
#[test]
fn the_page_says_what_happens() {
    let page = include_str!("../../../../docs/compress.md");
    let mut blocks = page.split("```").skip(1).step_by(2);
    let question = blocks.find(|block| block.starts_with("sh\ncurl")).expect("a question");
    let answer = blocks.next().and_then(|block| block.strip_prefix("json\n")).expect("an answer");
    let body = question.split('\'').nth(1).expect("a body");
    let served = served(&[]);
    assert_eq!(parsed(&compressed(&served.address(), "", body)), parsed(answer));
}

/// A temporary folder for this test.
fn tempfile() -> String {
    let folder = std::env::temp_dir().join(format!("tersely-compressed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.to_string_lossy().into_owned()
}
