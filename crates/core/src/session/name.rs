//! Names results by the call that the model wrote: the tool and its argument.
//!
//! Providers may not show call ids to the model, so ids are not used. If several results have the same name, the name
//! refers to the last one, and the others cannot be referred to.

use std::fmt::{self, Display};
use std::ops::RangeInclusive;

use tersely_stage::{Call, ToolKind};

use crate::session::source::Source;

/// The maximum length of a path or command in a name, in characters.
const MAX_CHARS: usize = 60;

/// The names of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResultNames {
    /// The name for the last result of this call.
    pub(super) last: String,
    /// The name for the last result of this call that contains no references. Files have no such name: if a file was
    /// read again, edits should quote the latest version.
    pub(super) whole: Option<String>,
}

/// The words around the command in a name.
const OUTPUT: &str = "the last output of ";
const ABOVE: &str = " above";
const WHOLE: &str = " shown whole";

/// The names of a call's result; `None` if no short, plain name is unique.
pub(super) fn names(call: Call<'_>) -> Option<ResultNames> {
    let source = Source::of(call);
    match (source, call.tool_kind()) {
        (Source::Edit, _) => None,
        (_, ToolKind::Read) => {
            let path = call.command.filter(|_| !call.asks_for_part()).and_then(tail)?;
            Some(ResultNames { last: format!("{path} as last read in full{ABOVE}"), whole: None })
        }
        _ => {
            let command = command_of(call)?;
            let words = if fits(&command) { command } else { CommandEnds::of(call)?.to_string() };
            let whole = (source == Source::Other).then(|| format!("{OUTPUT}{words}{WHOLE}{ABOVE}"));
            Some(ResultNames { last: format!("{OUTPUT}{words}{ABOVE}"), whole })
        }
    }
}

/// The call that the model wrote: a command line, or a tool and its argument.
pub(super) fn command_of(call: Call<'_>) -> Option<String> {
    let runs = call.tool.is_empty() || call.tool_kind() == ToolKind::Bash;
    match call.command {
        Some(line) if runs => Some(line.to_owned()),
        Some(argument) => Some(format!("{} {argument}", call.tool)),
        None => (!runs).then(|| call.tool.to_owned()),
    }
}

/// Beginning and end of a command that is too long to quote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandEnds {
    first: String,
    last: String,
}

/// The minimum and maximum number of characters of each end. Shorter ends would match too many commands.
const END_CHARS: RangeInclusive<usize> = 8..=MAX_CHARS / 2;

impl CommandEnds {
    /// The ends of a call's command, if it is too long to quote.
    pub(super) fn of(call: Call<'_>) -> Option<Self> {
        if call.tool_kind() == ToolKind::Read {
            return None;
        }
        let command = command_of(call).filter(|command| !fits(command))?;
        let (first, last) = (command.lines().next()?, command.lines().next_back()?);
        let (first, last) = (begin(first)?, end(last)?);
        let apart = first.len() + last.len() <= command.len();
        apart.then(|| Self { first: first.to_owned(), last: last.to_owned() })
    }

    /// True when a command begins and ends like this.
    pub(super) fn matches(&self, command: &str) -> bool {
        command.starts_with(&self.first) && command.ends_with(&self.last)
    }
}

impl Display for CommandEnds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the command from \"{}\" to \"{}\"", self.first, self.last)
    }
}

/// The first words of a line, or the first parts of a path, up to the limit.
fn begin(line: &str) -> Option<&str> {
    let most = line.char_indices().nth(*END_CHARS.end()).map_or(line.len(), |(at, _)| at);
    let between = most == line.len() || line[most..].starts_with(' ');
    let whole = between.then_some(most);
    let [word, part] = [' ', '/'].map(|sign| line[..most].rfind(sign));
    [whole, word, part].into_iter().flatten().map(|end| &line[..end]).find(|words| is_end(words))
}

/// The last words of a line, or the last parts of a path, up to the limit.
fn end(line: &str) -> Option<&str> {
    let from = line.char_indices().nth_back(*END_CHARS.end() - 1).map_or(0, |(at, _)| at);
    let between = from == 0 || line[..from].ends_with(' ');
    let whole = between.then_some(from);
    let [word, part] = [' ', '/'].map(|sign| line[from..].find(sign).map(|at| from + at + 1));
    [whole, word, part].into_iter().flatten().map(|start| &line[start..]).find(|words| is_end(words))
}

fn is_end(words: &str) -> bool {
    fits(words) && END_CHARS.contains(&words.chars().count())
}

/// A path, or as many of its last parts as fit into a name.
fn tail(path: &str) -> Option<&str> {
    let starts = path.match_indices(['/', '\\']).map(|(at, _)| at + 1);
    std::iter::once(0).chain(starts).map(|start| &path[start..]).find(|tail| fits(tail))
}

/// True when `words` are short and plain enough for a name.
fn fits(words: &str) -> bool {
    let plain = words.trim() == words && !words.is_empty() && !words.contains(char::is_control);
    plain && words.chars().count() <= MAX_CHARS && !words.ends_with(WHOLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tool: &str, command: Option<&str>, expected: Option<&str>) {
        let call = Call { tool, command, ..Call::default() };
        let name = names(call).map(|names| names.last);
        assert_eq!(name.as_deref(), expected, "{tool} {command:?}");
    }

    #[test]
    fn names_are_what_the_model_wrote() {
        check("Read", Some("src/main.rs"), Some("src/main.rs as last read in full above"));
        check("Bash", Some("cargo test"), Some("the last output of cargo test above"));
        check("Bash", Some("cat src/main.rs"), Some("the last output of cat src/main.rs above"));
        check("Grep", Some("fn main"), Some("the last output of Grep fn main above"));
        check("list_pods", None, Some("the last output of list_pods above"));
    }

    #[test]
    fn of_a_long_path_the_last_folders_are_enough() {
        let path = "/srv/someone/with/a/long/name/and/many/folders/in/it/src/parser/lines.rs";
        check(
            "Read",
            Some(path),
            Some("with/a/long/name/and/many/folders/in/it/src/parser/lines.rs as last read in full above"),
        );
        check("Read", Some(&"x".repeat(61)), None);
    }

    #[test]
    fn a_long_command_goes_by_its_ends() {
        check(
            "Bash",
            Some("cd src && go build ./... && go test ./... 2>&1 | tail -40 && golangci-lint run ./..."),
            Some(
                "the last output of the command from \"cd src && go build ./... && go\" to \"-40 && golangci-lint run \
                 ./...\" above",
            ),
        );
        check(
            "Bash",
            Some(
                "gh api repos/someone/with-a-long-name/pulls/112/comments/2734/replies -f body='It is done now.'",
            ),
            Some(
                "the last output of the command from \"gh api repos/someone\" to \"-f body='It is done now.'\" above",
            ),
        );
        check("Bash", Some("git commit -m \"$(cat <<'EOF'\nWords\nEOF\n)\""), None);
        check("sql", Some(&"select é from a where b and ".repeat(3)), None);
    }

    #[test]
    fn the_last_whole_output_has_a_name_of_its_own() {
        let call = |tool, command| Call { tool, command: Some(command), ..Call::default() };
        let whole = |call| names(call).and_then(|names| names.whole);
        assert_eq!(whole(call("Bash", "make")).as_deref(), Some("the last output of make shown whole above"));
        assert_eq!(whole(call("Bash", "cat a.rs")), None);
        assert_eq!(whole(call("Read", "a.rs")), None);
    }

    #[test]
    fn what_is_long_or_not_plain_has_no_name() {
        check("Bash", Some(&"x".repeat(61)), None);
        check("Bash", Some("make all shown whole"), None);
        check("Bash", Some("cat <<E\nx\nE"), None);
        check("Bash", Some(" ls"), None);
        check("Bash", None, None);
        check("", None, None);
        check("Read", None, None);
        check("Edit", Some("src/main.rs"), None);
    }

    #[test]
    fn a_part_of_a_file_has_no_name() {
        let call = Call { tool: "Read", command: Some("a.rs"), is_part: true, ..Call::default() };
        assert_eq!(names(call), None);
    }
}
