//! Whether a text is a file or a change of one as an agent may edit it, which must then stay as it is.

use crate::call::Call;

/// Tools that show files.
const READERS: [&str; 10] = [
    "read",
    "read_file",
    "file_read",
    "view",
    "view_file",
    "open_file",
    "str_replace_editor",
    "edit",
    "write",
    "notebookread",
];

/// Commands that show files.
const SHOWS: [&str; 7] = ["cat", "head", "tail", "sed", "awk", "nl", "bat"];

/// Words in the names of files that nobody edits.
const LOGS: [&str; 7] = [".log", "/log", "logs", ".out", ".err", "output", "/tmp/"];

/// What manifests and documents begin with.
const OPENINGS: [&str; 4] = ["---\n", "apiVersion:", "<", "[package]"];

/// What the lines of a diff begin with.
const CHANGES: [&str; 2] = ["\ndiff --git ", "\n@@ -"];

/// True when `text`, which the call gave, is a file that is no log, or a diff.
pub(crate) fn is_source(call: Call<'_>, text: &str) -> bool {
    let change = |start: &&str| text.starts_with(&start[1..]) || text.contains(*start);
    is_file(call) || OPENINGS.iter().any(|start| text.starts_with(start)) || CHANGES.iter().any(change)
}

/// True when the call showed a file that is no log.
fn is_file(call: Call<'_>) -> bool {
    let tool = call.tool.to_ascii_lowercase();
    if READERS.contains(&tool.as_str()) {
        return true;
    }
    let Some(command) = call.command else { return false };
    let word = command.split_whitespace().find(|word| !word.contains('=')).unwrap_or_default();
    let name = word.rsplit('/').next().unwrap_or_default();
    SHOWS.contains(&name) && !LOGS.iter().any(|part| command.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diffs_and_documents_are_known_by_their_lines() {
        for (text, source) in [
            ("commit 1\n\ndiff --git a/x b/x\n", true),
            ("--- a\n+++ b\n@@ -1,2 +1,2 @@\n", true),
            ("apiVersion: v1\nkind: Pod\n", true),
            ("<html>", true),
            ("a log\n", false),
        ] {
            assert_eq!(is_source(Call::default(), text), source, "{text}");
        }
    }

    #[test]
    fn files_are_told_from_logs() {
        for (tool, command, file) in [
            ("Read", None, true),
            ("bash", Some("cat src/main.rs"), true),
            ("bash", Some("A=1 /bin/sed -n 1,9p x.py"), true),
            ("bash", Some("tail -n 50 /var/log/syslog"), false),
            ("bash", Some("cat server.log"), false),
            ("bash", Some("make test"), false),
            ("", None, false),
        ] {
            assert_eq!(is_file(Call { tool, command, ..Call::default() }), file, "{tool} {command:?}");
        }
    }
}
