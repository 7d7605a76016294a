//! Decides where the `expand_context` tool is offered, by which a model fetches back what was cut.
//!
//! The tool costs tokens in every request, and pays only when something is cut. In a long request that cost is
//! negligible; in a short one only tools with long output make up for it. The decision depends on the tools and system
//! prompt alone, so it is the same for a whole conversation: adding or removing a tool would invalidate the prompt
//! cache.

use std::str::FromStr;

use tersely_core::{Call, ToolKind};
use tersely_wire::RequestHead;

/// Where the tool is offered, if detail may be cut at all. Without the tool, nothing is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExpandOffer {
    /// Wherever it can be hidden.
    #[default]
    Always,
    /// Where tools and system prompt are long enough, or a tool tends to have long output.
    Auto,
    /// Nowhere.
    Never,
}

/// Bytes of tools and system prompt from which on `auto` offers the tool, whatever the tools are: about six thousand
/// tokens.
///
/// The tool is then a bit more than one percent of the first request, and less of later ones. Agents with many tools have
/// more; assistants that look up a few records have less.
pub(crate) const MIN_HEAD_BYTES: usize = 24_000;

/// Words in the names of tools with long output: clusters, containers, logs and web pages.
const LONG_OUTPUT: [&str; 7] = ["browser", "docker", "kubectl", "kubernetes", "log", "logs", "playwright"];

impl ExpandOffer {
    /// The names of all choices.
    pub const NAMES: [&'static str; 3] = ["auto", "always", "never"];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Auto => "auto",
            Self::Never => "never",
        }
    }

    /// True when the tool is offered in a request with this head.
    pub(crate) fn applies(self, head: impl FnOnce() -> RequestHead) -> bool {
        match self {
            Self::Always => true,
            Self::Auto => {
                let head = head();
                head.bytes >= MIN_HEAD_BYTES || head.tools.iter().any(|tool| is_long(tool))
            }
            Self::Never => false,
        }
    }
}

/// True when a tool of this name tends to have long output: it runs commands, or its name has a word of `LONG_OUTPUT`.
fn is_long(tool: &str) -> bool {
    let mut words = tool.split(|sign: char| !sign.is_ascii_alphanumeric());
    let says = |word: &str| LONG_OUTPUT.iter().any(|long| long.eq_ignore_ascii_case(word));
    Call { tool, ..Call::default() }.tool_kind() == ToolKind::Bash || words.any(says)
}

impl FromStr for ExpandOffer {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let all = [Self::Always, Self::Auto, Self::Never];
        let known = all.into_iter().find(|it| it.name().eq_ignore_ascii_case(word));
        known.ok_or_else(|| format!("{word:?} is not one of {}", Self::NAMES.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_head_has_room_for_it() {
        for (offer, expected) in [
            (ExpandOffer::Always, [true, true]),
            (ExpandOffer::Auto, [false, true]),
            (ExpandOffer::Never, [false, false]),
        ] {
            let head = |bytes| RequestHead { bytes, tools: vec!["get_weather".to_owned()] };
            assert_eq!(
                [MIN_HEAD_BYTES - 1, MIN_HEAD_BYTES].map(|it| offer.applies(|| head(it))),
                expected,
                "{offer:?}"
            );
        }
    }

    #[test]
    fn tools_with_long_output_make_up_for_a_short_head() {
        let holds = |tool: &str| {
            ExpandOffer::Auto.applies(|| RequestHead { bytes: 9, tools: vec!["x".into(), tool.into()] })
        };
        for tool in
            ["bash", "mcp__box__Shell", "kubectl_describe", "fetch-logs", "local_shell", "browser_click"]
        {
            assert!(holds(tool), "{tool}");
        }
        for tool in ["", "execute_sql", "get_user", "read_file", "login", "catalog", "blog_search"] {
            assert!(!holds(tool), "{tool}");
        }
    }

    #[test]
    fn names_are_read_back() {
        for name in ExpandOffer::NAMES {
            assert_eq!(name.to_uppercase().parse().map(ExpandOffer::name), Ok(name));
        }
        assert_eq!("yes".parse::<ExpandOffer>(), Err("\"yes\" is not one of auto, always, never".to_owned()));
    }
}
