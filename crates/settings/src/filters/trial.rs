//! Runs the tests in a filter's file.

use tersely_core::{Call, Edit, Filter};

use super::file::FilterTest;

/// The result of a test.
#[derive(Debug, PartialEq, Eq)]
pub enum Trial {
    /// The output is as expected.
    Passed,
    /// The filter does not apply to the call in the test.
    NotMatched,
    /// The filter produces this output, which differs from the expected one.
    Differs(String),
}

/// Runs a test.
#[must_use]
pub fn run(filter: &Filter, test: &FilterTest) -> Trial {
    let command = Some(test.command.as_str()).filter(|command| !command.is_empty());
    let call = Call { tool: &test.tool, command, ..Call::default() };
    if !filter.is_for(&call) {
        return Trial::NotMatched;
    }
    let made = filter.edit(&test.input).map_or_else(|| test.input.clone(), |Edit { text, .. }| text);
    if made.trim_end() == test.output.trim_end() { Trial::Passed } else { Trial::Differs(made) }
}
