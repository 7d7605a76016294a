//! Parses a call of `expand_context`, and selects the requested part of the text.

use std::borrow::Cow;

use tersely_codec::{Value, json};

use crate::expand::part;
use crate::pipeline::wrap;

/// The id of a text, and which part of it to show.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExpandRequest {
    id: String,
    /// A range of lines, a path or a search word; which one depends on the text.
    part: Option<String>,
    lines: Option<String>,
    search: Option<String>,
    path: Option<String>,
}

/// The answer to a call without an id.
const NO_ID: &str = "Give the id as it stands after <<<SHADOW: as in {\"id\": \"shadow_...\"}.";

impl ExpandRequest {
    /// Parses the arguments of a call.
    ///
    /// # Errors
    /// When the arguments contain no id; the message is for the model.
    pub fn read(input: &str) -> Result<Self, &'static str> {
        let value = json::decode(input).map_err(|_| NO_ID)?;
        let word = |name| argument(&value, name);
        let id = word("id").map(|id| bare(&id).to_owned()).ok_or(NO_ID)?;
        let part = word("part");
        Ok(Self { id, part, lines: word("lines"), search: word("search"), path: word("path") })
    }

    /// The id of the text.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The requested part of `text`, or a message why it cannot be shown. A call with only an id gets the whole text,
    /// byte for byte.
    #[must_use]
    pub fn show<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.select(text).unwrap_or_else(Cow::Owned)
    }

    fn select<'t>(&self, text: &'t str) -> Result<Cow<'t, str>, String> {
        let mut shown = self.base(text);
        if let Some(part) = &self.part {
            // A path may lead to a value in the JSON wrapping.
            let around = |why| part::any(part, text).map_err(|_| why);
            shown = Cow::Owned(part::any(part, &shown).or_else(around)?);
        }
        if let Some(path) = &self.path {
            shown = Cow::Owned(part::at(path, &shown)?);
        }
        if let Some(lines) = &self.lines {
            shown = Cow::Owned(part::lines(lines, &shown)?.to_owned());
        }
        if let Some(search) = &self.search {
            shown = Cow::Owned(part::search(search, &shown)?);
        }
        Ok(shown)
    }

    /// The text to take a part from. If a tool wrapped a text in JSON, this is the inner text: the model has seen it
    /// without the wrapping, and line numbers refer to it.
    fn base<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let parts = [&self.part, &self.lines, &self.search];
        let inside = self.path.is_none() && parts.iter().any(|part| part.is_some());
        let wrapped = if inside { wrap::unwrap(text) } else { None };
        wrapped.map_or(Cow::Borrowed(text), |wrapped| Cow::Owned(wrapped.inside))
    }
}

/// The value of an argument, if it is not empty.
fn argument(value: &Value<'_>, name: &str) -> Option<String> {
    let Value::Object(members) = value else { return None };
    let (_, value) = members.iter().find(|(key, _)| key.as_str() == name)?;
    let word = match value {
        Value::String(text) => text.value()?.into_owned(),
        // Models often pass a single line as a number.
        Value::Number(number) if ["part", "lines"].contains(&name) => number.clone().into_owned(),
        _ => return None,
    };
    Some(word).filter(|word| !word.is_empty())
}

/// An id without the characters that surround it in a mark.
fn bare(id: &str) -> &str {
    let id = id.trim();
    let id = id.strip_prefix("<<<SHADOW:").unwrap_or(id);
    id.strip_suffix(">>>").unwrap_or(id)
}
