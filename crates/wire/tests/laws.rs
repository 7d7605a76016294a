//! Checks the laws of the wire for every conversation of the corpus and every fixture, intact and broken.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails loudly, and says how much it saw"
)]

mod fixtures;
mod laws {
    pub(crate) mod plain;
}

use std::env;

use fixtures::fixtures;
use laws::plain;
use serde_json::Value;
use tersely_testing::corpus::{SampleTranscript, conversations};
use tersely_testing::generate::Choices;
use tersely_testing::mutate;
use tersely_wire::{PROVIDERS, Provider, Slot, Splice, splice};

/// A text that needs every kind of escape.
const OTHER: &str = "other \"text\" \\ with\n\ttabs, \u{1}, é and 😀";

#[test]
fn a_text_put_back_gives_the_body_back() {
    for SampleTranscript { name, body, provider, .. } in conversations() {
        let slots = provider.slots(&body).expect("slots");
        let own = edits(&slots, |slot| slot.text().expect("a text").into_owned());
        assert!(splice(&body, &own) == body, "{name}");
        for edit in own {
            assert!(splice(&body, &[edit]) == body, "{name}");
        }
    }
}

#[test]
fn every_tool_result_of_the_corpus_is_found() {
    let (mut results, mut slots, mut bytes) = (0, 0, 0);
    for SampleTranscript { name, body, provider, results: promised, .. } in conversations() {
        let value: Value = serde_json::from_slice(&body).expect("a value");
        let found: Vec<_> = provider.slots(&body).expect("slots").iter().map(described).collect();
        let Some(expected) = plain::results(&value) else {
            assert!(found.len() >= promised, "{name}: {} slots of {promised} results", found.len());
            continue;
        };
        assert_eq!(found, plain::texts(&expected), "{name}");
        assert_eq!(expected.len(), promised, "{name}");
        results += expected.len();
        slots += found.len();
        bytes += found.iter().map(|(_, _, text)| text.len()).sum::<usize>();
    }
    println!("{slots} slots of {results} results, {bytes} bytes of text");
}

#[test]
fn other_texts_change_nothing_but_their_places() {
    for SampleTranscript { name, body, provider, .. } in conversations() {
        changes_only_places(provider, &body, &name);
        let changed = replaced(provider, &body);
        let (before, after) = (messages(&body), messages(&changed));
        assert_eq!(before.len(), after.len(), "{name}");
        let ids = |value: &[Value]| value.iter().flat_map(plain::pairs).collect::<Vec<_>>();
        assert_eq!(ids(&before), ids(&after), "{name}");
    }
}

#[test]
fn calls_of_the_corpus_are_known() {
    for SampleTranscript { name, body, provider, .. } in conversations() {
        for slot in provider.slots(&body).expect("slots") {
            assert!(!slot.call.tool.is_empty(), "{name}: {} has no tool", slot.call.id);
        }
    }
}

#[test]
fn broken_bodies_stay_faithful() {
    mutations(env::var("TERSELY_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(3_000));
}

#[test]
#[ignore = "minutes: a hundred thousand broken bodies"]
fn a_hundred_thousand_broken_bodies_stay_faithful() {
    mutations(100_000);
}

#[test]
fn no_body_exhausts_the_stack() {
    let deep = |open: &str, close: &str| open.repeat(200_000) + &close.repeat(200_000);
    for provider in PROVIDERS {
        for (open, close) in [
            ("[", "]"),
            (r#"{"content":["#, "]}"),
            (r#"{"request":"#, "}"),
            (r#"{"type":"document","source":"#, "}"),
        ] {
            let inner = deep(open, close);
            for head in ["messages", "input", "contents"] {
                let body = format!(
                    r#"{{"{head}":[{{"role":"tool","content":{inner},"parts":{inner},"output":{inner}}}]}}"#
                );
                changes_only_places(provider, body.as_bytes(), "deep");
            }
            let _ = provider.slots(inner.as_bytes());
        }
    }
}

/// Breaks small bodies often and large ones now and then: each case walks its whole body several times.
fn mutations(cases: usize) {
    let mut bodies: Vec<_> = fixtures().into_iter().map(|it| (it.body, it.provider)).collect();
    let small = conversations().into_iter().filter(|it| it.body.len() < 50_000);
    bodies.extend(small.map(|it| (it.body, it.provider)));
    let (mut seed, mut whole) = (1_u64, 0);
    for case in 0..cases {
        let (body, provider) = &bodies[case % bodies.len()];
        let broken = mutate(&mut seed, body);
        // Another provider's body is an unknown shape.
        let provider = if seed.pick(8) == 0 { PROVIDERS[seed.pick(PROVIDERS.len())] } else { *provider };
        whole += usize::from(changes_only_places(provider, &broken, &format!("case {case}")));
    }
    println!("{cases} broken bodies, {whole} of them with slots");
}

/// True when there was something to change.
fn changes_only_places(provider: &'static Provider, body: &[u8], name: &str) -> bool {
    let Ok(slots) = provider.slots(body) else { return false };
    for pair in slots.windows(2) {
        assert!(pair[0].span.end <= pair[1].span.start, "{name}: slots overlap");
    }
    let legible: Vec<_> = slots.iter().filter(|slot| slot.text().is_some()).cloned().collect();
    let own = edits(&legible, |slot| slot.text().expect("a text").into_owned());
    assert!(splice(body, &own) == body, "{name}: its own text changes the body");
    let changed = splice(body, &edits(&legible, |_| OTHER.to_owned())).into_owned();
    assert!(changed == pieced(body, &legible), "{name}: bytes outside the slots differ");
    let (before, after) = (parses(body), parses(&changed));
    assert_eq!(before, after, "{name}: {before} JSON became {after} JSON");
    !legible.is_empty()
}

fn edits(slots: &[Slot<'_>], text: impl Fn(&Slot<'_>) -> String) -> Vec<Splice> {
    slots.iter().map(|slot| (slot.span.clone(), Some(text(slot)))).collect()
}

fn replaced(provider: &'static Provider, body: &[u8]) -> Vec<u8> {
    splice(body, &edits(&provider.slots(body).expect("slots"), |_| OTHER.to_owned())).into_owned()
}

/// The expected splice, built independently from pieces.
fn pieced(body: &[u8], slots: &[Slot<'_>]) -> Vec<u8> {
    let other = serde_json::to_vec(OTHER).expect("a string");
    let starts = std::iter::once(0).chain(slots.iter().map(|slot| slot.span.end));
    let ends = slots.iter().map(|slot| slot.span.start).chain([body.len()]);
    let pieces: Vec<_> = starts.zip(ends).map(|(start, end)| &body[start..end]).collect();
    pieces.join(&other[..])
}

/// Read without building a tree, so that depth and numbers do not matter.
fn parses(body: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok()
}

fn described(slot: &Slot<'_>) -> (String, bool, String) {
    (slot.call.id.to_string(), slot.is_error, slot.text().expect("a text").into_owned())
}

fn messages(body: &[u8]) -> Vec<Value> {
    let value: Value = serde_json::from_slice(body).expect("a value");
    let named = ["messages", "input", "contents"].iter().find_map(|name| value[*name].as_array());
    named.expect("messages").clone()
}
