//! Tests observe mode and holdout: what is computed but not sent, and for which sessions.

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::stage::{Running, Seen, ask, scripted, start, tersely, turn};

const MESSAGES: &str = "/v1/messages";

/// A gateway with an upstream that reports what it received.
struct Watched {
    served: Running,
    address: String,
    seen: Receiver<Seen>,
    folder: PathBuf,
}

impl Watched {
    /// Starts one with these arguments and variables; its events and history are in its own folder.
    fn open(name: &str, args: &[&str], env: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("tersely-trial-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let usage = json!({ "usage": { "input_tokens": 1000, "output_tokens": 10 } }).to_string();
        let (upstream, seen) = scripted(move |_| (200, usage.clone()));
        let [events, history] =
            ["events.jsonl", "history.db"].map(|it| folder.join(it).to_string_lossy().into_owned());
        let url = format!("http://{upstream}");
        let args = [&["serve", "--listen", "127.0.0.1:0", "--upstream", &url], args].concat();
        let own = [
            ("TERSELY_EVENTS_FILE", events.as_str()),
            ("TERSELY_HISTORY_FILE", history.as_str()),
            ("TERSELY_HISTORY_RECORD", "on"),
            ("TERSELY_EXPAND", "always"),
        ];
        let served = start(&args, &[&own, env].concat());
        let address = served.address();
        Self { served, address, seen, folder }
    }

    /// Sends a body with extra headers; returns the answer, and the body that the upstream received.
    fn send(&self, headers: &str, body: &str) -> (String, String) {
        let head = format!("POST {MESSAGES} HTTP/1.1\r\ncontent-length: {}{headers}", body.len());
        let answer = ask(&self.address, &head, body);
        (answer, self.seen.recv_timeout(Duration::from_mins(1)).expect("a request").body)
    }

    /// The events of one kind, once there are `count`.
    fn events(&self, kind: &str, count: usize) -> Vec<Value> {
        let since = Instant::now();
        loop {
            let text = fs::read_to_string(self.folder.join("events.jsonl")).unwrap_or_default();
            let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let lines: Vec<_> = lines.filter(|line| line["kind"] == kind).collect();
            if lines.len() >= count || since.elapsed() > Duration::from_mins(1) {
                assert_eq!(lines.len(), count, "{text}");
                return lines;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Its summary, once everything is recorded.
    fn close(&mut self) -> String {
        self.served.signal("INT");
        self.served.code();
        self.served.said.iter().collect::<Vec<_>>().join("\n")
    }

    /// The output of `tersely stats` for its history.
    fn stats(&self, args: &[&str]) -> String {
        let file = self.folder.join("history.db").to_string_lossy().into_owned();
        let args = [&["stats"], args].concat();
        let said = tersely(&args, &[("TERSELY_HISTORY_FILE", &file)]).output().expect("the binary starts");
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8(said.stdout).expect("text")
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A header of an answer.
fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    let head = answer.split("\r\n\r\n").next()?;
    head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))
}

fn number(answer: &str, name: &str) -> u64 {
    header(answer, name).and_then(|it| it.parse().ok()).unwrap_or_else(|| panic!("{name} in {answer}"))
}

/// Behaviour 20.1 and 20.2: with the flag, the variable or the header, the original is sent, and the possible saving is
/// reported.
#[test]
fn observe_sends_what_came_and_tells_what_would_have_been() {
    let (body, _) = turn();
    let body = body.replace("\"m\"", "\"claude-sonnet-4-5\"");
    for (name, headers) in [("flag", ""), ("env", ""), ("header", "\r\nx-tersely-mode: observe")] {
        let mut watched = match name {
            "flag" => Watched::open(name, &["--mode", "observe"], &[]),
            "env" => Watched::open(name, &[], &[("TERSELY_MODE", "observe")]),
            _ => Watched::open(name, &[], &[]),
        };
        let (answer, sent) = watched.send(headers, &body);
        assert_eq!(sent, body, "{name}: byte for byte");
        assert_eq!(header(&answer, "x-tersely-arm"), Some("observed"), "{answer}");
        let before = number(&answer, "x-tersely-tokens-before");
        assert_eq!(number(&answer, "x-tersely-tokens-after"), before, "nothing was saved");
        assert!(number(&answer, "x-tersely-would-tokens-after") < before, "{answer}");
        assert_eq!(header(&answer, "x-tersely-tokens-tool"), Some("0"), "no tool is offered");
        assert!(
            header(&answer, "x-tersely-would-stages").is_some()
                && header(&answer, "x-tersely-stages").is_none()
        );

        let request = watched.events("request", 1).remove(0);
        let whole = &request["request_tokens"];
        assert_eq!((&request["arm"], &request["changed"]), (&"observed".into(), &0.into()), "{request}");
        assert_eq!(whole["before"], whole["after"], "{request}");
        let would = &request["would"];
        assert!(
            would["request_tokens"]["after"].as_u64() < would["request_tokens"]["before"].as_u64(),
            "{request}"
        );
        assert_eq!(request["paid_nanodollars"], request["estimate_without_nanodollars"], "{request}");
        assert!(would["estimate_nanodollars"].as_u64() < request["paid_nanodollars"].as_u64(), "{request}");
        let result = watched.events("result", 1).remove(0);
        assert_eq!((&result["status"], &result["saved_tokens"]), (&"observed".into(), &0.into()), "{result}");
        assert!(result["would_after_tokens"].as_u64() < result["before_tokens"].as_u64(), "{result}");

        let said = watched.close();
        assert!(said.contains("1 request: 0 of "), "{said}");
        assert!(
            said.contains("1 request sent unchanged: ") && said.contains("would have been saved"),
            "{said}"
        );
        let stats: Value = serde_json::from_str(&watched.stats(&["--json"])).expect("JSON");
        let all = &stats["periods"]["all"];
        assert_eq!((&all["tokens_saved"], &all["untouched_requests"]), (&0.into(), &1.into()), "{all}");
        assert!(
            all["would_tokens_saved"].as_i64() > Some(0) && all["would_usd_saved"].as_f64() > Some(0.0),
            "{all}"
        );
        assert_eq!((&all["usd_saved"], &stats["holdout"]), (&0.0.into(), &Value::Null), "{all}");
        assert!(watched.stats(&[]).contains("would have been saved"));
    }
}

/// Behaviour 20.3: masking applies if the operator or the request asked for it; nothing else does.
#[test]
fn observe_masks_what_was_asked_for() {
    let secret = tersely_testing::secrets::fill("ghp_{A36}", 1);
    let (body, _) = turn();
    let body = body.replacen("item-7", &secret, 1);
    let asks = body.replacen("{\"model\"", "{\"_tersely\":{\"redact_secrets\":true},\"model\"", 1);
    let observe = Watched::open("usual", &["--mode", "observe"], &[]);
    assert_eq!(observe.send("", &body).1, body, "what is usual is part of what is only told");
    let masked = observe.send("", &asks).1;
    assert_eq!(masked, body.replace(&secret, "[REDACTED_SECRET]"), "nothing else changes");
    let sealed = Watched::open("sealed", &["--mode", "observe", "--redact-secrets=true"], &[]);
    assert!(!sealed.send("", &body).1.contains(&secret));
}

/// A request of a session with this beginning and this number of results.
fn session(begins: &str, results: usize) -> String {
    let turns = (0..results).flat_map(|at| {
        let rows: Vec<_> =
            (0..40).map(|id| json!({ "id": id, "name": format!("item-{id}"), "turn": at })).collect();
        let id = format!("t{at}");
        let call =
            json!({ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": "gh issue list" } });
        let result =
            json!({ "type": "tool_result", "tool_use_id": id, "content": Value::from(rows).to_string() });
        [json!({ "role": "assistant", "content": [call] }), json!({ "role": "user", "content": [result] })]
    });
    let first = json!({ "role": "user", "content": begins });
    let turns: Vec<_> = [first].into_iter().chain(turns).collect();
    json!({ "model": "claude-sonnet-4-5", "max_tokens": 9, "messages": turns }).to_string()
}

/// Behaviour 20.4 and 20.5: the share is held out, a session stays in its group over turns and replicas, and treated
/// sessions get the same as without a trial.
#[test]
fn a_session_stays_in_its_group() {
    const SESSIONS: usize = 120;
    let held_out = [("TERSELY_HOLDOUT", "25%")];
    let mut one = Watched::open("one", &[], &held_out);
    let two = Watched::open("two", &["--holdout", "25%"], &[]);
    let none = Watched::open("none", &[], &[]);
    let salted = Watched::open("salted", &["--holdout", "25%"], &[("TERSELY_HOLDOUT_SALT", "other")]);
    let (mut held, mut moved) = (0, 0);
    for at in 0..SESSIONS {
        let begins = format!("Please fix issue {at}.");
        let arms = [(&one, 1), (&two, 2), (&one, 3)].map(|(gateway, results)| {
            let body = session(&begins, results);
            let (answer, sent) = gateway.send("", &body);
            let arm = header(&answer, "x-tersely-arm").expect("a group").to_owned();
            match arm.as_str() {
                "held_out" => assert_eq!(sent, body),
                "treated" => assert_eq!(sent, none.send("", &body).1),
                other => panic!("{other}"),
            }
            arm
        });
        assert!(arms.iter().all(|arm| *arm == arms[0]), "{begins}: {arms:?}");
        held += usize::from(arms[0] == "held_out");
        let (answer, _) = salted.send("", &session(&begins, 1));
        moved += usize::from(header(&answer, "x-tersely-arm") != Some(&*arms[0]));
    }
    assert!((15..=45).contains(&held), "{held} of {SESSIONS}");
    assert!(moved > 10, "another salt holds out others: {moved}");
    // A session name takes precedence over the beginning, and keeps the session in its group whatever it contains.
    let named = |begins: &str| {
        let (answer, _) = one.send("\r\nx-session-id: abc", &session(begins, 1));
        header(&answer, "x-tersely-arm").expect("a group").to_owned()
    };
    assert_eq!(named("a"), named("b"));

    one.events("request", 2 * SESSIONS + 2);
    one.close();
    let stats: Value = serde_json::from_str(&one.stats(&["--json"])).expect("JSON");
    let holdout = &stats["holdout"];
    assert_eq!(
        (&holdout["share"], &holdout["running"]),
        (&"25%".into(), &(SESSIONS + 1).into()),
        "{holdout}"
    );
    assert_eq!((&holdout["mixed"], &holdout["treated"]), (&0.into(), &0.into()), "{holdout}");
    let said = one.stats(&["--holdout"]);
    assert!(said.contains("25% of sessions held out") && said.contains("not enough data"), "{said}");
}

/// Behaviour 26.10: half of the sessions may be cleared. All are compressed, each stays in its group over turns and
/// replicas, and the trial is told from one in which sessions are sent unchanged.
#[test]
fn a_trial_of_clearing_compresses_every_session() {
    const SESSIONS: usize = 40;
    let half = [("TERSELY_CLEAR", "half")];
    let mut one = Watched::open("half", &[], &half);
    let two = Watched::open("half-too", &[], &half);
    let none = Watched::open("half-none", &[], &[]);
    let salted = Watched::open("half-salted", &[], &[half[0], ("TERSELY_HOLDOUT_SALT", "other")]);
    let (mut cleared, mut moved) = (0, 0);
    for at in 0..SESSIONS {
        let begins = format!("Please fix issue {at}.");
        let arms = [(&one, 1), (&two, 2), (&one, 3)].map(|(gateway, results)| {
            let body = session(&begins, results);
            let (answer, sent) = gateway.send("", &body);
            assert_eq!(sent, none.send("", &body).1, "nothing is cleared while the cache lives");
            header(&answer, "x-tersely-arm").expect("a group").to_owned()
        });
        assert!(arms.iter().all(|arm| *arm == arms[0]), "{begins}: {arms:?}");
        assert!(["cleared", "uncleared"].contains(&arms[0].as_str()), "{arms:?}");
        cleared += usize::from(arms[0] == "cleared");
        let (answer, _) = salted.send("", &session(&begins, 1));
        moved += usize::from(header(&answer, "x-tersely-arm") != Some(&*arms[0]));
    }
    assert!((10..=30).contains(&cleared), "{cleared} of {SESSIONS}");
    assert!(moved > 5, "another salt chooses others: {moved}");
    // The session's name is in the body, where the gateway must look for it before it decides.
    let named = |begins: &str| {
        let body = session(begins, 1).replacen('{', "{\"_tersely\":{\"session_id\":\"abc\"},", 1);
        header(&one.send("", &body).0, "x-tersely-arm").expect("a group").to_owned()
    };
    assert_eq!(named("a"), named("b"));

    let events = one.events("request", 2 * SESSIONS + 2);
    assert!(events.iter().all(|it| it["holdout"] == "50%" && it["would"].is_null()), "{:?}", events[0]);
    one.close();
    let stats: Value = serde_json::from_str(&one.stats(&["--json"])).expect("JSON");
    let holdout = &stats["holdout"];
    assert_eq!((&holdout["of"], &holdout["share"]), (&"clear".into(), &"50%".into()), "{holdout}");
    assert_eq!((&holdout["running"], &holdout["mixed"]), (&(SESSIONS + 1).into(), &0.into()), "{holdout}");
    let said = one.stats(&["--holdout"]);
    assert!(said.contains("50% of sessions held out from clearing"), "{said}");
}

/// With a provider-side conversation, the next request may not contain its beginning, so it is in no trial unless it
/// has a name.
#[test]
fn what_cannot_be_told_apart_is_in_no_trial() {
    let watched = Watched::open("kept", &["--holdout", "99%"], &[]);
    let item = json!({ "type": "function_call_output", "call_id": "c", "output": "[1, 2, 3]" });
    let input = [json!({ "role": "user", "content": "Hi" }), item];
    for (member, headers, expected) in [
        (json!({ "store": true }), "", false),
        (json!({ "previous_response_id": "r" }), "", false),
        (json!({ "store": true }), "\r\nsession_id: abc", true),
        (json!({ "store": false }), "", true),
    ] {
        let mut body = json!({ "model": "gpt-5", "input": input });
        let all = body.as_object_mut().expect("an object");
        all.extend(member.as_object().expect("an object").clone());
        let body = body.to_string();
        let head = format!("POST /v1/responses HTTP/1.1\r\ncontent-length: {}{headers}", body.len());
        let answer = ask(&watched.address, &head, &body);
        assert_eq!(header(&answer, "x-tersely-arm").is_some(), expected, "{member} {headers}: {answer}");
    }
}
