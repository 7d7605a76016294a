//! Detects how much of a file a call shows: the whole file, or selected lines.

use crate::call::family::{bare, name};
use crate::call::{Call, ToolKind, shell};

/// Commands that print selected lines of their input.
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

/// Options, in lower case, with which other commands select lines.
const OPTIONS: [&str; 6] = ["--line-range", "-first", "-head", "-last", "-tail", "-totalcount"];

impl Call<'_> {
    /// True when the call asks for only part of a file.
    #[must_use]
    pub fn asks_for_part(&self) -> bool {
        let runs = matches!(self.tool_kind(), ToolKind::Bash | ToolKind::Generic);
        self.is_part || self.command.is_some_and(|line| runs && picks_lines(line))
    }

    /// The number, in the file, of the first line shown, if the command gives that number: `sed -n '200,400p' x`,
    /// `tail -n +200 x`.
    #[must_use]
    pub fn first_line(&self) -> Option<usize> {
        let runs = matches!(self.tool_kind(), ToolKind::Bash | ToolKind::Generic);
        let commands = shell::commands(self.command.filter(|_| runs)?);
        let [command] = &commands[..] else { return None };
        let words = bare(&command.words);
        let first = match &*name(words.first()?) {
            "sed" if words.iter().any(|word| word == "-n") => {
                let script = words.iter().skip(1).find(|word| !word.starts_with('-'))?;
                script.strip_suffix('p')?.split_once(',').map_or("", |(first, _)| first)
            }
            "tail" => words.iter().find_map(|word| word.trim_start_matches("-n").strip_prefix('+'))?,
            _ => return None,
        };
        first.parse().ok().filter(|first| *first > 0)
    }
}

/// True when a command on `line` prints only selected lines.
fn picks_lines(line: &str) -> bool {
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
    fn commands_tell_where_they_begin() {
        for (line, first) in [
            ("sed -n '200,400p' app.log", Some(200)),
            ("sudo sed -n 7,9p app.log", Some(7)),
            ("tail -n +30 app.log", Some(30)),
            ("tail -n+5 app.log", Some(5)),
            ("sed -n '/a/,/b/p' app.log", None),
            ("sed 's/a/b/p' app.log", None),
            ("tail -n 30 app.log", None),
            ("sed -n '2,9p' a.log; cat b.log", None),
            ("cat a.log | sed -n '2,9p'", None),
            ("", None),
        ] {
            let call = Call { tool: "Bash", command: Some(line), ..Call::default() };
            assert_eq!(call.first_line(), first, "{line}");
        }
    }

    #[test]
    fn arguments_say_it_of_a_tool_that_reads() {
        let read = Call { tool: "Read", command: Some("notes on sed.md"), ..Call::default() };
        assert!(!read.asks_for_part());
        assert!(Call { is_part: true, ..read }.asks_for_part());
    }
}
