//! The bodies of the fuzz targets, which tests also run over past findings.

use std::borrow::Cow;

use tersely_codec::{Form, Value, decode, encode, json};
use tersely_core::{Call, Loss, Mode, O200k, Plan, Redaction, Room, compress, restore, restore_within};
use tersely_stage::form::GENERAL;
use tersely_stage::{Scene, TextView};
use tersely_wire::hidden::{CloseReason, HiddenNames, ResponseFraming};
use tersely_wire::{HistoryPlace, PROVIDERS, Splice, splice};

use crate::{generate, reader, stream};

/// The targets. Each has a folder of findings and an initial corpus.
pub const TARGETS: [&str; 15] = [
    "decode_json",
    "decode_stc",
    "decode_terse",
    "decode_toon",
    "round_trip",
    "compress",
    "restore",
    "general",
    "slots",
    "watch_anthropic",
    "watch_chat",
    "watch_responses",
    "watch_gemini",
    "watch_converse",
    "watch_invoke",
];

/// The forms that documents are encoded in.
const FORMS: [Form; 4] = Form::ALL;

/// Runs `target` on `bytes`.
///
/// # Panics
/// When the target's property does not hold.
pub fn run(target: &str, bytes: &[u8]) {
    match target {
        "decode_json" => check_decode(Form::Json, bytes),
        "decode_stc" => check_decode(Form::Stc, bytes),
        "decode_terse" => check_decode(Form::Terse, bytes),
        "decode_toon" => check_decode(Form::Toon, bytes),
        "round_trip" => check_round_trip(bytes),
        "compress" => check_compress(bytes),
        "restore" => check_restore(bytes),
        "general" => check_general(bytes),
        "slots" => check_slots(bytes),
        "watch_anthropic" => check_watch("anthropic", "/v1/messages", bytes),
        "watch_chat" => check_watch("chat", "/v1/chat/completions", bytes),
        "watch_responses" => check_watch("responses", "/v1/responses", bytes),
        "watch_gemini" => check_watch("gemini", "/v1beta/models/m:streamGenerateContent?alt=sse", bytes),
        "watch_converse" => check_watch("converse", "/model/m/converse-stream", bytes),
        "watch_invoke" => check_watch("invoke", "/model/m/invoke-with-response-stream", bytes),
        other => panic!("no target is called {other}"),
    }
}

/// A value that a form decodes is within the depth limit, and survives a round trip.
fn check_decode(form: Form, bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes)
        && let Ok(value) = decode(form, text)
    {
        assert!(value.fits(), "too deep, as {form:?}");
        assert_round_trip(form, &value);
    }
}

/// A generated document survives a round trip in every form.
fn check_round_trip(mut bytes: &[u8]) {
    let text = generate::document(&mut bytes);
    match json::decode(&text) {
        Ok(value) => FORMS.into_iter().for_each(|form| assert_round_trip(form, &value)),
        Err(error) => panic!("{error}, in {text}"),
    }
}

/// A form restores every value that it encodes. Only TOON may decline one.
fn assert_round_trip(form: Form, value: &Value<'_>) {
    match encode(form, value) {
        Some(text) => assert_eq!(decode(form, &text).as_ref(), Ok(value), "as {form:?}:\n{text}"),
        None => assert_eq!(form, Form::Toon, "declined {}", json::encode(value)),
    }
}

/// A compressed text never costs more tokens, and is restored exactly if nothing was lost. The first byte chooses the
/// plan.
fn check_compress(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let mode = [Mode::Safe, Mode::Standard, Mode::Aggressive][usize::from(*first) % 3];
    let loss = [Loss::None, Loss::Form, Loss::Detail][usize::from(*first) / 3 % 3];
    let text = String::from_utf8_lossy(rest);
    let plan = Plan { mode, loss, redact: Redaction::Off, max_bytes: 2_000, ..Plan::default() };
    let outcome = compress(&plan, Call::default(), &text);
    let (before, after) = (O200k.count(&text), O200k.count(&outcome.text));
    assert!(after <= before, "{before} tokens became {after}: {}", outcome.text);
    assert_eq!(outcome.ledger.after, after);
    match &outcome.original {
        Some(original) => assert_eq!(original.text, text),
        None if outcome.ledger.loss() == Loss::None => {
            assert_eq!(restore(&outcome.text).as_deref(), Some(&*text), "{}", outcome.text);
        }
        None => {}
    }
}

/// Restoring any text stays within its size limit.
fn check_restore(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let room = Room::of(&text);
    if let Some(back) = restore_within(room, &text) {
        assert!(room.fits(back.len().saturating_sub(text.len())).is_some(), "{} bytes", back.len());
    }
}

/// The general form restores what it writes, and restoring any text as if it were its own stays within the size limit.
fn check_general(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(edit) = GENERAL.apply(Scene::of(&Plan::default(), Call::default()), &TextView::new(&text)) {
        let back = GENERAL.restore(Room::of(&edit.text), &edit.note, &edit.text);
        assert_eq!(back.as_deref(), Some(&*text), "{}", edit.text);
    }
    let room = Room::of(&text);
    if let Some(back) = GENERAL.restore(room, "", &text) {
        assert!(room.fits(back.len()).is_some(), "{} bytes", back.len());
    }
}

/// Whatever a body is, the places found in it are in it, and giving back what they hold changes nothing.
fn check_slots(bytes: &[u8]) {
    for provider in PROVIDERS {
        let Ok(slots) = provider.slots(bytes) else { continue };
        let spelled = slots.iter().filter_map(|slot| Some((slot, slot.text()?.into_owned())));
        let own: Vec<Splice> = spelled
            .filter(|(slot, text)| slot.is_spelled(text))
            .map(|(slot, text)| (slot.span.clone(), Some(text)))
            .collect();
        assert!(splice(bytes, &own) == bytes, "{}: other bytes", provider.name());
    }
}

/// The hidden tool's name.
const HIDDEN: &str = "expand_context";

/// Whatever an upstream sends, in whatever chunks, the client gets something and never sees the hidden tool. The first
/// byte chooses the framing and the chunks. AWS messages are built from lines, since random bytes would fail their
/// checksum, or are the bytes themselves.
fn check_watch(provider: &str, target: &str, bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let provider = PROVIDERS.into_iter().find(|known| known.name() == provider).expect("a provider");
    let hides = provider.hides(target).expect("a place to hide");
    let (framing, sent) = match (first % 2, first % 8) {
        (1, _) => (ResponseFraming::Whole, Cow::Borrowed(rest)),
        (_, 2) => (ResponseFraming::Messages, Cow::Owned(stream::encode(rest))),
        (_, 6) => (ResponseFraming::Messages, Cow::Borrowed(rest)),
        _ => (ResponseFraming::Events, Cow::Borrowed(rest)),
    };
    let mut watch = hides.watch(HiddenNames::new(&[HIDDEN]), framing, HistoryPlace::Here);
    let mut client = Vec::new();
    for piece in sent.chunks(usize::from(first / 2) + 1) {
        watch.see(piece, &mut client);
    }
    if watch.end(&mut client).is_some() {
        watch.close(CloseReason::Enough, &mut client);
    }
    assert!(!client.is_empty() || sent.is_empty(), "all of it is gone");
    let calls = reader::whole_calls(&client, framing);
    assert!(!calls.iter().any(|name| name == HIDDEN), "seen: {}", String::from_utf8_lossy(&client));
}
