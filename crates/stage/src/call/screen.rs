//! Recognises calls that capture a terminal screen. Successive captures repeat most of the screen.

use crate::call::{Call, ToolKind};

/// Words that occur in the names of tools that capture a screen.
const SCREENS: [&str; 5] = ["capture", "console", "screen", "stdin", "terminal"];

/// Subcommands that capture a screen.
const CAPTURES: [&str; 3] = ["capture", "capture-pane", "hardcopy"];

/// True when the result of `call` shows a terminal screen.
pub(super) fn is_shown(call: &Call<'_>) -> bool {
    match call.tool_kind() {
        ToolKind::Bash => {
            call.prints(|command| command.split(' ').take(3).any(|word| CAPTURES.contains(&word)))
        }
        ToolKind::Generic => {
            let name = call.tool.to_ascii_lowercase();
            SCREENS.iter().any(|word| name.contains(word))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screens_are_recognised_by_tool_or_command() {
        let call = |tool, command| Call { tool, command: Some(command), ..Call::default() };
        for shown in [
            call("bash", "tmux capture-pane -p -t 1 | tail -50"),
            call("bash", "workmux capture worker"),
            call("write_stdin", ""),
            call("terminal_output", ""),
        ] {
            assert!(is_shown(&shown), "{shown:?}");
        }
        for other in [call("bash", "make"), call("Read", "screen.rs"), call("get_report", "")] {
            assert!(!is_shown(&other), "{other:?}");
        }
    }
}
