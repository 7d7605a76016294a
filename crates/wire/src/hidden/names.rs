//! The names of hidden tools.

use tersely_json::JsonNode;

/// The names of all the tools that are hidden in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenNames(&'static [&'static str]);

impl HiddenNames {
    /// No hidden tools.
    pub const NONE: Self = Self(&[]);

    /// Hides the tools with these names.
    #[must_use]
    pub const fn new(names: &'static [&'static str]) -> Self {
        Self(names)
    }

    /// True when a hidden tool has this name.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        self.0.contains(&name)
    }

    /// True when this value is the name of a hidden tool.
    pub(crate) fn fit(self, name: &JsonNode<'_>) -> bool {
        name.text().is_some_and(|name| self.has(&name))
    }

    /// True when the name of a hidden tool starts with `start`.
    pub(crate) fn begins(self, start: &str) -> bool {
        self.all().any(|name| name.starts_with(start))
    }

    /// All names.
    pub fn all(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().copied()
    }
}
