//! Lists the text forms of a value, and dispatches to their encoders and decoders.

use crate::{DecodeError, Value, json, stc, terse, toon};

/// A text form of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// JSON without white space.
    Json,
    /// STC v1.
    Stc,
    /// TOON, as defined by its owners.
    Toon,
    /// The terse form.
    Terse,
}

impl Form {
    /// All forms, in the order in which tables show them.
    pub const ALL: [Self; 4] = [Self::Json, Self::Stc, Self::Toon, Self::Terse];

    /// The form's name on the command line and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Stc => "stc",
            Self::Toon => "toon",
            Self::Terse => "terse",
        }
    }
}

/// Writes `value` in `form`; `None` when the form cannot represent the value exactly.
#[must_use]
pub fn encode(form: Form, value: &Value<'_>) -> Option<String> {
    match form {
        Form::Json => Some(json::encode(value)),
        Form::Stc => stc::encode(value),
        Form::Toon => toon::encode(value),
        Form::Terse => terse::encode(value),
    }
}

/// Reads `text` as `form`.
///
/// # Errors
/// Fails if the text is not in that form.
pub fn decode(form: Form, text: &str) -> Result<Value<'_>, DecodeError> {
    match form {
        Form::Json => json::decode(text),
        Form::Stc => stc::decode(text),
        Form::Toon => toon::decode(text),
        Form::Terse => terse::decode(text),
    }
}

/// The form of `text`, and its value; `None` when the form is uncertain.
///
/// The decoders of JSON and STC reject almost any other text. Text with only keys and values could be terse, TOON or
/// something else, so terse and TOON are accepted only if the text contains a list. TOON accepts almost any text, so
/// it must also encode the value to the same text.
#[must_use]
pub fn detect(text: &str) -> Option<(Form, Value<'_>)> {
    let read = |form| Some((form, decode(form, text).ok()?));
    let terse = || read(Form::Terse).filter(|_| terse::shows_list(text));
    let toon = || {
        read(Form::Toon)
            .filter(|(form, value)| holds_list(value) && encode(*form, value).as_deref() == Some(text))
    };
    read(Form::Json).or_else(|| read(Form::Stc)).or_else(terse).or_else(toon)
}

fn holds_list(value: &Value<'_>) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => members.iter().any(|(_, value)| holds_list(value)),
        _ => false,
    }
}
