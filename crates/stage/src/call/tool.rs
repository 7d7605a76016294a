//! Maps the many names that clients give their tools to a few kinds of tools.

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ToolKind {
    /// Runs commands.
    Bash,
    /// Shows files.
    Read,
    /// Searches in files.
    Grep,
    /// Lists files.
    Glob,
    /// Changes files.
    Edit,
    /// Creates files.
    Write,
    /// Anything else.
    Generic,
}

/// Tool names in lower case, by kind.
const NAMES: [(ToolKind, &[&str]); 6] = [
    (
        ToolKind::Bash,
        &[
            "bash",
            "shell",
            "sh",
            "run",
            "run_command",
            "execute",
            "exec",
            "terminal",
            "exec_command",
            "execute_bash",
            "execute_command",
            "local_shell",
            "powershell",
            "run_bash_command",
            "run_shell_command",
            "run_terminal_cmd",
            "shell_command",
        ],
    ),
    (
        ToolKind::Read,
        &[
            "read",
            "read_file",
            "file_read",
            "view",
            "open_file",
            "read_text_file",
            "str_replace_based_edit_tool",
            "str_replace_editor",
            "view_file",
            "cat_file",
            "fs_read",
            "get_file",
            "get_file_contents",
            "notebookread",
            "read_many_files",
            "read_multiple_files",
            "cat",
            "get_content",
            "open",
            "open_entire_file",
            "read_files",
            "read_multiple_text_files",
            "text_editor",
            "view_files",
            "view_line_range",
        ],
    ),
    (ToolKind::Grep, &["grep", "rg", "ripgrep", "search", "search_files", "find_in_files", "grep_search"]),
    (ToolKind::Glob, &["glob", "find_files", "list_files", "file_search", "list_directory"]),
    (
        ToolKind::Edit,
        &[
            "edit",
            "edit_file",
            "multiedit",
            "multi_edit",
            "notebookedit",
            "notebook_edit",
            "replace",
            "search_replace",
            "str_replace",
            "apply_patch",
            "apply_diff",
            "patch",
            "edit_block",
            "insert_edit_into_file",
            "replace_string_in_file",
            "update_file",
        ],
    ),
    (
        ToolKind::Write,
        &[
            "write",
            "write_file",
            "write_to_file",
            "create_file",
            "create_or_update_file",
            "file_write",
            "fs_write",
        ],
    ),
];

impl ToolKind {
    /// The name used in settings and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Read => "read",
            Self::Grep => "grep",
            Self::Glob => "glob",
            Self::Edit => "edit",
            Self::Write => "write",
            Self::Generic => "generic",
        }
    }

    /// The kind of the tool that a client calls `name`. Ignores a server's prefix, as in `mcp__files__read_file`.
    pub(super) fn by_name(name: &str) -> Self {
        let bare = name.rsplit_once("__").map_or(name, |(_, bare)| bare);
        let known = |names: &[&str]| names.iter().any(|known| letters(known).eq(letters(bare)));
        let named = NAMES.iter().find(|(_, names)| known(names)).map(|(tool, _)| *tool);
        named.unwrap_or(if ends_as_reader(bare) { Self::Read } else { Self::Generic })
    }
}

/// The letters and digits of a name in lower case, so that `ReadManyFiles` and `read_many_files` are equal.
fn letters(name: &str) -> impl DoubleEndedIterator<Item = char> {
    name.chars().filter(char::is_ascii_alphanumeric).map(|char| char.to_ascii_lowercase())
}

/// Suffixes of the names of tools that show files. A client may add its own prefix to the tools of a server.
const READERS: [&str; 7] = [
    "readfile",
    "readtextfile",
    "readmanyfiles",
    "readmultiplefiles",
    "getfilecontents",
    "viewfile",
    "openfile",
];

fn ends_as_reader(name: &str) -> bool {
    let ends =
        |end: &str| end.chars().rev().zip(letters(name).rev()).filter(|(a, b)| a == b).count() == end.len();
    READERS.iter().any(|end| ends(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behaviour 3.12.
    #[test]
    fn names_are_mapped_to_kinds() {
        for (names, tool) in [
            ("bash shell sh run run_command execute exec terminal", ToolKind::Bash),
            ("read read_file file_read view open_file", ToolKind::Read),
            ("grep rg ripgrep search search_files find_in_files", ToolKind::Grep),
            ("glob find_files list_files", ToolKind::Glob),
            ("WebFetch execute_sql reader __ mcp__ ünï", ToolKind::Generic),
            ("Edit MultiEdit apply_patch mcp__files__edit_file", ToolKind::Edit),
            ("Write mcp__files__write_file", ToolKind::Write),
            ("ReadManyFiles read-files cat view open_file Get-Content builtin_read_file", ToolKind::Read),
            ("mcp_files_read_text_file github-mcp-server-get_file_contents text_editor", ToolKind::Read),
            ("Bash exec_command mcp__box__Shell PowerShell", ToolKind::Bash),
        ] {
            for name in names.split(' ') {
                assert_eq!(ToolKind::by_name(name), tool, "{name}");
                assert_eq!(ToolKind::by_name(&name.to_ascii_uppercase()), tool, "{name}");
            }
        }
        assert_eq!(ToolKind::by_name("Read Files"), ToolKind::Read);
        assert_eq!(ToolKind::by_name(""), ToolKind::Generic);
    }
}
