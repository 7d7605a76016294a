//! Hashes of the parts of a prompt, in the order in which a provider's cache sees them. They hold no text.

use std::sync::Arc;

use crate::shown_name::ShownName;

/// The parts of one request that decide what its provider can read from the cache.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct PromptMarks {
    /// What comes first: the tools or the system prompt.
    pub order: PromptOrder,
    /// Settings that change the prompt or choose another cache.
    pub settings: PromptSettings,
    /// The tools that the model sees from the start.
    pub tools: Vec<ToolMark>,
    /// The blocks of the system prompt.
    pub system: Vec<SystemMark>,
    /// The messages of the conversation.
    pub messages: Vec<PartMark>,
    /// A hash of the line by which a client attributes its requests; 0 if there is none. Anthropic does not count it as
    /// part of the prompt, but other servers of its API do.
    pub attribution: u64,
    /// True when the client asks for the cache that lasts an hour.
    pub is_hour: bool,
    /// True when the first message is a summary that took the place of a longer conversation.
    pub is_compacted: bool,
    /// The number of its results that Tersely has cleared.
    pub cleared: usize,
}

/// What a provider's cache sees first.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum PromptOrder {
    /// Tools, then the system prompt, then messages.
    #[default]
    ToolsFirst,
    /// The system prompt, then tools, then messages.
    SystemFirst,
}

/// Hashes of the settings of a request; 0 if it does not have the setting.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct PromptSettings {
    /// The model.
    pub model: u64,
    /// The header with the names of beta features.
    pub betas: u64,
    /// The key by which the client chooses a cache.
    pub cache_key: u64,
    /// The effort.
    pub effort: u64,
    /// How the model thinks.
    pub thinking: u64,
    /// The format of the output.
    pub format: u64,
    /// Which tools the model may or must call.
    pub tool_choice: u64,
}

/// One part of a prompt.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct PartMark {
    /// A hash of its bytes.
    pub raw: u64,
    /// A hash of what the model sees of it: cache marks, white space and the like do not count.
    pub hash: u64,
    /// A hash of the same values in any order.
    pub loose: u64,
    /// Its length in bytes.
    pub bytes: u32,
    /// True for a message of the model.
    pub is_model: bool,
}

/// A tool.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ToolMark {
    /// Its definition.
    pub part: PartMark,
    /// A hash of its name.
    pub id: u64,
    /// Its name, if it can be shown.
    pub name: Option<ShownName>,
}

/// A block of the system prompt.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SystemMark {
    /// The block.
    pub part: PartMark,
    /// Its lines, as far as there is room for them.
    pub lines: Arc<[LineMark]>,
}

/// A line of the system prompt.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct LineMark {
    /// A hash of the line.
    pub hash: u64,
    /// What the line seems to be about.
    pub kind: SystemLineKind,
}

/// What a line of a system prompt is about.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum SystemLineKind {
    /// Anything else.
    #[default]
    Plain,
    /// A date or a time.
    Date,
    /// The state of a git repository.
    Git,
}

impl PromptMarks {
    /// The approximate memory use, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let lines: usize = self.system.iter().map(|block| size_of_val(&*block.lines)).sum();
        let names: usize =
            self.tools.iter().filter_map(|tool| tool.name.as_ref()).map(|name| name.as_str().len()).sum();
        size_of::<Self>()
            + size_of_val(&*self.tools)
            + size_of_val(&*self.system)
            + size_of_val(&*self.messages)
            + lines
            + names
    }
}
