//! Reads members and texts of a [`Value`].

use tersely_codec::{Text, Value};

/// The member of an object.
pub(crate) fn member<'a>(value: &'a Value<'a>, name: &str) -> Option<&'a Value<'a>> {
    let Value::Object(members) = value else { return None };
    members.iter().find(|(key, _)| *key == Text::of(name)).map(|(_, value)| value)
}

/// The characters of a string.
pub(crate) fn chars(value: Option<&Value<'_>>) -> Option<String> {
    match value {
        Some(Value::String(text)) => text.value().map(Into::into),
        _ => None,
    }
}
