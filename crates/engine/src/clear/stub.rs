//! The words that stand for a result that was cleared.

use std::fmt::Write;

use tersely_core::redact;
use tersely_wire::Slot;

use crate::clear::age::OldResult;
use crate::clear::names::VisibleNames;

/// The greatest part of a text that its names may take, and the most bytes.
const NAMES_DIVISOR: usize = 8;
const MAX_NAMES_BYTES: usize = 1_600;

/// The most bytes of a command that are shown.
const MAX_COMMAND_BYTES: usize = 160;

/// The most bytes of lines that stay in sight, errors and quoted ones, and the greatest part of the text; a result with
/// more of them stays.
const MAX_LINES_BYTES: usize = 3_000;
const LINES_DIVISOR: usize = 3;

/// A result to be cleared.
pub(super) struct Stub<'s, 'a> {
    pub(super) old: &'s OldResult,
    pub(super) slot: &'s Slot<'a>,
    pub(super) text: &'s str,
    /// The lines that a later message quotes.
    pub(super) quoted: Vec<&'s str>,
}

impl Stub<'_, '_> {
    /// The words; `None` if the result has too much that must stay. `visible` are the names that are in sight already.
    pub(super) fn words(&self, visible: &mut VisibleNames) -> Option<String> {
        let mut kept = self.old.errors(self.slot, self.text);
        kept.extend(&self.quoted);
        let bytes: usize = kept.iter().map(|line| line.len() + 1).sum();
        if bytes > MAX_LINES_BYTES.min(self.text.len() / LINES_DIVISOR) {
            return None;
        }
        let mut words = format!("[cleared, {}: {}", lines(self.text), self.call());
        if self.old.is_superseded {
            words.push_str("; a later result shows it again");
        } else {
            let room = (self.text.len() / NAMES_DIVISOR).min(MAX_NAMES_BYTES);
            let names = visible.hidden(self.text, room);
            if !names.is_empty() {
                let _ = write!(words, "; names in it: {}", names.join(", "));
            }
        }
        words.push(']');
        for line in kept {
            words.push('\n');
            words.push_str(line);
        }
        // What was masked is not in the text; in a file that an agent may edit, a secret may look like a name.
        Some(redact(&words).into_owned())
    }

    /// The call, such as `Read src/main.rs`.
    fn call(&self) -> String {
        let call = &self.slot.call;
        let tool = if call.tool.is_empty() { "a tool" } else { &*call.tool };
        let command = call.command.as_deref().unwrap_or_default();
        let command = command.lines().next().unwrap_or_default();
        let end = command.floor_char_boundary(MAX_COMMAND_BYTES);
        format!("{tool} {}", &command[..end]).trim_end().to_owned()
    }
}

/// The number of lines of a text, in words.
fn lines(text: &str) -> String {
    match text.lines().count() {
        1 => "1 line".to_owned(),
        count => format!("{count} lines"),
    }
}
