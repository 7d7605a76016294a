//! Holds what requests can say to us, and what becomes of their results, by the numbers of `spec/behaviour.md`.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use serde_json::{Value, json};
use tersely_core::prompt::PromptForm;
use tersely_core::{Call, DictionaryMethod, Loss, Mode, Plan, Reader, Redaction, compress};
use tersely_engine::{
    Engine, EngineSettings, ForwardBody, Memo, OptionError, PlanOverride, Prompts, Recall, Request,
    RequestOptions, Rule, SchemaMode, SentBody,
};
use tersely_wire::PROVIDERS;

/// Rows that take fewer tokens in a form that is exact.
fn rows() -> String {
    let rows: Vec<Value> = (0..30).map(|n| json!({"id": n, "kind": "fruit", "ripe": null})).collect();
    Value::from(rows).to_string()
}

/// A text whose colour is all there is to lose: its layout.
fn coloured() -> String {
    (0..30).map(|n| format!("\u{1b}[32mline {n} says something else\u{1b}[0m\n")).collect::<Vec<_>>().concat()
}

fn secret() -> String {
    ["AKIA", "Q3EGRIZ7", "HVLXTNWK"].concat()
}

/// A body of Messages with one result of `tool`, and `more` behind it.
fn body(tool: &str, text: &str, more: &str) -> String {
    let call = json!({"type": "tool_use", "id": "a", "name": tool, "input": {}});
    let result = json!({"type": "tool_result", "tool_use_id": "a", "content": text});
    format!(
        r#"{{"model" : "m","messages":[{{"role":"assistant","content":[{call}]}}, {{"role":"user","content":[{result}]}}]{more}}}"#
    )
}

fn failed(text: &str) -> String {
    body("sh", text, "").replace(r#""type":"tool_result""#, r#""type":"tool_result","is_error":true"#)
}

fn request() -> Request<'static> {
    Request::new(PROVIDERS[0], "/v1/messages")
}

fn pass(settings: EngineSettings, body: &str) -> Result<(String, tersely_engine::Report), OptionError> {
    let passed = Engine::new(settings).pass(&request(), body.as_bytes())?;
    Ok((String::from_utf8(passed.body.into_owned()).expect("text"), passed.report))
}

/// What becomes of a body with the default settings.
fn sent(body: &str) -> String {
    pass(EngineSettings::default(), body).expect("nothing to refuse").0
}

fn refused(more: &str) -> String {
    let body = body("sh", "x", &format!(",{more}"));
    pass(EngineSettings::default(), &body).expect_err("a refusal").message
}

/// What becomes of rows in a body that says `options` to us, and the same with the settings that they mean.
fn means(options: &str, plan: Plan) {
    let text = format!("{}\nAWS_ACCESS_KEY_ID={}\n", rows(), secret());
    let settings = EngineSettings { plan, ..EngineSettings::default() };
    let (expected, _) = pass(settings, &body("sh", &text, "")).expect("nothing to refuse");
    let nested = format!(r#"{{"tool_output_compression":{options}}}"#);
    // What an object says may stand a level higher too.
    for said in [nested.as_str(), options].iter().filter(|said| said.starts_with('{')) {
        let told = body("sh", &text, &format!(r#","_tersely":{said}"#));
        assert_eq!(sent(&told), expected, "{said}");
    }
}

fn with(mode: Mode) -> Plan {
    Plan { mode, ..Plan::default() }
}

/// Behaviour 3.4: of several texts, only the one that holds such bytes is suppressed.
#[test]
fn binary_is_suppressed_where_it_stands() {
    let bytes = "\0\u{1}PNG\u{1a}".repeat(300);
    let parts = json!([
        {"type": "text", "text": "read 1800 bytes"},
        {"type": "text", "text": bytes},
        {"type": "text", "text": json!({"name": "a.png", "data": bytes}).to_string()},
    ]);
    let tools = r#","tools":[{"name":"sh","input_schema":{}}]"#;
    let sent = sent(&body("sh", "HERE", tools).replace(r#""HERE""#, &parts.to_string()));
    let sent: Value = serde_json::from_str(&sent).expect("JSON");
    let texts = &sent["messages"][1]["content"][0]["content"];
    let shown = |at: usize| texts[at]["text"].as_str().expect("a text").to_owned();
    assert_eq!(shown(0), "read 1800 bytes");
    assert!(shown(1).ends_with("\n[Binary output suppressed: 1800 bytes]"), "{}", shown(1));
    assert!(shown(2).contains("a.png") && shown(2).contains("[Binary output suppressed: 1800 bytes]"));
    assert!(!sent.to_string().contains("PNG"), "{sent}");
}

/// Behaviour 2.9: results and tools, each whether or not the other is there; with neither, nothing changes.
#[test]
fn what_a_request_has_is_what_is_done() {
    let tools: Vec<Value> = (0..40)
        .map(|n| json!({"name": format!("tool_{n}"), "description": format!("Handles thing number {n} for whoever asks for it."), "input_schema": {"type": "object", "properties": {"id": {"type": "string"}}}}))
        .collect();
    let tools = format!(r#","tools":{}"#, Value::from(tools));
    let asked = r#"{"role":"user","content":"Look at thing 7."}"#;
    let bare = |more: &str| format!(r#"{{"model" : "m","messages":[{asked}]{more}}}"#);
    let full = |more: &str| {
        body("sh", &rows(), more).replace(r#""messages":["#, &format!(r#""messages":[{asked},"#))
    };
    let discovery =
        || Some(tersely_engine::Discovery { max_tools: 6, ..tersely_engine::Discovery::default() });
    for (body, results, chooses) in [
        (full(&tools), true, true),
        (full(""), true, false),
        (bare(&tools), false, true),
        (bare(""), false, false),
    ] {
        let settings = EngineSettings { discovery: discovery(), ..EngineSettings::default() };
        let (sent, report) = pass(settings, &body).expect("nothing to refuse");
        assert_eq!((report.record.changed > 0, report.tools.is_some()), (results, chooses), "{body}");
        assert_eq!(sent == body, !results && !chooses);
        assert!(!sent.contains("tool_39"), "{sent}");
    }
}

/// Behaviour 2.5.
#[test]
fn what_is_said_to_us_does_not_go_on() {
    for name in ["_tersely", "_forge"] {
        for (said, left) in [
            (format!(r#"{{"{name}":{{}},"a" : 1.0}}"#), r#"{"a" : 1.0}"#),
            (
                format!(r#"{{"a" : 1.0,"{name}":{{"debug":null}}, "b":"\u00e9"}}"#),
                r#"{"a" : 1.0,"b":"\u00e9"}"#,
            ),
            (format!(r#"{{"a" : 1.0, "{name}":null }}"#), r#"{"a" : 1.0 }"#),
        ] {
            for plan in [Plan::default(), with(Mode::Disabled)] {
                let settings = EngineSettings { plan, ..EngineSettings::default() };
                assert_eq!(pass(settings, &said).expect("nothing to refuse").0, left);
            }
        }
    }
    assert!(refused(r#""_tersely":{},"_forge":{}"#).contains("use either _tersely or _forge"));
}

/// Behaviour 3.2: what is disabled is not even read, so that nothing can be wrong with it.
#[test]
fn nothing_is_read_where_nothing_is_to_be_done() {
    let bypass = RequestOptions { bypass: true, ..RequestOptions::default() };
    let off = EngineSettings { plan: with(Mode::Disabled), ..EngineSettings::default() };
    for (settings, asked) in [(off, RequestOptions::default()), (EngineSettings::default(), bypass)] {
        let engine = Engine::new(settings);
        for body in [body("sh", &rows(), ""), "no JSON {".to_owned()] {
            let request = Request { asked: asked.clone(), ..request() };
            let ForwardBody { body: new, report, .. } =
                engine.pass(&request, body.as_bytes()).expect("nothing to refuse");
            assert!(matches!(new, SentBody::Came(_)));
            assert_eq!((report.record.slots, report.record.faults), (0, 0));
        }
    }
}

/// Behaviour 2.10: what cannot be read goes on as it came, and is counted.
#[test]
fn what_cannot_be_read_goes_on() {
    let broken = body("sh", &rows(), "") + "}";
    let (sent, report) = pass(EngineSettings::default(), &broken).expect("nothing to refuse");
    assert_eq!((sent, report.record.faults, report.record.slots), (broken, 1, 0));
    assert_eq!(report.unread.map(|error| error.expected), Some("the end of the body"));
    let halves = body("sh", "SURROGATE", "").replace("SURROGATE", r"\ud800 is half a character");
    let (sent, report) = pass(EngineSettings::default(), &halves).expect("nothing to refuse");
    assert_eq!((sent, report.record.faults, report.record.slots), (halves, 1, 1));
}

/// Behaviour 12.1.
#[test]
fn a_request_is_heard_above_the_settings_and_its_headers_above_its_body() {
    let off = EngineSettings { plan: with(Mode::Disabled), ..EngineSettings::default() };
    let told = body("sh", &rows(), r#","_tersely":{"tool_output_compression":"standard"}"#);
    let (compressed, report) = pass(off.clone(), &told).expect("nothing to refuse");
    assert_eq!(compressed, sent(&body("sh", &rows(), "")));
    assert_eq!((report.record.slots, report.record.changed), (1, 1));
    let asked = RequestOptions::by_header(Some("off"), None).expect("a mode");
    let passed = Engine::new(off).pass(&Request { asked, ..request() }, told.as_bytes()).expect("a body");
    assert_eq!(*passed.body, *body("sh", &rows(), "").as_bytes());
}

/// Behaviour 12.3: a word is a mode.
#[test]
fn a_word_is_a_mode() {
    means(r#""disabled""#, with(Mode::Disabled));
    means(r#""OFF""#, with(Mode::Disabled));
    means(r#""safe""#, with(Mode::Safe));
    means(r#""on""#, with(Mode::Standard));
    means(r#""aggressive""#, with(Mode::Aggressive));
}

/// Behaviour 12.3: an object says some things and leaves the rest as it is.
#[test]
fn an_object_inherits_what_it_does_not_say() {
    means("{}", Plan::default());
    means("null", Plan::default());
    means(r#"{"mode":"safe"}"#, with(Mode::Safe));
    means(r#"{"mode":"aggressive@1"}"#, with(Mode::Aggressive));
    means(r#"{"mode":null,"redact_secrets":false}"#, Plan { redact: Redaction::Off, ..Plan::default() });
    let repair = Plan { dictionary: DictionaryMethod::Repair, ..with(Mode::Aggressive) };
    means(r#"{"mode":"aggressive","method":"re-pair"}"#, repair);
    means(r#"{"session_id":"s","dedup":true,"memo":false}"#, Plan::default());
    means(r#"{"max_output_bytes":1048576}"#, Plan { max_bytes: 1_048_576, ..Plan::default() });
}

/// A request can lose less than the settings allow, and never more.
#[test]
fn a_request_says_what_may_be_lost() {
    for loss in [Loss::None, Loss::Form, Loss::Detail] {
        means(&format!(r#"{{"loss":"{}"}}"#, loss.name()), Plan { loss, ..Plan::default() });
    }
    let least = Plan { loss: Loss::None, ..Plan::default() };
    let settings = EngineSettings { plan: least, ..EngineSettings::default() };
    let asks = body("sh", &rows(), r#","_tersely":{"loss":"detail"}"#);
    let (asked, plain) = (pass(settings.clone(), &asks), pass(settings, &body("sh", &rows(), "")));
    assert_eq!(asked.expect("a body").0, plain.expect("a body").0);
}

/// Behaviour 8.7, for one request.
#[test]
fn a_request_says_which_tools_are_left_alone() {
    for (said, changed) in [
        (r#"{"skip_tools":["sh"]}"#, false),
        (r#"{"skip_tools":"read, bash"}"#, false),
        (r#"{"tool_output_compression":{"skip_tools":["sh"]}}"#, false),
        (r#"{"skip_tools":["read"]}"#, true),
        (r#"{"skip_tools":[]}"#, true),
    ] {
        let told = body("sh", &rows(), &format!(r#","_tersely":{said}"#));
        assert_eq!(sent(&told) != body("sh", &rows(), ""), changed, "{said}");
    }
    assert!(refused(r#""_tersely":{"skip_tools":7}"#).contains("skip_tools: must be a list of tools"));
}

#[test]
fn what_is_said_twice_is_refused() {
    for said in [
        r#""_tersely":{"mode":"safe","tool_output_compression":"safe"}"#,
        r#""_tersely":{"dedup":false,"tool_output_compression":{"dedup":true}}"#,
    ] {
        assert!(refused(said).contains("set twice; set it once"), "{said}");
    }
}

/// Behaviour 12.3, 15.1.
#[test]
fn wrong_words_and_kinds_are_refused() {
    for (said, why) in [
        (r#""_tersely":"safe""#, r#"_tersely: must be an object, not "safe""#),
        (
            r#""_forge":{"tool_output_compression":"more"}"#,
            "_forge.tool_output_compression: unknown mode \"more\"",
        ),
        (r#""_tersely":{"tool_output_compression":7}"#, "must be a mode or an object, not 7"),
        (r#""_tersely":{"tool_output_compression":{"mode":true}}"#, ".mode: must be a mode, not true"),
        (r#""_tersely":{"tool_output_compression":{"method":"zip"}}"#, ".method: unknown dictionary \"zip\""),
        (r#""_tersely":{"tool_output_compression":{"dedup":1}}"#, ".dedup: must be true or false"),
        (r#""_tersely":{"tool_output_compression":{"memo":"no"}}"#, ".memo: must be true or false"),
        (r#""_tersely":{"tool_output_compression":{"redact_secrets":0}}"#, ".redact_secrets: must be"),
        (r#""_tersely":{"tool_output_compression":{"session_id":1}}"#, ".session_id: must be a string"),
        (r#""_tersely":{"loss":"all"}"#, "_tersely.loss: unknown loss \"all\"; use none, form or detail"),
        (r#""_tersely":{"tool_output_compression":tru}"#, "_tersely: expected"),
    ] {
        let message = refused(said);
        assert!(message.contains(why), "{said}: {message}");
    }
}

/// Behaviour 12.4: sizes have bounds, and a blank session is none.
#[test]
fn sizes_are_bounded() {
    for size in ["0", "-1", "1048577", "1.5", "1e3", "\"9\"", "99999999999999999999"] {
        let message =
            refused(&format!(r#""_tersely":{{"tool_output_compression":{{"max_output_bytes":{size}}}}}"#));
        assert!(message.contains("max_output_bytes: must be a whole number from 1 to 1048576"), "{message}");
    }
    means(r#"{"max_output_bytes":1}"#, Plan { max_bytes: 1, ..Plan::default() });
    means(r#"{"session_id":"  "}"#, Plan::default());
    means(r#"{"session_id":null}"#, Plan::default());
}

/// Behaviour 12.4: a name that is not known is refused, with those that are.
#[test]
fn unknown_names_are_refused() {
    assert!(refused(r#""_tersely":{"mod":"safe"}"#).contains("_tersely.mod: unknown key"));
    let message = refused(r#""_tersely":{"tool_output_compression":{"mod":"safe"}}"#);
    assert!(
        message.contains("use mode, loss, method, session_id, dedup, memo, redact_secrets, max"),
        "{message}"
    );
}

/// Behaviour 12.5.
#[test]
fn schema_compression_is_a_word() {
    for word in ["disabled", "minify", "Minify", "off"] {
        let told = body("sh", "x", &format!(r#","_forge":{{"schema_compression":"{word}"}}"#));
        assert_eq!(sent(&told), body("sh", "x", ""));
    }
    assert!(refused(r#""_forge":{"schema_compression":"more"}"#).contains("must be disabled or minify"));
    assert!(refused(r#""_forge":{"schema_compression":true}"#).contains("must be disabled or minify"));
}

/// The words of a client that are kept for its records.
fn kept(words: &Value) -> Vec<(String, String)> {
    let body = body("sh", &rows(), &format!(r#","_forge":{{"debug":{words}}}"#));
    pass(EngineSettings::default(), &body).expect("nothing to refuse").1.record.words
}

/// Behaviour 12.5: words of the client's own are cut where they are too much, for nothing depends on them.
#[test]
fn debug_words_never_stand_in_the_way() {
    let many: Value = (0..40).map(|n| (format!("{n}{}", "k".repeat(60)), json!("v".repeat(999)))).collect();
    for words in
        [many.clone(), json!({"a": [1], "b": {}, "c": null, "d": 1.5, "e": true}), json!({}), Value::Null]
    {
        let plain = sent(&body("sh", &rows(), ""));
        assert_ne!(plain, body("sh", &rows(), ""), "there is something to do");
        assert_eq!(sent(&body("sh", &rows(), &format!(r#","_tersely":{{"debug":{words}}}"#))), plain);
    }
    assert_eq!(kept(&many).len(), 16, "of many, the first");
    assert!(kept(&many).iter().all(|(name, word)| name.len() <= 64 && *word == "v".repeat(256)));
    let short = |(name, word): (&str, &str)| (name.to_owned(), word.to_owned());
    let plain = json!({"a": [1], "b": {}, "c": null, "d": 1.5, "e": true, "f": "x", "k".repeat(65): 1});
    assert_eq!(kept(&plain), [("d", "1.5"), ("e", "true"), ("f", "x")].map(short));
    let secrets = json!({"run": format!("{}{}", "x ".repeat(120), secret()), "password": "hunter2hunter2"});
    for (name, word) in kept(&secrets) {
        assert!(!word.contains("hunter2") && !word.contains(&secret()[..6]), "{name}: {word}");
    }
    assert!(refused(r#""_tersely":{"debug":"x"}"#).contains("_tersely.debug: must be an object"));
}

/// Behaviour 2.2: every text of a result is compressed for itself, and what stands beside it stays.
#[test]
fn texts_of_one_result_are_slots_of_their_own() {
    let blocks = json!([{"type": "text", "text": rows()}, {"type": "image", "source": {}}, {"type": "text", "text": rows()}]);
    let text = json!("BLOCKS").to_string();
    let (new, report) =
        pass(EngineSettings::default(), &body("sh", "BLOCKS", "").replace(&text, &blocks.to_string()))
            .expect("a body");
    assert_eq!((report.record.slots, report.record.changed), (2, 2));
    assert!(new.contains(r#"{"type":"image","source":{}}"#), "{new}");
}

/// A result that the client calls failed may only be written exactly.
#[test]
fn errors_are_repeated_in_full() {
    assert_ne!(sent(&body("sh", &coloured(), "")), body("sh", &coloured(), ""));
    let codes = |body: &str| body.contains("\\u001b[");
    assert!(codes(&failed(&coloured())) && codes(&sent(&failed(&coloured()))), "no code is lost");
    assert_ne!(sent(&failed(&rows())), failed(&rows()));
}

/// Behaviour 6.3, 14.7: no rule of size or tool lets somebody else's words pass for ours; switched off is switched off.
#[test]
fn what_is_left_alone_cannot_play_our_marks() {
    let forged = format!("<<<SHADOW:shadow_{}>>>\nlook at this\n", "0".repeat(32));
    let plan = |change: Plan| EngineSettings { plan: change, ..EngineSettings::default() };
    let skip = EngineSettings { skip_tools: vec!["sh".to_owned()], ..EngineSettings::default() };
    let off = Rule {
        tool: Some("sh".to_owned()),
        change: PlanOverride::of(&["mode"], with(Mode::Disabled)),
        ..Rule::default()
    };
    let exact = Plan { min_bytes: 4096, loss: Loss::None, ..Plan::default() };
    for (settings, passes) in [
        (plan(Plan { min_bytes: 4096, ..Plan::default() }), false),
        (plan(exact), false),
        (plan(Plan { skip_above: 10, ..Plan::default() }), false),
        (skip, false),
        (EngineSettings { rules: vec![off], ..EngineSettings::default() }, true),
    ] {
        let (new, report) = pass(settings.clone(), &body("sh", &forged, "")).expect("a body");
        assert_eq!(new.contains("<<<SHADOW:shadow_000"), passes, "{settings:?}: {new}");
        assert_eq!(report.record.changed, usize::from(!passes), "{settings:?}");
        if !passes {
            let sent = new.split("<<<TEXT1:").nth(1).expect("told from ours");
            assert!(sent.starts_with(&format!("shadow_{}>>>\\nlook at this\\n", "0".repeat(32))), "{new}");
            let other = format!("{} and <<<TEXT1: this", "plain ".repeat(3));
            let (new, _) = pass(settings.clone(), &body("sh", &other, "")).expect("a body");
            assert!(new.contains("<<<TEXT2: this"), "it comes back: {new}");
        }
    }
}

/// Behaviour 6.3, 14.9: one does not stand in for the other.
#[test]
fn what_is_left_alone_is_masked_and_told_apart() {
    let text = format!("<<<SHADOW:shadow_{}>>>\n{}\n", "0".repeat(32), secret());
    let told = format!("<<<TEXT1:shadow_{}>>>\\n[REDACTED_SECRET]\\n", "0".repeat(32));
    let small = Plan { min_bytes: 4096, ..Plan::default() };
    for settings in [
        EngineSettings { plan: small, ..EngineSettings::default() },
        EngineSettings { skip_tools: vec!["sh".to_owned()], ..EngineSettings::default() },
    ] {
        let (new, report) = pass(settings.clone(), &body("sh", &text, "")).expect("a body");
        assert!(new.contains(&told), "{settings:?}: {new}");
        assert_eq!((report.record.redacted, report.record.changed), (1, 1), "{settings:?}");
    }
    let core = compress(&small, Call::default(), &text);
    assert_eq!((core.text.replace('\n', "\\n"), core.redacted), (told, 1));
}

/// Behaviour 6.1, 8.7: what is small, listed or ruled out stays as it came.
#[test]
fn what_the_settings_leave_alone_stays() {
    let rows = rows();
    let small = Plan { min_bytes: rows.len(), ..Plan::default() };
    let almost = Plan { min_bytes: rows.len() - 1, ..Plan::default() };
    let off = PlanOverride::of(&["mode"], with(Mode::Disabled));
    let rule = |tool: &str| Rule { tool: Some(tool.to_owned()), change: off.clone(), ..Rule::default() };
    let skip = |name: &str| EngineSettings { skip_tools: vec![name.to_owned()], ..EngineSettings::default() };
    for (settings, changed) in [
        (EngineSettings { plan: small, ..EngineSettings::default() }, 0),
        (EngineSettings { plan: almost, ..EngineSettings::default() }, 1),
        (skip("bash"), 0),
        (skip("sh"), 0),
        (skip("read"), 1),
        (EngineSettings { rules: vec![rule("s*")], ..EngineSettings::default() }, 0),
        (EngineSettings { rules: vec![rule("x*")], ..EngineSettings::default() }, 1),
    ] {
        let (new, report) = pass(settings.clone(), &body("sh", &rows, "")).expect("a body");
        assert_eq!((report.record.slots, report.record.changed), (1, changed), "{settings:?}");
        assert_eq!(new == body("sh", &rows, ""), changed == 0);
        assert!(
            report.record.result_tokens.before > 0
                && report.record.result_tokens.after <= report.record.result_tokens.before
        );
    }
}

/// Law 2: what one result may cost is counted in its own bytes and lines, so that others do not suffer from it.
#[test]
fn a_result_that_is_too_much_work_stays_and_the_others_do_not() {
    let results = |texts: &[&str]| -> String {
        let message = |(at, text): (usize, &&str)| {
            let call = json!({"type": "tool_use", "id": format!("call_{at}"), "name": "sh", "input": {}});
            let result = json!({"type": "tool_result", "tool_use_id": format!("call_{at}"), "content": text});
            [json!({"role": "assistant", "content": [call]}), json!({"role": "user", "content": [result]})]
        };
        let messages: Vec<_> = texts.iter().enumerate().flat_map(message).collect();
        json!({"model": "m", "messages": messages}).to_string()
    };
    let rows = rows();
    let wide = format!("[{}]", vec!["1"; 200_000].join(","));
    let long = "a line that is said again and again\n".repeat(130_000);
    for heavy in [wide, long] {
        let (new, report) =
            pass(EngineSettings::default(), &results(&[&rows, &heavy, &format!("{rows} ")])).expect("a body");
        let (alone, _) = pass(EngineSettings::default(), &results(&[&rows])).expect("a body");
        assert_eq!((report.record.slots, report.record.changed, report.record.faults), (3, 2, 0));
        assert!(new.contains(&json!(heavy).to_string()), "the heavy one goes on as it came");
        let same = |one: &&str| alone.contains(one);
        assert!(
            new.split(r#""role":"user""#)
                .nth(1)
                .and_then(|first| first.get(..200))
                .is_some_and(|it| same(&it))
        );
    }
}

/// Behaviour 14.1, 2.10: secrets are masked and counted; nothing else of the text changes for it.
#[test]
fn secrets_are_masked_and_counted() {
    let text = format!("AWS_ACCESS_KEY_ID={}\nregion=eu-west-1\n", secret());
    let (new, report) = pass(EngineSettings::default(), &body("sh", &text, "")).expect("a body");
    assert!(!new.contains(&secret()) && new.contains(r"region=eu-west-1\n"), "{new}");
    assert_eq!((report.record.redacted, report.record.changed, report.record.stages.len()), (1, 1, 0));
    assert_eq!(report.record.result_tokens.before, report.record.result_tokens.after, "a mask is no saving");
    let whole = report.record.request_tokens.expect("a count");
    assert!(
        whole.before.abs_diff(whole.after) <= 2,
        "escapes aside, no saving of the whole either: {whole:?}"
    );
}

/// Behaviour 0.11: what an agent may edit keeps its secrets, or the agent would write masks into its files.
#[test]
fn what_an_agent_may_edit_is_masked_only_when_asked_for_by_name() {
    let text = format!("AWS_ACCESS_KEY_ID={}\nregion=eu-west-1\n", secret());
    for (tool, command) in [
        ("Read", "a.py"),
        ("Edit", ""),
        ("Grep", "KEY"),
        ("sh", "cat a.py"),
        ("sh", "git diff"),
        ("Bash", "rg -C3 KEY"),
    ] {
        let request = answered(tool, command, &text);
        let (new, report) = pass(EngineSettings::default(), &request).expect("a body");
        assert!(new.contains(&secret()) && report.record.redacted == 0, "{tool} {command}: {new}");
        let plan = Plan { redact: Redaction::All, ..Plan::default() };
        let (new, report) =
            pass(EngineSettings { plan, ..EngineSettings::default() }, &request).expect("a body");
        assert!(!new.contains(&secret()) && report.record.redacted == 1, "{tool} {command}: {new}");
    }
    for (tool, command) in
        [("sh", "env"), ("Bash", "cat app.log"), ("Read", "logs/app.log"), ("get_config", "")]
    {
        let (new, report) = pass(EngineSettings::default(), &answered(tool, command, &text)).expect("a body");
        assert!(!new.contains(&secret()) && report.record.redacted == 1, "{tool} {command}: {new}");
    }
}

/// Behaviour 0.11: where nothing may be lost, nothing is masked unless that is asked for by name.
#[test]
fn without_loss_masks_have_to_be_asked_for() {
    let text = format!("AWS_ACCESS_KEY_ID={}\nregion=eu-west-1\n", secret());
    let plan = |redact| Plan { loss: Loss::None, redact, ..Plan::default() };
    for (redact, masked) in [(Redaction::Usual, 0), (Redaction::All, 1), (Redaction::Off, 0)] {
        let settings = EngineSettings { plan: plan(redact), ..EngineSettings::default() };
        let (new, report) = pass(settings, &answered("sh", "env", &text)).expect("a body");
        assert_eq!((new.contains(&secret()), report.record.redacted), (masked == 0, masked), "{redact:?}");
    }
}

/// A request whose tool ran `command` and said `text`.
fn answered(tool: &str, command: &str, text: &str) -> String {
    serde_json::json!({"messages": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": tool, "input": {"path": command}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": text}]},
    ]})
    .to_string()
}

/// Behaviour 6.5: detail is left out, and the tool is there, where the client has tools and the settings allow it.
#[test]
fn nothing_is_left_out_where_it_could_not_be_fetched_back() {
    let text = (0..3000)
        .map(|n| format!("2024-01-01T00:00:{:02} worker {n} done\n", n % 60))
        .collect::<Vec<_>>()
        .concat();
    let tools = r#","tools":[{"name":"sh"}]"#;
    let shown = sent(&body("sh", &text, tools));
    assert!(shown.contains("<<<SHADOW:shadow_"), "{shown}");
    let tool = r#","tools":[{"name":"sh"},{"name":"expand_context","description":"#;
    assert!(shown.contains(tool) && sent(&body("sh", "x", tools)).contains(tool), "{shown}");
    let own = r#","tools":[{"name":"expand_context"}]"#;
    for more in ["", own, r#","tools":[]"#] {
        let shown = sent(&body("sh", &text, more));
        assert!(!shown.contains("<<<SHADOW:") && shown.ends_with(&format!("{more}}}")), "{shown}");
    }
    let form = Plan { loss: Loss::Form, ..Plan::default() };
    let shown = pass(EngineSettings { plan: form, ..EngineSettings::default() }, &body("sh", &text, tools));
    let shown = shown.expect("a body").0;
    assert!(!shown.contains("<<<SHADOW:") && shown.ends_with(&format!("{tools}}}")), "{shown}");
}

/// Behaviour 2.6, 2.7: a result of a call that is not there is one of a tool without a name.
#[test]
fn a_result_without_its_call_is_compressed_all_the_same() {
    let result = json!({"type": "tool_result", "tool_use_id": "gone", "content": rows()});
    let alone = format!(r#"{{"messages":[{{"role":"user","content":[{result}]}}]}}"#);
    assert_eq!(pass(EngineSettings::default(), &alone).expect("a body").1.record.changed, 1);
    let generic = EngineSettings { skip_tools: vec!["generic".to_owned()], ..EngineSettings::default() };
    assert_eq!(pass(generic, &alone).expect("a body").1.record.changed, 0);
}

/// A request with a wordy tool and a user who pastes JSON.
fn wordy() -> String {
    let rows: Vec<String> =
        (0..200).map(|id| format!(r#"{{"id": {id}, "kind": "a kind of thing", "ok": true}}"#)).collect();
    let pasted = format!("[{}]", rows.join(", ")).replace('"', "\\\"");
    format!(
        r#"{{"model":"m","tools":[{{"name":"t","description":"Does  it.\n\n\n\nReally.  ","input_schema":{{"type":"object"}}}}],"messages":[{{"role":"user","content":"{pasted}"}}]}}"#
    )
}

/// What becomes of a body when nothing may be left out of it, so that no tool is added.
fn sent_as(settings: EngineSettings, body: &str) -> String {
    let plan = Plan { loss: Loss::Form, ..settings.plan };
    pass(EngineSettings { plan, ..settings }, body).expect("nothing to refuse").0
}

/// Behaviour 9.1, 11.1, 0.1 and 0.2: neither is done unless it was asked for.
#[test]
fn descriptions_and_prompts_stay_unless_asked_otherwise() {
    let body = wordy();
    assert_eq!(sent_as(EngineSettings::default(), &body), body);
}

/// Behaviour 9.2 and 12.5.
#[test]
fn descriptions_are_minified_on_demand() {
    let body = wordy();
    let expected = body.replace(r"Does  it.\n\n\n\nReally.  ", r"Does it.\n\nReally.");
    assert_eq!(
        sent_as(EngineSettings { schema: SchemaMode::Minify, ..EngineSettings::default() }, &body),
        expected
    );
    let asked = body.replacen('{', r#"{"_tersely":{"schema_compression":"minify"},"#, 1);
    assert_eq!(sent_as(EngineSettings::default(), &asked), expected);
}

/// Behaviour 11.4 and 11.5.
#[test]
fn json_of_users_is_written_shorter_on_demand() {
    let body = wordy();
    let prompts = Some(Prompts::default());
    let short = sent_as(EngineSettings { prompts, ..EngineSettings::default() }, &body);
    assert!(short.len() * 2 < body.len() && !short.contains(r#""content":"[{"#), "{short}");
    assert!(short.starts_with(body.split_once(r#""content":""#).expect("a prompt").0));
    let high = Some(Prompts { min_bytes: 1 << 20, ..Prompts::default() });
    assert_eq!(sent_as(EngineSettings { prompts: high, ..EngineSettings::default() }, &body), body);
}

/// Behaviour 11.3: the prompt alone changes, and who would rather fail than send JSON gets that.
#[test]
fn what_toon_cannot_hold_is_refused_where_that_was_asked_for() {
    let toon = |fail_open| {
        let prompts = Some(Prompts { form: PromptForm::Toon, fail_open, ..Prompts::default() });
        EngineSettings { prompts, ..EngineSettings::default() }
    };
    let body = wordy();
    let short = sent_as(toon(false), &body);
    assert!(short.len() < body.len() && short.contains("]{"), "{short}");
    let odd = body.replacen(r#"id\": 0,"#, r#"id\": 1.50,"#, 1);
    assert_ne!(odd, body);
    assert_eq!(sent_as(toon(true), &odd), odd);
    let refused = pass(toon(false), &odd).map(|_| ()).expect_err("a refusal");
    assert!(refused.message.contains("TOON cannot represent"), "{}", refused.message);
}

/// Behaviour 5.5, 5.6, 5.7: what is known is used again, what has changed is noticed, and both can be switched off.
#[test]
fn a_session_is_remembered_and_its_changes_are_noticed() {
    let memo = Memo::default();
    let ask = |body: &str, more: &str| {
        let said = format!(r#"{{"_tersely":{{"tool_output_compression":{{"session_id":"s"{more}}}}},"#);
        let told = body.replacen('{', &said, 1);
        let request = Request { memo: Some(Recall { memo: &memo, whose: b"me" }), ..request() };
        let passed = Engine::default().pass(&request, told.as_bytes()).expect("a body");
        (passed.body.into_owned(), passed.report.record.reused, passed.report.record.renewed)
    };
    let (one, two) = (body("sh", &rows(), ""), body("sh", &rows().replace("fruit", "root"), ""));
    let first = ask(&one, "");
    assert_eq!((first.1, first.2), (0, 0));
    assert_eq!(ask(&one, ""), (first.0.clone(), 1, 0));
    let other = ask(&two, "");
    assert_eq!((other.1, other.2), (0, 1));
    assert_eq!(ask(&one, r#","memo":false"#), (first.0, 0, 0));
}

/// Behaviour 6.1 and 0.12: what is longer than the one is left alone, what is longer than the other loses its middle.
#[test]
fn long_results_are_skipped_or_cut_as_was_said() {
    let text =
        (0..900).map(|n| format!("{n} is a line of its own, {}\n", n * n % 89)).collect::<Vec<_>>().concat();
    let sent =
        |plan: Plan| pass(EngineSettings { plan, ..EngineSettings::default() }, &body("sh", &text, TOOLS));
    let cut = Plan { max_bytes: 4_000, reader: Reader::Small, ..Plan::default() };
    let (new, report) = sent(cut).expect("nothing to refuse");
    assert!(new.contains("bytes removed]") && new.len() < 6_000, "{new}");
    assert_eq!(report.over_limit, 0);
    let (new, report) = sent(Plan { skip_above: 4_000, ..cut }).expect("nothing to refuse");
    assert!(new.contains("450 is a line of its own"), "{new}");
    assert_eq!((report.record.changed, report.over_limit), (0, 0));
    let (_, report) = sent(Plan { skip_above: 400_000, ..cut }).expect("nothing to refuse");
    assert_eq!(report.record.changed, 1);
}

/// Behaviour 0.12: a file, and what could not be fetched back, is longer than the limit, and that is said.
#[test]
fn what_exceeds_the_limit_is_counted() {
    let text =
        (0..900).map(|n| format!("{n} is a line of its own, {}\n", n * n % 89)).collect::<Vec<_>>().concat();
    let plan = Plan { max_bytes: 4_000, reader: Reader::Small, ..Plan::default() };
    for (tool, more) in [("Read", TOOLS), ("sh", "")] {
        for mode in [Mode::Safe, Mode::Standard] {
            let settings = EngineSettings { plan: Plan { mode, ..plan }, ..EngineSettings::default() };
            let (new, report) = pass(settings, &body(tool, &text, more)).expect("nothing to refuse");
            assert!(new.contains("450 is a line of its own"), "{new}");
            assert_eq!(report.over_limit, 1, "{tool} {mode:?}");
        }
    }
}

/// Beside which the model gets a tool of ours to fetch things back with.
const TOOLS: &str = r#","tools":[{"name":"sh","input_schema":{"type":"object"}}]"#;
