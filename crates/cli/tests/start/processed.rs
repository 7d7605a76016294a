//! Tests `tersely extproc` with requests as Envoy sends them.

use std::future::Future;
use std::time::Duration;

use serde_json::Value;

use crate::envoy::{Envoy, HEALTH, PROCESS, at, body, field, fields, framed, head};
use crate::stage::{Running, get, post, start, turn, upstream};

/// A processor with these settings.
fn processor(env: &[(&str, &str)]) -> Running {
    start(&["extproc", "--listen", "127.0.0.1:0"], env)
}

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(test)
}

/// The replaced body in an answer, if any.
fn mutated(answer: Option<&Vec<u8>>) -> Option<String> {
    at(answer?, &[3, 1, 3, 1]).map(|bytes| String::from_utf8(bytes).expect("text"))
}

/// Requests in three formats with compressible results.
fn requests() -> Vec<(&'static str, String)> {
    let (messages, text) = turn();
    let text = Value::from(text);
    let chat = format!(
        r#"{{"messages":[{{"role":"assistant","content":null,"tool_calls":[{{"id":"c","type":"function","function":{{"name":"bash","arguments":"{{}}"}}}}], "x" : 1.10}}, {{"role":"tool","tool_call_id":"c","content":{text},"own":{{"b":1e5,"a":-0}}}}],"model":"gpt-5"}}"#
    );
    let responses = format!(
        r#"{{"model":"gpt-5", "input":[{{"type":"function_call","call_id":"c","name":"bash","arguments":"{{}}"}},{{"type":"function_call_output","call_id":"c","output":{text}}}]}}"#
    );
    vec![("/v1/messages?beta=true", messages), ("/v1/chat/completions", chat), ("/v1/responses", responses)]
}

/// A request with a tool and a log from which much could be omitted.
fn long() -> String {
    let line = |n: usize| format!("2026-01-01 12:00:{:02} INFO worker {} finished batch {n}", n % 60, n % 7);
    let text = Value::from((0..3000).map(line).collect::<Vec<_>>().join("\n"));
    format!(
        r#"{{"model":"m","tools":[{{"name":"Bash","input_schema":{{}}}}],"messages":[{{"role":"assistant","content":[{{"type":"tool_use","id":"t","name":"Bash","input":{{"command":"x"}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":{text}}}]}}]}}"#
    )
}

/// Behaviour 22.1, 22.2, 22.6: on any replica.
#[test]
fn a_body_becomes_what_a_gateway_sends_that_leaves_nothing_out() {
    let (address, seen) = upstream(Duration::ZERO);
    let url = format!("http://{address}");
    let flags = ["--loss", "form", "--redact-secrets=false", "--upstream", &url];
    let gateway = start(&[&["serve", "--listen", "127.0.0.1:0"][..], &flags].concat(), &[]);
    let gateway = gateway.address();
    let (one, other) = (processor(&[]), processor(&[]));
    let (one, other) = (one.address(), other.address());
    run(async {
        let mut both = [Envoy::connect(&one).await, Envoy::connect(&other).await];
        for (path, came) in requests().into_iter().chain([("/v1/messages", long())]) {
            post(&gateway, path, &came);
            let sent = seen.recv_timeout(Duration::from_mins(1)).expect("a request").body;
            assert!(sent.len() < came.len(), "{path}");
            for envoy in &mut both {
                let (first, second, end) = envoy.process(&head(path, &[]), &body(came.as_bytes())).await;
                assert_eq!((first, &*end), (Some(vec![0x0a, 0]), "0"), "the head goes on as it is");
                assert_eq!(mutated(second.as_ref()).as_ref(), Some(&sent), "{path}");
                let second = second.expect("an answer");
                let length = at(&second, &[3, 1, 2, 1, 1]).expect("a header");
                assert_eq!(at(&length, &[1]).as_deref(), Some(&b"content-length"[..]));
                assert_eq!(at(&length, &[3]), Some(sent.len().to_string().into_bytes()));
                assert_eq!(at(&second, &[3, 1, 2, 2]).as_deref(), Some(&b"content-encoding"[..]));
            }
        }
    });
}

/// Behaviour 22.1: unchanged bodies get an empty answer, and bodies that cannot change are not requested.
#[test]
fn what_stays_as_it_is_is_let_go() {
    let processor = processor(&[]);
    let address = processor.address();
    let same = r#"{"model":"m","messages":[{"role":"user","content":"hello"}]}"#;
    run(async {
        let mut envoy = Envoy::connect(&address).await;
        let (_, second, end) = envoy.process(&head("/v1/messages", &[]), &body(same.as_bytes())).await;
        assert_eq!((second, &*end), (Some(vec![0x1a, 0]), "0"));
        let whole = head("/v1/messages", &[]);
        let all = [field(2, &[at(&whole, &[2]).expect("a head"), vec![0x18, 1]].concat())].concat();
        let in_pieces =
            |mode| [field(2, &at(&whole, &[2]).expect("a head")), field(11, &[0x08, mode])].concat();
        let signed = head("/v1/messages", &[("content-digest", "sha-256=:x:")]);
        let got = String::from_utf8(head("/v1/messages", &[])).expect("text").replace("POST", "HEAD");
        for over in [head("/v1/models", &[]), all, in_pieces(0), in_pieces(1), signed, got.into_bytes()] {
            let mut stream = envoy.open(PROCESS, framed(&over)).await;
            assert_eq!(stream.next().await, Some(vec![0x0a, 0]), "it goes on");
            assert_eq!(stream.end().await, "0", "and is not asked about again");
        }
        // In this mode, Envoy sends only what it gets back.
        let mut stream = envoy.open(PROCESS, framed(&in_pieces(4))).await;
        assert_eq!(stream.next().await, Some(vec![0x0a, 0]));
        let (piece, last) = (field(1, b"one"), [field(1, b"two"), vec![0x10, 1]].concat());
        for said in [piece, last] {
            stream.say(framed(&field(4, &said)));
            let heard = stream.next().await.expect("an answer");
            assert_eq!(at(&heard, &[3, 1, 3, 3]), Some(said));
        }
        assert_eq!(stream.end().await, "0");
    });
}

/// Behaviour 22.2, 22.4: headers for us take effect and are removed; invalid values are ignored.
#[test]
fn headers_for_us_are_heard_and_taken_away() {
    let processor = processor(&[]);
    let address = processor.address();
    let (came, _) = turn();
    run(async {
        let mut envoy = Envoy::connect(&address).await;
        for (name, value) in [("x-tersely-bypass", "true"), ("x-tersely-mode", "no such mode")] {
            let said = head("/v1/messages", &[(name, value), ("x-compression-threshold", "1k")]);
            let (first, second, end) = envoy.process(&said, &body(came.as_bytes())).await;
            let removed = at(&first.expect("an answer"), &[1, 1, 2]).expect("a change");
            let removed: Vec<_> = fields(&removed).into_iter().map(|(_, name)| name).collect();
            assert_eq!(removed, [name.as_bytes(), b"x-compression-threshold"]);
            assert_eq!((second, &*end), (Some(vec![0x1a, 0]), "0"), "{name}");
        }
    });
}

/// Behaviour 22.2, 22.5.
#[test]
fn secrets_stay_unless_the_operator_asked_and_then_nothing_goes_unsearched() {
    let secret = &["ghp_", "wJ4kXq9ZtR7bVn2LmYc8Ps5HdGf3Ae1Uo6Ti"].concat();
    let came = long().replace("batch 7\\n", &format!("batch 7 with {secret}\\n"));
    assert!(came.contains(secret));
    let (plain, sealed) = (processor(&[]), processor(&[("TERSELY_REDACT_SECRETS", "true")]));
    let (plain, sealed) = (plain.address(), sealed.address());
    run(async {
        let (mut plain, mut sealed) = (Envoy::connect(&plain).await, Envoy::connect(&sealed).await);
        let (_, answer, _) = plain.process(&head("/v1/messages", &[]), &body(came.as_bytes())).await;
        let sent = mutated(answer.as_ref()).expect("a body");
        assert!(sent.contains(secret) && !sent.contains("SHADOW") && !sent.contains("expand_context"));
        for path in ["/v1/messages", "/any/path"] {
            let (_, answer, end) = sealed.process(&head(path, &[]), &body(came.as_bytes())).await;
            assert!(
                mutated(answer.as_ref()).is_some_and(|sent| !sent.contains(secret)) && end == "0",
                "{path}"
            );
        }
        let coded = head("/v1/messages", &[("content-encoding", "gzip")]);
        let (_, answer, end) = sealed.process(&coded, &body(b"no gzip")).await;
        assert_eq!((answer, &*end), (None, "13"), "Envoy does what it was told to do about faults");
        assert_eq!(sealed.open(PROCESS, framed(b"\xff")).await.end().await, "13");
        let (_, answer, end) = plain.process(&coded, &body(b"no gzip")).await;
        assert_eq!((answer, &*end), (Some(vec![0x1a, 0]), "0"));
    });
}

/// Behaviour 22.3: unknown messages are skipped; an invalid message ends its stream, and nothing else.
#[test]
fn hostile_streams_end_well_and_alone() {
    let processor = processor(&[("TERSELY_LIMITS_BODY", "300000")]);
    let address = processor.address();
    let (came, _) = turn();
    run(async {
        let mut envoy = Envoy::connect(&address).await;
        let unknown = [field(9, b"attributes"), vec![0x78, 1], field(14, &[0xff; 300])].concat();
        let odd = [&*unknown, &head("/v1/messages", &[("é", "\u{0}"), ("x", "ü")]), &unknown].concat();
        let (_, answer, end) = envoy.process(&odd, &[unknown, body(came.as_bytes())].concat()).await;
        assert!(mutated(answer.as_ref()).is_some() && end == "0");
        let known = framed(&head("/v1/messages", &[]));
        let then = |rest: &[u8]| [&known, rest].concat();
        let half = framed(&body(came.as_bytes()));
        for said in [
            framed(b""),
            framed(b"\xff\xff\xff"),
            framed(&[0x12, 0xff, 0xff, 0xff, 0xff, 0x7f]),
            framed(&body(came.as_bytes())),
            framed(&field(3, b"")),
            b"\x01\0\0\0\x01x".to_vec(),
            b"\0\xff\xff\xff\xffrest".to_vec(),
            b"\0\0".to_vec(),
            Vec::new(),
            then(&framed(b"\xff\xff")),
            then(&known),
            then(b"\0\xff\xff\xff\xff"),
            then(&framed(&body(&vec![b' '; 300_001]))),
            then(&half[..half.len() - 1]),
            then(&framed(&field(4, &field(1, came.as_bytes())))),
        ] {
            let mut stream = envoy.tell(PROCESS, said.clone()).await;
            let mut bodies = 0;
            while let Some(answer) = stream.next().await {
                bodies += usize::from(mutated(Some(&answer)).is_some());
            }
            let begin = &said[..said.len().min(20)];
            assert_eq!((stream.status.as_deref(), bodies), (Some("0"), 0), "{begin:?}");
        }
        // An abandoned stream does not affect others.
        let left = envoy.open(PROCESS, then(&half[..half.len() / 2])).await;
        drop(left);
        let (_, answer, _) = envoy.process(&head("/v1/messages", &[]), &body(came.as_bytes())).await;
        assert!(mutated(answer.as_ref()).is_some());
    });
}

/// Behaviour 22.3.
#[test]
fn when_there_is_no_time_a_body_stays_as_it_came() {
    let processor = processor(&[("TERSELY_TIMEOUTS_REWRITE", "1ms")]);
    let address = processor.address();
    let (row, _) = turn();
    let many = long().replace("finished", &row.replace(['"', '\\'], " ")[..200]);
    run(async {
        let mut envoy = Envoy::connect(&address).await;
        let (_, answer, end) = envoy.process(&head("/v1/messages", &[]), &body(many.as_bytes())).await;
        assert_eq!((answer, &*end), (Some(vec![0x1a, 0]), "0"));
    });
}

/// Many streams of one connection do not mix.
#[test]
fn streams_do_not_get_into_each_other_s_way() {
    let processor = processor(&[]);
    let address = processor.address();
    run(async {
        let mut envoy = Envoy::connect(&address).await;
        let mut streams = Vec::new();
        for number in 0..150 {
            let mut stream = envoy.open(PROCESS, framed(&head("/v1/messages", &[]))).await;
            assert!(stream.next().await.is_some());
            streams.push((number, stream));
        }
        // Every tenth has a compressible body.
        for (number, stream) in &mut streams {
            let came = if *number % 10 == 0 {
                turn().0.replace("team-a", &format!("team-{number}"))
            } else {
                "{}".to_owned()
            };
            stream.say(framed(&body(came.as_bytes())));
        }
        for (number, mut stream) in streams {
            let sent = mutated(stream.next().await.as_ref());
            assert_eq!(sent.is_some(), number % 10 == 0);
            assert!(sent.is_none_or(|sent| sent.contains(&format!("team-{number}"))));
            assert_eq!(stream.end().await, "0");
        }
    });
}

/// Behaviour 22.6: a body that Envoy did not wait for was sent unchanged, and stays unchanged.
#[test]
fn a_conversation_that_went_on_as_it_came_stays_so() {
    let processor = processor(&[]);
    let address = processor.address();
    let line = |n: usize| {
        format!("2026-01-01 12:{:02}:{:02} INFO worker {} finished batch {n}\\n", n / 60 % 60, n % 60, n % 7)
    };
    let came = long().replacen("2026", &(0..60_000).map(line).collect::<String>(), 1);
    let (mine, theirs) = ([("x-api-key", "mine")], [("x-api-key", "theirs")]);
    run(async {
        let mut envoy = Envoy::connect(&address).await;
        let mut stream = envoy.open(PROCESS, framed(&head("/v1/messages", &mine))).await;
        assert!(stream.next().await.is_some());
        stream.say(framed(&body(came.as_bytes())));
        let early = tokio::time::timeout(Duration::from_millis(60), stream.next()).await;
        assert!(early.is_err(), "it takes longer than Envoy waits");
        drop(stream);
        let (_, answer, _) = envoy.process(&head("/v1/messages", &theirs), &body(came.as_bytes())).await;
        assert!(mutated(answer.as_ref()).is_some());
        let (_, answer, _) = envoy.process(&head("/v1/messages", &mine), &body(came.as_bytes())).await;
        assert_eq!(answer, Some(vec![0x1a, 0]));
    });
}

/// Behaviour 22.7.
#[test]
fn a_processor_that_leaves_says_so_and_finishes_what_it_began() {
    let mut running = processor(&[("TERSELY_TIMEOUTS_NOTICE", "6s")]);
    let address = running.address();
    let (came, _) = turn();
    run(async {
        let mut envoy = Envoy::connect(&address).await;
        for (service, status, answer) in [("", "0", Some(vec![8, 1])), ("other", "5", None)] {
            let mut asked = envoy.open(HEALTH, framed(&field(1, service.as_bytes()))).await;
            assert_eq!(asked.next().await, answer);
            assert_eq!(asked.end().await, status);
        }
        assert_eq!(envoy.open("/grpc.health.v1.Health/Watch", framed(b"")).await.end().await, "12");
        let mut stream = envoy.open(PROCESS, framed(&head("/v1/messages", &[]))).await;
        assert!(stream.next().await.is_some() && get(&address, "/readyz").contains("200 OK"));
        running.signal("TERM");
        assert!(running.line().contains("accepting requests"), "it says so");
        let mut asked = envoy.open(HEALTH, framed(b"")).await;
        assert_eq!(asked.next().await, Some(vec![8, 2]), "not for long");
        assert!(get(&address, "/readyz").contains("503"));
        tokio::time::sleep(Duration::from_millis(6200)).await;
        stream.say(framed(&body(came.as_bytes())));
        assert!(mutated(stream.next().await.as_ref()).is_some());
        assert_eq!(stream.end().await, "0");
    });
    assert_eq!(running.code(), Some(0));
}

/// Behaviour 22.8.
#[test]
fn what_is_done_for_envoy_is_told_like_any_request() {
    let folder = std::env::temp_dir().join(format!("tersely-processed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let events = folder.join("events.jsonl");
    let running =
        processor(&[("TERSELY_EVENTS_FILE", &events.to_string_lossy()), ("TERSELY_LOG_FORMAT", "json")]);
    let address = running.address();
    let (came, _) = turn();
    run(async {
        let mut envoy = Envoy::connect(&address).await;
        envoy.process(&head("/v1/messages", &[]), &body(came.as_bytes())).await;
        envoy.process(&head("/v1/models", &[]), &body(b"")).await;
    });
    let line = (0..20).map(|_| running.line()).find(|line| line.contains("\"anthropic\"")).expect("a line");
    assert!(line.contains("\"m\"") && !line.contains("item-1"), "{line}");
    let found = (0..100).find_map(|_| {
        std::thread::sleep(Duration::from_millis(50));
        let text = std::fs::read_to_string(&events).ok()?;
        let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        events.into_iter().find(|event| event["provider"] == "anthropic")
    });
    let event = found.expect("an event").to_string();
    assert!(!event.contains("item-1") && !event.contains("issue list"), "{event}");
    let _ = std::fs::remove_dir_all(folder);
}
