//! Finds the first difference between two requests of a conversation.

use std::cmp::Ordering;
use std::collections::HashMap;

use foldhash::quality::FixedState;

use crate::cache_break::cause::{BreakCause, BreakOwner, PromptBreak};
use crate::cache_break::marks::{
    LineMark, PartMark, PromptMarks, PromptOrder, SystemLineKind, SystemMark, ToolMark,
};
use crate::shown_name::ShownName;

/// What separates the name of an MCP server from those around it in the name of a tool.
const MCP_SEPARATOR: &str = "__";

/// The first difference between two requests.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PromptChange {
    /// What changed.
    pub cause: BreakCause,
    /// Where: the number of the tool, the block or the message, from 0.
    pub place: Option<usize>,
    /// The line of the system block, from 0.
    pub line: Option<usize>,
    /// The name of the tool.
    pub tool: Option<ShownName>,
    /// How far in front the change is, to find the first of several.
    rank: (u8, usize, usize),
}

impl PromptChange {
    /// The first difference, in the order in which a provider's cache sees the prompt. That a conversation grew, or
    /// that it goes on from an earlier message, is no difference.
    #[must_use]
    pub fn first(before: &PromptMarks, now: &PromptMarks) -> Option<Self> {
        let tools = || first_tool(&before.tools, &now.tools);
        let system = || first_line(&before.system, &now.system);
        let head = || match now.order {
            PromptOrder::ToolsFirst => tools().or_else(system),
            PromptOrder::SystemFirst => system().or_else(tools),
        };
        let mut change = selecting(before, now)
            .or_else(head)
            .or_else(|| shaping(before, now))
            .or_else(|| first_message(&before.messages, &now.messages))?;
        change.rank.0 = section(now.order, change.cause);
        Some(change)
    }

    /// True when this change is nearer to the beginning than `other`.
    #[must_use]
    pub fn is_before(&self, other: &Self) -> bool {
        self.rank < other.rank
    }

    /// The break that this change of a client's request causes.
    #[must_use]
    pub fn into_break(self) -> PromptBreak {
        let server = self.tool.as_ref().and_then(mcp_server);
        let owner = match self.cause {
            _ if server.is_some() => BreakOwner::Mcp,
            BreakCause::Model
            | BreakCause::Effort
            | BreakCause::Thinking
            | BreakCause::Branched
            | BreakCause::Idle => BreakOwner::Person,
            BreakCause::Nothing => BreakOwner::Provider,
            _ => BreakOwner::Client,
        };
        let number = |place: usize| u32::try_from(place + 1).unwrap_or(u32::MAX);
        PromptBreak {
            cause: self.cause,
            place: self.place.map(number),
            line: self.line.map(number),
            tool: self.tool,
            owner,
            server,
            lost: None,
            cost: None,
        }
    }

    /// A change without a place.
    #[must_use]
    pub fn of(cause: BreakCause) -> Self {
        Self { cause, place: None, line: None, tool: None, rank: (0, 0, 0) }
    }

    pub(crate) fn at(cause: BreakCause, place: usize) -> Self {
        Self { place: Some(place), rank: (0, place, 0), ..Self::of(cause) }
    }
}

/// The MCP server of a tool, by the names that clients give the tools of servers: `mcp__SERVER__TOOL`.
fn mcp_server(tool: &ShownName) -> Option<ShownName> {
    let rest = tool.as_str().strip_prefix("mcp")?.strip_prefix(MCP_SEPARATOR)?;
    ShownName::of(rest.split_once(MCP_SEPARATOR)?.0)
}

/// The position of a cause in the prompt.
fn section(order: PromptOrder, cause: BreakCause) -> u8 {
    let is_tool = matches!(
        cause,
        BreakCause::ToolAdded | BreakCause::ToolRemoved | BreakCause::ToolMoved | BreakCause::ToolChanged
    );
    match cause {
        BreakCause::Model | BreakCause::Betas | BreakCause::CacheKey => 0,
        _ if is_tool => 1 + u8::from(order == PromptOrder::SystemFirst),
        BreakCause::SystemDate | BreakCause::SystemGit | BreakCause::System => {
            1 + u8::from(order == PromptOrder::ToolsFirst)
        }
        BreakCause::Effort | BreakCause::Thinking | BreakCause::Format | BreakCause::ToolChoice => 3,
        _ => 4,
    }
}

/// Settings that choose a cache.
fn selecting(before: &PromptMarks, now: &PromptMarks) -> Option<PromptChange> {
    let (a, b) = (&before.settings, &now.settings);
    let pairs = [
        (a.model, b.model, BreakCause::Model),
        (a.betas, b.betas, BreakCause::Betas),
        (a.cache_key, b.cache_key, BreakCause::CacheKey),
    ];
    setting(&pairs)
}

/// Settings that change what follows the tools and the system prompt.
fn shaping(before: &PromptMarks, now: &PromptMarks) -> Option<PromptChange> {
    let (a, b) = (&before.settings, &now.settings);
    let pairs = [
        (a.effort, b.effort, BreakCause::Effort),
        (a.thinking, b.thinking, BreakCause::Thinking),
        (a.format, b.format, BreakCause::Format),
        (a.tool_choice, b.tool_choice, BreakCause::ToolChoice),
    ];
    setting(&pairs)
}

fn setting(pairs: &[(u64, u64, BreakCause)]) -> Option<PromptChange> {
    pairs.iter().find(|(a, b, _)| a != b).map(|(_, _, cause)| PromptChange::of(*cause))
}

fn first_tool(before: &[ToolMark], now: &[ToolMark]) -> Option<PromptChange> {
    let same = before.iter().zip(now).take_while(|(a, b)| a.part.hash == b.part.hash && a.id == b.id).count();
    let has = |tools: &[ToolMark], id: u64| tools[same..].iter().any(|tool| tool.id == id);
    let change =
        |cause, tool: &ToolMark| PromptChange { tool: tool.name.clone(), ..PromptChange::at(cause, same) };
    match (before.get(same), now.get(same)) {
        (None, None) => None,
        (None, Some(new)) => Some(change(BreakCause::ToolAdded, new)),
        (Some(old), None) => Some(change(BreakCause::ToolRemoved, old)),
        (Some(old), Some(new)) if old.id == new.id => Some(change(BreakCause::ToolChanged, new)),
        (Some(old), Some(_)) if !has(now, old.id) => Some(change(BreakCause::ToolRemoved, old)),
        (Some(_), Some(new)) if !has(before, new.id) => Some(change(BreakCause::ToolAdded, new)),
        (Some(old), Some(new)) => {
            let is_old_away = before.get(same + 1).is_some_and(|next| next.id == new.id);
            Some(change(BreakCause::ToolMoved, if is_old_away { old } else { new }))
        }
    }
}

fn first_line(before: &[SystemMark], now: &[SystemMark]) -> Option<PromptChange> {
    let same = before.iter().zip(now).take_while(|(a, b)| a.part.hash == b.part.hash).count();
    let change = |cause| PromptChange::at(cause, same);
    let (old, new) = match (before.get(same), now.get(same)) {
        (None, None) => return None,
        (Some(old), Some(new)) => (old, new),
        _ => return Some(change(BreakCause::System)),
    };
    let line = old.lines.iter().zip(&*new.lines).take_while(|(a, b)| a.hash == b.hash).count();
    let kind = |lines: &[LineMark]| lines.get(line).map(|line| line.kind);
    let is_gone = old.lines.get(line + 1).map(|it| it.hash) == new.lines.get(line).map(|it| it.hash);
    let kinds = if is_gone { [kind(&old.lines), None] } else { [kind(&new.lines), kind(&old.lines)] };
    let known = kinds.into_iter().flatten().find(|kind| *kind != SystemLineKind::Plain);
    let cause = match known {
        Some(SystemLineKind::Date) => BreakCause::SystemDate,
        Some(SystemLineKind::Git) => BreakCause::SystemGit,
        _ => BreakCause::System,
    };
    let is_seen = kinds.iter().any(Option::is_some);
    Some(PromptChange { line: is_seen.then_some(line), rank: (0, same, line), ..change(cause) })
}

fn first_message(before: &[PartMark], now: &[PartMark]) -> Option<PromptChange> {
    let same = same_messages(before, now);
    let (old, new) = (before.get(same)?, now.get(same)?);
    if now.len() <= before.len() && !shares(&before[same + 1..], &now[same..]) {
        return None;
    }
    let cause = if old.loose == new.loose {
        BreakCause::MessageRewritten
    } else if has(&before[same + 1..], new) {
        BreakCause::MessageDropped
    } else if has(&now[same + 1..], old) {
        BreakCause::MessageInserted
    } else {
        match shift(&before[same + 1..], &now[same + 1..]) {
            Ordering::Less => BreakCause::MessageDropped,
            Ordering::Equal => BreakCause::MessageEdited,
            Ordering::Greater => BreakCause::MessageInserted,
        }
    };
    Some(PromptChange::at(cause, same))
}

fn has(messages: &[PartMark], message: &PartMark) -> bool {
    messages.iter().any(|it| it.hash == message.hash)
}

/// Where the first message that both lists have is now, compared with where it was.
fn shift(before: &[PartMark], now: &[PartMark]) -> Ordering {
    let places: HashMap<u64, usize, FixedState> =
        now.iter().enumerate().rev().map(|(place, message)| (message.hash, place)).collect();
    let moved = before.iter().enumerate().find_map(|(was, it)| Some((was, *places.get(&it.hash)?)));
    moved.map_or(Ordering::Equal, |(was, is)| is.cmp(&was))
}

/// The number of messages with which both requests begin.
pub(crate) fn same_messages(before: &[PartMark], now: &[PartMark]) -> usize {
    before.iter().zip(now).take_while(|(a, b)| a.hash == b.hash).count()
}

/// True when a message is in both lists. Short ones do not count: "yes" is in many conversations.
fn shares(before: &[PartMark], now: &[PartMark]) -> bool {
    crate::cache_break::conversation::count_shared(before, now) > 0
}
