//! Recognises files and diffs that an agent may edit, which must stay unchanged.

use crate::call::Call;

/// Strings that begin manifests and documents.
const OPENINGS: [&str; 4] = ["---\n", "apiVersion:", "<", "[package]"];

/// Strings that begin lines of a diff.
const CHANGES: [&str; 2] = ["\ndiff --git ", "\n@@ -"];

/// True when `text`, the result of the call, is a file that an agent may edit, a document, or a diff.
pub(crate) fn is_source(call: Call<'_>, text: &str) -> bool {
    let change = |start: &&str| text.starts_with(&start[1..]) || text.contains(*start);
    call.is_verbatim(text)
        || OPENINGS.iter().any(|start| text.starts_with(start))
        || CHANGES.iter().any(change)
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
    fn files_are_distinguished_from_logs() {
        for (tool, command, file) in [
            ("Read", None, true),
            ("bash", Some("cat src/main.rs"), true),
            ("bash", Some("A=1 /bin/sed -n 1,9p x.py"), true),
            ("bash", Some("tail -n 50 /var/log/syslog"), false),
            ("bash", Some("cat server.log"), false),
            ("bash", Some("make test"), false),
            ("", None, false),
        ] {
            assert_eq!(is_source(Call { tool, command, ..Call::default() }, "x"), file, "{tool} {command:?}");
        }
    }
}
