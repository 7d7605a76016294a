//! How much of a file a call shows: all of it, or the lines that it asked for.

use crate::call::family::{bare, name};
use crate::call::{Call, ToolKind, shell};

/// Commands that show some lines of what they are given.
const PICKERS: [&str; 14] = [
    "ack",
    "awk",
    "cut",
    "egrep",
    "fgrep",
    "gawk",
    "grep",
    "head",
    "rg",
    "sed",
    "select-object",
    "select-string",
    "tail",
    "uniq",
];

/// Options of other commands that ask for some lines, in small letters.
const OPTIONS: [&str; 6] = ["--line-range", "-first", "-head", "-last", "-tail", "-totalcount"];

impl Call<'_> {
    /// True when the call asks for some lines of a file and not for all of it.
    #[must_use]
    pub fn asks_for_part(&self) -> bool {
        let runs = matches!(self.tool_kind(), ToolKind::Bash | ToolKind::Generic);
        self.is_part || self.command.is_some_and(|line| runs && picks(line))
    }
}

/// True when a command of the line picks lines.
fn picks(line: &str) -> bool {
    shell::commands(line).iter().any(|command| {
        let words = bare(&command.words);
        let known = words.first().is_some_and(|word| PICKERS.contains(&&*name(word)));
        known || words.iter().any(|word| OPTIONS.iter().any(|it| word.eq_ignore_ascii_case(it)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_pick_lines_show_parts() {
        for (line, part) in [
            ("cat src/a.rs", false),
            ("cd x && cat a.rs b.rs", false),
            ("nl -ba a.rs", false),
            ("sed -n '1,200p' a.rs", true),
            ("nl -ba a.rs | sed -n '3,9p'", true),
            ("cat a.rs | head -50", true),
            ("Get-Content a.rs -TotalCount 30", true),
            ("/usr/bin/tail -n 5 a.rs", true),
        ] {
            let call = Call { tool: "Bash", command: Some(line), ..Call::default() };
            assert_eq!(call.asks_for_part(), part, "{line}");
        }
    }

    #[test]
    fn arguments_say_it_of_a_tool_that_reads() {
        let read = Call { tool: "Read", command: Some("notes on sed.md"), ..Call::default() };
        assert!(!read.asks_for_part());
        assert!(Call { is_part: true, ..read }.asks_for_part());
    }
}
