//! Tool discovery: ranks tools by a query, and defines the tools with which the model finds and calls hidden tools.
//!
//! All arithmetic uses integers, so every machine returns the same order.

mod rank;
mod words;

pub use rank::rank;

use crate::expand::beginning;

/// The searchable text of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolText {
    /// The tool's name.
    pub name: String,
    /// The tool's description.
    pub description: String,
    /// The names of the tool's arguments.
    pub parameters: Vec<String>,
}

/// The name of the tool that finds hidden tools.
pub const SEARCH: &str = "search_tools";

/// The description of the search tool. It is part of every prompt, so it must not change within a conversation.
pub const SEARCH_DESCRIPTION: &str = "Finds more tools than are listed here. Say what the tool should do; \
    the answer has the definitions of the tools that match. Call them with call_tool.";

/// The schema of the search tool's arguments.
pub const SEARCH_PARAMETERS: &str =
    r#"{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}"#;

/// The name of the tool that calls a hidden tool.
pub const CALL: &str = "call_tool";

/// The description of the tool that calls a hidden tool.
pub const CALL_DESCRIPTION: &str =
    "Calls a tool that search_tools found, by its name, with arguments that fit its schema.";

/// The schema of the arguments of the tool that calls a hidden tool.
pub const CALL_PARAMETERS: &str = concat!(
    r#"{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object"}},"#,
    r#""required":["name","arguments"]}"#
);

/// The answer to a search without a query.
pub const NO_QUERY: &str = "Say what the tool should do, as in {\"query\": \"create a calendar event\"}.";

/// The answer to a call with an unknown or missing tool, or with arguments that are not an object.
pub const NO_CALL: &str = "Nothing was called. Give the name of a tool as search_tools shows it, and its arguments \
    as an object, as in {\"name\": \"...\", \"arguments\": {}}.";

/// The answer to a search without matches.
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
