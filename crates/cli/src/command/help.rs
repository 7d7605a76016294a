//! The first screen of help: commands by what a person wants, and hints for words that other tools use.

use clap::{ArgMatches, Command};
use tersely_terminal::command_help::{self, CommandGroup, WordHint};

/// The commands, by what a person wants to do.
const GROUPS: [CommandGroup; 6] = [
    ("Use Tersely", &["run", "init", "hook", "mcp", "show", "uninstall"]),
    ("See savings and check the setup", &["stats", "why", "dashboard", "statusline", "doctor", "purge"]),
    ("Measure the effect", &["audit", "eval"]),
    ("Run and configure servers", &["serve", "extproc", "http", "config", "filter"]),
    ("Work with text", &["compress", "encode", "decode", "count"]),
    ("Set up your shell", &["completions", "man", "help"]),
];

/// Words that people try first, because other tools use them.
const HINTS: [WordHint; 7] = [
    (
        &["off", "stop", "disable"],
        "to turn Tersely off, start the agent without `tersely run`; `tersely uninstall` undoes `tersely init`",
    ),
    (&["status", "check"], "`tersely stats` shows savings, and `tersely doctor` checks your setup"),
    (
        &["start", "on", "wrap", "launch"],
        "`tersely run claude` starts an agent through Tersely; `tersely serve` starts a gateway",
    ),
    (&["gain", "savings", "report", "usage"], "`tersely stats` shows savings"),
    (&["proxy", "gateway", "server", "listen"], "`tersely serve` starts a gateway"),
    (&["install", "setup", "enable"], "`tersely init` sets up your agents to use Tersely"),
    (
        &["expand", "restore"],
        "`tersely decode` restores a text; `tersely show ID` prints the full text of a result that a hook shortened",
    ),
];

/// Parses the process's arguments, or ends with help or an error.
pub(crate) fn parse(command: Command) -> ArgMatches {
    let command = command_help::with_groups(command, &GROUPS);
    command_help::parse(command, &HINTS, std::env::args_os()).unwrap_or_else(|error| error.exit())
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
