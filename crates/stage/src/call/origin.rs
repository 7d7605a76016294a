//! Where a result's text comes from: what an agent may edit, or anything else.
//!
//! What an agent may edit is not masked unless that was asked for by name: an agent writes back what it reads, and a
//! mask would end up in the file. Where one line runs several commands, one that shows a file is enough.

use crate::call::family::{bare, name, script};
use crate::call::shell::{Output, ShellCommand};
use crate::call::{Call, ToolKind, shell};

/// Where a text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A file, or a change of one.
    File,
    /// Lines of files.
    Search,
    /// An edit, which may show what it changed.
    Edit,
    /// Anything else: the environment, a log, a server's answer.
    Other,
}

/// Commands that show files.
const SHOWS: &[&str] = &[
    "awk",
    "bat",
    "batcat",
    "cat",
    "colordiff",
    "column",
    "comm",
    "cut",
    "diff",
    "fold",
    "gawk",
    "gc",
    "get-content",
    "head",
    "jq",
    "less",
    "more",
    "nl",
    "paste",
    "sdiff",
    "sed",
    "sort",
    "tac",
    "tail",
    "type",
    "uniq",
    "yq",
];

/// Commands that show lines of files.
const SEARCHES: &[&str] =
    &["ack", "ag", "egrep", "fgrep", "grep", "rg", "ripgrep", "select-string", "sls", "ugrep"];

/// Commands whose first argument is a script or a pattern, not a file.
const SCRIPTED: &[&str] = &["awk", "gawk", "jq", "sed", "yq"];

/// Commands that change files.
const EDITS: &[&str] = &["apply_patch", "patch"];

/// What git shows of files.
const GIT: &[&str] = &[
    "annotate",
    "blame",
    "cat-file",
    "diff",
    "diff-tree",
    "difftool",
    "format-patch",
    "log",
    "show",
    "stash",
    "whatchanged",
];

/// Options of git that take a value.
const GIT_VALUED: &[&str] = &["-C", "-c", "--git-dir", "--work-tree"];

/// Commands that run another, here or elsewhere.
const CARRIERS: &[&str] =
    &["docker", "docker-compose", "find", "fd", "kubectl", "nerdctl", "oc", "podman", "ssh", "wsl"];

/// Interpreters, and how their scripts read a file.
const INTERPRETERS: &[&str] = &["bun", "deno", "node", "perl", "php", "python", "ruby"];
const READS: &[&str] = &["open(", "read_text", "readFile", "File.read", "file_get_contents", "IO.read"];

/// A shell within a shell deeper than this is not looked into.
const MAX_DEPTH: usize = 4;

impl Origin {
    /// The origin of `text`, which answered `call`.
    pub(super) fn of(call: Call<'_>, text: &str) -> Self {
        match call.tool_kind() {
            ToolKind::Read if call.command.is_some_and(is_log) => Self::Other,
            ToolKind::Read => Self::File,
            ToolKind::Grep => Self::Search,
            ToolKind::Edit | ToolKind::Write => Self::Edit,
            ToolKind::Glob => Self::Other,
            // A tool that nobody knows: its text may tell.
            ToolKind::Generic if is_diff(text) || is_numbered(text) => Self::File,
            ToolKind::Bash | ToolKind::Generic => call.command.map_or(Self::Other, of_script),
        }
    }

    /// True when an agent may write the text back to a file.
    #[must_use]
    pub fn is_editable(self) -> bool {
        self != Self::Other
    }
}

/// The origin of what a command line prints, or of what a program does that has one in quotes.
fn of_script(script: &str) -> Origin {
    match of_line(script, 0) {
        Origin::Other if script.contains("apply_patch") => Origin::Edit,
        Origin::Other => quoted(script)
            .map(|line| of_line(&line, 1))
            .find(|origin| origin.is_editable())
            .unwrap_or(Origin::Other),
        origin => origin,
    }
}

/// Texts in quotes that a script is looked through for.
const QUOTED: usize = 64;

/// The first texts in quotes, without their escapes.
fn quoted(script: &str) -> impl Iterator<Item = String> {
    let mut rest = script;
    std::iter::from_fn(move || {
        let (open, quote) = rest.char_indices().find(|(_, char)| matches!(char, '"' | '\'' | '`'))?;
        let inside = &rest[open + 1..];
        let mut escaped = false;
        let end = inside.find(|char: char| {
            let ends = char == quote && !escaped;
            escaped = char == '\\' && !escaped;
            ends
        });
        let text = &inside[..end.unwrap_or(inside.len())];
        rest = end.map_or("", |end| &inside[end + 1..]);
        Some(text.replace("\\n", "\n").replace('\\', ""))
    })
    .take(QUOTED)
}

/// The first of several origins that an agent may edit.
fn of_line(line: &str, depth: usize) -> Origin {
    let commands = shell::commands(line);
    let scripted = READS.iter().any(|read| line.contains(read));
    commands
        .split_inclusive(|command| command.output != Output::Piped)
        .filter(|pipeline| pipeline.last().is_some_and(|last| last.output != Output::Filed))
        .map(|pipeline| of_pipeline(pipeline, scripted, depth))
        .find(|origin| origin.is_editable())
        .unwrap_or(Origin::Other)
}

/// Of a pipeline it is the first command's, or that of one that is told its files by the others.
fn of_pipeline(pipeline: &[ShellCommand], scripted: bool, depth: usize) -> Origin {
    let told = |command: &&ShellCommand| command.words.first().is_some_and(|word| word == "xargs");
    let sources = pipeline.first().into_iter().chain(pipeline.iter().skip(1).filter(told));
    let origins = sources.map(|command| of_command(bare(&command.words), scripted, depth));
    origins.into_iter().find(|origin| origin.is_editable()).unwrap_or(Origin::Other)
}

fn of_command(words: &[String], scripted: bool, depth: usize) -> Origin {
    let Some((first, rest)) = words.split_first() else { return Origin::Other };
    let name = name(first);
    let is = |names: &[&str]| names.contains(&&*name);
    match &*name {
        "bash" | "sh" | "zsh" | "dash" if depth < MAX_DEPTH => {
            script(rest).map_or(Origin::Other, |line| of_line(line, depth + 1))
        }
        "git" => of_git(rest),
        _ if is(EDITS) => Origin::Edit,
        _ if (is(SHOWS) || is(SEARCHES)) && shows_logs(&name, rest) => Origin::Other,
        _ if is(SHOWS) => Origin::File,
        _ if is(SEARCHES) => Origin::Search,
        _ if is(CARRIERS) && depth < MAX_DEPTH => carried(rest, scripted, depth + 1),
        _ if is(INTERPRETERS) && scripted => Origin::File,
        _ => Origin::Other,
    }
}

fn of_git(words: &[String]) -> Origin {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if GIT_VALUED.contains(&word.as_str()) {
            words.next();
        } else if !word.starts_with('-') {
            return match word.as_str() {
                "grep" => Origin::Search,
                "apply" | "am" => Origin::Edit,
                word if GIT.contains(&word) => Origin::File,
                _ => Origin::Other,
            };
        }
    }
    Origin::Other
}

/// The origin of what a command runs elsewhere: from the first word on that shows files, or in a line of its own.
fn carried(words: &[String], scripted: bool, depth: usize) -> Origin {
    let shows = |word: &String| {
        let name = name(word);
        [SHOWS, SEARCHES, &["bash", "sh"]].iter().any(|names| names.contains(&&*name))
    };
    if let Some(at) = words.iter().position(shows) {
        return of_command(&words[at..], scripted, depth);
    }
    words.last().filter(|line| line.contains(' ')).map_or(Origin::Other, |line| of_line(line, depth))
}

/// True when all that a command is told to show are logs.
fn shows_logs(name: &str, words: &[String]) -> bool {
    let mut files: Vec<_> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let scripted = SCRIPTED.contains(&name) || SEARCHES.contains(&name);
    if scripted && files.len() > 1 {
        files.remove(0);
    }
    let mut paths = files.into_iter().filter(|word| word.contains(['.', '/'])).peekable();
    paths.peek().is_some() && paths.all(|path| is_log(path))
}

/// True when a path names a file that programs write and nobody edits.
fn is_log(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let base = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let ends = |end: &&str| base.ends_with(*end);
    path.starts_with("/var/log/")
        || base.contains(".log.")
        || [".log", ".out", ".err", ".output"].iter().any(ends)
}

/// True when a text begins as a change of files does.
fn is_diff(text: &str) -> bool {
    let mut lines = text.lines().take(40);
    lines.any(|line| line.starts_with("diff --git ") || line.starts_with("@@ -"))
}

/// Lines that must be numbered for a text to count as numbered.
const NUMBERED: usize = 3;

/// True when the first lines are numbered one by one, as tools show files.
fn is_numbered(text: &str) -> bool {
    let mut numbers = text.lines().take(NUMBERED + 5).map(number).skip_while(Option::is_none);
    let Some(Some(first)) = numbers.next() else { return false };
    let next = numbers.take(NUMBERED - 1).zip(first + 1..);
    next.filter(|(number, expected)| *number == Some(*expected)).count() == NUMBERED - 1
}

/// The number that a line begins with, before a tab, an arrow, a bar or a colon.
fn number(line: &str) -> Option<usize> {
    let line = line.trim_start();
    let digits = line.bytes().take(9).take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    rest.trim_start_matches(' ').starts_with(['\t', '→', '|', ':']).then(|| line[..digits].parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(origin: Origin, lines: &[&str]) {
        for line in lines {
            let call = Call { tool: "Bash", command: Some(line), ..Call::default() };
            assert_eq!(call.origin("x"), origin, "{line}");
        }
    }

    #[test]
    fn commands_that_show_files_are_known() {
        check(
            Origin::File,
            &[
                "cat settings.py",
                "sed -n '1,40p' src/main.rs",
                "nl -ba x.py | sed -n '1,9p'",
                "head -50 a.toml; env",
                "cd x && tail -n 3 y.env",
                "git show HEAD:src/a.rs",
                "git -C repo --no-pager diff -- a",
                "git log -p -3",
                "bash -lc 'cat .env'",
                "find . -name '*.py' | xargs cat",
                "find . -name '*.py' -exec cat {} +",
                "docker exec web cat /app/settings.py",
                "kubectl exec pod -- sh -c 'cat /etc/app.conf'",
                "ssh host 'cat .env'",
                "python3 -c \"print(open('settings.py').read())\"",
                "python - <<'EOF'\nprint(open('settings.py').read())\nEOF",
                "for f in *; do cat $f; done",
                "Get-Content settings.py",
                "cat settings.py app.log",
                "cat config.json | jq .",
            ],
        );
        check(
            Origin::Search,
            &["grep -rn -C3 timeout src", "rg TOKEN", "git grep -n key", "grep -n 'a.b' settings.py | head"],
        );
        check(
            Origin::File,
            &[
                r#"const done = await tools.exec_command({"cmd": "cat settings.py"}); text(done.output);"#,
                r#"text(await tools.exec_command({cmd: 'sed -n \"1,9p\" a.py'}))"#,
            ],
        );
        check(Origin::Edit, &[r#"text(await tools.apply_patch("*** Begin Patch"));"#]);
        check(Origin::Edit, &["apply_patch <<'EOF'\n*** Begin Patch\nEOF", "git apply x.patch"]);
    }

    #[test]
    fn everything_else_is_not_a_file() {
        check(
            Origin::Other,
            &[
                "env",
                "printenv | sort",
                "env | grep KEY",
                "set",
                "docker logs web",
                "kubectl get secret -o yaml",
                "journalctl -u x | tail",
                "curl -s https://x/api | jq .",
                "cat app.log",
                "tail -n 100 /var/log/syslog",
                "grep -i error logs/server.log",
                "grep 'a.b' app.log.1",
                "cat nohup.out | grep KEY",
                "git remote -v",
                "git config -l",
                "cat > f <<EOF\nx\nEOF",
                "sed -i s/a/b/ x > y",
                "python app.py",
                r#"const done = await tools.exec_command({"cmd": "printenv"}); text(done.output);"#,
                r#"text(await tools.exec_command({cmd: "tail -n 20 app.log; env | sort"}))"#,
                "",
            ],
        );
    }

    fn of_tool(tool: &str, command: Option<&str>, text: &str) -> Origin {
        Call { tool, command, ..Call::default() }.origin(text)
    }

    #[test]
    fn tools_tell_by_their_names() {
        for (tool, origin) in [
            ("Read", Origin::File),
            ("view", Origin::File),
            ("mcp__github__get_file_contents", Origin::File),
            ("Grep", Origin::Search),
            ("Edit", Origin::Edit),
            ("MultiEdit", Origin::Edit),
            ("Write", Origin::Edit),
            ("apply_patch", Origin::Edit),
            ("Glob", Origin::Other),
            ("Bash", Origin::Other),
            ("get_weather", Origin::Other),
            ("", Origin::Other),
        ] {
            assert_eq!(of_tool(tool, None, "x"), origin, "{tool}");
        }
        assert_eq!(of_tool("Read", Some("logs/app.log"), "x"), Origin::Other);
        assert_eq!(of_tool("Read", Some("src/log.rs"), "x"), Origin::File);
    }

    #[test]
    fn of_unknown_tools_the_text_tells() {
        for text in ["     1\ta\n     2\tb\n     3\tc", "Here it is:\n7→x\n8→\n9→y", "diff --git a/x b/x\n"]
        {
            assert_eq!(of_tool("show_code", None, text), Origin::File, "{text}");
        }
        for text in ["1: x\n1: y\n1: z", "a\nb", "", "1\n2\n3", "10:01 up\n11:02 down"] {
            assert_eq!(of_tool("show_code", None, text), Origin::Other, "{text}");
        }
        assert_eq!(of_tool("Bash", Some("env"), "1\tA=b\n2\tC=d\n3\tE=f"), Origin::Other);
    }
}
