//! Checks what is found beside tool results, and what is sent instead: `<case>.places.snap` and `<case>.sent.snap`
//! beside the fixtures that have any.
//!
//! `TERSELY_BLESS=1` rewrites the snapshots.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

mod fixtures;
mod snapshot;

use fixtures::{Fixture, fixtures};
use snapshot::hold;
use tersely_core::prompt::shorten;
use tersely_core::schema::minify;
use tersely_wire::{Slot, Splice, rewrite, splice};

/// So low that the fixtures can be read.
const MIN_BYTES: usize = 256;

#[test]
fn every_fixture_gives_its_places() {
    check("places.snap", places);
}

#[test]
fn every_fixture_is_sent_as_it_was() {
    check("sent.snap", |fixture| {
        let sent = splice(&fixture.body, &edits(fixture)).into_owned();
        if sent == fixture.body { String::new() } else { String::from_utf8_lossy(&sent).into_owned() }
    });
}

#[test]
fn every_provider_has_tools_and_data() {
    for provider in tersely_wire::PROVIDERS {
        let mut fixtures = fixtures().into_iter().filter(|it| it.provider.name() == provider.name());
        let fixture = fixtures.find(|it| it.path.ends_with("tools-and-data.json")).expect("a fixture");
        assert!(provider.descriptions(&fixture.body).expect("descriptions").len() > 5, "{}", provider.name());
        assert!(provider.read(&fixture.body).prompts().len() > 1, "{}", provider.name());
    }
}

/// Behaviour 2.8.
#[test]
fn every_provider_gives_texts_and_takes_others() {
    for provider in tersely_wire::PROVIDERS {
        let found = |it: &Fixture| provider.slots(&it.body).is_ok_and(|slots| !slots.is_empty());
        let own = fixtures().into_iter().filter(|it| it.provider.name() == provider.name());
        let own: Vec<_> = own.filter(found).collect();
        assert!(!own.is_empty(), "{} has no results", provider.name());
        for Fixture { body, .. } in &own {
            let spans = |body: &[u8]| -> Vec<_> {
                provider.slots(body).expect("slots").iter().map(|slot| slot.span.clone()).collect()
            };
            let edits: Vec<Splice> =
                spans(body).into_iter().map(|span| (span, Some("in place".to_owned()))).collect();
            let sent = splice(body, &edits);
            let taken = provider.slots(&sent).expect("slots");
            // What cannot be read cannot be written either.
            let is_right = |it: &Slot<'_>| it.text().is_none_or(|text| text == "in place");
            assert!(taken.len() == edits.len() && taken.iter().all(is_right), "{}", provider.name());
            let [before, after] = [(&**body, spans(body)), (&*sent, spans(&sent))].map(|(body, spans)| {
                let start = spans.iter().map(|span| span.end).fold(vec![0], |mut all, end| {
                    all.push(end);
                    all
                });
                let ends = spans.iter().map(|span| span.start).chain([body.len()]);
                start.into_iter().zip(ends).map(|(start, end)| body[start..end].to_vec()).collect::<Vec<_>>()
            });
            assert_eq!(before, after, "{}: another byte changed", provider.name());
        }
    }
}

fn check(name: &str, describe: impl Fn(&Fixture) -> String) {
    hold(fixtures().into_iter().map(|it| (it.path.with_extension(name), describe(&it))));
}

fn places(Fixture { body, provider, .. }: &Fixture) -> String {
    let described = provider.descriptions(body).unwrap_or_default().into_iter().map(|it| {
        let member = String::from_utf8_lossy(&body[it.member.clone()]);
        format!("description {}..{} {:?}\n    {member:?}\n", it.span.start, it.span.end, it.text())
    });
    let said = provider.read(body).prompts().to_vec().into_iter();
    let said = said.map(|it| format!("prompt {}..{}\n    {:?}\n", it.span.start, it.span.end, it.text()));
    described.chain(said).collect()
}

fn edits(Fixture { body, provider, .. }: &Fixture) -> Vec<Splice> {
    let mut edits = rewrite::descriptions(provider, body, minify).unwrap_or_default();
    let write = |text: &str| shorten(MIN_BYTES, text).0;
    edits.extend(rewrite::prompts(&provider.read(body), write));
    edits
}
