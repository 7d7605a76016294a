//! Decides which calls a filter applies to.

use crate::call::Call;
use crate::pattern::fits_pattern;

/// The calls that a filter applies to. An empty list matches every tool or every command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilterScope {
    /// Names of tools; `*` matches any text.
    pub tools: Vec<String>,
    /// Commands; `*` matches any text. More words may follow a command.
    pub commands: Vec<String>,
}

impl FilterScope {
    /// True when a call uses one of the tools and runs one of the commands.
    #[must_use]
    pub fn covers(&self, call: &Call<'_>) -> bool {
        let tool = |pattern: &String| fits_pattern(pattern, call.tool);
        let runs = |pattern: &String| call.prints(|command| begins(pattern, command));
        (self.tools.is_empty() || self.tools.iter().any(tool))
            && (self.commands.is_empty() || self.commands.iter().any(runs))
    }
}

/// True when a command matches a pattern, optionally followed by more words.
fn begins(pattern: &str, command: &str) -> bool {
    fits_pattern(pattern, command) || fits_pattern(&format!("{pattern} *"), command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_needs_one_of_each() {
        let strings = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect();
        for (tools, commands, tool, command, covered) in [
            (&["Bash"][..], &["helm template", "kubectl get"][..], "Bash", "kubectl get pods", true),
            (&["Bash"], &["helm template"], "Bash", "helm templates", false),
            (&["Bash"], &["helm * template"], "Bash", "helm -n x template y", true),
            (&["Bash"], &["helm"], "shell", "helm list", false),
            (&[], &["helm"], "shell", "sudo helm list | head", true),
            (&["*__list_*"], &[], "mcp__github__list_issues", "", true),
            (&["*__list_*"], &[], "mcp__github__get_issue", "", false),
            // The argument of this tool is not a command line.
            (&[], &["helm"], "Grep", "helm", false),
        ] {
            let scope = FilterScope { tools: strings(tools), commands: strings(commands) };
            let call = Call { tool, command: Some(command), ..Call::default() };
            assert_eq!(scope.covers(&call), covered, "{scope:?} {call:?}");
        }
    }
}
