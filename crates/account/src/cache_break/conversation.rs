//! Tells whether a request continues a conversation: clients hold several side by side, such as sub-agents, titles and
//! warm-ups, and each has a cached prompt of its own.

use std::collections::HashSet;

use foldhash::quality::FixedState;

use crate::cache_break::change::{PromptChange, same_messages};
use crate::cache_break::marks::{PartMark, PromptMarks};

/// How well a request continues a conversation; a greater one is better.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct ConversationMatch {
    /// True when the request has all that the one before had, and more.
    is_whole: bool,
    /// The number of messages that both have.
    messages: usize,
}

impl ConversationMatch {
    /// How well `now` continues the conversation of `before`; `None` if it is another one.
    #[must_use]
    pub fn of(before: &PromptMarks, now: &PromptMarks) -> Option<Self> {
        let (a, b) = (&before.messages, &now.messages);
        if before.order != now.order || a.is_empty() || b.is_empty() {
            return None;
        }
        // The messages are compared first, because they tell most conversations apart.
        let same = same_messages(a, b);
        let found = if same == a.len() {
            // A request for a title or a summary repeats the messages for another purpose.
            let is_repeated = b.len() == a.len() && count_changes(before, now) > 1;
            let is_whole = !is_repeated && PromptChange::first(before, now).is_none();
            (!is_repeated).then_some(Self { is_whole, messages: same })
        } else if same == b.len() {
            None
        } else {
            let rest = count_shared(&a[same..], &b[same..]);
            let messages = same + rest;
            let is_continued = messages * 2 >= a.len() && messages > 0 && (rest > 0 || b.len() > a.len());
            let is_continued = is_continued || has_answers(a, b);
            (is_continued || is_second_turn(before, now)).then_some(Self { is_whole: false, messages })
        };
        found.filter(|found| found.is_whole || !is_elsewhere(before, now))
    }
}

/// True when most answers of a conversation are in another, which is no shorter. For another model, a client may write
/// all of its own messages in another way.
fn has_answers(before: &[PartMark], now: &[PartMark]) -> bool {
    let answers =
        |messages: &[PartMark]| messages.iter().filter(|it| it.is_model).copied().collect::<Vec<_>>();
    let (before, now) = (answers(before), answers(now));
    let shared = count_shared(&before, &now);
    shared > 0 && shared * 2 >= before.len() && now.len() >= before.len()
}

/// True when neither tools nor the system prompt have anything in common.
fn is_elsewhere(before: &PromptMarks, now: &PromptMarks) -> bool {
    let tools: HashSet<u64, FixedState> = before.tools.iter().map(|tool| tool.id).collect();
    let is_tooled = !before.tools.is_empty() || !now.tools.is_empty();
    if !is_tooled || now.tools.iter().any(|tool| tools.contains(&tool.id)) {
        return false;
    }
    let lines: HashSet<u64, FixedState> =
        before.system.iter().flat_map(|block| &*block.lines).map(|line| line.hash).collect();
    let is_instructed = !before.system.is_empty() || !now.system.is_empty();
    is_instructed && !now.system.iter().flat_map(|block| &*block.lines).any(|line| lines.contains(&line.hash))
}

/// How many of model, tools and system prompt differ.
fn count_changes(before: &PromptMarks, now: &PromptMarks) -> usize {
    let tools = |marks: &PromptMarks| marks.tools.iter().map(|tool| tool.part.hash).collect::<Vec<_>>();
    let system = |marks: &PromptMarks| marks.system.iter().map(|block| block.part.hash).collect::<Vec<_>>();
    usize::from(before.settings.model != now.settings.model)
        + usize::from(tools(before) != tools(now))
        + usize::from(system(before) != system(now))
}

/// True when a request can only be the second one of a conversation whose first message changed: everything before the
/// messages is the same, and it has one answer more.
fn is_second_turn(before: &PromptMarks, now: &PromptMarks) -> bool {
    let answers = |marks: &PromptMarks| marks.messages.iter().filter(|message| message.is_model).count();
    answers(before) == 0
        && answers(now) == 1
        && now.messages.len() > before.messages.len()
        && before.settings == now.settings
        && count_changes(before, now) == 0
}

/// The number of messages of `before` that are also in `now`.
pub(crate) fn count_shared(before: &[PartMark], now: &[PartMark]) -> usize {
    let now: HashSet<u64, FixedState> = now.iter().map(|message| message.hash).collect();
    before.iter().filter(|message| now.contains(&message.hash)).count()
}
