//! The command line as a Markdown page: what `--help` prints, for a site that can be searched.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Arg, Command};

const HEAD: &str = "\
# The command line

`tersely --help` lists the commands, and `tersely COMMAND --help` prints what this page says about one.

- Results go to stdout, everything else to stderr, so pipes stay clean.
- `compress`, `encode`, `decode`, `count` and `filter explain` read standard input if no file is named or the file is `-`. Input is UTF-8 text; `compress` passes anything else through unchanged, and the others refuse it.
- Only `init`, `uninstall`, `mcp install`, `mcp uninstall` and `filter trust` write your files ([everything that is written](../SECURITY.md#what-is-written-to-disk)).
- An error says what is wrong, then what to do. For inputs of 10 MB or more, commands show a progress bar if stderr is a terminal.

| exit code | means |
|--:|---|
| 0 | success; also if the reader of a pipe closes it early |
| 1 | ran, and the answer is no: not JSON, not exact, or declined |
| 2 | could not run: no such file, a wrong flag, nowhere to write |
";

/// The page for a command and all of its subcommands.
pub(crate) fn page(command: &mut Command) -> String {
    command.build();
    let mut page = HEAD.to_owned();
    section(&mut page, command);
    page
}

fn section(page: &mut String, command: &Command) {
    for command in command.get_subcommands().filter(|it| !it.is_hide_set() && it.get_name() != "help") {
        let title = command.get_bin_name().unwrap_or_else(|| command.get_name());
        let _ = write!(page, "\n## {title}\n\n{}\n", prose(command));
        let usage = command.clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ").replace("\n       ", "\n");
        let _ = write!(page, "\n```text\n{usage}\n```\n");
        options(page, command);
        if let Some(after) = command.get_after_help() {
            let _ = write!(page, "\n{}", examples(&after.to_string()));
        }
        section(page, command);
    }
}

fn prose(command: &Command) -> String {
    let about = command.get_long_about().or_else(|| command.get_about()).map(StyledStr::to_string);
    let about = about.unwrap_or_default();
    let (first, rest) = about.split_once('\n').unwrap_or((&about, ""));
    format!("{first}.\n{}", escaped(rest)).trim_end().to_owned()
}

fn options(page: &mut String, command: &Command) {
    let shown: Vec<_> =
        command.get_arguments().filter(|it| !it.is_hide_set() && it.get_id().as_str() != "help").collect();
    if !shown.is_empty() {
        page.push_str("\n| option | means |\n|---|---|\n");
    }
    for option in shown {
        let _ = writeln!(page, "| `{}` | {} |", name(option), meaning(option));
    }
}

fn name(option: &Arg) -> String {
    let value = option.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    match (option.get_long(), value.filter(|_| option.get_action().takes_values())) {
        (None, value) => value.unwrap_or_else(|| option.get_id().to_string()),
        (Some(long), None) => format!("--{long}"),
        (Some(long), Some(value)) if option.is_require_equals_set() => format!("--{long}[={value}]"),
        (Some(long), Some(value)) => format!("--{long} {value}"),
    }
}

fn meaning(option: &Arg) -> String {
    let mut meaning = escaped(&option.get_help().map(StyledStr::to_string).unwrap_or_default());
    let values: Vec<_> =
        option.get_possible_values().iter().map(|it| format!("`{}`", it.get_name())).collect();
    // A switch has the values true and false, which nobody types.
    if option.get_action().takes_values() && !values.is_empty() {
        let _ = write!(meaning, "; one of {}", values.join(", "));
    }
    let defaults: Vec<_> = option.get_default_values().iter().map(|it| it.to_string_lossy()).collect();
    if option.get_action().takes_values() && !defaults.is_empty() {
        let _ = write!(meaning, "; default: `{}`", defaults.join(", "));
    }
    for alias in option.get_visible_aliases().unwrap_or_default() {
        let _ = write!(meaning, "; alias: `--{alias}`");
    }
    meaning
}

/// Examples as a block, and what follows them as prose.
fn examples(after: &str) -> String {
    let mut text = String::new();
    for part in after.split("\n\n") {
        let (head, body) = part.split_once('\n').unwrap_or((part, ""));
        if head.ends_with(':') && body.starts_with("  ") {
            let body: Vec<_> = body.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
            let head = if head == "Examples:" { String::new() } else { format!("{}\n\n", escaped(head)) };
            let _ = write!(text, "{head}```text\n{}\n```\n\n", body.join("\n"));
        } else {
            let _ = write!(text, "{}\n\n", escaped(part));
        }
    }
    format!("{}\n", text.trim_end())
}

/// Text that Markdown would read as markup or HTML, escaped.
fn escaped(text: &str) -> String {
    text.replace('<', "\\<").replace('|', "\\|").replace('*', "\\*")
}
