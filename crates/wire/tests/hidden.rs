//! Checks what clients and upstreams see of a hidden tool: `fixtures/<provider>/hidden/<case>/`.
//!
//! A case has the client's `request.json`, the upstream's responses by round (`1.sse`, `2.sse`, … or `1.json`, … or
//! `1.frames`, … with a line for each message of an event stream of AWS), and the snapshot `seen.snap`: what is sent for
//! each round and what the client gets. `TERSELY_BLESS=1` rewrites the snapshots. The result does not depend on the pieces in which
//! responses arrive.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails loudly, its helpers too")]

mod snapshot;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use snapshot::hold;
use tersely_account::TokenUsage;
use tersely_testing::{mutate, reader, stream};
use tersely_wire::hidden::{CloseReason, HiddenNames, HiddenTool, ResponseFraming, RoundFailure, ToolHiding};
use tersely_wire::usage::UsageReader;
use tersely_wire::{HistoryPlace, PROVIDERS, Provider};

const TOOL: HiddenTool = HiddenTool {
    name: "expand_context",
    description: "Shows what was left out.",
    parameters: r#"{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}"#,
};

const NAMES: HiddenNames = HiddenNames::new(&[TOOL.name]);

/// How many rounds are answered, as in the gateway.
const ROUNDS: usize = 5;

struct Case {
    provider: &'static Provider,
    path: PathBuf,
    hides: &'static ToolHiding,
    framing: ResponseFraming,
    history: HistoryPlace,
    request: Vec<u8>,
    responses: Vec<Vec<u8>>,
}

/// What both sides saw.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    sent: Vec<String>,
    bytes: Vec<u8>,
    /// The same bytes, to be read.
    client: String,
}

#[test]
fn every_case_is_seen_as_it_should_be() {
    let seen = |case: Case| (case.path.join("seen.snap"), describe(&case, &play(&case, usize::MAX)));
    hold(cases().into_iter().map(seen));
}

/// Behaviour 7.4, 7.5.
#[test]
fn every_cut_gives_the_same() {
    for case in cases() {
        let whole = play(&case, usize::MAX);
        let longest = case.responses.iter().map(Vec::len).max().unwrap_or_default();
        for at in 1..longest {
            let cut =
                play_pieces(&case, |bytes| <[_; 2]>::from(bytes.split_at(at.min(bytes.len()))).to_vec());
            assert_eq!(cut, whole, "{} cut at {at}", case.path.display());
        }
        for size in [1, 2, 3, 7, 64] {
            assert_eq!(play(&case, size), whole, "{} in pieces of {size}", case.path.display());
        }
    }
}

#[test]
fn random_cuts_give_the_same() {
    let cases = cases();
    let wholes: Vec<_> = cases.iter().map(|case| play(case, usize::MAX)).collect();
    let mut random = Random(7);
    for run in 0..CUTS {
        let at = run % cases.len();
        let cut = play_pieces(&cases[at], |bytes| random.pieces(bytes));
        assert_eq!(cut, wholes[at], "{} in run {run}", cases[at].path.display());
    }
}

const CUTS: usize = 100_000;

/// Behaviour 7.3.
#[test]
fn the_hidden_tool_is_never_seen_by_the_client() {
    for case in cases() {
        let Seen { client, .. } = play(&case, usize::MAX);
        assert!(!client.contains(TOOL.name), "{}: {client}", case.path.display());
    }
}

#[test]
fn every_provider_that_hides_has_cases() {
    for provider in PROVIDERS.into_iter().filter(|it| it.hides("/").is_some()) {
        let names = || cases().into_iter().filter(|case| case.path.starts_with(folder(provider.name())));
        assert!(names().any(|case| case.framing == ResponseFraming::Whole), "{}", provider.name());
        assert!(names().any(|case| case.framing != ResponseFraming::Whole), "{}", provider.name());
    }
}

/// Garbled and truncated responses neither panic nor vanish, and show no hidden call to any client.
#[test]
fn broken_responses_go_on() {
    broken(200 * cases().len());
}

#[test]
#[ignore = "a minute: a hundred thousand broken responses"]
fn a_hundred_thousand_broken_responses_go_on() {
    broken(100_000);
}

fn broken(runs: usize) {
    let cases = cases();
    let (mut seed, mut random) = (11, Random(11));
    for run in 0..runs {
        let case = &cases[run % cases.len()];
        let mut responses = case.responses.clone();
        // One round at least is broken.
        let chosen = random.below(responses.len());
        for (round, response) in responses.iter_mut().enumerate() {
            if round == chosen || random.below(3) == 0 {
                // Few broken messages pass their checksum, so most are broken before they are framed.
                *response = if case.framing == ResponseFraming::Messages && random.below(4) > 0 {
                    stream::encode(&mutate(&mut seed, &stream::decode(response)))
                } else {
                    mutate(&mut seed, response)
                };
            }
        }
        let broken = Case { responses, path: case.path.clone(), request: case.request.clone(), ..*case };
        let what = || {
            let all: Vec<_> = broken.responses.iter().map(|response| text(response)).collect();
            format!("{} in run {run}\n{}", case.path.display(), all.join("\n---\n"))
        };
        let played = catch_unwind(AssertUnwindSafe(|| play_pieces(&broken, |bytes| random.pieces(bytes))));
        let Ok(Seen { client, bytes, .. }) = played else { panic!("{}", what()) };
        assert!(!bytes.is_empty() || broken.responses[0].is_empty(), "lost: {}", what());
        let calls = reader::calls(&bytes, case.framing);
        assert!(!calls.iter().any(|name| name == TOOL.name), "seen: {}\n=== client\n{client}", what());
    }
}

fn play(case: &Case, size: usize) -> Seen {
    play_pieces(case, |bytes| bytes.chunks(size.min(bytes.len().max(1))).collect())
}

/// Plays a case as the gateway does; the n-th call is answered `answer n`.
fn play_pieces<'c>(case: &'c Case, mut pieces: impl FnMut(&'c [u8]) -> Vec<&'c [u8]>) -> Seen {
    let offered = case.hides.offer(&TOOL, &case.provider.read(&case.request)).expect("a request");
    let mut body = offered.map_or_else(|| case.request.clone(), |tool| tool.apply(&case.request));
    let mut watch = case.hides.watch(NAMES, case.framing, case.history);
    let (mut client, mut sent, mut given) = (Vec::new(), vec![text(&body)], 0);
    let mut usage = TokenUsage::default();
    for (round, response) in case.responses.iter().enumerate() {
        let mut reader = UsageReader::new(case.provider.counts());
        for piece in pieces(response) {
            watch.see(piece, &mut client);
            reader.see(piece);
        }
        usage += reader.usage().unwrap_or_default();
        let Some(turn) = watch.end(&mut client) else { break };
        if round == ROUNDS {
            watch.close(CloseReason::Enough, &mut client);
            break;
        }
        if round + 1 == case.responses.len() {
            watch.close(
                CloseReason::Failed(RoundFailure {
                    status: 502,
                    kind: None,
                    message: "the upstream is gone",
                }),
                &mut client,
            );
            break;
        }
        let answers: Vec<_> = turn.asks.iter().map(|ask| answer(&mut given, &ask.input)).collect();
        body = case.hides.answer(&turn, &answers, &body).expect("a request");
        if round + 1 == ROUNDS {
            body = case.hides.withdraw(NAMES, &body).expect("a request").unwrap_or(body);
        }
        sent.push(text(&body));
    }
    let TokenUsage { input, cache_read, cache_write, output, .. } = usage;
    sent.push(format!(
        "Usage {{ input: {input}, cached: {cache_read}, written: {cache_write}, output: {output} }}"
    ));
    let shown = match case.framing {
        ResponseFraming::Messages => text(&stream::decode(&client)),
        ResponseFraming::Whole | ResponseFraming::Events => text(&client),
    };
    Seen { sent, bytes: client, client: shown }
}

fn answer(given: &mut usize, input: &str) -> String {
    *given += 1;
    format!("answer {given} to {input}")
}

fn describe(case: &Case, seen: &Seen) -> String {
    let original = text(&case.request);
    let sent: Vec<_> =
        seen.sent.iter().map(|body| body.replace(original.trim_end_matches('}'), "…")).collect();
    format!("=== sent\n{}\n=== client\n{}", sent.join("\n---\n"), seen.client)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn folder(provider: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(provider).join("hidden")
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for provider in PROVIDERS {
        let Some(hides) = provider.hides("/") else { continue };
        let mut paths: Vec<_> = fs::read_dir(folder(provider.name()))
            .into_iter()
            .flatten()
            .flatten()
            .map(|it| it.path())
            .collect();
        paths.sort();
        cases.extend(paths.into_iter().map(|path| case(provider, hides, path)));
    }
    cases
}

fn case(provider: &'static Provider, hides: &'static ToolHiding, path: PathBuf) -> Case {
    let framings = [(ResponseFraming::Events, "sse"), (ResponseFraming::Messages, "frames")];
    let found = framings.into_iter().find(|(_, end)| path.join(format!("1.{end}")).exists());
    let (framing, end) = found.unwrap_or((ResponseFraming::Whole, "json"));
    let read = |round: usize| {
        let said = fs::read(path.join(format!("{round}.{end}"))).ok()?;
        Some(if framing == ResponseFraming::Messages { stream::encode(&said) } else { said })
    };
    let responses = (1..).map_while(read).collect();
    let request = fs::read(path.join("request.json")).expect("a request");
    let history = provider.read(&request).history();
    Case { provider, path, hides, framing, history, request, responses }
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit.max(1)
    }

    fn pieces<'b>(&mut self, mut bytes: &'b [u8]) -> Vec<&'b [u8]> {
        let mut pieces = Vec::new();
        let most = 1 + self.below(400);
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at((1 + self.below(most)).min(bytes.len()));
            pieces.push(piece);
            bytes = rest;
        }
        pieces
    }
}
