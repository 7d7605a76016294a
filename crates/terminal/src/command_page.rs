//! A command line as a Markdown page: what `--help` prints, for a site that can be searched.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Arg, Command};

/// The page for a command and all of its subcommands, below a head.
#[must_use]
pub fn page(head: &str, command: &mut Command) -> String {
    command.build();
    let mut page = head.to_owned();
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
    format!("{first}.\n{}", escape(rest)).trim_end().to_owned()
}

fn options(page: &mut String, command: &Command) {
    let shown: Vec<_> =
        command.get_arguments().filter(|it| !it.is_hide_set() && it.get_id().as_str() != "help").collect();
    if !shown.is_empty() {
        page.push_str("\n| option | meaning |\n|---|---|\n");
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
    let mut meaning = escape(&option.get_help().map(StyledStr::to_string).unwrap_or_default());
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
            let head = if head == "Examples:" { String::new() } else { format!("{}\n\n", escape(head)) };
            let _ = write!(text, "{head}```text\n{}\n```\n\n", body.join("\n"));
        } else {
            let _ = write!(text, "{}\n\n", escape(part));
        }
    }
    format!("{}\n", text.trim_end())
}

/// Text that Markdown would read as markup or HTML, escaped.
fn escape(text: &str) -> String {
    text.replace('<', "\\<").replace('|', "\\|").replace('*', "\\*")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> Command {
        let mode = Arg::new("mode").long("mode").value_name("MODE").value_parser(["on", "off"]);
        let mode = mode.default_value("on").visible_alias("way").help("How far to go | a choice");
        let mask = Arg::new("mask").long("mask").num_args(0..=1).require_equals(true).value_name("SWITCH");
        let sub = Command::new("run").about("Run it").long_about("Run it\n\nWith <care>.").args([
            mode,
            mask,
            Arg::new("json").long("json").action(clap::ArgAction::SetTrue).help("Print JSON"),
            Arg::new("FILE").help("The file"),
            Arg::new("secret").long("secret").hide(true),
        ]);
        let sub = sub.after_help("Examples:\n  tool run a\n  tool run b\n\nExit code 1: no.");
        Command::new("tool").subcommand(sub).subcommand(Command::new("hidden").hide(true))
    }

    #[test]
    fn a_page_has_a_section_for_each_command() {
        let page = page("# Head\n", &mut command());
        assert!(page.starts_with("# Head\n\n## tool run\n\nRun it.\n\nWith \\<care>.\n"), "{page}");
        assert!(page.contains("```text\ntool run a\ntool run b\n```\n\nExit code 1: no.\n"), "{page}");
        assert!(!page.contains("hidden") && !page.contains("secret") && !page.contains("help"), "{page}");
    }

    #[test]
    fn an_option_is_a_row_with_its_values_default_and_alias() {
        let page = page("", &mut command());
        for row in [
            "| `--mode MODE` | How far to go \\| a choice; one of `on`, `off`; default: `on`; alias: `--way` |",
            "| `--mask[=SWITCH]` |  |",
            "| `--json` | Print JSON |",
            "| `FILE` | The file |",
        ] {
            assert!(page.contains(row), "{row}\n{page}");
        }
    }
}
