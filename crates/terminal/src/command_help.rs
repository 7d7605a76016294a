//! The first screen of help: commands by what a person wants, and hints for words that other tools use.

use std::fmt::Write as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command};

/// A title, and the commands below it.
pub type CommandGroup = (&'static str, &'static [&'static str]);

/// Words that people try first, because other tools use them, and what to tell them.
pub type WordHint = (&'static [&'static str], &'static str);

/// The command, with its subcommands listed by group.
#[must_use]
pub fn with_groups(command: Command, groups: &[CommandGroup]) -> Command {
    let listing = listing(&command, groups);
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{listing}\nOptions:\n{{options}}{{after-help}}"
    ))
}

/// Parses arguments. For a word of another tool, the error says which command does that here.
///
/// # Errors
/// When the arguments are wrong, or ask for help.
pub fn parse(
    command: Command,
    hints: &[WordHint],
    args: impl IntoIterator<Item = std::ffi::OsString>,
) -> Result<ArgMatches, clap::Error> {
    command.try_get_matches_from(args).map_err(|mut error| {
        let hint = match error.get(ContextKind::InvalidSubcommand) {
            Some(ContextValue::String(word)) if error.kind() == ErrorKind::InvalidSubcommand => {
                hints.iter().find(|(words, _)| words.contains(&word.as_str())).map(|(_, hint)| *hint)
            }
            _ => None,
        };
        if let Some(hint) = hint {
            error.remove(ContextKind::SuggestedSubcommand);
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
        }
        error
    })
}

fn listing(command: &Command, groups: &[CommandGroup]) -> String {
    let about = |name: &str| match command.find_subcommand(name).and_then(Command::get_about) {
        Some(about) => about.to_string(),
        None => "Print the help text of a command".to_owned(),
    };
    let mut listing = String::new();
    for (title, names) in groups {
        let _ = writeln!(listing, "\n{title}:");
        for name in *names {
            let _ = writeln!(listing, "  {name:<11}  {}", about(name));
        }
    }
    listing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> Command {
        let command = Command::new("tool").about("A tool").subcommand(Command::new("stats").about("Show it"));
        with_groups(command, &[("See it", &["stats", "help"])])
    }

    #[test]
    fn commands_are_listed_by_group() {
        let help = command().render_help().to_string();
        let listed = "\nSee it:\n  stats        Show it\n  help         Print the help text of a command\n\nOptions:\n";
        assert!(help.starts_with("A tool\n\nUsage: tool") && help.contains(listed), "{help}");
    }

    #[test]
    fn a_word_of_another_tool_gets_its_hint_and_another_word_does_not() {
        let said = |word: &str| {
            let args = ["tool", word].map(Into::into);
            parse(command(), &[(&["gain"], "`tool stats` shows it")], args).unwrap_err().to_string()
        };
        assert!(said("gain").contains("tip: `tool stats` shows it"), "{}", said("gain"));
        assert!(said("stat").contains("'stats'"), "{}", said("stat"));
        assert!(!said("xyzzy").contains("tip:"), "{}", said("xyzzy"));
    }
}
