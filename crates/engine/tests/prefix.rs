//! The compressed form of a shorter request is a prefix of that of a longer one, byte for byte.
//!
//! Messages come last in every body here. So a body without its last two brackets must be the beginning of the next,
//! followed by a comma: then equality message by message is equality byte by byte.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails loudly, and says how much it saw")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};
use tersely_core::{Loss, Mode, Plan};
use tersely_engine::{Engine, EngineSettings, Memo, Recall, Request, SchemaMode};
use tersely_testing::corpus::{SampleTranscript, conversations};
use tersely_wire::{PROVIDERS, Provider};

const MODES: [Mode; 3] = [Mode::Safe, Mode::Standard, Mode::Aggressive];
const LOSSES: [Loss; 3] = [Loss::None, Loss::Form, Loss::Detail];

/// Circumstances that must not change a byte of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scene {
    /// One engine for all requests, which remembers the conversation.
    Plain,
    /// Another engine for every request, as with replicas and after a restart: it remembers nothing.
    Restarted,
    /// A conversation that has a name.
    Named,
    /// The `cache_control` mark moves to the latest block, as Claude Code moves it.
    Moving,
}

const SCENES: [Scene; 4] = [Scene::Plain, Scene::Restarted, Scene::Named, Scene::Moving];

/// The mark at the end of a block.
const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;

/// A conversation in pieces.
struct Pieces {
    name: String,
    provider: &'static Provider,
    /// All members but the messages.
    head: String,
    /// The member that lists the messages.
    list: &'static str,
    messages: Vec<Value>,
}

impl Pieces {
    fn of(SampleTranscript { name, body, provider, list, .. }: SampleTranscript) -> Self {
        let mut body: Value = serde_json::from_slice(&body).expect("JSON");
        let Value::Array(messages) = body[list].take() else { panic!("{name} has no messages") };
        body.as_object_mut().expect("an object").shift_remove(list);
        let head = body.to_string();
        Self { name, provider, head: head[1..head.len() - 1].to_owned(), list, messages }
    }

    /// How many messages every request of the agent had, and at last all of them.
    fn turns(&self) -> Vec<usize> {
        if self.list != "messages" {
            return (1..=self.messages.len()).collect();
        }
        let roles = self.messages.iter().enumerate().skip(1);
        let answers = roles.filter(|(_, message)| message["role"] == "assistant").map(|(at, _)| at);
        answers.chain([self.messages.len()]).collect()
    }

    /// The request with the first `count` messages.
    fn request(&self, scene: Scene, count: usize) -> String {
        let mut messages = self.messages[..count].to_vec();
        let last = messages.iter_mut().rfind(|message| message["role"] == "user");
        let block = last.and_then(|message| message.get_mut("content")?.as_array_mut()?.last_mut());
        if let (Some(block), Scene::Moving) = (block, scene) {
            block["cache_control"] = json!({"type": "ephemeral"});
        }
        let said = r#""_tersely":{"tool_output_compression":{"session_id":"one"}},"#;
        let said = if scene == Scene::Named { said } else { "" };
        let messages: Vec<String> = messages.iter().map(Value::to_string).collect();
        format!(r#"{{{said}{},"{}":[{}]}}"#, self.head, self.list, messages.join(","))
    }

    /// Sends the requests of these lengths one after the other; each must begin with the one before it.
    fn hold(&self, scene: Scene, (mode, loss): (Mode, Loss), turns: &[usize]) {
        let plan = Plan { mode, loss, ..Plan::default() };
        let settings = EngineSettings { plan, ..EngineSettings::default() };
        let mut engine = Engine::new(settings.clone());
        let memo = Memo::default();
        let recall = (scene != Scene::Restarted).then_some(Recall { memo: &memo, whose: b"one" });
        let mut before: Option<String> = None;
        for &count in turns {
            if scene == Scene::Restarted {
                engine = Engine::new(settings.clone());
            }
            let sent = self.sent(&engine, recall, &self.request(scene, count)).replace(MARK, "");
            if let Some(before) = before {
                let begins = before.strip_suffix("]}").and_then(|before| sent.strip_prefix(before));
                let begins = begins.is_some_and(|rest| rest.starts_with(','));
                assert!(begins, "{}: {mode:?} {loss:?} {scene:?}: changed before message {count}", self.name);
            }
            before = Some(sent);
        }
    }

    fn sent(&self, engine: &Engine, memo: Option<Recall<'_>>, body: &str) -> String {
        let request = Request { memo, ..Request::new(self.provider, "/") };
        let passed = engine.pass(&request, body.as_bytes()).expect("nothing to refuse");
        String::from_utf8(passed.body.into_owned()).expect("text")
    }
}

/// Checks the law for every conversation and all of `ways`, with some turns of each scene or with all.
fn each(
    ways: &[(Mode, Loss)],
    scenes: &[Scene],
    pick: impl Fn(&Pieces, usize) -> Vec<usize> + Sync,
) -> usize {
    let pieces: Vec<Pieces> = conversations().into_iter().map(Pieces::of).collect();
    let product =
        |at: usize| scenes.iter().flat_map(move |&scene| ways.iter().map(move |&way| (at, scene, way)));
    let work: Vec<_> = (0..pieces.len()).flat_map(product).collect();
    let (next, requests) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let worker = || {
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let Some(&(at, scene, way)) = work.get(turn) else { return };
            let turns = pick(&pieces[at], turn);
            requests.fetch_add(turns.len(), Ordering::Relaxed);
            pieces[at].hold(scene, way, &turns);
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(worker))));
    requests.into_inner()
}

fn ways() -> Vec<(Mode, Loss)> {
    MODES.into_iter().flat_map(|mode| LOSSES.map(|loss| (mode, loss))).collect()
}

/// At most `count` of the turns, and always the last: the same in every run, others for every `seed`.
fn some(pieces: &Pieces, seed: usize, count: usize) -> Vec<usize> {
    let turns = pieces.turns();
    let (&last, before) = turns.split_last().expect("a turn");
    let stride = before.len().div_ceil(count).max(1);
    before.iter().skip(seed % stride).step_by(stride).copied().chain([last]).collect()
}

#[test]
fn the_usual_modes_keep_what_they_sent() {
    each(&[(Mode::Standard, Loss::None), (Mode::Standard, Loss::Detail)], &[Scene::Plain], |it, seed| {
        some(it, seed, 8)
    });
}

#[test]
fn every_mode_keeps_what_it_sent_in_every_scene() {
    each(&ways(), &SCENES, |it, seed| some(it, seed, 1));
}

#[test]
#[ignore = "takes minutes: just prefix"]
fn every_turn_in_every_mode_and_scene() {
    let requests = each(&ways(), &SCENES, |it, _| it.turns());
    println!(
        "{requests} requests, {} modes, {} scenes: each begins with the one before it",
        ways().len(),
        SCENES.len()
    );
}

/// Behaviour 5.8.
#[test]
fn fifty_turns_sent_again_are_the_same_bytes() {
    for (name, messages) in [("anthropic", long(anthropic)), ("chat", long(chat))] {
        let provider = PROVIDERS.into_iter().find(|known| known.name() == name).expect("a provider");
        let pieces = Pieces {
            name: name.to_owned(),
            provider,
            head: r#""model":"m""#.to_owned(),
            list: "messages",
            messages,
        };
        let turns = pieces.turns();
        assert_eq!(turns.len(), 50);
        for way in ways() {
            for scene in SCENES {
                pieces.hold(scene, way, &turns);
            }
        }
        let engine = Engine::default();
        let whole = pieces.request(Scene::Plain, turns[49]);
        assert!(
            pieces.sent(&engine, None, &whole).len() < whole.len() * 3 / 4,
            "{name}: there is much to shorten"
        );
    }
}

/// Fifty turns: a question, and a call and its result for each answer but the last.
fn long(turn: fn(usize, &str) -> [Value; 2]) -> Vec<Value> {
    let turns = (0..49).flat_map(|at| turn(at, &result(at)));
    std::iter::once(json!({"role": "user", "content": "Find what broke."})).chain(turns).collect()
}

/// Tool outputs: rows, lines of a file, hits, a log, and repetitions.
fn result(at: usize) -> String {
    let lines = |line: fn(usize, usize) -> String| (0..40).map(|n| line(at, n)).collect::<Vec<_>>();
    match at % 5 {
        0 => format!(
            "[{}]",
            lines(|at, n| format!(r#"{{"id": {n}, "kind": "fruit", "of": {at}}}"#)).join(", ")
        ),
        1 => lines(|at, n| format!("{:>6}\u{2192}let value_{n} = at({at}, {n});\n", n + 1)).concat(),
        2 => lines(|_, n| format!("src/deep/folder/module.rs:{}:use of value_{n}\n", n * 7)).concat(),
        3 => lines(|at, n| format!("2026-01-01T00:00:{:02}Z WARN worker-{at} is slow to answer\n", n % 4))
            .concat(),
        _ => result(at - 4),
    }
}

fn anthropic(at: usize, text: &str) -> [Value; 2] {
    let call =
        json!({"type": "tool_use", "id": format!("t{at}"), "name": "Bash", "input": {"command": "run"}});
    let result = json!({"type": "tool_result", "tool_use_id": format!("t{at}"), "content": text});
    [json!({"role": "assistant", "content": [call]}), json!({"role": "user", "content": [result]})]
}

fn chat(at: usize, text: &str) -> [Value; 2] {
    let function = json!({"name": "bash", "arguments": "{\"command\":\"run\"}"});
    let call = json!({"id": format!("c{at}"), "type": "function", "function": function});
    let result = json!({"role": "tool", "tool_call_id": format!("c{at}"), "content": text});
    [json!({"role": "assistant", "content": null, "tool_calls": [call]}), result]
}

/// A conversation has the same hash in every turn, wherever its marks are, and different ones have different hashes.
#[test]
fn all_turns_of_a_conversation_have_one_session() {
    let plan = Plan { mode: Mode::Disabled, ..Plan::default() };
    let schema = SchemaMode::Minify;
    let engine = Engine::new(EngineSettings { plan, schema, ..EngineSettings::default() });
    let mut known = HashMap::new();
    for pieces in conversations().into_iter().map(Pieces::of) {
        let session = |scene, count| {
            let (body, request) = (pieces.request(scene, count), Request::new(pieces.provider, "/"));
            engine.pass(&request, body.as_bytes()).expect("nothing to refuse").report.record.session
        };
        let turns = pieces.turns();
        let turns: Vec<_> = turns.iter().copied().step_by(turns.len() / 6 + 1).collect();
        let own = session(Scene::Plain, pieces.messages.len());
        let name = &pieces.name;
        assert!(own.is_some(), "{name}");
        for &count in &turns {
            for scene in [Scene::Plain, Scene::Moving] {
                // The first messages may all be the operator's.
                let found = session(scene, count).or(own.filter(|_| count < 3));
                assert_eq!(found, own, "{name} at {count}");
            }
        }
        let named = session(Scene::Named, pieces.messages.len());
        assert!(
            named.is_some() && named != own && turns.iter().all(|&at| session(Scene::Named, at) == named),
            "{name}"
        );
        let first = pieces.messages.iter().find(|message| message["role"] == "user").cloned();
        let other = known.insert(own, first.clone());
        assert!(other.is_none_or(|other| other == first), "{name} has the session of another");
    }
    assert!(known.len() > 5);
}
