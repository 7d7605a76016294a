//! The first screen of help: commands by what a person wants, and hints for words that other tools use.

use std::fmt::Write as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command};

/// The commands, by what a person wants to do.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Use it", &["run", "init", "hook", "mcp", "show", "uninstall"]),
    ("See what it does", &["stats", "why", "dashboard", "statusline", "doctor", "purge"]),
    ("Prove it", &["audit", "eval"]),
    ("Run it for others", &["serve", "extproc", "http", "config", "filter"]),
    ("Work with texts", &["compress", "encode", "decode", "count"]),
    ("Set up your shell", &["completions", "man", "help"]),
];

/// Words that people try first, because other tools use them.
const HINTS: [(&[&str], &str); 7] = [
    (
        &["off", "stop", "disable"],
        "to turn it off, start the agent without `tersely run`; `tersely uninstall` undoes `tersely init`",
    ),
    (&["status", "check"], "`tersely stats` shows what was saved, `tersely doctor` checks the setup"),
    (
        &["start", "on", "wrap", "launch"],
        "`tersely run claude` starts an agent through Tersely; `tersely serve` starts a gateway",
    ),
    (&["gain", "savings", "report", "usage"], "`tersely stats` shows what was saved"),
    (&["proxy", "gateway", "server", "listen"], "`tersely serve` starts the gateway"),
    (&["install", "setup", "enable"], "`tersely init` makes your agents start through Tersely"),
    (&["expand", "restore"], "`tersely decode` restores a text; `tersely show ID` prints what a hook cut"),
];

/// The command, with its subcommands listed by group.
pub(crate) fn grouped(command: Command) -> Command {
    let listing = listing(&command);
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{listing}\nOptions:\n{{options}}{{after-help}}"
    ))
}

/// Parses the process's arguments; for a word of another tool, the error says which command does that here.
pub(crate) fn parse(command: Command) -> ArgMatches {
    command.try_get_matches().unwrap_or_else(|mut error| {
        let hint = match error.get(ContextKind::InvalidSubcommand) {
            Some(ContextValue::String(word)) if error.kind() == ErrorKind::InvalidSubcommand => hint(word),
            _ => None,
        };
        if let Some(hint) = hint {
            error.remove(ContextKind::SuggestedSubcommand);
            let styled = ContextValue::StyledStrs(vec![hint.into()]);
            error.insert(ContextKind::Suggested, styled);
        }
        error.exit()
    })
}

fn hint(word: &str) -> Option<&'static str> {
    HINTS.iter().find(|(words, _)| words.contains(&word)).map(|(_, hint)| *hint)
}

fn listing(command: &Command) -> String {
    let about = |name: &str| match command.find_subcommand(name).and_then(Command::get_about) {
        Some(about) => about.to_string(),
        None => "Print the help of a command".to_owned(),
    };
    let mut listing = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(listing, "\n{title}:");
        for name in names {
            let _ = writeln!(listing, "  {name:<11}  {}", about(name));
        }
    }
    listing
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::command::TerselyArgs;

    #[test]
    fn every_command_is_in_one_group() {
        let command = TerselyArgs::command();
        let visible = command.get_subcommands().filter(|it| !it.is_hide_set()).map(Command::get_name);
        let mut expected: Vec<_> = visible.chain(["help"]).collect();
        let mut listed: Vec<_> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        expected.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, expected);
    }

    #[test]
    fn a_hint_names_commands_that_exist_and_no_command_has_a_hint() {
        let command = TerselyArgs::command();
        for (words, hint) in HINTS {
            let named: Vec<_> =
                hint.split("`tersely ").skip(1).filter_map(|it| it.split([' ', '`']).next()).collect();
            assert!(!named.is_empty(), "{hint}");
            assert!(named.iter().all(|name| command.find_subcommand(name).is_some()), "{hint}");
            assert!(words.iter().all(|word| command.find_subcommand(word).is_none()), "{words:?}");
        }
    }
}
