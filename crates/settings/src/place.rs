//! Parses, displays and explains the fields of a plan, for keys and rules alike.

use serde_json::{Value, json};
use tersely_core::{Plan, Redaction};
use tersely_engine::PlanPlace;

use super::shape;
use super::words::{Words, bytes, positive, switch};

/// Parses a value into a plan, or returns what is wrong with it.
pub(crate) fn write(place: PlanPlace, plan: &mut Plan, words: &Words) -> Result<(), String> {
    match place {
        PlanPlace::Mode(place) => *place(plan) = words.one()?.parse()?,
        PlanPlace::Loss(place) => *place(plan) = words.one()?.parse()?,
        PlanPlace::Dictionary(place) => *place(plan) = words.one()?.parse()?,
        PlanPlace::Reader(place) => *place(plan) = words.one()?.parse()?,
        PlanPlace::Redaction(place) => *place(plan) = redaction(words.one()?)?,
        PlanPlace::Bytes(place) => *place(plan) = positive(bytes(words.one()?)?)?,
        PlanPlace::Floor(place) => *place(plan) = bytes(words.one()?)?,
    }
    Ok(())
}

/// The value in a plan.
pub(crate) fn show(place: PlanPlace, plan: &mut Plan) -> Value {
    match place {
        PlanPlace::Mode(place) => json!(place(plan).name()),
        PlanPlace::Loss(place) => json!(place(plan).name()),
        PlanPlace::Dictionary(place) => json!(place(plan).name()),
        PlanPlace::Reader(place) => json!(place(plan).name()),
        PlanPlace::Redaction(place) => match place(plan) {
            Redaction::Usual => json!(Redaction::Usual.name()),
            redact => json!(*redact == Redaction::All),
        },
        PlanPlace::Bytes(place) | PlanPlace::Floor(place) => json!(place(plan)),
    }
}

/// The JSON Schema of a field's values.
pub(crate) fn shape(place: PlanPlace) -> Value {
    match place {
        PlanPlace::Mode(_) => shape::words(&[
            "disabled",
            "observe",
            "safe",
            "standard",
            "aggressive",
            "safe@1",
            "standard@1",
            "aggressive@1",
        ]),
        PlanPlace::Loss(_) => shape::words(&["none", "form", "detail"]),
        PlanPlace::Dictionary(_) => shape::words(&["lzw", "repair", "auto"]),
        PlanPlace::Reader(_) => shape::words(&["auto", "small", "strong"]),
        PlanPlace::Redaction(_) => {
            json!({ "anyOf": [{ "enum": [true, false, "usual"] }, { "type": "string" }] })
        }
        PlanPlace::Bytes(_) => shape::number(1),
        PlanPlace::Floor(_) => shape::number(0),
    }
}

/// The allowed values for the reference page; empty where the description already lists them.
pub(crate) fn choice(place: PlanPlace) -> &'static str {
    match place {
        PlanPlace::Mode(_) => {
            ": `disabled`, `observe` ([a dry run](measuring.md)), `safe`, `standard`, `aggressive`, or a profile"
        }
        PlanPlace::Loss(_) => ": `none`, `form` (layout) or `detail` (text that the model can fetch back)",
        PlanPlace::Dictionary(_) => ": `lzw`, `repair` or `auto`",
        PlanPlace::Reader(_) | PlanPlace::Redaction(_) | PlanPlace::Bytes(_) | PlanPlace::Floor(_) => "",
    }
}

/// Parses a switch, or the word `usual`.
fn redaction(word: &str) -> Result<Redaction, String> {
    if word.eq_ignore_ascii_case(Redaction::Usual.name()) {
        return Ok(Redaction::Usual);
    }
    let masks = switch(word).map_err(|_| format!("{word:?} is not true, false or usual"))?;
    Ok(if masks { Redaction::All } else { Redaction::Off })
}
