//! The reader of a request follows from its model's name, unless a setting or an option overrides it.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use std::sync::Arc;

use serde_json::{Value, json};
use tersely_core::{Loss, Mode, Plan, Reader};
use tersely_engine::{
    Engine, EngineSettings, KnownReaders, PlanOverride, Report, Request, RequestOptions, Rule, ServerAnswer,
};
use tersely_wire::mcp::RpcId;
use tersely_wire::{PROVIDERS, SlotCall, claimed_provider};

const SMALL: &str = "qwen2.5-coder:7b";
const STRONG: &str = "claude-sonnet-4-5";

/// A listing, which only a strong model is given in another layout.
fn listing() -> String {
    let row = |n: usize| format!("-rw-r--r-- 1 dev dev {:>4} Mar  2 10:04 chapter-{n}.md\n", n * 37);
    (1..40).map(row).collect()
}

/// A body with the same result twice, from a model of this name.
fn body(model: &str) -> Value {
    let mut messages = vec![json!({"role": "user", "content": "Look."})];
    for id in ["a", "b"] {
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls -l"}});
        messages.push(json!({"role": "assistant", "content": [call]}));
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": listing()});
        messages.push(json!({"role": "user", "content": [result]}));
    }
    json!({"model": model, "messages": messages})
}

fn pass(settings: EngineSettings, asked: RequestOptions, body: &Value) -> (Value, Report) {
    let request = Request { asked, ..Request::new(PROVIDERS[0], "/v1/messages") };
    let body = body.to_string();
    let passed = Engine::new(settings).pass(&request, body.as_bytes()).expect("nothing to refuse");
    (serde_json::from_slice(&passed.body).expect("JSON"), passed.report)
}

/// What is sent of a body's results, and who was taken for the reader.
fn sent(settings: EngineSettings, asked: RequestOptions, body: &Value) -> (Vec<String>, Option<Reader>) {
    let (sent, report) = pass(settings, asked, body);
    let messages = sent["messages"].as_array().expect("messages").clone();
    let texts = messages.iter().filter_map(|it| it["content"][0]["content"].as_str().map(str::to_owned));
    (texts.collect(), report.reader)
}

fn usual(body: &Value) -> (Vec<String>, Option<Reader>) {
    sent(EngineSettings::default(), RequestOptions::default(), body)
}

fn reads(reader: Reader) -> PlanOverride {
    PlanOverride::of(&["reader"], Plan { reader, ..Plan::default() })
}

/// Behaviour 19.1 and 19.2.
#[test]
fn a_small_model_gets_plain_listings_and_no_references() {
    let (texts, reader) = usual(&body(SMALL));
    assert_eq!((texts, reader), (vec![listing(), listing()], Some(Reader::Small)));
    let (texts, reader) = usual(&body(STRONG));
    assert!(texts[0].contains("[layout1 listing]") && texts[1].len() < 200, "{texts:?}");
    assert_eq!(reader, Some(Reader::Strong));
}

/// Behaviour 19.3.
#[test]
fn whoever_says_otherwise_is_heard() {
    let plan =
        |reader| EngineSettings { plan: Plan { reader, ..Plan::default() }, ..EngineSettings::default() };
    let rule =
        Rule { route: Some("/v1/messages".to_owned()), change: reads(Reader::Small), ..Rule::default() };
    let ruled = EngineSettings { rules: vec![rule], ..plan(Reader::Strong) };
    let known = KnownReaders { strong: vec!["qwen*".to_owned()], ..KnownReaders::default() };
    let listed = EngineSettings { readers: known, ..EngineSettings::default() };
    let asks = |reader| RequestOptions { change: reads(reader), ..RequestOptions::default() };
    let small = usual(&body(SMALL)).0;
    for (settings, asked, model, expected) in [
        (plan(Reader::Small), RequestOptions::default(), STRONG, Reader::Small),
        (plan(Reader::Strong), RequestOptions::default(), SMALL, Reader::Strong),
        (plan(Reader::Strong), asks(Reader::Auto), SMALL, Reader::Small),
        (plan(Reader::Auto), asks(Reader::Small), STRONG, Reader::Small),
        (ruled, RequestOptions::default(), STRONG, Reader::Small),
        (listed, RequestOptions::default(), SMALL, Reader::Strong),
    ] {
        let (texts, _) = sent(settings, asked, &body(model));
        assert_eq!(texts == small, expected == Reader::Small, "{model} {expected:?}");
    }
    let mut asking = body(STRONG);
    asking["_tersely"] = json!({"reader": "small"});
    assert_eq!(usual(&asking), (small, Some(Reader::Small)));
}

/// Behaviour 19.4: nothing but the request decides, so a conversation keeps its bytes as long as it keeps its model.
#[test]
fn a_conversation_keeps_its_bytes_while_it_keeps_its_model() {
    for model in [SMALL, STRONG] {
        let whole = body(model);
        let (all, _) = usual(&whole);
        let mut first = whole.clone();
        first["messages"].as_array_mut().expect("messages").truncate(3);
        assert_eq!(usual(&first).0, all[..1], "{model}");
        assert_eq!(usual(&whole).0, all, "{model}");
    }
}

/// Behaviour 19.2: where a path names the model, the path counts.
#[test]
fn a_path_that_names_a_model_is_heard() {
    let result = json!({"toolUseId": "a", "content": [{"text": listing()}]});
    let body = json!({"messages": [{"role": "user", "content": [{"toolResult": result}]}]}).to_string();
    for (model, expected) in
        [("meta.llama3-2-1b-instruct-v1%3A0", Reader::Small), ("anthropic.claude-v1%3A0", Reader::Strong)]
    {
        let path = format!("/model/{model}/converse");
        let request = Request::new(claimed_provider(&path).expect("Converse"), &path);
        let passed = Engine::default().pass(&request, body.as_bytes()).expect("nothing to refuse");
        assert_eq!(passed.report.reader, Some(expected), "{model}");
    }
}

/// Behaviour 19.2: a server of tools does not know whose model reads, so the settings say.
#[test]
fn where_no_model_is_named_the_settings_decide() {
    let command = Some("ls -l".into());
    let call = Arc::new(SlotCall { id: "".into(), tool: "Bash".into(), command, is_part: false });
    let body = json!({"id": 1, "result": {"content": [{"type": "text", "text": listing()}]}}).to_string();
    let id = RpcId::Number("1".to_owned());
    let answer = ServerAnswer {
        id: &id,
        call: &call,
        path: "/mcp",
        tenant: None,
        most: Loss::Form,
        may_unstructure: false,
        form: None,
    };
    for (reader, is_kept) in [(Reader::Auto, false), (Reader::Strong, false), (Reader::Small, true)] {
        let plan = Plan { reader, ..Plan::default() };
        let engine = Engine::new(EngineSettings { plan, ..EngineSettings::default() });
        assert_eq!(engine.answer(&answer, body.as_bytes()).body == body.as_bytes(), is_kept, "{reader:?}");
    }
}

/// Behaviour 19.4: nobody is named where nothing is done.
#[test]
fn nobody_reads_what_is_left_alone() {
    let plan = Plan { mode: Mode::Disabled, ..Plan::default() };
    let settings = EngineSettings { plan, ..EngineSettings::default() };
    assert_eq!(sent(settings, RequestOptions::default(), &body(SMALL)).1, None);
}
