//! The hidden tool, its calls, and the turn of a model that makes them.

use tersely_json::string;

/// How many bytes of what a model says are held or collected; what is longer goes on as it comes.
pub const MAX_HELD_BYTES: usize = 32 << 20;

/// A tool, as the model is told of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenTool {
    /// What the model calls it by.
    pub name: &'static str,
    /// What it is for.
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
    /// What the provider calls the call; empty where it has no name.
    pub id: String,
    /// The tool that is called.
    pub tool: String,
    /// Its arguments, as the model wrote them: JSON, unless the model erred.
    pub input: String,
}

/// What a model said up to where it waits for the hidden tool's answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenTurn {
    /// The calls, in order; at least one.
    pub asks: Vec<HiddenAsk>,
    /// The turn in the provider's shape: what goes behind the last message of a request, as JSON values with commas
    /// between them.
    pub said: String,
}
