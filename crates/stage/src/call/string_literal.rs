//! Finds command lines in string literals of a program, such as a JavaScript or Python script that starts a shell.

/// The maximum number of string literals inspected per script.
const MAX_STRINGS: usize = 64;

/// Functions and operators with which programs run commands.
const RUNS: &[&str] = &[
    "Bun.$",
    "Command::new",
    "Open3",
    "Process.Start",
    "Process.run",
    "await ",
    "child_process",
    "exec(",
    "execFile",
    "execSync",
    "exec_command",
    "os.popen",
    "os.system",
    "passthru(",
    "proc_open",
    "shell_exec",
    "spawn",
    "subprocess",
    "system(",
    "tools.",
];

/// True when a script may run commands that it contains as string literals.
pub(super) fn runs_commands(script: &str) -> bool {
    RUNS.iter().any(|word| script.contains(word))
}

/// String literals that may be command lines: literals of several words, and adjacent literals joined, as in
/// `["cat", "a.py"]`.
pub(super) fn lines(script: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut words: Vec<String> = Vec::new();
    for (before, text) in texts(script) {
        let beside = before.trim() == ",";
        if !beside && words.len() > 1 {
            lines.push(words.join(" "));
        }
        if !beside {
            words.clear();
        }
        if text.trim().contains([' ', '\t', '\n']) {
            lines.push(text.clone());
        }
        words.push(text);
    }
    if words.len() > 1 {
        lines.push(words.join(" "));
    }
    lines
}

/// The value of each string literal, with the text between the previous literal and this one.
fn texts(script: &str) -> impl Iterator<Item = (&str, String)> {
    let mut rest = script;
    std::iter::from_fn(move || {
        let (open, quote) = rest.char_indices().find(|(_, char)| matches!(char, '"' | '\'' | '`'))?;
        let before = &rest[..open];
        let inside = &rest[open + 1..];
        let mut escaped = false;
        let end = inside.find(|char: char| {
            let ends = char == quote && !escaped;
            escaped = char == '\\' && !escaped;
            ends
        });
        let text = &inside[..end.unwrap_or(inside.len())];
        rest = end.map_or("", |end| &inside[end + 1..]);
        Some((before, unescape(text)))
    })
    .take(MAX_STRINGS)
}

/// Resolves the escapes in a string literal.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                next => out.extend(next),
            },
            char => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_in_quotes() {
        for (script, expected) in [
            (r#"tools.exec_command({cmd: "sed -n '1,9p' a.go"})"#, &["sed -n '1,9p' a.go"][..]),
            (r#"x({cmd: 'cat \'a b\''}); y({"cmd": `cat ${path}`})"#, &["cat 'a b'", "cat ${path}"]),
            (r#"subprocess.run(["cat", "a.py"])"#, &["cat a.py"]),
            (r#"["cat a.py","cat b.py"].map(run)"#, &["cat a.py", "cat b.py", "cat a.py cat b.py"]),
            (r#"{type: "text", a: "b"}"#, &[]),
            (r#"run("cat a\ncat b")"#, &["cat a\ncat b"]),
            ("'", &[]),
            ("\"\\", &[]),
        ] {
            assert_eq!(lines(script), expected, "{script}");
        }
    }

    #[test]
    fn long_scripts_are_looked_at_in_part() {
        assert!(lines(&"'a b' ".repeat(10_000)).len() <= 2 * MAX_STRINGS);
    }
}
