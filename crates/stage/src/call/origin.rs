//! Finds the origin of a result's text, which decides whether the text may be masked, rewritten, cut or replaced by a
//! reference.
//!
//! Text that an agent may edit stays unchanged, and is masked only on explicit request: the agent writes back the text
//! that it reads, so a mask would end up in the file. If a command line runs several commands, this rule applies as
//! soon as one of them shows such a file.

use crate::call::carrier;
use crate::call::family::{bare, name, script};
use crate::call::file::FileUse;
use crate::call::shell::{Output, ShellCommand};
use crate::call::{Call, ToolKind, shell, string_literal};

/// Where a text comes from. Later variants must be kept unchanged more strictly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The environment, a log, or a server's response.
    Other,
    /// A file that is read but not edited, or the result of a query on a file.
    Data,
    /// Lines of files, found by a search.
    Search,
    /// Changes to files, from a comparison or a version history.
    Change,
    /// The result of an edit, which may show the changed text.
    Edit,
    /// The contents of a file that an agent may edit.
    File,
}

/// Commands that print files.
const SHOWS: &[&str] = &[
    "awk",
    "bat",
    "batcat",
    "bzcat",
    "cat",
    "ccat",
    "column",
    "cut",
    "expand",
    "fmt",
    "fold",
    "gawk",
    "gc",
    "get-content",
    "gsed",
    "head",
    "iconv",
    "less",
    "more",
    "most",
    "nl",
    "paste",
    "pr",
    "pygmentize",
    "sed",
    "sort",
    "tac",
    "tail",
    "type",
    "uniq",
    "xzcat",
    "zcat",
];

/// Commands that compare files.
const COMPARES: &[&str] = &["colordiff", "comm", "delta", "diff", "difft", "icdiff", "sdiff"];

/// Commands that extract values from files.
const QUERIES: &[&str] = &["dasel", "gron", "jq", "mlr", "qsv", "xmllint", "xq", "xsv", "yq"];

/// Commands that search files and print matching lines.
const SEARCHES: &[&str] =
    &["ack", "ag", "egrep", "fgrep", "grep", "rg", "ripgrep", "select-string", "sls", "ugrep", "zgrep"];

/// Commands whose first argument is a script, not a file.
const SCRIPTED: &[&str] = &["awk", "gawk", "gsed", "sed"];

/// Commands that change files.
const EDITS: &[&str] = &["apply_patch", "patch"];

/// Unix shells, Windows shells, and the options that precede a command line for a Windows shell.
const SHELLS: &[&str] = &["ash", "bash", "dash", "fish", "ksh", "sh", "zsh"];
const WINDOWS: &[&str] = &["cmd", "powershell", "pwsh"];
const COMMAND_OPTIONS: &[&str] = &["-c", "-command", "/c", "/k"];

/// Git subcommands that show changes.
const GIT: &[&str] = &[
    "annotate",
    "blame",
    "diff",
    "diff-tree",
    "difftool",
    "format-patch",
    "log",
    "show",
    "stash",
    "whatchanged",
];

/// Git options that take a value.
const GIT_VALUED: &[&str] = &["-C", "-c", "--git-dir", "--work-tree"];

/// Interpreters, expressions with which their scripts read a file, and expressions that print a file unchanged.
const INTERPRETERS: &[&str] = &["bun", "deno", "node", "perl", "php", "python", "ruby"];
const READS: &[&str] = &[
    "open(",
    "read_text",
    "readFile",
    "File.read",
    "file_get_contents",
    "IO.read",
    "ReadAllText",
    "ReadAllLines",
];
const PRINTS: &[&str] = &[
    "print(open(",
    "print(Path(",
    "print(pathlib.Path(",
    "write(open(",
    "console.log(fs.read",
    "console.log(require('fs').read",
    "stdout.write(fs.read",
    "log(await Bun.file",
    "puts File.read",
    "print File.read",
    "echo file_get_contents",
    "puts IO.read",
];

/// Commands nested deeper than this are not inspected.
const MAX_DEPTH: usize = 4;

impl Origin {
    /// The origin of `text`, the result of `call`.
    pub(super) fn of(call: Call<'_>, text: &str) -> Self {
        let logged = |path| FileUse::of_path(path, 0) == FileUse::Log;
        match call.tool_kind() {
            ToolKind::Read if call.command.is_some_and(logged) => Self::Other,
            ToolKind::Read => Self::File,
            ToolKind::Grep => Self::Search,
            ToolKind::Edit | ToolKind::Write => Self::Edit,
            ToolKind::Glob => Self::Other,
            // For an unknown tool, the text itself may show its origin.
            ToolKind::Generic if is_diff(text) => Self::Change,
            ToolKind::Generic if is_numbered(text) => Self::File,
            ToolKind::Bash | ToolKind::Generic => {
                call.command.map_or(Self::Other, |line| Reading { text, depth: 0 }.script(line))
            }
        }
    }

    /// True when secrets in the text are masked by default. Secrets in files are not.
    #[must_use]
    pub fn is_masked(self) -> bool {
        self == Self::Other
    }

    /// True when an agent may write parts of the text back to a file.
    #[must_use]
    pub fn is_editable(self) -> bool {
        self >= Self::Search
    }
}

/// Finds the origin of `text` from the command line that printed it.
#[derive(Clone, Copy)]
struct Reading<'t> {
    text: &'t str,
    depth: usize,
}

impl Reading<'_> {
    /// The origin of the output of a command line, or of a program that contains command lines as string literals.
    fn script(self, script: &str) -> Origin {
        let origin = self.line(script);
        if origin == Origin::File || self.depth >= MAX_DEPTH || !string_literal::runs_commands(script) {
            return origin;
        }
        let patched = if script.contains("apply_patch") { Origin::Edit } else { origin };
        let lines = string_literal::lines(script);
        lines.iter().map(|line| self.deeper().script(line)).fold(origin.max(patched), Origin::max)
    }

    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// The strictest origin among the pipelines on `line`.
    fn line(self, line: &str) -> Origin {
        shell::commands(line)
            .split_inclusive(|command| command.output != Output::Piped)
            .filter(|pipeline| pipeline.last().is_some_and(|last| last.output != Output::Filed))
            .map(|pipeline| self.pipeline(pipeline, line))
            .max()
            .unwrap_or(Origin::Other)
    }

    /// The origin of a pipeline: the stricter of its first command's origin and that of any `xargs` command in it.
    fn pipeline(self, pipeline: &[ShellCommand], line: &str) -> Origin {
        let is_xargs =
            |command: &&ShellCommand| command.words.first().is_some_and(|word| name(word) == "xargs");
        let asks = |command: &ShellCommand| {
            bare(&command.words).first().is_some_and(|word| QUERIES.contains(&&*name(word)))
        };
        let sources = pipeline.first().into_iter().chain(pipeline.iter().skip(1).filter(is_xargs));
        let origin = sources.map(|command| self.command(bare(&command.words), line)).max();
        match origin.unwrap_or(Origin::Other) {
            Origin::File if pipeline.iter().any(asks) => Origin::Data,
            origin => origin,
        }
    }

    fn command(self, words: &[String], line: &str) -> Origin {
        let Some((first, rest)) = words.split_first() else { return Origin::Other };
        let name = name(first);
        let is = |names: &[&str]| names.contains(&&*name);
        let in_script = |of: &[&str]| of.iter().any(|part| line.contains(part));
        let deep = self.depth >= MAX_DEPTH;
        match &*name {
            // Quoted command lines, as in `env -S` and `eval`.
            _ if first.contains(' ') && !deep => self.deeper().script(&words.join(" ")),
            "git" => self.git(rest),
            _ if is(SHELLS) && !deep => script(rest).map_or(Origin::Other, |line| self.deeper().script(line)),
            _ if is(WINDOWS) && !deep => {
                windows_script(rest).map_or(Origin::Other, |line| self.deeper().script(&line))
            }
            _ if is(EDITS) => Origin::Edit,
            _ if is(COMPARES) => Origin::Change,
            _ if is(QUERIES) => Origin::Data,
            _ if is(SHOWS) => self.files(&files(&name, rest)),
            _ if is(SEARCHES) => search_origin(rest),
            _ if carrier::runs_command(&name) && !deep => self.deeper().nested_command(rest, line),
            _ if is(INTERPRETERS) && prints_lines(rest) => Origin::File,
            _ if is(INTERPRETERS) && in_script(PRINTS) => Origin::File,
            _ if is(INTERPRETERS) && in_script(READS) => Origin::Data,
            _ if name.contains("system.io.file") && in_script(READS) => Origin::File,
            _ => Origin::Other,
        }
    }

    /// The origin of text printed from `files`.
    fn files(self, files: &[&str]) -> Origin {
        match FileUse::of_all(files, self.text) {
            FileUse::Log => Origin::Other,
            FileUse::Data => Origin::Data,
            FileUse::Text => Origin::File,
        }
    }

    fn git(self, words: &[String]) -> Origin {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if GIT_VALUED.contains(&word.as_str()) {
                words.next();
            } else if !word.starts_with('-') {
                // A path after a revision, as in `git show HEAD:src/a.rs`.
                let path = words.clone().find_map(|word| word.split_once(':').map(|(_, path)| path));
                return match (word.as_str(), path) {
                    ("show", Some(path)) => self.files(&[path]),
                    ("cat-file", path) => self.files(&Vec::from_iter(path)),
                    ("grep", _) => Origin::Search,
                    ("apply" | "am", _) => Origin::Edit,
                    (word, _) if GIT.contains(&word) => Origin::Change,
                    _ => Origin::Other,
                };
            }
        }
        Origin::Other
    }

    /// The origin of a command that another program runs. That command begins at the first word that is a known
    /// program, or is a quoted command line.
    fn nested_command(self, words: &[String], line: &str) -> Origin {
        let shows = |word: &String| {
            let name = name(word);
            let known = [SHOWS, SEARCHES, SHELLS, WINDOWS, QUERIES, COMPARES, &["git", "python"]];
            known.iter().any(|names| names.contains(&&*name))
        };
        let run = words.iter().position(shows).map(|at| self.command(&words[at..], line));
        let lines = words.iter().filter(|word| word.contains(' ')).map(|line| self.script(line));
        lines.chain(run).max().unwrap_or(Origin::Other)
    }
}

/// The command line that a Windows shell is told to run.
fn windows_script(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| COMMAND_OPTIONS.contains(&&*word.to_ascii_lowercase()))?;
    words.get(at + 1..).map(|words| words.join(" "))
}

/// The files that a command shows: its arguments other than options, numbers and scripts.
fn files<'w>(name: &str, words: &'w [String]) -> Vec<&'w str> {
    let number = |word: &str| word.chars().all(|char| char.is_ascii_digit() || "+-:,kKmM".contains(char));
    let mut files: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    if SCRIPTED.contains(&name) && !files.is_empty() {
        files.remove(0);
    }
    files.retain(|word| word.is_empty() || !number(word));
    files
}

/// The origin of search results: `Search`, unless all searched files are logs.
fn search_origin(words: &[String]) -> Origin {
    let mut given = words.iter().filter(|word| !word.starts_with('-')).skip(1).peekable();
    let logs = given.peek().is_some() && given.all(|path| FileUse::of_path(path, 0) == FileUse::Log);
    if logs { Origin::Other } else { Origin::Search }
}

/// True when an interpreter is run to print lines of files, as in `perl -ne`.
fn prints_lines(words: &[String]) -> bool {
    let Some(option) = words.first().and_then(|word| word.strip_prefix('-')) else { return false };
    let short = option.len() <= 4 && option.bytes().all(|byte| byte.is_ascii_alphabetic());
    short && option.ends_with('e') && option.contains(['n', 'p'])
}

/// True when a text begins like a diff.
fn is_diff(text: &str) -> bool {
    let mut lines = text.lines().take(40);
    lines.any(|line| line.starts_with("diff --git ") || line.starts_with("@@ -"))
}

/// The minimum number of consecutively numbered lines in a numbered text.
const MIN_NUMBERED_LINES: usize = 3;

/// True when the first lines are numbered consecutively, as in files that tools show.
fn is_numbered(text: &str) -> bool {
    let mut numbers = text.lines().take(MIN_NUMBERED_LINES + 5).map(number).skip_while(Option::is_none);
    let Some(Some(first)) = numbers.next() else { return false };
    let next = numbers.take(MIN_NUMBERED_LINES - 1).zip(first + 1..);
    next.filter(|(number, expected)| *number == Some(*expected)).count() == MIN_NUMBERED_LINES - 1
}

/// The number at the start of a line, if a tab, an arrow, a bar or a colon follows it.
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
                "cat Makefile app.log",
                "grep -n x a.py; sed -n 1,9p a.py",
                "[System.IO.File]::ReadAllText('a.cs')",
                "perl -ne 'print if 1..9' a.py",
                "cat $(git ls-files)",
            ],
        );
    }

    #[test]
    fn commands_that_show_parts_of_files_are_distinguished() {
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
        check(
            Origin::Change,
            &[
                "git -C repo --no-pager diff -- a",
                "git log -p -3",
                "git show HEAD",
                "diff a b",
                "git blame a.rs",
            ],
        );
        check(
            Origin::Data,
            &[
                "cat Cargo.lock",
                "cat config.json | jq .",
                "jq .a package.json",
                "head events.jsonl",
                "tail -n 50 dist/app.js app.log",
                "git show HEAD:Cargo.lock",
                "python3 -c \"import json; print(len(json.load(open('a.json'))))\"",
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
                "git commit -m 'cat the file'",
                "cat logs/*.log | tail -n 5",
                "sed -n '1,9p' /var/log/syslog",
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
        for text in ["     1\ta\n     2\tb\n     3\tc", "Here it is:\n7→x\n8→\n9→y"] {
            assert_eq!(of_tool("show_code", None, text), Origin::File, "{text}");
        }
        assert_eq!(of_tool("show_code", None, "diff --git a/x b/x\n"), Origin::Change);
        for text in ["1: x\n1: y\n1: z", "a\nb", "", "1\n2\n3", "10:01 up\n11:02 down"] {
            assert_eq!(of_tool("show_code", None, text), Origin::Other, "{text}");
        }
        assert_eq!(of_tool("Bash", Some("env"), "1\tA=b\n2\tC=d\n3\tE=f"), Origin::Other);
    }
}
