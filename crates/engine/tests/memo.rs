//! A memo saves time and changes nothing: over random walks of conversations, every request gets the same bytes and the
//! same counts with a memo as without one.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};
use tersely_core::{Loss, Mode, Plan};
use tersely_engine::{
    Discovery, Engine, EngineSettings, ForwardBody, Memo, MemoLimits, OptionError, PlanOverride, Prompts,
    Recall, Report, Request, Rule, SchemaMode,
};
use tersely_testing::generate::Choices;
use tersely_testing::{invent, mutate};
use tersely_wire::{PROVIDERS, Provider};

/// The number of requests in one walk.
const STEPS: usize = 60;

/// A conversation that a client holds.
#[derive(Clone)]
struct Talk {
    provider: &'static Provider,
    model: &'static str,
    opening: String,
    system: usize,
    tools: usize,
    messages: Vec<Value>,
    /// Texts of earlier results, which tools return again.
    texts: Vec<String>,
}

impl Talk {
    fn new(seed: &mut u64) -> Self {
        let name = ["anthropic", "chat"][seed.pick(2)];
        let provider = PROVIDERS.iter().find(|it| it.name() == name).expect("a provider");
        let mut talk = Self {
            provider,
            model: "claude-sonnet-4-5",
            opening: format!("Please look at {}", seed.pick(3)),
            system: seed.pick(2),
            tools: 1 + seed.pick(3),
            messages: Vec::new(),
            texts: Vec::new(),
        };
        talk.extend(seed);
        talk
    }

    /// One more call with its result.
    fn extend(&mut self, seed: &mut u64) {
        let text = match (seed.pick(6), self.texts.last()) {
            (0, Some(last)) => last.clone(),
            (1, Some(last)) => format!("{last}one more line\n"),
            (2, _) => "done".to_owned(),
            (3, _) => {
                let key = ["AKIA", "Q3EGRIZ7", "HVLXTNWK"].concat();
                format!("AWS_ACCESS_KEY_ID={key}\n{}", invent(3, seed.pick(9) as u64))
            }
            (4, _) => {
                let rows: Vec<_> =
                    (0..30).map(|n| json!({"id": n, "kind": "é fruit", "ripe": null})).collect();
                Value::from(rows).to_string()
            }
            _ => invent(10 + seed.pick(40), seed.pick(50) as u64),
        };
        let (id, tool) = (format!("call_{}", self.messages.len()), ["Bash", "Read", "list"][seed.pick(3)]);
        let input = json!({"command": format!("show {}", seed.pick(4)), "file_path": "/a.txt"});
        let is_error = seed.pick(8) == 0;
        self.texts.push(text.clone());
        if self.provider.name() == "anthropic" {
            self.messages.extend([
                json!({"role": "assistant", "content": [
                    {"type": "tool_use", "id": id, "name": tool, "input": input}]}),
                json!({"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": text}]}),
            ]);
        } else {
            let call = json!({"name": tool, "arguments": input.to_string()});
            self.messages.extend([
                json!({"role": "assistant", "tool_calls": [{"id": id, "type": "function", "function": call}]}),
                json!({"role": "tool", "tool_call_id": id, "content": text}),
            ]);
        }
    }

    /// Changes the conversation as clients do: most often it grows.
    fn step(&mut self, seed: &mut u64) {
        match seed.pick(30) {
            0 => self.messages.truncate(self.messages.len() / 4 * 2),
            1 => drop(self.messages.drain(..self.messages.len() / 4 * 2)),
            2 => {
                self.messages.truncate(self.messages.len().saturating_sub(2));
                self.extend(seed);
            }
            3 => self.opening.push('!'),
            4 => self.system = seed.pick(3),
            5 => self.tools = 1 + seed.pick(8),
            6 => self.model = ["claude-sonnet-4-5", "claude-3-haiku", "gpt-4o-mini"][seed.pick(3)],
            7 => {}
            _ => self.extend(seed),
        }
        if self.messages.is_empty() {
            self.extend(seed);
        }
    }

    /// The body of a request. The mark of the prompt cache is in the last message, and options come first or last.
    fn body(&self, seed: &mut u64) -> String {
        let tool = |at: usize| match self.provider.name() {
            "anthropic" => json!({"name": format!("tool_{at}"), "description": "Runs.\n\n  It  runs.",
                "input_schema": {"type": "object", "properties": {}}}),
            _ => json!({"type": "function", "function": {"name": format!("tool_{at}"),
                "description": "Runs.\n\n  It  runs.", "parameters": {"type": "object"}}}),
        };
        let mut tools: Vec<Value> = (0..self.tools).map(tool).collect();
        tools[0] = tool(90);
        let records: Vec<_> = (0..4).map(|n| json!({"system": self.system, "n": n})).collect();
        let prompt = format!("{}\n{}", self.opening, Value::from(records));
        let mut messages = vec![json!({"role": "user", "content": prompt})];
        messages.extend(self.messages.iter().cloned());
        if let Some(last) = messages.last_mut().and_then(|last| last["content"].as_array_mut()?.last_mut()) {
            last["cache_control"] = json!({"type": "ephemeral"});
        }
        let mut body = json!({"model": self.model, "tools": tools, "messages": messages});
        if seed.pick(20) == 0 {
            let mode = ["safe", "aggressive", "disabled", "observe"][seed.pick(4)];
            body["_tersely"] = json!({"tool_output_compression": {"mode": mode, "dedup": seed.pick(2) == 0}});
        }
        body.to_string()
    }
}

/// Engines with other settings, which share one memo as engines do when settings are loaded again.
fn engines() -> Vec<Engine> {
    let plan = |mode| Plan { mode, ..Plan::default() };
    let usual = EngineSettings::default();
    let rule = |tenant: Option<&str>, route: Option<&str>, mode| Rule {
        tool: Some("B*".to_owned()),
        route: route.map(str::to_owned),
        tenant: tenant.map(str::to_owned),
        change: PlanOverride::of(&["mode"], plan(mode)),
    };
    let rules = vec![rule(None, Some("/v2"), Mode::Safe), rule(Some("t"), None, Mode::Disabled)];
    let short = Prompts { min_bytes: 16, ..Prompts::default() };
    let few = Discovery { min_tools: 2, max_tools: 3, ..Discovery::default() };
    let base = Engine::new(usual.clone());
    let exact = EngineSettings { plan: Plan { loss: Loss::None, ..Plan::default() }, ..usual.clone() };
    vec![
        base.derived("exact", exact),
        base,
        Engine::new(EngineSettings { rules, ..usual.clone() }),
        Engine::new(EngineSettings { schema: SchemaMode::Minify, prompts: Some(short), ..usual.clone() }),
        Engine::new(EngineSettings { discovery: Some(few), ..usual.clone() }),
        Engine::new(EngineSettings { plan: plan(Mode::Observe), ..usual }),
    ]
}

/// A request with other circumstances now and then.
fn request<'r>(seed: &mut u64, provider: &'static Provider) -> Request<'r> {
    let path = ["/v1/messages", "/v2/messages"][usize::from(seed.pick(8) == 0)];
    let mut request = Request { tenant: (seed.pick(6) == 0).then_some("t"), ..Request::new(provider, path) };
    let changes = |name: &str, plan: Plan| PlanOverride::of(&[name], plan);
    match seed.pick(48) {
        0 => request.most = [Loss::None, Loss::Form][seed.pick(2)],
        1 => request.plain = seed.pick(3),
        2 => request.frozen = seed.pick(4),
        3 => request.asked.bypass = true,
        4 => request.asked.change = changes("min_bytes", Plan { min_bytes: 2000, ..Plan::default() }),
        5 => request.asked.change = changes("mode", Plan { mode: Mode::Aggressive, ..Plan::default() }),
        6 => request.asked.skip_tools = vec!["bash".to_owned()],
        7 => request.asked.schema = Some(SchemaMode::Minify),
        8 => request.named = Some(7),
        _ => {}
    }
    request
}

type Passed<'b> = Result<ForwardBody<'b>, OptionError>;

/// A report without the counts of what came from the memo.
fn report(passed: &Passed<'_>) -> Option<Report> {
    let mut report = passed.as_ref().ok()?.report.clone();
    report.record.reused = 0;
    if let Some(would) = &mut report.record.would {
        Arc::make_mut(would).reused = 0;
    }
    Some(report)
}

fn assert_same(at: &str, known: &Passed<'_>, fresh: &Passed<'_>) {
    let error = |passed: &Passed<'_>| passed.as_ref().err().map(|error| error.message.clone());
    assert_eq!(error(known), error(fresh), "{at}");
    assert_eq!(report(known), report(fresh), "{at}");
    let (Ok(known), Ok(fresh)) = (known, fresh) else { return };
    assert!(*known.body == *fresh.body, "{at}: other bytes");
    let names = |passed: &ForwardBody<'_>| passed.hidden.as_ref().map(|it| format!("{:?}", it.way.names));
    assert_eq!(names(known), names(fresh), "{at}: other tools are hidden");
}

/// Sends the requests of one walk to one memo, and returns the number of results that it knew.
fn walk(limits: MemoLimits, first: u64) -> usize {
    let (memo, engines) = (Memo::new(limits), engines());
    let seed = &mut { first };
    let mut talks: Vec<Talk> = (0..2).map(|_| Talk::new(seed)).collect();
    let (mut engine, mut reused) = (1, 0);
    for step in 0..STEPS {
        let at = seed.pick(talks.len());
        if seed.pick(12) == 0 {
            let branch = talks[at].clone();
            talks.push(branch);
        }
        talks[at].step(seed);
        if seed.pick(10) == 0 {
            engine = seed.pick(engines.len());
        }
        let mut body = talks[at].body(seed).into_bytes();
        if seed.pick(20) == 0 {
            body = mutate(seed, &body);
        }
        let shared = Bytes::from(body);
        let plain = request(seed, talks[at].provider);
        let whose: &[u8] = if seed.pick(12) == 0 { b"you" } else { b"me" };
        let known = Request {
            memo: Some(Recall { memo: &memo, whose }),
            shared: (seed.pick(2) == 0).then_some(&shared),
            ..plain.clone()
        };
        let reading = plain.provider.read(&shared);
        let found = engines[engine].look_up(&known, &reading);
        let new = found.as_ref().map_or(0, |found| found.new_bytes(&reading));
        assert!(new <= shared.len(), "{new} of {} bytes are new", shared.len());
        // What was looked up may be used, and must not matter.
        let known = Request { known: found.as_ref().filter(|_| seed.pick(2) == 0), ..known };
        let fresh = engines[engine].pass(&plain, &shared);
        let known = engines[engine].pass(&known, &shared);
        assert_same(&format!("walk {first}, step {step}"), &known, &fresh);
        reused += known.map_or(0, |known| known.report.record.reused);
    }
    reused
}

#[test]
fn no_walk_of_conversations_shows_whether_there_is_a_memo() {
    let reused: usize = (0..5).map(|seed| walk(MemoLimits::default(), seed)).sum();
    assert!(reused > 150, "too few results came from the memo for this to prove much: {reused}");
}

/// Behaviour 5.1.
#[test]
fn a_memo_that_forgets_most_changes_no_byte_either() {
    let few = |conversations, bytes| MemoLimits { conversations, bytes };
    let limits = [few(1, 64 << 20), few(2, 64 << 20), few(64, 40 << 10), few(64, 12 << 10), few(3, 90 << 10)];
    let reused: Vec<usize> = limits.into_iter().zip(100..).map(|(limits, seed)| walk(limits, seed)).collect();
    assert!(reused.iter().any(|reused| *reused > 0), "{reused:?}");
    for limits in [few(0, 64 << 20), few(64, 0), few(64, 1)] {
        assert_eq!(walk(limits, 7), 0, "{limits:?} has room for nothing");
    }
}

/// A body with these results.
fn results(texts: &[&str]) -> String {
    let result = |(at, text): (usize, &&str)| json!({"type": "tool_result", "tool_use_id": format!("call_{at}"), "content": text});
    let results: Vec<Value> = texts.iter().enumerate().map(result).collect();
    json!({"messages": [{"role": "user", "content": results}]}).to_string()
}

/// Behaviour 5.6: a result is reported as changed by the request that changed it, and by no later one.
#[test]
fn a_result_is_new_once_and_then_it_is_known() {
    let (memo, engine) = (Memo::default(), Engine::default());
    let [one, two] = ["apple ", "pear "].map(|word| word.repeat(40));
    let check = |texts: &[&str], expected: &[bool]| {
        let mut request = Request::new(PROVIDERS[0], "/v1/messages");
        request.memo = Some(Recall { memo: &memo, whose: b"me" });
        request.asked.session.id = Some("s".to_owned());
        let body = results(texts);
        let record = engine.pass(&request, body.as_bytes()).expect("nothing to refuse").report.record;
        let renewed: Vec<bool> = record.results.iter().map(|result| result.is_renewed).collect();
        assert_eq!(renewed, expected);
        assert_eq!(record.renewed, expected.iter().filter(|is| **is).count());
    };
    check(&[&one], &[false]);
    check(&[&two], &[true]);
    check(&[&two], &[false]);
    check(&[&two, &one], &[false, false]);
    check(&[&one, &one], &[true, false]);
    check(&[&one, &two, &one], &[false, true, false]);
}

/// A derived engine has other settings than its base, so it shares no conversations with it; with the same name, it
/// does so with its own kind alone.
#[test]
fn derived_engines_do_not_share_what_they_remember() {
    let memo = Memo::default();
    let base = Engine::new(EngineSettings::default());
    let strong = Plan { mode: Mode::Aggressive, ..Plan::default() };
    let other = Engine::new(EngineSettings { plan: strong, ..EngineSettings::default() });
    let body = results(&[&invent(30, 5)]);
    let reused = |engine: &Engine| {
        let memo = Some(Recall { memo: &memo, whose: b"me" });
        let request = Request { memo, ..Request::new(PROVIDERS[0], "/v1/messages") };
        engine.pass(&request, body.as_bytes()).expect("nothing to refuse").report.record.reused
    };
    let engines = [
        base.clone(),
        base.derived("one", EngineSettings::default()),
        base.derived("two", EngineSettings::default()),
        other.derived("one", other.settings().clone()),
        base.derived("one", EngineSettings::default()).derived("one", EngineSettings::default()),
        other,
    ];
    assert_eq!(engines.each_ref().map(reused), [0; 6], "each is the first of its kind");
    assert_eq!(engines.each_ref().map(reused), [1; 6]);
    assert_eq!(reused(&base.derived("two", EngineSettings::default())), 1, "the same name, the same kind");
    assert_eq!(reused(&Engine::new(EngineSettings::default())), 1, "equal settings, the same kind");
}

/// What is new to the memo is what costs time: nothing of a body that it knows, and all of one that it does not.
#[test]
fn only_what_the_memo_does_not_know_counts_as_new() {
    let (memo, engine) = (Memo::default(), Engine::default());
    let mut request = Request::new(PROVIDERS[0], "/v1/messages");
    request.memo = Some(Recall { memo: &memo, whose: b"me" });
    let (first, more) = (invent(30, 1), invent(30, 2));
    let (short, long) = (results(&[&first]), results(&[&first, &more]));
    let new = |request: &Request<'_>, body: &str| {
        let reading = PROVIDERS[0].read(body.as_bytes());
        engine.look_up(request, &reading).map(|known| known.new_bytes(&reading))
    };
    assert_eq!(new(&request, &short), None);
    engine.pass(&request, short.as_bytes()).expect("nothing to refuse");
    assert_eq!(new(&request, &short), Some(0));
    assert!(
        (more.len()..long.len() - first.len()).contains(&new(&request, &long).expect("its start is known"))
    );
    let options = short.replacen('{', r#"{"_tersely":{},"#, 1);
    assert_eq!(new(&request, &options), None, "options are read first");
    let mut safe = request.clone();
    safe.asked.change = PlanOverride::of(&["mode"], Plan { mode: Mode::Safe, ..Plan::default() });
    assert_eq!(new(&safe, &short), None, "other options, other results");
    let you = Request { memo: Some(Recall { memo: &memo, whose: b"you" }), ..request.clone() };
    assert_eq!(new(&you, &short), None);
    assert_eq!(new(&Request { memo: None, ..request }, &short), None);
}

/// A message that is taken out moves all results after it. They are then at other places, and may be among those that
/// the client wants unchanged.
#[test]
fn results_that_move_are_where_they_are() {
    let (memo, engine) = (Memo::default(), Engine::default());
    let rows: Vec<Value> = (0..30).map(|n| json!({"id": n, "kind": "fruit", "ripe": null})).collect();
    let text = Value::from(rows).to_string();
    let result = json!({"type": "tool_result", "tool_use_id": "a", "content": text});
    let message = |content: Value| json!({"role": "user", "content": content});
    let long = [message(json!("first")), message(json!("second")), message(json!([result]))];
    let short = [long[0].clone(), long[2].clone()];
    for frozen in [0, 2] {
        for messages in [&long[..], &short, &long] {
            let body = json!({"messages": messages}).to_string();
            let fresh = Request { frozen, ..Request::new(PROVIDERS[0], "/v1/messages") };
            let known = Request { memo: Some(Recall { memo: &memo, whose: b"me" }), ..fresh.clone() };
            let [known, fresh] = [known, fresh].map(|request| engine.pass(&request, body.as_bytes()));
            let is_unchanged = fresh.as_ref().is_ok_and(|fresh| *fresh.body == *body.as_bytes());
            assert_eq!(is_unchanged, frozen == 2 && messages.len() == 2, "only the message that is frozen");
            assert_same(&format!("{frozen} of {} messages", messages.len()), &known, &fresh);
        }
    }
}
