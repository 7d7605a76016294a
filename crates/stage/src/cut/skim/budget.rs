//! Decides how much of a result is shown, depending on the purpose of the call. Text that may be edited is never cut.

use crate::call::{Call, Origin, ToolKind};
use crate::cut::skim::lead::{self, LeadLine};
use crate::lines;
use crate::read::source;
use crate::stage::Scene;

/// The number of bytes shown of each part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Budget {
    pub(super) head: usize,
    /// The number of bytes shown between head and tail.
    pub(super) between: usize,
    pub(super) tail: usize,
    /// The kinds of lines shown between head and tail, the most important first.
    pub(super) leads: &'static [LeadLine],
    /// True when a text with an error is shown whole, because many of its lines may describe the failure.
    pub(super) is_whole_on_error: bool,
}

/// The budget for a terminal screen, where the latest output is at the end.
const SCREEN: Budget = Budget {
    head: 300,
    between: 1_200,
    tail: 1_500,
    leads: &[LeadLine::Telling, LeadLine::Opening, LeadLine::First],
    is_whole_on_error: false,
};

/// The budget for prose, which begins with its topic and has headings.
const READING: Budget = Budget {
    head: 1_500,
    between: 2_000,
    tail: 1_000,
    leads: &[LeadLine::Heading, LeadLine::First, LeadLine::Telling],
    is_whole_on_error: false,
};

/// The budget for the output of a command.
const PRINTED: Budget = Budget {
    head: 900,
    between: 1_000,
    tail: 1_200,
    leads: &[LeadLine::Telling, LeadLine::Heading, LeadLine::Opening, LeadLine::First],
    is_whole_on_error: true,
};

/// Parts of the names of tools whose results are prose.
const READINGS: [&str; 11] =
    ["agent", "article", "browse", "docs", "fetch", "page", "read", "search", "task", "url", "web"];

/// Parts of the names of tools whose results are file contents, and shown whole.
const FILES: [&str; 3] = ["file", "open", "view"];

/// Programs that print the contents of files.
const UNPACKS: [&str; 4] = ["base64", "gunzip", "unzip", "zcat"];

impl Budget {
    /// The budget for a result of this call; `None` if the result is shown whole, as for unknown calls.
    pub(super) fn of(Scene { call, room, .. }: Scene<'_>, text: &str) -> Option<Self> {
        let budget = match call.tool_kind() {
            ToolKind::Bash => of_command(call, text),
            ToolKind::Generic => of_name(call),
            _ => None,
        }?;
        let is_long = text.len() > room;
        let is_other = is_long && call.origin(text) == Origin::Other && !source::is_source(call, text);
        (is_other && !is_numbered(text)).then(|| budget.within(room))
    }

    /// Scales the budget to `room` bytes, with the same proportions.
    fn within(self, room: usize) -> Self {
        let Self { head, between, tail, .. } = self;
        let part = |part: usize| room.saturating_mul(part) / (head + between + tail);
        Self { head: part(head), between: part(between), tail: part(tail), ..self }
    }
}

fn of_command(call: Call<'_>, text: &str) -> Option<Budget> {
    let unpacks = |line: &str| UNPACKS.iter().any(|program| line.contains(program));
    if call.command.is_some_and(unpacks) {
        return None;
    }
    let budget = if call.shows_screen() {
        SCREEN
    } else if lead::is_document(text) {
        Budget { is_whole_on_error: true, ..READING }
    } else {
        PRINTED
    };
    Some(budget)
}

fn of_name(call: Call<'_>) -> Option<Budget> {
    let name = call.tool.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if name.is_empty() || has(&FILES) || call.is_instruction() {
        return None;
    }
    let budget = if call.shows_screen() {
        SCREEN
    } else if has(&READINGS) {
        READING
    } else {
        PRINTED
    };
    Some(budget)
}

/// True when most lines begin with a number and a tab, as in a listing of a file with line numbers.
fn is_numbered(text: &str) -> bool {
    let numbered = |line: &&str| {
        let rest = line.trim_start().trim_start_matches(|sign: char| sign.is_ascii_digit());
        rest.starts_with(['\t', '→']) && line.trim_start().len() > rest.len()
    };
    let count = lines::lines(text).filter(numbered).count();
    count * 2 > lines::lines(text).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_recognised_by_name() {
        for (tool, expected) in [
            ("Task", Some(READING)),
            ("Agent", Some(READING)),
            ("mcp__docs__fetch_page", Some(READING)),
            ("WebSearch", Some(READING)),
            ("write_stdin", Some(SCREEN)),
            ("get_metrics", Some(PRINTED)),
            ("AskUserQuestion", None),
            ("Skill", None),
            ("view_source", None),
            ("", None),
        ] {
            let call = Call { tool, ..Call::default() };
            assert_eq!(of_name(call), expected, "{tool}");
        }
    }

    #[test]
    fn commands_are_recognised_by_their_output() {
        let of = |command: &str, text: &str| {
            of_command(Call { tool: "bash", command: Some(command), ..Call::default() }, text)
        };
        assert_eq!(of("tmux capture-pane -p -t 1 | tail -50", ""), Some(SCREEN));
        assert_eq!(
            of("tool docs", &"## Part\n".repeat(9)),
            Some(Budget { is_whole_on_error: true, ..READING })
        );
        assert_eq!(of("make", "done"), Some(PRINTED));
        assert_eq!(of("base64 -d x", "done"), None);
    }
}
