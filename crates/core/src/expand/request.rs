//! A question for what was left out, as the model wrote it.

use std::borrow::Cow;

use tersely_codec::{Value, json};

use crate::expand::part;
use crate::pipeline::wrap;

/// Which text, and which part of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExpandRequest {
    id: String,
    /// A part by a word that the text explains: lines, what is at a path, or what contains it.
    part: Option<String>,
    lines: Option<String>,
    search: Option<String>,
    path: Option<String>,
}

/// What the model is told when it does not say which text.
const NAMELESS: &str = "Give the id as it stands after <<<SHADOW: as in {\"id\": \"shadow_...\"}.";

impl ExpandRequest {
    /// The question in a call's arguments.
    ///
    /// # Errors
    /// When they name no text; the words are for the model.
    pub fn read(input: &str) -> Result<Self, &'static str> {
        let value = json::decode(input).map_err(|_| NAMELESS)?;
        let word = |name| word(&value, name);
        let id = word("id").map(|id| bare(&id).to_owned()).ok_or(NAMELESS)?;
        let part = word("part");
        Ok(Self { id, part, lines: word("lines"), search: word("search"), path: word("path") })
    }

    /// The name of the text.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What is wanted of `text`, or why it cannot be shown. Without more than a name, the text byte for byte.
    #[must_use]
    pub fn show<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.select(text).unwrap_or_else(Cow::Owned)
    }

    fn select<'t>(&self, text: &'t str) -> Result<Cow<'t, str>, String> {
        let mut shown = self.base(text);
        if let Some(part) = &self.part {
            // What stands in the wrapping has a path there.
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

    /// The text that a part is taken from: the one that JSON is wrapped around, as the model has read it without the
    /// wrapping, and its lines were counted there.
    fn base<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let parts = [&self.part, &self.lines, &self.search];
        let inside = self.path.is_none() && parts.iter().any(|part| part.is_some());
        let wrapped = if inside { wrap::unwrap(text) } else { None };
        wrapped.map_or(Cow::Borrowed(text), |wrapped| Cow::Owned(wrapped.inside))
    }
}

/// What an argument says; an empty one says nothing.
fn word(value: &Value<'_>, name: &str) -> Option<String> {
    let Value::Object(members) = value else { return None };
    let (_, value) = members.iter().find(|(key, _)| key.as_str() == name)?;
    let word = match value {
        Value::String(text) => text.value()?.into_owned(),
        // A single line is often written as a number.
        Value::Number(number) if ["part", "lines"].contains(&name) => number.clone().into_owned(),
        _ => return None,
    };
    Some(word).filter(|word| !word.is_empty())
}

/// A name without the signs that stand around it in the text.
fn bare(id: &str) -> &str {
    let id = id.trim();
    let id = id.strip_prefix("<<<SHADOW:").unwrap_or(id);
    id.strip_suffix(">>>").unwrap_or(id)
}
