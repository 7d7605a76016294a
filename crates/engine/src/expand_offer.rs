//! Decides which requests offer the `expand_context` tool, with which a model fetches back text that was cut.
//!
//! The tool costs tokens in every request, and is useful only when something is cut. In a long request that cost is
//! negligible; in a short one, only tools with long output make up for it. The decision depends only on the tools and
//! the system prompt, so it is the same for a whole conversation: adding or removing a tool would invalidate the prompt
//! cache.

use std::str::FromStr;

use tersely_core::{Call, ToolKind};
use tersely_wire::RequestHead;

/// Which requests offer the tool, if detail may be cut at all. Without the tool, nothing is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExpandOffer {
    /// In every request in which it can be hidden from the client.
    #[default]
    Always,
    /// In requests whose tools and system prompt are long enough, or that have a tool with typically long output.
    Auto,
    /// In no request.
    Never,
}

/// The size of tools and system prompt, in bytes, from which on `auto` always offers the tool: about six thousand
/// tokens.
///
/// At this size the tool is slightly more than one percent of the first request, and less of later ones. Agents with
/// many tools exceed this size; assistants that look up a few records stay below it.
pub(crate) const MIN_HEAD_BYTES: usize = 24_000;

/// Words in the names of tools with long output: clusters, containers, logs and web pages.
const LONG_OUTPUT: [&str; 7] = ["browser", "docker", "kubectl", "kubernetes", "log", "logs", "playwright"];

impl ExpandOffer {
    /// The names of all choices.
    pub const NAMES: [&'static str; 3] = ["auto", "always", "never"];

    /// The name of this choice.
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

/// True when a tool with this name typically has long output: it runs commands, or its name contains a word of
/// `LONG_OUTPUT`.
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
