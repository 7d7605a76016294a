//! Says where the tool is offered with which a model fetches back what was left out.
//!
//! The tool costs its tokens in every request, and saves nothing until something is left out. Where the rest of a
//! request is long, that does not show on the bill; where it is short, only the output of some tools makes up for it.
//! The decision rests on what comes before the conversation, so it holds for all of a conversation: a tool that came or
//! went would cost the whole prompt cache.

use std::str::FromStr;

use tersely_core::{Call, ToolKind};
use tersely_wire::RequestHead;

/// Where the tool is offered, if something may be left out at all. Where it is not, nothing is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExpandOffer {
    /// Wherever it can be hidden.
    #[default]
    Always,
    /// Where tools and system prompt are long enough for it to pay, or tools are there whose output is long.
    Auto,
    /// Nowhere.
    Never,
}

/// The shortest head with which `auto` offers the tool whatever the tools are, in bytes: about six thousand tokens.
///
/// Behind such a head the tool is a bit more than one percent of the first request, and less of those that follow.
/// Agents with many tools have longer heads; assistants that look up a few records have shorter ones.
pub(crate) const LEAST_HEAD: usize = 24_000;

/// Words in the name of a tool that shows what clusters, containers, logs and web pages say, which is long.
const LONG: [&str; 7] = ["browser", "docker", "kubectl", "kubernetes", "log", "logs", "playwright"];

impl ExpandOffer {
    /// Every way, by name.
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

    /// True when the tool is offered in a request with such a head.
    pub(crate) fn holds(self, head: impl FnOnce() -> RequestHead) -> bool {
        match self {
            Self::Always => true,
            Self::Auto => {
                let head = head();
                head.bytes >= LEAST_HEAD || head.tools.iter().any(|tool| is_long(tool))
            }
            Self::Never => false,
        }
    }
}

/// True when the output of a tool of this name tends to be long: it runs commands, or shows what LONG says.
fn is_long(tool: &str) -> bool {
    let mut words = tool.split(|sign: char| !sign.is_ascii_alphanumeric());
    let says = |word: &str| LONG.iter().any(|long| long.eq_ignore_ascii_case(word));
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
                [LEAST_HEAD - 1, LEAST_HEAD].map(|it| offer.holds(|| head(it))),
                expected,
                "{offer:?}"
            );
        }
    }

    #[test]
    fn tools_with_long_output_make_up_for_a_short_head() {
        let holds = |tool: &str| {
            ExpandOffer::Auto.holds(|| RequestHead { bytes: 9, tools: vec!["x".into(), tool.into()] })
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
