//! Holds what is found beside tool results, and what is sent in its stead: `<case>.places.snap` and `<case>.sent.snap`
//! beside the fixtures that have any.
//!
//! With `TERSELY_BLESS=1` the snapshots are written anew, as the code finds places now.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

mod fixtures;
mod snapshot;

use fixtures::{Fixture, fixtures};
use snapshot::hold;
use tersely_core::O200k;
use tersely_core::prompt::shorten;
use tersely_core::schema::minify;
use tersely_wire::{Splice, rewrite, splice};

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
        assert!(provider.prompts(&fixture.body).expect("prompts").len() > 1, "{}", provider.name());
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
    let said = provider.prompts(body).unwrap_or_default().into_iter();
    let said = said.map(|it| format!("prompt {}..{}\n    {:?}\n", it.span.start, it.span.end, it.text()));
    described.chain(said).collect()
}

fn edits(Fixture { body, provider, .. }: &Fixture) -> Vec<Splice> {
    let mut edits = rewrite::descriptions(*provider, body, minify).unwrap_or_default();
    let write = |text: &str| shorten(&O200k, MIN_BYTES, text).0;
    edits.extend(rewrite::prompts(*provider, body, write).unwrap_or_default());
    edits
}
