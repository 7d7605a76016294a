//! Remembers the tool calls of a conversation, and finds the call that a result answers.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::request::command::GivenArguments;

/// The parts of a tool call that are needed to process its result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlotCall<'a> {
    /// The call's id; empty if the call has none.
    pub id: Cow<'a, str>,
    /// The tool's name; empty if it is unknown.
    pub tool: Cow<'a, str>,
    /// The command that the tool ran, or the path or pattern in its arguments.
    pub command: Option<Cow<'a, str>>,
    /// True when the call requested only a part of a file.
    pub is_part: bool,
}

impl<'a> SlotCall<'a> {
    /// The same call without a borrow of its body.
    #[must_use]
    pub fn into_static(self) -> SlotCall<'static> {
        SlotCall {
            id: self.id.into_owned().into(),
            tool: self.tool.into_owned().into(),
            command: self.command.map(|command| command.into_owned().into()),
            is_part: self.is_part,
        }
    }

    /// Creates a call with these arguments.
    pub(crate) fn of(
        id: Cow<'a, str>,
        tool: Cow<'a, str>,
        GivenArguments { command, is_part }: GivenArguments<'a>,
    ) -> Self {
        Self { id, tool, command, is_part }
    }
}

/// The maximum number of calls in a turn that can wait for results without an id. No model makes more calls at once,
/// and the limit matters because each such result searches all waiting calls.
const MAX_OPEN: usize = 128;

/// The calls seen so far.
#[derive(Default)]
pub(crate) struct SeenCalls<'a> {
    by_id: BTreeMap<Cow<'a, str>, Arc<SlotCall<'a>>>,
    /// The calls of the latest turn that have no result yet. Results without an id arrive in the order of the calls.
    open: Vec<Arc<SlotCall<'a>>>,
    turn: Turn,
}

/// Whether the current message has made a call.
#[derive(Default, PartialEq, Eq)]
enum Turn {
    #[default]
    Quiet,
    Calling,
}

impl<'a> SeenCalls<'a> {
    /// Starts a message.
    pub(crate) fn begin(&mut self) {
        self.turn = Turn::Quiet;
    }

    /// Remembers a call.
    pub(crate) fn make(&mut self, call: SlotCall<'a>) {
        if self.turn == Turn::Quiet {
            self.turn = Turn::Calling;
            self.open.clear();
        }
        let call = Arc::new(call);
        if !call.id.is_empty() {
            // If several calls have the same id, a result belongs to the latest call before it.
            self.by_id.insert(call.id.clone(), Arc::clone(&call));
        }
        if self.open.len() < MAX_OPEN {
            self.open.push(call);
        }
    }

    /// The call that a result with this id and tool name answers; a new call with these values, if the body has no
    /// such call.
    pub(crate) fn match_result(&mut self, id: Cow<'a, str>, tool: Cow<'a, str>) -> Arc<SlotCall<'a>> {
        if let Some(call) = self.by_id.get(&id).cloned() {
            self.open.retain(|open| open.id != id);
            return call;
        }
        let nameless = |call: &SlotCall<'_>| id.is_empty() || call.id.is_empty();
        let fits = |call: &Arc<SlotCall<'_>>| nameless(call) && (tool.is_empty() || call.tool == tool);
        let Some(at) = self.open.iter().position(fits) else {
            return Arc::new(SlotCall::of(id, tool, GivenArguments::default()));
        };
        let call = self.open.remove(at);
        if id.is_empty() { call } else { Arc::new(SlotCall { id, ..SlotCall::clone(&call) }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call<'a>(id: &'a str, tool: &'a str, command: &'a str) -> SlotCall<'a> {
        SlotCall { id: id.into(), tool: tool.into(), command: Some(command.into()), ..SlotCall::default() }
    }

    fn check(calls: &mut SeenCalls<'static>, id: &'static str, tool: &'static str, expected: &SlotCall<'_>) {
        assert_eq!(*calls.match_result(id.into(), tool.into()), *expected);
    }

    #[test]
    fn an_id_names_its_call_however_often_it_is_answered() {
        let mut calls = SeenCalls::default();
        calls.make(call("a", "sh", "ls"));
        calls.make(call("b", "sh", "pwd"));
        for _ in 0..2 {
            check(&mut calls, "b", "", &call("b", "sh", "pwd"));
            check(&mut calls, "a", "other", &call("a", "sh", "ls"));
        }
    }

    #[test]
    fn an_id_used_again_means_the_nearest_call() {
        let mut calls = SeenCalls::default();
        calls.make(call("a", "sh", "ls"));
        check(&mut calls, "a", "", &call("a", "sh", "ls"));
        calls.make(call("a", "sh", "pwd"));
        check(&mut calls, "a", "", &call("a", "sh", "pwd"));
    }

    #[test]
    fn results_without_ids_come_in_the_calls_order() {
        let mut calls = SeenCalls::default();
        calls.make(call("", "sh", "ls"));
        calls.make(call("", "read", "a"));
        calls.make(call("", "sh", "pwd"));
        check(&mut calls, "", "sh", &call("", "sh", "ls"));
        check(&mut calls, "", "sh", &call("", "sh", "pwd"));
        check(&mut calls, "", "", &call("", "read", "a"));
        check(&mut calls, "", "sh", &SlotCall { tool: "sh".into(), ..SlotCall::default() });
    }

    #[test]
    fn an_id_of_the_client_alone_is_kept_with_the_call() {
        let mut calls = SeenCalls::default();
        calls.make(call("", "sh", "ls"));
        check(&mut calls, "mine", "sh", &call("mine", "sh", "ls"));
    }

    #[test]
    fn a_turn_leaves_no_calls_to_the_next() {
        let mut calls = SeenCalls::default();
        calls.make(call("", "sh", "ls"));
        calls.begin();
        calls.make(call("", "sh", "pwd"));
        check(&mut calls, "", "sh", &call("", "sh", "pwd"));
    }

    #[test]
    fn a_call_that_is_not_there_is_made_up() {
        let made_up = SlotCall { id: "x".into(), tool: "sh".into(), ..SlotCall::default() };
        check(&mut SeenCalls::default(), "x", "sh", &made_up);
    }
}
