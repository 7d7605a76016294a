//! What must hold for any bytes: the body of every fuzz target, and of the tests over past findings.

#[path = "../crates/codec/tests/generate/mod.rs"]
mod generate;

use tersely_codec::{Form, Value, decode, encode, json};

/// The forms that documents are put through.
const FORMS: [Form; 4] = Form::ALL;

/// Runs `target` on `bytes`, and panics when what it holds to is broken.
pub(crate) fn run(target: &str, bytes: &[u8]) {
    match target {
        "decode_json" => reads(Form::Json, bytes),
        "decode_stc" => reads(Form::Stc, bytes),
        "decode_terse" => reads(Form::Terse, bytes),
        "decode_toon" => reads(Form::Toon, bytes),
        "round_trip" => makes(bytes),
        other => panic!("no target is called {other}"),
    }
}

/// Whatever a form reads is no deeper than values may be, and comes back from it.
fn reads(form: Form, bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes)
        && let Ok(value) = decode(form, text)
    {
        assert!(value.fits(), "too deep, as {form:?}");
        comes_back(form, &value);
    }
}

/// Whatever the bytes make comes back from every form.
fn makes(mut bytes: &[u8]) {
    let text = generate::document(&mut bytes);
    match json::decode(&text) {
        Ok(value) => FORMS.into_iter().for_each(|form| comes_back(form, &value)),
        Err(error) => panic!("{error}, in {text}"),
    }
}

/// TOON may decline a value; every other form holds it, and all give back what they hold.
fn comes_back(form: Form, value: &Value<'_>) {
    match encode(form, value) {
        Some(text) => assert_eq!(decode(form, &text).as_ref(), Ok(value), "as {form:?}:\n{text}"),
        None => assert_eq!(form, Form::Toon, "declined {}", json::encode(value)),
    }
}
