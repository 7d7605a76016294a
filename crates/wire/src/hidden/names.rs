//! What the hidden tools of a request are called.

use tersely_json::JsonNode;

/// The names of all tools that a request hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenNames(&'static [&'static str]);

impl HiddenNames {
    /// No tool.
    pub const NONE: Self = Self(&[]);

    /// The tools with these names.
    #[must_use]
    pub const fn new(names: &'static [&'static str]) -> Self {
        Self(names)
    }

    /// True when a hidden tool is called so.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        self.0.contains(&name)
    }

    /// True when this is the name of one.
    pub(crate) fn fit(self, name: &JsonNode<'_>) -> bool {
        name.text().is_some_and(|name| self.has(&name))
    }

    /// True when the name of a hidden tool begins so.
    pub(crate) fn begins(self, start: &str) -> bool {
        self.all().any(|name| name.starts_with(start))
    }

    /// All of them.
    pub fn all(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().copied()
    }
}
