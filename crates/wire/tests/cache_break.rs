//! Plants causes of cache breaks in recorded conversations of all clients, and checks cause, place and owner of each;
//! and that no conversation of the corpora breaks its cache when it is replayed turn by turn.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::sync::Arc;

use serde_json::{Value, json};
use tersely_account::{
    BreakCause, BreakOwner, CacheRules, ConversationMatch, PromptBreak, PromptMarks, PromptTurn, ShownName,
    TokenUsage, judge,
};
use tersely_json::JsonNode;
use tersely_testing::corpus::{SampleTranscript, conversations};
use tersely_wire::{PromptContext, prompt_marks};

use BreakCause as C;
use BreakOwner as O;

const MODEL: &str = "model-a";

/// The number of conversations in the project itself.
const OWN: usize = 8;

/// What changes besides the body.
#[derive(Clone, Copy)]
struct Around {
    model: &'static str,
    betas: u64,
}

/// A request of a conversation, in parts that all APIs have.
#[derive(Clone)]
struct Turn {
    api: &'static str,
    body: Value,
    tools: Vec<Value>,
    system: Vec<String>,
    messages: Vec<Value>,
    around: Around,
}

/// A planted cause: its name, how it is planted, and what must be found.
struct Plant {
    name: &'static str,
    apply: fn(&mut Turn),
    cause: BreakCause,
    place: Option<u32>,
    line: Option<u32>,
    owner: BreakOwner,
    server: Option<&'static str>,
}

const fn plant(
    name: &'static str,
    cause: BreakCause,
    at: (Option<u32>, Option<u32>),
    owner: BreakOwner,
    apply: fn(&mut Turn),
) -> Plant {
    Plant { name, apply, cause, place: at.0, line: at.1, owner, server: None }
}

const fn by_server(name: &'static str, cause: BreakCause, place: u32, apply: fn(&mut Turn)) -> Plant {
    Plant { name, apply, cause, place: Some(place), line: None, owner: O::Mcp, server: Some("files") }
}

/// The tools: `bash`, `read`, `mcp__files__list`, `mcp__files__stat`, `edit`. The system prompt has two blocks.
const PLANTS: [Plant; 40] = [
    plant("a tool at the end", C::ToolAdded, (Some(6), None), O::Client, |it| it.tools.push(it.tool("new"))),
    plant("a tool in front", C::ToolAdded, (Some(1), None), O::Client, |it| {
        it.tools.insert(0, it.tool("new"));
    }),
    plant("a tool between", C::ToolAdded, (Some(3), None), O::Client, |it| {
        it.tools.insert(2, it.tool("new"));
    }),
    by_server("a server's tool at the end", C::ToolAdded, 6, |it| it.tools.push(it.tool("mcp__files__new"))),
    by_server("a server's tool in front", C::ToolAdded, 1, |it| {
        it.tools.insert(0, it.tool("mcp__files__new"));
    }),
    plant("no first tool", C::ToolRemoved, (Some(1), None), O::Client, |it| drop(it.tools.remove(0))),
    plant("no last tool", C::ToolRemoved, (Some(5), None), O::Client, |it| drop(it.tools.pop())),
    by_server("a server's tool is gone", C::ToolRemoved, 3, |it| drop(it.tools.remove(2))),
    by_server("a server is gone", C::ToolRemoved, 3, |it| drop(it.tools.drain(2..4))),
    plant("first tool last", C::ToolMoved, (Some(1), None), O::Client, |it| it.tools.rotate_left(1)),
    plant("last tool first", C::ToolMoved, (Some(1), None), O::Client, |it| it.tools.rotate_right(1)),
    by_server("a server's tools trade places", C::ToolMoved, 3, |it| it.tools.swap(2, 3)),
    plant("a description", C::ToolChanged, (Some(2), None), O::Client, |it| {
        it.tools[1] = it.other("read", "new");
    }),
    by_server("a server's description", C::ToolChanged, 4, |it| {
        it.tools[3] = it.other("mcp__files__stat", "new");
    }),
    plant("a date", C::SystemDate, (Some(1), Some(3)), O::Client, |it| {
        it.line(0, 2, "Today's date: 2026-11-18");
    }),
    plant("a git status", C::SystemGit, (Some(2), Some(3)), O::Client, |it| it.line(1, 2, " M src/other.rs")),
    plant("a branch", C::SystemGit, (Some(2), Some(2)), O::Client, |it| {
        it.line(1, 1, "Current branch: other");
    }),
    plant("a line", C::System, (Some(1), Some(2)), O::Client, |it| it.line(0, 1, "Be verbose.")),
    plant("the first line", C::System, (Some(1), Some(1)), O::Client, |it| it.line(0, 0, "You are a robot.")),
    plant("the last line", C::System, (Some(2), Some(5)), O::Client, |it| it.line(1, 4, "Never stop.")),
    plant("a line more", C::System, (Some(1), Some(2)), O::Client, |it| {
        it.system[0] = it.system[0].replacen("Be terse.", "Be kind.\nBe terse.", 1);
    }),
    plant("a line at the end", C::System, (Some(2), Some(6)), O::Client, |it| it.system[1] += "\nOne more."),
    plant("a line less", C::System, (Some(2), Some(4)), O::Client, |it| {
        it.system[1] = it.system[1].replacen("# Rules\n", "", 1);
    }),
    plant("another model", C::Model, (None, None), O::Person, |it| it.around.model = "model-b"),
    plant("another effort", C::Effort, (None, None), O::Person, |it| it.effort("elsewhere")),
    plant("other thinking", C::Thinking, (None, None), O::Person, Turn::think),
    plant("another choice of tools", C::ToolChoice, (None, None), O::Client, Turn::choose),
    plant("other betas", C::Betas, (None, None), O::Client, |it| it.around.betas = 9),
    plant("another format", C::Format, (None, None), O::Client, Turn::format),
    plant("the first message edited", C::MessageEdited, (Some(1), None), O::Client, |it| it.edit(0)),
    plant("the second message edited", C::MessageEdited, (Some(2), None), O::Client, |it| it.edit(1)),
    plant("a late message edited", C::MessageEdited, (Some(6), None), O::Client, |it| it.edit(5)),
    plant("many messages edited", C::MessageEdited, (Some(4), None), O::Client, |it| {
        (3..6).for_each(|at| it.edit(at));
    }),
    plant("the first message dropped", C::MessageDropped, (Some(1), None), O::Client, |it| {
        drop(it.messages.remove(0));
    }),
    plant("a message dropped", C::MessageDropped, (Some(4), None), O::Client, |it| {
        drop(it.messages.remove(3));
    }),
    plant("two messages dropped", C::MessageDropped, (Some(3), None), O::Client, |it| {
        drop(it.messages.drain(2..4));
    }),
    plant("a message in front", C::MessageInserted, (Some(1), None), O::Client, |it| {
        it.messages.insert(0, it.message("new"));
    }),
    plant("a message between", C::MessageInserted, (Some(5), None), O::Client, |it| {
        it.messages.insert(4, it.message("new"));
    }),
    plant("blocks in another order", C::MessageRewritten, (Some(3), None), O::Client, Turn::turn_blocks),
    plant("an edit after a drop", C::MessageDropped, (Some(2), None), O::Client, |it| {
        it.edit(5);
        it.messages.remove(1);
    }),
];

impl Turn {
    /// A turn with the first `count` messages of a conversation.
    fn of(transcript: &SampleTranscript, count: usize) -> Self {
        let body: Value = serde_json::from_slice(&transcript.body).expect("a body");
        let api = transcript.provider.name();
        let is_spoken = |message: &&Value| message["role"] != "system" && message["role"] != "developer";
        let all = body[transcript.list].as_array().expect("messages");
        let messages: Vec<_> = all.iter().filter(is_spoken).take(count).cloned().collect();
        let system = [
            "You are an agent.\nBe terse.\nToday's date: 2026-11-17\nThe end.",
            "gitStatus: as of now\nCurrent branch: main\n M src/main.rs\n# Rules\nAsk first.",
        ];
        let (around, system) = (Around { model: MODEL, betas: 7 }, system.map(str::to_owned).to_vec());
        let mut turn = Self { api, body, tools: Vec::new(), system, messages, around };
        let names = ["bash", "read", "mcp__files__list", "mcp__files__stat", "edit"];
        turn.tools = names.map(|name| turn.tool(name)).to_vec();
        turn.messages[2] = turn.blocks(["one", "two"]);
        turn
    }

    fn tool(&self, name: &str) -> Value {
        self.other(name, "Does something.")
    }

    fn other(&self, name: &str, description: &str) -> Value {
        let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
        match self.api {
            "anthropic" => json!({ "name": name, "description": description, "input_schema": schema }),
            "chat" => json!({
                "type": "function",
                "function": { "name": name, "description": description, "parameters": schema },
            }),
            _ => {
                json!({ "type": "function", "name": name, "description": description, "parameters": schema })
            }
        }
    }

    fn message(&self, text: &str) -> Value {
        match self.api {
            "gemini" => json!({ "role": "user", "parts": [{ "text": text }] }),
            _ => json!({ "role": "user", "content": text }),
        }
    }

    fn blocks(&self, texts: [&str; 2]) -> Value {
        match self.api {
            "gemini" => json!({ "role": "user", "parts": texts.map(|text| json!({ "text": text })) }),
            _ => {
                json!({ "role": "user", "content": texts.map(|text| json!({ "type": "text", "text": text })) })
            }
        }
    }

    fn turn_blocks(&mut self) {
        self.messages[2] = self.blocks(["two", "one"]);
    }

    fn edit(&mut self, at: usize) {
        self.messages[at] = self.message(&format!("edited {at}"));
    }

    fn line(&mut self, block: usize, line: usize, text: &str) {
        let mut lines: Vec<_> = self.system[block].split('\n').map(str::to_owned).collect();
        text.clone_into(&mut lines[line]);
        self.system[block] = lines.join("\n");
    }

    fn effort(&mut self, effort: &str) {
        match self.api {
            "anthropic" => self.body["output_config"] = json!({ "effort": effort }),
            "responses" => self.body["reasoning"] = json!({ "effort": effort }),
            _ => self.body["reasoning_effort"] = json!(effort),
        }
    }

    fn think(&mut self) {
        match self.api {
            "gemini" => self.body["generationConfig"]["thinkingConfig"] = json!({ "thinkingBudget": 99 }),
            _ => self.body["thinking"] = json!({ "type": "enabled", "budget_tokens": 99 }),
        }
    }

    fn choose(&mut self) {
        match self.api {
            "gemini" => self.body["toolConfig"] = json!({ "functionCallingConfig": { "mode": "ANY" } }),
            _ => self.body["tool_choice"] = json!({ "type": "any" }),
        }
    }

    fn format(&mut self) {
        match self.api {
            "gemini" => self.body["generationConfig"]["responseSchema"] = json!({ "type": "OBJECT" }),
            "responses" => self.body["text"] = json!({ "format": { "type": "json_object" } }),
            _ => self.body["response_format"] = json!({ "type": "json_object" }),
        }
    }

    /// The marks of the request. `known` are marks that may be used again.
    fn marks(&self, transcript: &SampleTranscript, known: &[Arc<PromptMarks>]) -> Arc<PromptMarks> {
        let (mut body, mut messages) = (self.body.clone(), self.messages.clone());
        body["tools"] = self.tools.clone().into();
        match self.api {
            "anthropic" => {
                let block = |text: &String| json!({ "type": "text", "text": text });
                body["system"] = self.system.iter().map(block).collect();
                // The mark wanders with the last message.
                if let Some(text) = messages.last().and_then(|it| it["content"].as_str()) {
                    let mark = json!({ "type": "ephemeral" });
                    let block = json!([{ "type": "text", "text": text, "cache_control": mark }]);
                    messages.last_mut().expect("a message")["content"] = block;
                }
            }
            "responses" => {
                let item = |text: &String| json!({ "type": "message", "role": "developer", "content": text });
                messages.splice(0..0, self.system[1..].iter().map(item));
                body["instructions"] = json!(self.system[0]);
                body["store"] = json!(false);
            }
            "gemini" => {
                let part = |text: &String| json!({ "text": text });
                body["systemInstruction"] =
                    json!({ "parts": self.system.iter().map(part).collect::<Vec<_>>() });
                body["tools"] = json!([{ "functionDeclarations": self.tools }]);
            }
            _ => {
                let item = |text: &String| json!({ "role": "system", "content": text });
                messages.splice(0..0, self.system.iter().map(item));
            }
        }
        body[transcript.list] = messages.into();
        let body = serde_json::to_vec(&body).expect("JSON");
        let context = PromptContext { model: Some(self.around.model), betas: self.around.betas };
        let marks = prompt_marks(&context, &transcript.provider.read(&body), known).expect("marks");
        let alone = prompt_marks(&context, &transcript.provider.read(&body), &[]).expect("marks");
        assert_eq!(marks, alone, "what is known changes nothing");
        Arc::new(marks)
    }
}

fn turn(marks: &Arc<PromptMarks>) -> PromptTurn {
    PromptTurn { came: Arc::clone(marks), sent: Arc::clone(marks), usage: None }
}

fn compare(before: &Arc<PromptMarks>, now: &Arc<PromptMarks>) -> Option<PromptBreak> {
    ConversationMatch::of(before, now)?;
    judge(CacheRules::of("anthropic", ""), &turn(before), &turn(now), 1_000)
}

/// The project's own conversations, of all clients.
fn own() -> Vec<SampleTranscript> {
    let mut own = conversations();
    own.truncate(OWN);
    own
}

fn is_possible(api: &str, plant: &Plant) -> bool {
    // Gemini's API has no effort of its own.
    !(api == "gemini" && plant.cause == C::Effort)
}

#[test]
fn each_planted_cause_is_found_with_its_place_and_its_owner() {
    let mut checked = 0;
    for transcript in own() {
        let before = Turn::of(&transcript, 8);
        let now = Turn::of(&transcript, 10);
        let known = before.marks(&transcript, &[]);
        assert_eq!(
            compare(&known, &now.marks(&transcript, std::slice::from_ref(&known))),
            None,
            "{}",
            transcript.name
        );
        for plant in PLANTS.iter().filter(|plant| is_possible(before.api, plant)) {
            let mut now = now.clone();
            (plant.apply)(&mut now);
            let marks = now.marks(&transcript, std::slice::from_ref(&known));
            let found =
                compare(&known, &marks).unwrap_or_else(|| panic!("{}: {}", transcript.name, plant.name));
            let server = found.server.as_ref().map(ShownName::as_str);
            assert_eq!(
                (found.cause, found.place, found.line, found.owner, server),
                (plant.cause, plant.place, plant.line, plant.owner, plant.server),
                "{}: {}",
                transcript.name,
                plant.name
            );
            checked += 1;
        }
    }
    assert_eq!(checked, 319);
}

/// The part of the prompt that a cause is in, in the order of an API's cache.
fn section(api: &str, cause: BreakCause) -> u8 {
    let is_system_first = api == "responses" || api == "gemini";
    match cause {
        C::Model | C::Betas | C::CacheKey => 0,
        C::ToolAdded | C::ToolRemoved | C::ToolMoved | C::ToolChanged => 1 + u8::from(is_system_first),
        C::SystemDate | C::SystemGit | C::System => 1 + u8::from(!is_system_first),
        C::Effort | C::Thinking | C::Format | C::ToolChoice => 3,
        _ => 4,
    }
}

#[test]
fn of_two_planted_causes_the_first_is_found() {
    for transcript in own() {
        let (before, now) = (Turn::of(&transcript, 8), Turn::of(&transcript, 10));
        let (api, known) = (before.api, before.marks(&transcript, &[]));
        for one in PLANTS.iter().filter(|plant| is_possible(api, plant)) {
            for two in PLANTS.iter().filter(|plant| is_possible(api, plant)) {
                if section(api, one.cause) >= section(api, two.cause) {
                    continue;
                }
                let mut now = now.clone();
                (one.apply)(&mut now);
                (two.apply)(&mut now);
                let found = compare(&known, &now.marks(&transcript, std::slice::from_ref(&known)));
                let found = found.map(|it| (it.cause, it.place, it.line, it.owner));
                let expected = Some((one.cause, one.place, one.line, one.owner));
                assert_eq!(found, expected, "{}: {} and {}", transcript.name, one.name, two.name);
            }
        }
    }
}

/// Two causes in the same part, the second planted first, so that the place of the first stays what it is.
#[test]
fn of_two_causes_in_one_part_the_first_is_found() {
    let mut checked = 0;
    for transcript in own() {
        let (before, now) = (Turn::of(&transcript, 8), Turn::of(&transcript, 10));
        let (api, known) = (before.api, before.marks(&transcript, &[]));
        for (one, two) in pairs_in_one_part(api) {
            let mut now = now.clone();
            (two.apply)(&mut now);
            (one.apply)(&mut now);
            let found = compare(&known, &now.marks(&transcript, std::slice::from_ref(&known)));
            let found = found.map(|it| (it.cause, it.place, it.line, it.owner));
            // An edit beside a dropped message is the same as a dropped message beside an edit.
            let is_beside = section(api, one.cause) == 4 && one.place.map(|it| it + 1) >= two.place;
            let cause = found.filter(|_| is_beside).map_or(one.cause, |it| it.0);
            let expected = Some((cause, one.place, one.line, one.owner));
            assert_eq!(found, expected, "{}: {} and {}", transcript.name, one.name, two.name);
            checked += 1;
        }
    }
    assert_eq!(checked, 1_216);
}

/// Causes that take or add the last tool: two of them are not the same two any more.
const AT_THE_END: [&str; 4] =
    ["a tool at the end", "a server's tool at the end", "no last tool", "last tool first"];

/// Two that look like another: a git status without the heading that follows it is longer.
const AS_ONE: (&str, &str) = ("a line less", "the last line");

/// Pairs of causes at different places of one part.
fn pairs_in_one_part(api: &str) -> Vec<(&'static Plant, &'static Plant)> {
    let is_pair = |one: &Plant, two: &Plant| {
        let is_apart =
            ![one, two].iter().all(|it| AT_THE_END.contains(&it.name)) && AS_ONE != (one.name, two.name);
        let is_in_order = (one.place, one.line) < (two.place, two.line);
        section(api, one.cause) == section(api, two.cause) && is_in_order && is_apart
    };
    let seconds =
        |one: &'static Plant| PLANTS.iter().filter(move |two| is_pair(one, two)).map(move |two| (one, two));
    PLANTS.iter().flat_map(seconds).collect()
}

#[test]
fn usage_decides_what_a_difference_cannot() {
    let transcript = &own()[0];
    let [before, now] = [8, 10].map(|count| Turn::of(transcript, count).marks(transcript, &[]));
    let used =
        |cache_read, cache_write| Some(TokenUsage { cache_read, cache_write, ..TokenUsage::default() });
    let rules = CacheRules::of("anthropic", "");
    let judge = |now: &Arc<PromptMarks>, usage, idle_ms| {
        let before = PromptTurn { usage: used(90_000, 10_000), ..turn(&before) };
        judge(rules, &before, &PromptTurn { usage, ..turn(now) }, idle_ms)
            .map(|it| (it.cause, it.owner, it.lost))
    };
    assert_eq!(judge(&now, used(100_000, 500), 1_000), None, "all was read");
    assert_eq!(judge(&now, used(0, 100_500), 1_000), Some((C::Nothing, O::Provider, Some(100_000))));
    assert_eq!(judge(&now, used(0, 100_500), 301_000), Some((C::Idle, O::Person, Some(100_000))));
    assert_eq!(judge(&now, used(98_000, 2_500), 1_000), None, "providers round");
    let mut other = Turn::of(transcript, 10);
    other.tools.pop();
    let other = other.marks(transcript, &[]);
    assert_eq!(judge(&other, used(100_000, 500), 1_000), None, "the change cost nothing");
    assert_eq!(judge(&other, used(0, 100_500), 1_000), Some((C::ToolRemoved, O::Client, Some(100_000))));
    assert_eq!(judge(&other, used(0, 100_500), 301_000), Some((C::Idle, O::Person, Some(100_000))));
}

#[test]
fn what_only_the_forwarded_request_changes_is_ours() {
    let transcript = &own()[0];
    let [before, now] = [8, 10].map(|count| Turn::of(transcript, count).marks(transcript, &[]));
    let mut ours = Turn::of(transcript, 10);
    ours.edit(4);
    let mut theirs = Turn::of(transcript, 10);
    theirs.edit(1);
    let [ours, theirs] = [ours, theirs].map(|it| it.marks(transcript, &[]));
    let rules = CacheRules::of("anthropic", "");
    let judge = |came: &Arc<PromptMarks>, sent: &Arc<PromptMarks>| {
        let now = PromptTurn { came: Arc::clone(came), sent: Arc::clone(sent), usage: None };
        judge(rules, &turn(&before), &now, 1_000).map(|it| (it.owner, it.place))
    };
    assert_eq!(judge(&now, &ours), Some((O::Us, Some(5))));
    assert_eq!(judge(&theirs, &theirs), Some((O::Client, Some(2))));
    assert_eq!(judge(&theirs, &ours), Some((O::Client, Some(2))), "theirs comes first");
}

#[test]
fn conversations_side_by_side_are_told_apart() {
    let transcript = &own()[0];
    let main = Turn::of(transcript, 8);
    let marks = main.marks(transcript, &[]);
    // A title: the first message, for another model without tools.
    let mut title = Turn::of(transcript, 3);
    (title.tools, title.system, title.around.model) = (Vec::new(), vec!["Name it.".to_owned()], "model-b");
    assert_eq!(compare(&marks, &title.marks(transcript, &[])), None);
    // The same at the length of the conversation.
    let mut summary = Turn::of(transcript, 8);
    (summary.tools, summary.around.model) = (Vec::new(), "model-b");
    assert_eq!(compare(&marks, &summary.marks(transcript, &[])), None);
    // A sub-agent: the same head, other messages. A warm-up. A return to an earlier message.
    let mut agent = main.clone();
    agent.messages = vec![agent.message("Search the code."), agent.message("More.")];
    let mut warm = main.clone();
    warm.messages.truncate(1);
    let mut back = main.clone();
    back.messages.truncate(4);
    back.messages.push(back.message("No, like this."));
    for other in [agent, warm, back] {
        assert_eq!(compare(&marks, &other.marks(transcript, &[])), None);
    }
}

/// The bodies of a conversation, turn by turn: each prefix of its messages.
fn turns(transcript: &SampleTranscript) -> Vec<Vec<u8>> {
    let body = &transcript.body;
    let list = JsonNode::parse(body).and_then(|body| body.get(transcript.list)).expect("messages");
    let items = list.items();
    let turn = |last: &JsonNode<'_>| [&body[..last.span.end], &body[list.span.end - 1..]].concat();
    items.iter().map(turn).collect()
}

#[test]
fn no_recorded_conversation_breaks_its_cache() {
    let all = conversations();
    let mut latest: Vec<Arc<PromptMarks>> = Vec::new();
    let mut requests = 0;
    let all: Vec<_> = all.iter().map(|it| (it, turns(it))).collect();
    let most = all.iter().map(|(_, turns)| turns.len()).max().unwrap_or(0);
    for at in 0..most {
        for (transcript, turns) in &all {
            let Some(body) = turns.get(at) else { continue };
            let context = PromptContext { model: Some(transcript.provider.name()), betas: 0 };
            let Some(marks) = prompt_marks(&context, &transcript.provider.read(body), &latest) else {
                continue;
            };
            let marks = Arc::new(marks);
            let fits = latest.iter().enumerate();
            let fit = fits.filter_map(|(at, it)| Some((ConversationMatch::of(it, &marks)?, at))).max();
            if let Some((_, at)) = fit {
                let before = latest.remove(at);
                assert_eq!(compare(&before, &marks), None, "{}", transcript.name);
            }
            latest.push(marks);
            requests += 1;
        }
    }
    println!("{requests} requests of {} conversations", all.len());
    assert!(requests > 50);
}
