//! Tests `tersely serve` with other gateways' settings as their documentation prints them.

use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::{post, start, turn, upstream};

/// The body that the upstream receives through a gateway with these flags and variables, and the answer.
fn exchange(args: &[&str], env: &[(&str, &str)], path: &str, body: &str) -> (String, String) {
    let (address, seen) = upstream(Duration::ZERO);
    let url = format!("http://{address}");
    let served = start(&[&["serve", "--listen", "127.0.0.1:0", "--backend-url", &url], args].concat(), env);
    let gateway = loop {
        if let Some((_, rest)) = served.line().split_once("ready on http://") {
            break rest.split(',').next().expect("an address").to_owned();
        }
    };
    let answer = post(&gateway, path, body);
    (seen.recv_timeout(Duration::from_mins(1)).expect("a request").body, answer)
}

fn sent(args: &[&str], env: &[(&str, &str)], body: &str) -> String {
    exchange(args, env, "/v1/messages", body).0
}

/// A request with extra members next to its messages.
fn with(members: &str, body: &str) -> String {
    format!("{},{members}}}", body.strip_suffix('}').expect("an object"))
}

/// A request with this text as a result.
fn results(text: &str) -> String {
    let part = |id: &str| {
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "./report"}});
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": text});
        [json!({"role": "assistant", "content": [call]}), json!({"role": "user", "content": [result]})]
    };
    let messages = [part("call_abc123"), part("call_abc124")].concat();
    json!({"model": "test-model", "messages": messages}).to_string()
}

/// The text of a sent result.
fn shown(body: &str, message: usize) -> String {
    let body: Value = serde_json::from_str(body).expect("JSON");
    body["messages"][message]["content"][0]["content"].as_str().expect("a text").to_owned()
}

/// Error lines with the same phrases in varying order: more readable forms leave errors unchanged.
fn phrases() -> String {
    let phrases = [
        "the resolver gave up on crate alpha",
        "no version of beta fits the lock file",
        "gamma was built for another target",
        "the registry did not answer for delta",
        "epsilon asks for a newer compiler",
    ];
    let line = |n: usize| {
        let (mut left, mut order) = (phrases.to_vec(), Vec::new());
        let mut code = n * 7 % 120;
        while !left.is_empty() {
            order.push(left.remove(code % left.len()));
            code /= left.len() + 1;
        }
        format!("error: {}", order.join(", "))
    };
    (0..40).map(line).collect::<Vec<_>>().join("\n")
}

/// One long line that repeats a phrase.
fn story() -> String {
    let phrase = "dependency resolution of workspace crate alpha stopped for the reason that was given in the report above";
    let words =
        |n: usize| "and so on it went until the end".split(' ').take(n % 8).collect::<Vec<_>>().join(" ");
    let line = |n: usize| format!("{} {phrase} {}", words(n), words(n / 8));
    (0..40).map(line).collect::<Vec<_>>().join("; ")
}

/// Behaviour 12.2: the standard mode, by flag and by variable.
#[test]
fn forge_standard_by_flag_and_by_variable() {
    let (body, _) = turn();
    for (args, env) in [
        (vec!["--tool-output-compression", "standard"], vec![]),
        (vec![], vec![("FORGE_TOOL_OUTPUT_COMPRESSION", "standard")]),
    ] {
        let sent = sent(&args, &env, &body);
        assert!(sent.len() * 2 < body.len() && sent.contains("[layout1 json"), "{sent}");
    }
}

/// Behaviour 4.1 and 12.2: the aggressive mode and its method.
#[test]
fn forge_aggressive_with_a_method() {
    let body = results(&phrases());
    for (args, env) in [
        (vec!["--tool-output-compression", "aggressive", "--tool-output-compression-method", "auto"], vec![]),
        (
            vec![],
            vec![
                ("FORGE_TOOL_OUTPUT_COMPRESSION", "aggressive"),
                ("FORGE_TOOL_OUTPUT_COMPRESSION_METHOD", "auto"),
            ],
        ),
    ] {
        let shown = shown(&sent(&args, &env, &body), 1);
        assert!(shown.contains(" Dictionary]\n<<"), "{shown}");
    }
    let asks = r#""_forge": {"tool_output_compression": {"mode": "aggressive", "method": "repair"}}"#;
    let sent = sent(&[], &[], &with(asks, &body));
    assert!(shown(&sent, 1).starts_with("[Tersely RePair Dictionary]\n<<R1:1>> = "), "{sent}");
    assert!(!sent.contains("_forge"), "{sent}");
}

/// Behaviour 12.3: options in a request, each object as documented.
#[test]
fn forge_objects_in_a_request() {
    let (body, _) = turn();
    let plain = sent(
        &["--mode", "disabled"],
        &[],
        &with(r#""_forge": {"tool_output_compression": "standard"}"#, &body),
    );
    assert!(plain.len() * 2 < body.len(), "{plain}");
    let secret = ["AKIA", "Q3EGRIZ7", "HVLXTNWK"].concat();
    let text = format!("{}\nAWS_ACCESS_KEY_ID={secret}\n", story());
    let all = r#""_forge": {"tool_output_compression": {"mode": "standard", "session_id": "tenant-a-session-42", "dedup": true, "redact_secrets": true, "max_output_bytes": 65536}}"#;
    let answered = sent(&[], &[], &with(all, &results(&text)));
    assert!(!answered.contains(&secret), "{answered}");
    let again = shown(&answered, 3);
    assert!(again.starts_with("[Duplicate of call_abc123 (Bash); see earlier result]\n"), "{again}");
    let unremembered = r#""_forge": {"tool_output_compression": {"mode": "standard", "session_id": "my-session", "memo": false}}"#;
    assert!(sent(&[], &[], &with(unremembered, &body)).contains("[layout1 json"));
}

/// Behaviour 9.1 and 12.5: tool descriptions, by flag, by variable and in a request.
#[test]
fn forge_schema_compression() {
    let tools =
        json!([{"name": "Bash", "description": "Runs   a command.  \n\n\n\nWaits.", "input_schema": {}}]);
    let body = json!({"model": "m", "tools": tools, "messages": []}).to_string();
    let asks = with(r#""_forge": {"schema_compression": "minify"}"#, &body);
    for (args, env, body) in [
        (vec!["--schema-compression", "minify"], vec![], &body),
        (vec![], vec![("FORGE_SCHEMA_COMPRESSION", "minify")], &body),
        (vec![], vec![], &asks),
    ] {
        let sent: Value = serde_json::from_str(&sent(&args, &env, body)).expect("JSON");
        assert_eq!(sent["tools"][0]["description"], "Runs a command.\n\nWaits.", "{args:?} {env:?}");
    }
}

/// Behaviour 11.1, 11.4, 11.5 and 16.2: the documented probe, with Ollama. The model checks the first character of the
/// second message to see whether it is JSON; nothing else in the request changes.
#[test]
fn lynkr_toon_switched_off_and_on() {
    let rows: Vec<Value> =
        (0..60).map(|n| json!({"id": n, "name": format!("item {n}"), "state": "open"})).collect();
    let blob = Value::from(rows).to_string();
    assert!(blob.len() > 256);
    let ask = "Does the next message begin as JSON does? Answer JSON or OTHER.";
    let messages = json!([{"role": "user", "content": ask}, {"role": "user", "content": blob}]);
    let body = json!({"model": "glm-5:cloud", "messages": messages, "stream": false}).to_string();
    let env = |enabled| {
        vec![
            ("TOON_ENABLED", enabled),
            ("TOON_MIN_BYTES", "256"),
            ("TOON_FAIL_OPEN", "true"),
            ("TOON_LOG_STATS", "true"),
        ]
    };
    let (off, told) = exchange(&[], &env("false"), "/api/chat", &body);
    assert_eq!(off, body);
    assert!(!told.contains("x-tersely-prompts"), "{told}");
    let (on, told) = exchange(&[], &env("true"), "/api/chat", &body);
    let seen: Value = serde_json::from_str(&on).expect("JSON");
    let text = seen["messages"][1]["content"].as_str().expect("a text");
    assert!(text.starts_with("[60]{id,name,state}:"), "{text}");
    assert_eq!(on.replace(&json!(text).to_string(), &json!(blob).to_string()), body);
    let stats =
        format!("x-tersely-prompts: convertedCount=1, candidateCount=1, originalBytes={}", blob.len());
    assert!(told.contains(&stats), "{told}");
}
