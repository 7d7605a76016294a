//! The hidden tool, its calls, and the turn in which a model makes them.

use tersely_json::string;

/// The maximum number of bytes of a model's output that are held or collected; longer output passes unchecked.
pub const MAX_HELD_BYTES: usize = 32 << 20;

/// A tool, as the model sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenTool {
    /// The name of the tool.
    pub name: &'static str,
    /// The description of the tool.
    pub description: &'static str,
    /// The JSON schema of its arguments.
    pub parameters: &'static str,
}

impl HiddenTool {
    /// The tool's name and description as JSON strings.
    pub(crate) fn quote(&self) -> [String; 2] {
        [self.name, self.description].map(string::quote)
    }
}

/// A call of a hidden tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenAsk {
    /// The call's id; empty if the call has none.
    pub id: String,
    /// The name of the called tool.
    pub tool: String,
    /// The arguments exactly as the model wrote them: JSON, unless the model made a mistake.
    pub input: String,
}

/// A model's turn that waits for the answers of hidden tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenTurn {
    /// The calls, in order. There is at least one.
    pub asks: Vec<HiddenAsk>,
    /// The turn in the provider's format: JSON values, separated by commas, to append to the messages of a request.
    pub messages: String,
}
