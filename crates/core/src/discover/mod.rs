//! Which of many tools match what is asked for, and what the model is told of the rest.
//!
//! Every figure is a whole number, so that the same question gives the same order on every machine.

mod rank;
mod words;

pub use rank::rank;

use crate::expand::beginning;

/// A tool, as far as it is searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolText {
    /// What it is called by.
    pub name: String,
    /// What is said of it.
    pub description: String,
    /// What its arguments are called.
    pub parameters: Vec<String>,
}

/// What the model calls to find a tool that it is not shown.
pub const SEARCH: &str = "search_tools";

/// What the model is told of it. The words are part of every prompt: they must not change within a conversation.
pub const SEARCH_DESCRIPTION: &str = "Finds more tools than are listed here. Say what the tool should do; \
    the answer has the definitions of the tools that match. Call them with call_tool.";

/// The schema of its arguments.
pub const SEARCH_PARAMETERS: &str =
    r#"{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}"#;

/// What the model calls to use a tool that it found.
pub const CALL: &str = "call_tool";

/// What the model is told of it.
pub const CALL_DESCRIPTION: &str =
    "Calls a tool that search_tools found, by its name, with arguments that fit its schema.";

/// The schema of its arguments.
pub const CALL_PARAMETERS: &str = concat!(
    r#"{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object"}},"#,
    r#""required":["name","arguments"]}"#
);

/// The answer to a search that does not say for what.
pub const NO_QUERY: &str = "Say what the tool should do, as in {\"query\": \"create a calendar event\"}.";

/// The answer to a call that names no tool, or one that is not there, or gives it something else than arguments.
pub const NO_CALL: &str = "Nothing was called. Give the name of a tool as search_tools shows it, and its arguments \
    as an object, as in {\"name\": \"...\", \"arguments\": {}}.";

/// The answer to a search that finds nothing.
#[must_use]
pub fn nothing_found(query: &str) -> String {
    format!("No tool matches {:?}. Search with other words, or go on without.", beginning(query))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::O200k;

    #[test]
    fn the_tools_cost_little() {
        let search = format!("{SEARCH} {SEARCH_DESCRIPTION} {SEARCH_PARAMETERS}");
        let call = format!("{CALL} {CALL_DESCRIPTION} {CALL_PARAMETERS}");
        let cost = O200k.count(&search) + O200k.count(&call);
        assert!(cost < 130, "{cost}");
    }

    #[test]
    fn little_of_a_long_question_is_said_back() {
        assert!(nothing_found(&"é".repeat(100_000)).len() < 400);
    }
}
