//! Checks that every head, gap and note is documented on one page with an example, and has questions for a reader who
//! has never seen it.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::{Value, json};
use tersely_core::{Call, FAMILIES, Plan, compress};
use tersely_engine::{Engine, EngineSettings, Request};
use tersely_stage::clean::CLEAN;
use tersely_stage::cut::{CAPS, CUTS, REST};
use tersely_stage::form::{ANY, FORMS};
use tersely_stage::{Reader, Stage};
use tersely_wire::guess_provider;

/// The texts, their compressed forms, and the questions.
const EXAMPLES: &str = "benchmarks/reading/notation.json";

/// Conversations whose results refer to earlier ones, their compressed forms, and the questions.
const REFERENCES: &str = "benchmarks/reading/references.json";

const PAGE: &str = "docs/notation.md";

/// Stages that no reader meets: on every text so far, `json` or `general` is cheaper.
const BEATEN: [&str; 2] = ["schema", "dictionary"];

/// The introduction of the page.
const PREFACE: &str = include_str!("fixtures/notation.md");

#[test]
fn what_is_sent_for_every_example_is_what_its_readers_were_asked_about() {
    let (mut examples, mut idle) = (read(EXAMPLES), Vec::new());
    for example in examples.as_array_mut().expect("a list") {
        let (sent, stages) = sent(example);
        let name = text(example, "stage");
        if !stages.contains(&name) {
            idle.push((name, stages));
        }
        example["sent"] = Value::from(sent);
    }
    assert!(idle.is_empty(), "these have no part in their examples: {idle:?}");
    stands(EXAMPLES, &(serde_json::to_string_pretty(&examples).expect("JSON") + "\n"));
}

#[test]
fn what_is_named_is_what_its_readers_were_asked_about() {
    let mut examples = read(REFERENCES);
    for example in examples.as_array_mut().expect("a list") {
        let sent = conversation(example);
        let named = |line: &str| line.starts_with('[') && line.ends_with(']') && line.contains(" above");
        assert!(sent.last().is_some_and(|last| last.lines().any(named)), "{sent:?}");
        example["sent"] = json!(sent);
    }
    stands(REFERENCES, &(serde_json::to_string_pretty(&examples).expect("JSON") + "\n"));
}

/// The compressed results of a conversation; if it has tools, details may be omitted.
fn conversation(example: &Value) -> Vec<String> {
    let mut messages = Vec::new();
    for (at, result) in example["results"].as_array().expect("results").iter().enumerate() {
        let call = json!({"type": "tool_use", "id": format!("call_{at}"), "name": result["tool"], "input": result["input"]});
        let answer =
            json!({"type": "tool_result", "tool_use_id": format!("call_{at}"), "content": result["text"]});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages.push(json!({"role": "user", "content": [answer]}));
    }
    let tools = example["tools"].as_array().into_iter().flatten();
    let tools: Vec<_> = tools.map(|name| json!({"name": name, "input_schema": {"type": "object"}})).collect();
    let body = json!({ "tools": tools, "messages": messages }).to_string();
    let provider = guess_provider(body.as_bytes()).expect("a provider");
    let engine = Engine::new(EngineSettings::default());
    let sent = engine.pass(&Request::new(provider, ""), body.as_bytes()).expect("nothing to refuse");
    let slots = provider.slots(&sent.body).expect("slots");
    slots.iter().map(|slot| slot.text().expect("text").into_owned()).collect()
}

#[test]
fn the_page_holds_every_example() {
    let examples = read(EXAMPLES);
    let mut page = PREFACE.to_owned();
    for part in [Part::Exact, Part::Detail, Part::Aggressive] {
        let _ = write!(page, "\n## {}\n", part.title());
        for example in examples.as_array().expect("a list").iter().filter(|it| Part::of(it) == part) {
            let [title, about, stage] = ["title", "about", "stage"].map(|name| text(example, name));
            let shown = shown(&sent(example).0);
            let _ = write!(page, "\n### {title}\n\n{about} Stage `{stage}`.\n\n````text\n{shown}\n````\n");
        }
    }
    stands(PAGE, &page);
}

#[test]
fn every_stage_has_an_example_and_every_example_a_question() {
    let examples = read(EXAMPLES);
    let examples = examples.as_array().expect("a list");
    let shown: BTreeSet<String> = examples.iter().map(|example| text(example, "stage")).collect();
    let tables: [&[&dyn Stage]; 7] = [CLEAN, FORMS, ANY, CUTS, REST, FAMILIES, CAPS];
    let mut wanted: BTreeSet<String> = tables.concat().iter().map(|stage| stage.name().to_owned()).collect();
    wanted.insert("wrapped".to_owned());
    for stage in BEATEN {
        wanted.remove(stage);
    }
    let missing: Vec<_> = wanted.difference(&shown).collect();
    assert!(missing.is_empty(), "no example of {missing:?}");
    let asked = |example: &Value| example["questions"].as_array().map_or(0, Vec::len);
    assert!(examples.iter().all(|example| asked(example) > 0));
    assert!(examples.iter().map(asked).sum::<usize>() >= 60);
}

/// The compressed text of an example, and its stages.
fn sent(example: &Value) -> (String, Vec<String>) {
    let (tool, command) = (text(example, "tool"), text(example, "command"));
    let command = Some(&*command).filter(|command| !command.is_empty());
    let call = Call { tool: &tool, command, ..Call::default() };
    let mut plan = Plan { mode: text(example, "mode").parse().expect("a mode"), ..Plan::default() };
    if let Some(limit) = example["max_bytes"].as_u64() {
        plan.max_bytes = usize::try_from(limit).expect("a size");
    }
    if text(example, "reader") == "small" {
        plan.reader = Reader::Small;
    }
    let input = text(example, "input");
    let outcome = compress(&plan, call, &input);
    let stages = outcome.ledger.steps.iter().map(|step| step.stage.to_owned()).collect();
    (outcome.text.into_owned(), stages)
}

/// The section of an example on the page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Exact,
    Detail,
    Aggressive,
}

impl Part {
    fn of(example: &Value) -> Self {
        match (text(example, "mode").as_str(), sent(example).0.starts_with("<<<SHADOW:")) {
            ("aggressive", _) => Self::Aggressive,
            (_, true) => Self::Detail,
            (_, false) => Self::Exact,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Exact => "Complete: no detail is omitted",
            Self::Detail => "Lossy: detail is omitted, and can be fetched back",
            Self::Aggressive => "In aggressive mode",
        }
    }
}

/// Lines from the beginning of an example that the page shows.
const HEAD_LINES: usize = 8;

/// Lines from its end.
const TAIL_LINES: usize = 2;

/// Maximum characters of a line.
const MAX_CHARS: usize = 110;

/// The compressed text; if it is long, only its first and last lines, and the first line that says what is omitted.
fn shown(sent: &str) -> String {
    let lines: Vec<&str> = sent.lines().collect();
    let mark = lines.iter().position(|line| line.starts_with('[') && line.contains(" left out"));
    let is_shown = |at: usize| at < HEAD_LINES || at + TAIL_LINES >= lines.len() || Some(at) == mark;
    let (mut page, mut hidden): (Vec<String>, usize) = (Vec::new(), 0);
    for (at, line) in lines.iter().enumerate() {
        if !is_shown(at) {
            hidden += 1;
            continue;
        }
        if hidden > 0 {
            page.push(format!("    ({hidden} more lines)"));
            hidden = 0;
        }
        page.push(line.chars().take(MAX_CHARS).collect());
    }
    page.join("\n")
}

fn text(example: &Value, name: &str) -> String {
    example[name].as_str().unwrap_or_default().to_owned()
}

fn read(place: &str) -> Value {
    let text = fs::read_to_string(root().join(place)).expect("the examples");
    serde_json::from_str(&text).expect("JSON")
}

/// Asserts that the file at `place` has this content; with `TERSELY_BLESS=1`, writes it.
fn stands(place: &str, content: &str) {
    let file = root().join(place);
    if env::var_os("TERSELY_BLESS").is_some() {
        fs::write(&file, content).expect("a file");
    }
    let known = fs::read_to_string(&file).unwrap_or_default();
    let differs = known.lines().zip(content.lines()).find(|(known, new)| known != new);
    assert!(
        known == content,
        "{place} is stale, first at {differs:#?}; read what TERSELY_BLESS=1 cargo test -p tersely-cli --test notation makes of it"
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
