//! What a result is called: by what the model itself wrote to get it, the tool and what it gave the tool.
//!
//! A provider may not show its model the ids of calls, so ids name nothing. Of several results with one name the last
//! is meant, and only that one can be named.

use tersely_stage::{Call, ToolKind};

use crate::session::source::Source;

/// The most characters of a path or a command that make a name.
const MAX_CHARS: usize = 60;

/// The name of a call's result; `None` where nothing short and plain tells it from others.
pub(super) fn name(call: Call<'_>) -> Option<String> {
    match (Source::of(call), call.tool_kind()) {
        (Source::Edit, _) => None,
        (_, ToolKind::Read) => {
            let path = call.command.filter(|_| !call.asks_for_part()).and_then(tail)?;
            Some(format!("{path} as last read in full above"))
        }
        _ => given(call).filter(|given| fits(given)).map(|given| format!("the last output of {given} above")),
    }
}

/// What the model wrote: a command line, or a tool and what it was given.
fn given(call: Call<'_>) -> Option<String> {
    let runs = call.tool.is_empty() || call.tool_kind() == ToolKind::Bash;
    match call.command {
        Some(line) if runs => Some(line.to_owned()),
        Some(argument) => Some(format!("{} {argument}", call.tool)),
        None => (!runs).then(|| call.tool.to_owned()),
    }
}

/// The whole of a path if it is short enough, else as many of its last folders as are.
fn tail(path: &str) -> Option<&str> {
    let starts = path.match_indices(['/', '\\']).map(|(at, _)| at + 1);
    std::iter::once(0).chain(starts).map(|start| &path[start..]).find(|tail| fits(tail))
}

/// True of a few words on one line.
fn fits(words: &str) -> bool {
    let plain = words.trim() == words && !words.is_empty() && !words.contains(char::is_control);
    plain && words.chars().count() <= MAX_CHARS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tool: &str, command: Option<&str>, expected: Option<&str>) {
        let call = Call { tool, command, ..Call::default() };
        assert_eq!(name(call).as_deref(), expected, "{tool} {command:?}");
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
    fn what_is_long_or_not_plain_has_no_name() {
        check("Bash", Some(&"x".repeat(61)), None);
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
        assert_eq!(name(call), None);
    }
}
