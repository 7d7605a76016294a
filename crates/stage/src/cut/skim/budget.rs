//! How much of a result is shown, by what the call was for; nothing is left out of what may be edited.

use crate::call::{Call, Origin, ToolKind};
use crate::read::source;

/// Bytes of a text that are shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Budget {
    pub(super) head: usize,
    /// Of the lines between the ends.
    pub(super) between: usize,
    pub(super) tail: usize,
}

/// What a terminal shows: the latest is at the end.
const SCREEN: Budget = Budget { head: 300, between: 1_000, tail: 1_500 };

/// What was written to be read: it begins with what it is about, and has headings.
const READING: Budget = Budget { head: 1_000, between: 2_000, tail: 800 };

/// What a command printed.
const PRINTED: Budget = Budget { head: 900, between: 1_000, tail: 1_200 };

/// Words in the names of tools that show a terminal.
const SCREENS: [&str; 5] = ["capture", "console", "screen", "stdin", "terminal"];

/// Words in the names of tools whose results were written to be read.
const READINGS: [&str; 12] =
    ["agent", "article", "browse", "docs", "fetch", "open", "page", "read", "search", "task", "url", "web"];

/// Words in the names of tools whose every word counts: what people say, and how to work.
const WHOLE: [&str; 9] =
    ["ask", "instruct", "memory", "permission", "plan", "prompt", "skill", "todo", "user"];

/// Subcommands that show a terminal.
const CAPTURES: [&str; 3] = ["capture", "capture-pane", "hardcopy"];

impl Budget {
    /// What is shown of a result of this call; `None` if it is shown whole, as it is where the call is not known.
    pub(super) fn of(call: Call<'_>, text: &str) -> Option<Self> {
        let kind = call.tool_kind();
        let runs = matches!(kind, ToolKind::Bash | ToolKind::Generic);
        let name = call.tool.to_ascii_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| name.contains(word));
        if name.is_empty() || !runs || kind == ToolKind::Generic && names(&WHOLE) {
            return None;
        }
        if call.origin(text) != Origin::Other || source::is_source(call, text) {
            return None;
        }
        let captures = |command: &str| command.split(' ').take(3).any(|word| CAPTURES.contains(&word));
        Some(match kind {
            ToolKind::Bash if call.prints(captures) => SCREEN,
            ToolKind::Bash => PRINTED,
            _ if names(&SCREENS) => SCREEN,
            _ if names(&READINGS) => READING,
            _ => PRINTED,
        })
    }
}
