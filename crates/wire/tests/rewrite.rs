//! Checks the laws of the wire for descriptions and users' texts: nothing else changes, in any body.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

mod fixtures;
mod laws {
    pub(crate) mod described;
}

use std::env;
use std::ops::Range;

use fixtures::fixtures;
use laws::described::minify_tree;
use serde_json::Value;
use tersely_core::O200k;
use tersely_core::prompt::{Stats, shorten};
use tersely_core::schema::minify;
use tersely_testing::corpus::conversations;
use tersely_testing::generate::Choices;
use tersely_testing::mutate;
use tersely_wire::{PROVIDERS, Provider, Splice, rewrite, splice};

/// Low, so that many texts change.
const MIN_BYTES: usize = 256;

/// Behaviour 9.3 and 9.4: every description is minified, and no other value differs.
#[test]
fn only_descriptions_change() {
    let (mut before, mut after, mut changed) = (0, 0, 0);
    for (name, body, provider) in bodies() {
        let found = provider.descriptions(&body).unwrap_or_default();
        let edits = rewrite::descriptions(provider, &body, minify).unwrap_or_default();
        let sent = splice(&body, &edits);
        assert!(sent == pieced(&body, &edits), "{name}: other bytes differ");
        let Ok(mut expected) = serde_json::from_slice::<Value>(&body) else { continue };
        minify_tree(&mut expected, provider.name());
        assert_eq!(serde_json::from_slice::<Value>(&sent).expect("JSON"), expected, "{name}");
        let again = rewrite::descriptions(provider, &sent, minify).expect("edits");
        assert!(splice(&sent, &again) == sent, "{name}: not settled");
        for text in found.iter().filter_map(tersely_wire::ToolDescription::text) {
            let short = minify(&text).unwrap_or_else(|| text.clone().into_owned());
            let (was, is) = (O200k.count(&text), O200k.count(&short));
            assert!(is <= was, "{name}: {text:?} costs {is}, not {was}");
            (before, after) = (before + was, after + is);
        }
        changed += edits.len();
    }
    println!("{changed} descriptions changed, {before} tokens became {after}");
}

/// Behaviour 11.6 and 16.2: on, the same conversation; off, the same bytes.
#[test]
fn only_texts_of_users_change() {
    let mut stats = Stats::default();
    for (name, body, provider) in bodies() {
        let edits = prompts(provider, &body, &mut stats);
        let sent = splice(&body, &edits);
        assert!(sent == pieced(&body, &edits), "{name}: other bytes differ");
        let slots = |body: &[u8]| {
            let slots = provider.slots(body).unwrap_or_default();
            slots.into_iter().map(|slot| (slot.token.to_vec(), slot.is_error)).collect::<Vec<_>>()
        };
        assert!(slots(&body) == slots(&sent), "{name}: tool results differ");
        assert_eq!(parses(&body), parses(&sent), "{name}");
        assert_eq!(splice(&body, &[]), body, "{name}");
    }
    println!("{stats:?}");
}

/// Law 2: the form of a message does not depend on those after it.
#[test]
fn a_longer_conversation_begins_like_a_shorter_one() {
    for (name, body, provider) in bodies() {
        let Ok(Value::Object(mut value)) = serde_json::from_slice::<Value>(&body) else { continue };
        let texts = |body: &[u8]| {
            let sent = splice(body, &prompts(provider, body, &mut Stats::default())).into_owned();
            provider
                .read(&sent)
                .prompts()
                .iter()
                .map(|it| it.text().expect("a text").into_owned())
                .collect::<Vec<_>>()
        };
        if provider.read(&body).error().is_some() {
            continue;
        }
        let whole = texts(&body);
        let Some(list) = value.values_mut().find_map(|list| list.as_array_mut().filter(|it| it.len() > 3))
        else {
            continue;
        };
        list.truncate(list.len() / 2);
        let half = texts(&serde_json::to_vec(&value).expect("a body"));
        assert!(whole.starts_with(&half), "{name}");
    }
}

/// Behaviour 0.3: never two edits on one string.
#[test]
fn places_of_all_kinds_are_disjoint() {
    for (name, body, provider) in bodies() {
        apart(provider, &body, &name);
    }
}

#[test]
fn broken_bodies_stay_faithful() {
    let cases = env::var("TERSELY_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(4_000);
    let bodies: Vec<_> = bodies().into_iter().filter(|(_, body, _)| body.len() < 50_000).collect();
    let (mut seed, mut whole) = (5_u64, 0);
    for case in 0..cases {
        let (name, body, provider) = &bodies[case % bodies.len()];
        let broken = mutate(&mut seed, body);
        let provider = if seed.pick(8) == 0 { PROVIDERS[seed.pick(PROVIDERS.len())] } else { *provider };
        let name = format!("{name}, case {case}");
        let edits = [described(provider, &broken), said(provider, &broken)].concat();
        let sent = splice(&broken, &edits);
        assert!(sent == pieced(&broken, &edits), "{name}: other bytes differ");
        assert_eq!(parses(&broken), parses(&sent), "{name}");
        apart(provider, &broken, &name);
        whole += usize::from(!edits.is_empty());
    }
    println!("{cases} broken bodies, {whole} of them with edits");
}

#[test]
fn no_body_exhausts_the_stack() {
    for (open, close) in [
        ("[", "]"),
        (r#"{"items":"#, "}"),
        (r#"{"properties":{"a":"#, "}}"),
        (r#"{"anyOf":["#, "]}"),
        (r#"{"tools":["#, "]}"),
        (r#"{"content":["#, "]}"),
        (r#"{"request":"#, "}"),
    ] {
        let inner = open.repeat(200_000) + &close.repeat(200_000);
        let body = format!(
            r#"{{"tools":[{{"function":{inner},"parameters":{inner},"input_schema":{inner},"tools":{inner},"functionDeclarations":[{inner}]}}],"messages":[{{"role":"user","content":{inner}}}],"input":{inner},"contents":{inner}}}"#
        );
        for provider in PROVIDERS {
            for body in [&body, &inner] {
                apart(provider, body.as_bytes(), open);
            }
        }
    }
}

/// Every fixture and every conversation, with its name and provider.
fn bodies() -> Vec<(String, Vec<u8>, &'static Provider)> {
    let fixtures = fixtures().into_iter().map(|it| (it.path.display().to_string(), it.body, it.provider));
    fixtures.chain(conversations().into_iter().map(|it| (it.name, it.body, it.provider))).collect()
}

fn prompts(provider: &'static Provider, body: &[u8], stats: &mut Stats) -> Vec<Splice> {
    let write = |text: &str| {
        let (short, seen) = shorten(MIN_BYTES, text);
        *stats += seen;
        short
    };
    rewrite::prompts(&provider.read(body), write)
}

/// Every description changed, and every third one dropped.
fn described(provider: &'static Provider, body: &[u8]) -> Vec<Splice> {
    let other =
        |text: &str| Some(if text.len().is_multiple_of(3) { String::new() } else { format!("{text}\n\"") });
    rewrite::descriptions(provider, body, other).unwrap_or_default()
}

fn said(provider: &'static Provider, body: &[u8]) -> Vec<Splice> {
    rewrite::prompts(&provider.read(body), |text| Some(format!("{text}\u{1}\\")))
}

fn apart(provider: &'static Provider, body: &[u8], name: &str) {
    let mut spans: Vec<Range<usize>> = Vec::new();
    spans.extend(provider.slots(body).unwrap_or_default().into_iter().map(|it| it.span));
    spans.extend(provider.read(body).prompts().iter().map(|it| it.span.clone()));
    for it in provider.descriptions(body).unwrap_or_default() {
        assert!(it.member.start <= it.span.start && it.span.end <= it.member.end);
        spans.push(it.member);
    }
    spans.sort_by_key(|span| span.start);
    for pair in spans.windows(2) {
        assert!(pair[0].end <= pair[1].start, "{name}: {pair:?} overlap");
    }
}

/// The expected splice, built independently from pieces.
fn pieced(body: &[u8], edits: &[Splice]) -> Vec<u8> {
    let mut edits = edits.to_vec();
    edits.sort_by_key(|(span, _)| span.start);
    let (mut out, mut from) = (Vec::new(), 0);
    for (span, text) in edits {
        out.extend_from_slice(&body[from..span.start]);
        out.extend(text.map(|text| serde_json::to_vec(&text).expect("a string")).unwrap_or_default());
        from = span.end;
    }
    out.extend_from_slice(&body[from..]);
    out
}

/// Read without building a tree, so that depth and numbers do not matter.
fn parses(body: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok()
}
