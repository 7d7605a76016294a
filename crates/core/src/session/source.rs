//! The kind of source of a text, which determines how much of the text must be shown.

use tersely_stage::{Call, ToolKind};

/// The kind of source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// A file: an agent may quote it, and a word such as "error" in it does not report an error.
    File,
    /// A change of a file.
    Edit,
    Other,
}

/// The commands that change a file, in an editor tool that can also show files.
const VERBS: [&str; 4] = ["create ", "str_replace ", "insert ", "undo_edit "];

impl Source {
    pub(super) fn of(call: Call<'_>) -> Self {
        if is_edit(call) {
            Self::Edit
        } else if call.is_verbatim("") {
            Self::File
        } else {
            Self::Other
        }
    }
}

fn is_edit(call: Call<'_>) -> bool {
    let edits = |command: &str| VERBS.iter().any(|verb| command.starts_with(verb));
    match call.tool_kind() {
        ToolKind::Edit | ToolKind::Write => true,
        ToolKind::Read => call.command.is_some_and(edits),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_changes_of_files_are_known() {
        for (tool, command, source) in [
            ("Read", "src/a.rs", Source::File),
            ("Bash", "cat src/a.rs", Source::File),
            ("Bash", "cargo test", Source::Other),
            ("Edit", "src/a.rs", Source::Edit),
            ("mcp__files__write_file", "src/a.rs", Source::Edit),
            ("str_replace_editor", "src/a.rs", Source::File),
            ("str_replace_editor", "str_replace src/a.rs", Source::Edit),
        ] {
            let call = Call { tool, command: Some(command), ..Call::default() };
            assert_eq!(Source::of(call), source, "{tool} {command}");
        }
    }
}
