//! A cache break: its cause, its place and its owner.

use std::fmt;

use crate::shown_name::ShownName;

/// A request whose prompt could have been read from the cache, but was not.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PromptBreak {
    /// What broke the cache.
    pub cause: BreakCause,
    /// The number of the tool, the system block or the message, counted from 1.
    pub place: Option<u32>,
    /// The line of the system block, counted from 1.
    pub line: Option<u32>,
    /// The name of the tool.
    pub tool: Option<ShownName>,
    /// Who caused the change.
    pub owner: BreakOwner,
    /// The MCP server that caused the change.
    pub server: Option<ShownName>,
    /// Tokens that had to be processed again; `None` if the provider's usage does not tell.
    pub lost: Option<u64>,
    /// What these tokens cost more than if they had been read from the cache, in nanodollars.
    pub cost: Option<u64>,
}

/// What broke a cache.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BreakCause {
    /// Another model was asked.
    Model,
    /// The header with beta features changed.
    Betas,
    /// The key that chooses a cache changed.
    CacheKey,
    /// The effort changed.
    Effort,
    /// The settings for thinking changed.
    Thinking,
    /// The format of the output changed.
    Format,
    /// The choice of tools changed.
    ToolChoice,
    /// A tool was added.
    ToolAdded,
    /// A tool was removed.
    ToolRemoved,
    /// A tool changed its place.
    ToolMoved,
    /// The definition of a tool changed.
    ToolChanged,
    /// A date or time in the system prompt changed.
    SystemDate,
    /// A git status in the system prompt changed.
    SystemGit,
    /// Something else in the system prompt changed.
    System,
    /// A message changed.
    MessageEdited,
    /// A message disappeared.
    MessageDropped,
    /// A message appeared before others.
    MessageInserted,
    /// A message has the same values, formatted differently.
    MessageRewritten,
    /// A summary took the place of the conversation.
    Compacted,
    /// The person went back to an earlier message.
    Branched,
    /// Tersely cleared old results.
    Cleared,
    /// Tersely no longer knew that it had cleared old results.
    ClearingLost,
    /// The conversation paused for longer than the cache lives.
    Idle,
    /// Nothing changed.
    Nothing,
    /// A recording does not contain what changed.
    Unknown,
}

impl BreakCause {
    /// All causes.
    pub const ALL: [Self; 25] = [
        Self::Model,
        Self::Betas,
        Self::CacheKey,
        Self::Effort,
        Self::Thinking,
        Self::Format,
        Self::ToolChoice,
        Self::ToolAdded,
        Self::ToolRemoved,
        Self::ToolMoved,
        Self::ToolChanged,
        Self::SystemDate,
        Self::SystemGit,
        Self::System,
        Self::MessageEdited,
        Self::MessageDropped,
        Self::MessageInserted,
        Self::MessageRewritten,
        Self::Compacted,
        Self::Branched,
        Self::Cleared,
        Self::ClearingLost,
        Self::Idle,
        Self::Nothing,
        Self::Unknown,
    ];

    /// The name in records and metrics.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Betas => "betas",
            Self::CacheKey => "cache_key",
            Self::Effort => "effort",
            Self::Thinking => "thinking",
            Self::Format => "format",
            Self::ToolChoice => "tool_choice",
            Self::ToolAdded => "tool_added",
            Self::ToolRemoved => "tool_removed",
            Self::ToolMoved => "tool_moved",
            Self::ToolChanged => "tool_changed",
            Self::SystemDate => "system_date",
            Self::SystemGit => "system_git",
            Self::System => "system",
            Self::MessageEdited => "message_edited",
            Self::MessageDropped => "message_dropped",
            Self::MessageInserted => "message_inserted",
            Self::MessageRewritten => "message_rewritten",
            Self::Compacted => "compacted",
            Self::Branched => "branched",
            Self::Cleared => "cleared",
            Self::ClearingLost => "clearing_lost",
            Self::Idle => "idle",
            Self::Nothing => "nothing",
            Self::Unknown => "unknown",
        }
    }

    /// What happened, in a few words and without its place.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Model => "model changed",
            Self::Betas => "beta header changed",
            Self::CacheKey => "cache key changed",
            Self::Effort => "effort changed",
            Self::Thinking => "thinking changed",
            Self::Format => "output format changed",
            Self::ToolChoice => "tool choice changed",
            Self::ToolAdded => "tool added",
            Self::ToolRemoved => "tool removed",
            Self::ToolMoved => "tool moved",
            Self::ToolChanged => "tool changed",
            Self::SystemDate => "date in the system prompt changed",
            Self::SystemGit => "git status in the system prompt changed",
            Self::System => "system prompt changed",
            Self::MessageEdited => "message edited",
            Self::MessageDropped => "message dropped",
            Self::MessageInserted => "message inserted",
            Self::MessageRewritten => "message formatted differently",
            Self::Compacted => "conversation compacted",
            Self::Branched => "went back to an earlier message",
            Self::Cleared => "old results cleared",
            Self::ClearingLost => "clearing of old results forgotten",
            Self::Idle => "idle for longer than the cache lifetime",
            Self::Nothing => "nothing changed in the request",
            Self::Unknown => "the file does not show what changed",
        }
    }

    /// The cause with this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.name() == name)
    }
}

/// Who caused a cache break.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BreakOwner {
    /// The client program.
    Client,
    /// An MCP server.
    Mcp,
    /// The person who uses the client.
    Person,
    /// The provider.
    Provider,
    /// Tersely.
    Us,
}

impl BreakOwner {
    /// All owners.
    pub const ALL: [Self; 5] = [Self::Client, Self::Mcp, Self::Person, Self::Provider, Self::Us];

    /// The name in records and metrics.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Mcp => "mcp",
            Self::Person => "person",
            Self::Provider => "provider",
            Self::Us => "tersely",
        }
    }

    /// The owner with this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|owner| owner.name() == name)
    }
}

/// The break in a few words, such as `tool 37 added: mcp__files__read`.
impl fmt::Display for PromptBreak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.map(|place| format!(" {place}")).unwrap_or_default();
        match self.cause {
            BreakCause::ToolAdded => write!(f, "tool{place} added")?,
            BreakCause::ToolRemoved => write!(f, "tool{place} removed")?,
            BreakCause::ToolMoved => write!(f, "tool{place} moved")?,
            BreakCause::ToolChanged => write!(f, "tool{place} changed")?,
            BreakCause::SystemDate | BreakCause::SystemGit | BreakCause::System => {
                write!(f, "system block{place}")?;
                if let Some(line) = self.line {
                    write!(f, ", line {line}")?;
                }
                f.write_str(match self.cause {
                    BreakCause::SystemDate => ": date changed",
                    BreakCause::SystemGit => ": git status changed",
                    _ => " changed",
                })?;
            }
            BreakCause::MessageEdited => write!(f, "message{place} edited")?,
            BreakCause::MessageDropped => write!(f, "message{place} dropped")?,
            BreakCause::MessageInserted => write!(f, "message{place} inserted")?,
            BreakCause::MessageRewritten => write!(f, "message{place} formatted differently")?,
            cause => f.write_str(cause.words())?,
        }
        self.tool.as_ref().map_or(Ok(()), |tool| write!(f, ": {tool}"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn words(cause: BreakCause, place: Option<u32>, line: Option<u32>, tool: Option<&str>) -> String {
        let tool = tool.and_then(ShownName::of);
        let owner = BreakOwner::Client;
        PromptBreak { cause, place, line, tool, owner, server: None, lost: None, cost: None }.to_string()
    }

    #[test]
    fn names_come_back_and_no_two_are_the_same() {
        for cause in BreakCause::ALL {
            assert_eq!(BreakCause::of_name(cause.name()), Some(cause));
        }
        for owner in BreakOwner::ALL {
            assert_eq!(BreakOwner::of_name(owner.name()), Some(owner));
        }
        assert_eq!((BreakCause::of_name("new"), BreakOwner::of_name("")), (None, None));
        let names: HashSet<_> = BreakCause::ALL.map(BreakCause::name).into();
        assert_eq!(names.len(), BreakCause::ALL.len());
    }

    #[test]
    fn no_two_causes_have_the_same_words() {
        let all: HashSet<_> = BreakCause::ALL.map(|cause| words(cause, Some(1), None, None)).into();
        assert_eq!(all.len(), BreakCause::ALL.len());
        let all: HashSet<_> = BreakCause::ALL.map(BreakCause::words).into();
        assert_eq!(all.len(), BreakCause::ALL.len());
    }

    #[test]
    fn a_break_says_where_it_is() {
        for (expected, found) in [
            (
                "tool 37 added: mcp__files__read",
                words(BreakCause::ToolAdded, Some(37), None, Some("mcp__files__read")),
            ),
            ("tool 2 moved", words(BreakCause::ToolMoved, Some(2), None, None)),
            ("system block 2, line 14: date changed", words(BreakCause::SystemDate, Some(2), Some(14), None)),
            (
                "system block 1, line 3: git status changed",
                words(BreakCause::SystemGit, Some(1), Some(3), None),
            ),
            ("system block 3 changed", words(BreakCause::System, Some(3), None, None)),
            ("message 9 dropped", words(BreakCause::MessageDropped, Some(9), None, None)),
            ("idle for longer than the cache lifetime", words(BreakCause::Idle, None, None, None)),
        ] {
            assert_eq!(found, expected);
        }
    }
}
