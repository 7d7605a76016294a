//! Checks the slots of real bodies: `fixtures/<provider>/<case>.json` and `.slots.snap` beside it.
//!
//! `TERSELY_BLESS=1` rewrites the snapshots.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

mod fixtures;
mod snapshot;

use std::fmt::Write as _;

use fixtures::{Fixture, fixtures};
use snapshot::hold;
use tersely_wire::{Slot, splice};

#[test]
fn every_fixture_gives_its_slots() {
    hold(fixtures().into_iter().map(|it| (it.path.with_extension("slots.snap"), describe(&it))));
}

#[test]
fn every_provider_has_fixtures() {
    for provider in tersely_wire::PROVIDERS {
        assert!(fixtures().iter().any(|it| it.provider.name() == provider.name()), "{}", provider.name());
    }
}

/// Behaviour 17.17: only the texts change, and the image beside them stays.
#[test]
fn images_survive_beside_texts() {
    let fixture = fixtures().into_iter().find(|it| it.path.ends_with("anthropic/images-stay.json"));
    let Fixture { body, provider, .. } = fixture.expect("the fixture");
    let edits: Vec<_> = provider
        .slots(&body)
        .expect("slots")
        .iter()
        .map(|slot| (slot.span.clone(), Some("x".to_owned())))
        .collect();
    let spliced = String::from_utf8(splice(&body, &edits).into_owned()).expect("a text");
    let image =
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}"#;
    let content = format!(
        r#""content":[{{"type":"text","text":"x"}},{image},{{"type":"text","text":"x","cache_control":{{"type":"ephemeral"}}}},"#
    );
    assert!(spliced.contains(&content), "{spliced}");
}

fn describe(Fixture { body, provider, .. }: &Fixture) -> String {
    match provider.slots(body) {
        Ok(slots) if slots.is_empty() => "no slots\n".to_owned(),
        Ok(slots) => slots.iter().map(line).collect(),
        Err(error) => format!("error: {error}\n"),
    }
}

fn line(slot: &Slot<'_>) -> String {
    let Slot { span, call, is_error, .. } = slot;
    let mut line = format!("{}..{} id={:?} tool={:?}", span.start, span.end, call.id, call.tool);
    if let Some(command) = &call.command {
        let _ = write!(line, " command={command:?}");
    }
    if *is_error {
        line.push_str(" failed");
    }
    match slot.text() {
        Some(text) => line + &format!("\n    {text:?}\n"),
        None => line + "\n    cannot be read\n",
    }
}
