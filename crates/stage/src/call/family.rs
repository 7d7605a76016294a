//! Finds the family of commands whose output a command line prints.
//!
//! In a pipeline, the first command decides as long as the rest only select or sort its lines; if a later command
//! rewrites them, the family is generic. If a line runs commands of different families, the family is generic too. But
//! if one of them shows a file, the whole text counts as file contents, because text that an agent may edit must stay
//! unchanged.

use crate::call::shell;
use crate::call::shell::{Output, ShellCommand};

/// A group of commands with similar output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// `git`.
    Git,
    /// `npm` and similar.
    Npm,
    /// `cargo` and `rustc`.
    Cargo,
    /// Test runners, and interpreters that are mostly used as test runners.
    Test,
    /// `docker` and similar.
    Docker,
    /// `pip` and similar.
    Pip,
    /// `make` and similar.
    Make,
    /// Commands that list files or lines.
    Fs,
    /// Search commands.
    Grep,
    /// Commands that print files.
    Read,
    /// All other commands.
    Generic,
}

/// Commands and their families.
const COMMANDS: [(Family, &[&str]); 10] = [
    (Family::Git, &["git"]),
    (Family::Npm, &["npm", "pnpm", "yarn", "bun"]),
    (Family::Cargo, &["cargo", "rustc", "rustup"]),
    (Family::Test, &["pytest", "py.test", "jest", "mocha", "vitest", "playwright", "go", "python"]),
    (Family::Docker, &["docker", "podman", "docker-compose"]),
    (Family::Pip, &["pip", "pip3", "pipx"]),
    (Family::Make, &["make", "cmake"]),
    (Family::Fs, &["ls", "find", "tree", "du", "df", "wc", "sort", "uniq", "diff", "fd"]),
    (Family::Grep, &["grep", "egrep", "fgrep", "rg", "ag", "ack"]),
    (Family::Read, &["cat", "head", "tail", "sed", "awk", "nl", "bat", "get-content"]),
];

/// Commands that print nothing, or only a line that belongs to no family.
const QUIET: &[&str] = &[
    ":", ".", "[", "[[", "alias", "break", "case", "cd", "chmod", "chown", "continue", "cp", "declare",
    "done", "echo", "esac", "exit", "export", "false", "fi", "for", "kill", "ln", "local", "mkdir", "mv",
    "popd", "printf", "pushd", "pwd", "read", "return", "rm", "set", "sleep", "source", "test", "touch",
    "trap", "true", "ulimit", "umask", "unset", "wait", "yes", "}",
];

/// Commands that select or sort the lines of their input.
pub(super) const PICKS: &[&str] = &[
    "cat",
    "egrep",
    "fgrep",
    "grep",
    "head",
    "less",
    "more",
    "rg",
    "sed",
    "select-object",
    "sort",
    "tac",
    "tail",
    "tee",
    "uniq",
];

/// Prefix commands that do not change the output of the command after them, each with those of its options that take a
/// value.
const PREFIXES: &[(&str, &[&str])] = &[
    ("!", &[]),
    ("builtin", &[]),
    ("bunx", &[]),
    ("bundle exec", &[]),
    ("command", &[]),
    ("conda run", &["-n", "-p"]),
    ("do", &[]),
    ("doas", &["-u"]),
    ("elif", &[]),
    ("else", &[]),
    ("env", &["-u", "-C"]),
    ("eval", &[]),
    ("exec", &[]),
    ("hatch run", &[]),
    ("if", &[]),
    ("nice", &["-n"]),
    ("nohup", &[]),
    ("npx", &["-p", "--package"]),
    ("pdm run", &[]),
    ("pipenv run", &[]),
    ("pnpm dlx", &[]),
    ("pnpm exec", &[]),
    ("poetry run", &[]),
    ("setsid", &[]),
    ("stdbuf", &["-i", "-o", "-e"]),
    ("sudo", &["-u", "-g", "-C", "-h", "-p"]),
    ("then", &[]),
    ("time", &["-f", "-o"]),
    ("timeout", &["-k", "-s"]),
    ("until", &[]),
    ("uv run", &["--with", "--python", "-p", "--extra", "--group", "--directory", "--project"]),
    ("while", &[]),
    ("xargs", &["-I", "-n", "-P", "-L", "-d"]),
    ("yarn exec", &[]),
    ("{", &[]),
];

/// Shells nested deeper than this are not inspected.
const MAX_DEPTH: usize = 4;

impl Family {
    /// The family whose output `line` prints.
    pub(super) fn of(line: &str) -> Self {
        of_line(line, 0).unwrap_or(Self::Generic)
    }

    /// The name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Git => "git",
            Self::Npm => "npm",
            Self::Cargo => "cargo",
            Self::Test => "test",
            Self::Docker => "docker",
            Self::Pip => "pip",
            Self::Make => "make",
            Self::Fs => "fs",
            Self::Grep => "grep",
            Self::Read => "read",
            Self::Generic => "generic",
        }
    }

    /// The family of two outputs printed one after the other.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (one, two) if one == two => one,
            (Self::Read, _) | (_, Self::Read) => Self::Read,
            _ => Self::Generic,
        }
    }
}

/// The family whose output `line` prints; `None` when it prints nothing significant.
fn of_line(line: &str, depth: usize) -> Option<Family> {
    let commands = shell::commands(line);
    commands
        .split_inclusive(|command| command.output != Output::Piped)
        .filter_map(|pipeline| of_pipeline(pipeline, depth))
        .reduce(Family::and)
}

fn of_pipeline(pipeline: &[ShellCommand], depth: usize) -> Option<Family> {
    if pipeline.last()?.output == Output::Filed {
        return None;
    }
    pipeline.iter().enumerate().fold(None, |source, (at, command)| {
        let words = bare(&command.words);
        let is = |names: &[&str]| words.first().is_some_and(|word| names.contains(&&*name(word)));
        let runs = command.words.first().is_some_and(|word| word == "xargs");
        match source {
            _ if at > 0 && !runs && is(PICKS) => source,
            Some(_) if !runs => Some(Family::Generic),
            _ => of_command(words, depth),
        }
    })
}

fn of_command(words: &[String], depth: usize) -> Option<Family> {
    let (first, rest) = words.split_first()?;
    let name = name(first);
    let has = |option: &str| rest.iter().any(|word| word.starts_with(option));
    match &*name {
        "bash" | "sh" | "zsh" | "dash" if depth < MAX_DEPTH => match script(rest) {
            Some(line) => of_line(line, depth + 1),
            None => Some(Family::Generic),
        },
        "sed" if has("-i") || has("--in-place") => None,
        "python" => Some(module(rest).map_or(Family::Test, |module| by_name(&self::name(module)))),
        "uv" => {
            Some(if rest.first().is_some_and(|word| word == "pip") { Family::Pip } else { Family::Generic })
        }
        quiet if QUIET.contains(&quiet) => None,
        other => Some(by_name(other)),
    }
}

/// The family of the command called `name`.
fn by_name(name: &str) -> Family {
    COMMANDS.iter().find(|(_, names)| names.contains(&name)).map_or(Family::Generic, |(family, _)| *family)
}

/// A command's name without its directory, its extension and, for Python, its version.
pub(super) fn name(word: &str) -> String {
    let base = word.rsplit(['/', '\\']).next().unwrap_or(word).to_ascii_lowercase();
    let base = base.strip_suffix(".exe").unwrap_or(&base);
    match base.strip_prefix("python") {
        Some(version) if version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => {
            "python".to_owned()
        }
        _ => base.to_owned(),
    }
}

/// The command line that a shell is told to run, as in `bash -lc LINE`.
pub(super) fn script(words: &[String]) -> Option<&str> {
    let at = words.iter().position(|word| word.starts_with('-') && word.ends_with('c'))?;
    words.get(at + 1).map(String::as_str)
}

/// The module that Python runs with `-m`, if that module belongs to a family.
fn module(words: &[String]) -> Option<&str> {
    let at = words.iter().position(|word| word == "-m")?;
    words.get(at + 1).map(String::as_str).filter(|module| by_name(module) != Family::Generic)
}

/// The words of a command without leading assignments and prefix commands.
pub(super) fn bare(mut words: &[String]) -> &[String] {
    while let Some((first, rest)) = words.split_first() {
        words = if assigns(first) {
            rest
        } else if let Some(rest) = after_prefix(words) {
            rest
        } else {
            break;
        };
    }
    words
}

fn assigns(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty()
        && !name.starts_with(|char: char| char.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The words after a prefix command and its options.
fn after_prefix(words: &[String]) -> Option<&[String]> {
    let first = name(words.first()?);
    let (prefix, valued) = PREFIXES.iter().find(|(prefix, _)| match prefix.split_once(' ') {
        Some((one, two)) => one == first && words.get(1).is_some_and(|word| word == two),
        None => *prefix == first,
    })?;
    let mut rest = words.get(prefix.split(' ').count()..)?;
    while let Some((option, after)) = rest.split_first().filter(|(word, _)| word.starts_with('-')) {
        let takes = usize::from(valued.contains(&option.as_str()));
        rest = after.get(takes..).unwrap_or_default();
    }
    if first == "timeout" { rest.get(1..) } else { Some(rest) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;

    fn check(family: Family, lines: &[&str]) {
        for line in lines {
            assert_eq!(Family::of(line), family, "{line}");
        }
    }

    /// Behaviour 3.13: every command in the list has the right family.
    #[test]
    fn every_command_has_its_family() {
        for (family, names) in [
            (Family::Git, "git"),
            (Family::Npm, "npm pnpm yarn bun"),
            (Family::Cargo, "cargo rustc rustup"),
            (Family::Test, "pytest py.test jest mocha vitest go python python3 python3.12"),
            (Family::Docker, "docker podman"),
            (Family::Pip, "pip pip3 pipx"),
            (Family::Make, "make cmake"),
            (Family::Fs, "ls find tree du df wc sort uniq diff"),
            (Family::Grep, "grep rg ag ack"),
            (Family::Read, "cat head tail sed awk"),
            (Family::Generic, "kubectl gh curl jq uv bash"),
        ] {
            names.split(' ').for_each(|name| check(family, &[name, &format!("/usr/bin/{name} x")]));
        }
        check(Family::Pip, &["uv pip install x", "python3 -m pip install x"]);
    }

    /// Behaviour 3.13: prefix commands are skipped.
    #[test]
    fn prefixes_are_skipped() {
        check(
            Family::Test,
            &[
                "A=1 B='x y' pytest -q",
                "npx jest",
                "npx --yes -p x jest",
                "poetry run pytest",
                "uv run --with x pytest",
                "sudo -E -u me timeout -k 5 60 time ./venv/bin/python -m unittest",
                "cd /x && pytest",
                "cd x; export A=b\nenv A=1 pytest",
                "bash -lc 'cd x && python3 -m pytest'",
                "if [ -f x ]; then pytest; fi",
                "C:\\py\\python.exe x.py",
            ],
        );
        check(
            Family::Cargo,
            &["RUST_LOG=debug cargo run", "(cd x && cargo test) 2>&1", "# why\ncargo build"],
        );
    }

    #[test]
    fn pipelines_belong_to_whose_lines_they_show() {
        check(
            Family::Cargo,
            &["cargo test 2>&1 | tail -50", "cargo b | grep error | head", "cargo b 2>&1 | tee x"],
        );
        check(
            Family::Git,
            &["git log | head", "git diff > /dev/null; git status", "yes | git x", "(git log) | tail"],
        );
        check(Family::Grep, &["find . -name '*.rs' | xargs -n 1 grep foo", "rg -n foo | sort | uniq"]);
        check(Family::Read, &["nl -ba x | sed -n '1,9p'", "cat x | grep y"]);
        check(Family::Generic, &["ls | wc -l", "cat x | jq .", "git log | awk '{print $1}'"]);
    }

    #[test]
    fn lines_of_many_commands_are_whose_they_share() {
        check(Family::Git, &["git add -A && git commit -m x && git push", "cd x && git log || true"]);
        check(Family::Git, &["git commit -m \"$(cat <<'EOF'\nit's\nEOF\n)\"", "sed -i s/a/b/ x && git diff"]);
        check(
            Family::Generic,
            &[
                "git status && cargo test",
                "",
                "echo hi",
                "cat > x <<E\ny\nE",
                "make | ./x",
                "echo x | grep y",
            ],
        );
        check(Family::Read, &["ls; cat x", "for f in *; do cat $f; done", "while read x; do head $x; done"]);
    }

    #[test]
    fn tools_that_read_and_search_need_no_command() {
        let family = |tool, command| Call { tool, command, ..Call::default() }.family();
        assert_eq!(family("Read", Some("cargo")), Family::Read);
        assert_eq!(family("Grep", Some("make")), Family::Grep);
        assert_eq!(family("Glob", None), Family::Fs);
        assert_eq!(family("Bash", None), Family::Generic);
        assert_eq!(family("", Some("git log")), Family::Git);
    }

    /// Behaviour 3.18.
    #[test]
    fn any_line_is_read() {
        for line in [
            "=",
            "-",
            "sudo",
            "timeout",
            "sudo -u",
            "bash -c",
            "uv run",
            "xargs",
            "é=ü ß",
            "a\0b",
            "\u{1f600}|",
        ] {
            Family::of(line);
        }
        Family::of(&"sudo ".repeat(100_000));
        Family::of(&"bash -c ".repeat(1000));
    }
}
