//! The tools of a request, and the text that opens its conversation.

use std::borrow::Cow;
use std::collections::BTreeSet;

use tersely_json::{BytePatch, JsonNode};

/// A set of tool names.
pub type ToolNames = BTreeSet<String>;

/// The tools of a request, and the text that opens its conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolCatalogue<'a> {
    /// The tools, in the order of the request.
    pub tools: Vec<ListedTool<'a>>,
    /// The users' text up to the model's first message. It is the same in every request of a conversation.
    pub opening: String,
}

/// A tool of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTool<'a> {
    /// The name of the tool.
    pub name: String,
    /// The description of the tool.
    pub description: String,
    /// The names of its parameters.
    pub parameters: Vec<String>,
    /// The whole definition as JSON.
    pub definition: Cow<'a, str>,
    /// True when the tool must stay in the request: it is one of the provider's own, or has extra members such as a
    /// cache mark.
    pub is_fixed: bool,
}

/// The maximum length of the opening text; the rest is ignored.
const MAX_OPENING_BYTES: usize = 64 << 10;

impl ToolCatalogue<'_> {
    /// Adds text from a user.
    pub(crate) fn add_text(&mut self, text: &str) {
        if self.opening.len() < MAX_OPENING_BYTES {
            self.opening.push_str(text);
            self.opening.push('\n');
        }
    }

    /// Adds the texts in a message's content: a string, or blocks whose type is one of `texts`.
    pub(crate) fn add_content(&mut self, texts: &[&str], content: &JsonNode<'_>) {
        if let Some(text) = content.text() {
            return self.add_text(&text);
        }
        for block in content.items() {
            let [kind, text] = block.get_all(["type", "text"]).unwrap_or_default();
            let is_text = kind.is_some_and(|kind| texts.iter().any(|text| kind.is_str(text)));
            if let Some(text) = text.filter(|_| is_text).and_then(|text| text.text()) {
                self.add_text(&text);
            }
        }
    }
}

impl<'a> ListedTool<'a> {
    /// Reads the function that `about` describes; its schema is under one of the names `schemas`, and `whole` is the
    /// whole definition.
    pub(crate) fn of(about: &JsonNode<'a>, schemas: [&str; 2], whole: &JsonNode<'a>) -> Option<Self> {
        let [name, description, one, other] =
            about.get_all(["name", "description", schemas[0], schemas[1]])?;
        let properties = one.or(other).and_then(|schema| schema.get("properties"));
        let members = properties.map(|it| it.members()).unwrap_or_default();
        Some(Self {
            name: name?.text()?.into_owned(),
            description: description.and_then(|it| it.text()).unwrap_or_default().into_owned(),
            parameters: members.into_iter().map(|(name, _)| name).collect(),
            definition: String::from_utf8_lossy(whole.bytes()),
            is_fixed: false,
        })
    }

    /// A tool that must stay in the request, whatever its kind.
    pub(crate) fn as_fixed(whole: &JsonNode<'a>) -> Self {
        let name = whole.get("name").and_then(|name| name.text()).unwrap_or_default().into_owned();
        let definition = String::from_utf8_lossy(whole.bytes());
        Self { name, description: String::new(), parameters: Vec::new(), definition, is_fixed: true }
    }
}

/// True when an object has only these members.
pub(crate) fn has_only(names: &[&str], object: &JsonNode<'_>) -> bool {
    object.is_object() && object.members().iter().all(|(name, _)| names.contains(&name.as_str()))
}

/// True when the provider searches for tools itself: the type of this tool starts with `search`, or the tool is
/// loaded on demand.
pub(crate) fn is_searched(search: &str, tool: &JsonNode<'_>) -> bool {
    let [kind, deferred] = tool.get_all(["type", "defer_loading"]).unwrap_or_default();
    let is_search = kind.and_then(|kind| kind.text()).is_some_and(|kind| kind.starts_with(search));
    is_search || deferred.is_some_and(|deferred| deferred.bytes() != b"false")
}

/// Removes the tools named in `unlisted` from an array.
pub(crate) fn drop_tools<'a>(
    unlisted: &ToolNames,
    name: impl Fn(&JsonNode<'a>) -> Option<Cow<'a, str>>,
    tools: &[JsonNode<'a>],
) -> BytePatch {
    let is_unlisted = |tool| name(tool).is_some_and(|name| unlisted.contains(&*name));
    let dropped: Vec<bool> = tools.iter().map(is_unlisted).collect();
    let mut patch = BytePatch::default();
    patch.drop_items(tools, &dropped);
    patch
}
