//! The hidden tool, its calls, and the turn of a model that makes them.

use tersely_json::string;

/// How many bytes of a model's output are held or collected; longer output passes unchecked.
pub const MAX_HELD_BYTES: usize = 32 << 20;

/// A tool, as the model sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenTool {
    /// Its name.
    pub name: &'static str,
    /// Its description.
    pub description: &'static str,
    /// The JSON schema of its arguments.
    pub parameters: &'static str,
}

impl HiddenTool {
    /// Its name and its description as JSON strings.
    pub(crate) fn quote(&self) -> [String; 2] {
        [self.name, self.description].map(string::quote)
    }
}

/// A call of a hidden tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenAsk {
    /// The call's id; empty where it has none.
    pub id: String,
    /// The called tool.
    pub tool: String,
    /// Its arguments in the model's spelling: JSON, unless the model made a mistake.
    pub input: String,
}

/// A model's turn that waits for answers of hidden tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenTurn {
    /// The calls, in order; at least one.
    pub asks: Vec<HiddenAsk>,
    /// The turn in the provider's shape: the JSON values to append to the messages of a request, with commas between
    /// them.
    pub messages: String,
}
