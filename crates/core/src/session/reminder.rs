//! Replaces a system reminder, which some clients repeat below every file that they read, with a reference to the first
//! one.
//!
//! ```text
//! [system reminder that begins "Whenever you read a file, you should consider": same as above]
//! ```
//!
//! The reminder is not part of the file, so it is replaced below short and partial reads too.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use tersely_stage::{Call, ToolKind};

use crate::pipeline::footer;

/// The name of this stage.
pub(crate) const REMINDER: &str = "reminder";

/// The reminders shown so far, by their first words.
#[derive(Default)]
pub(super) struct Reminders {
    blocks: HashMap<String, String>,
}

const OPEN: &str = "<system-reminder>\n";
const CLOSE: &str = "\n</system-reminder>";

/// The words around the quote in a reference.
const WORDS: &str = "[system reminder that begins \"";
const ABOVE: &str = "\": same as above]";

/// The maximum number of characters quoted from the beginning of a reminder.
const MAX_QUOTE_CHARS: usize = 48;
const MIN_QUOTE_BYTES: usize = 12;

/// The maximum number of reminders that are remembered, and the maximum length of one in bytes.
const MAX_BLOCKS: usize = 64;
const MAX_BYTES: usize = 8 << 10;

impl Reminders {
    /// The text with a reference in place of a reminder that was shown before.
    pub(super) fn name(&self, call: Call<'_>, text: &str) -> Option<String> {
        let place = place(text).filter(|_| call.tool_kind() == ToolKind::Read)?;
        let block = &text[place.clone()];
        let quote = quote(block)?;
        let known = self.blocks.get(quote).is_some_and(|known| known == block);
        let new = [&text[..place.start], WORDS, quote, ABOVE, &text[place.end..]].concat();
        (known && self.put_back(call, &new).as_deref() == Some(text)).then_some(new)
    }

    /// The text with the reminder that it refers to; `None` if that reminder was never shown.
    pub(super) fn put_back<'t>(&self, call: Call<'_>, sent: &'t str) -> Option<Cow<'t, str>> {
        let last = last_line(sent);
        let words = sent[last.clone()].strip_prefix(WORDS).and_then(|words| words.strip_suffix(ABOVE));
        let Some(quote) = words.filter(|_| call.tool_kind() == ToolKind::Read) else {
            return Some(Cow::Borrowed(sent));
        };
        let block = self.blocks.get(quote)?;
        Some(Cow::Owned([&sent[..last.start], block, &sent[last.end..]].concat()))
    }

    /// Remembers a reminder that is shown.
    pub(super) fn keep(&mut self, text: &str) {
        let Some(block) = place(text).map(|place| &text[place]) else { return };
        let Some(quote) = quote(block) else { return };
        if self.blocks.len() < MAX_BLOCKS || self.blocks.contains_key(quote) {
            self.blocks.insert(quote.to_owned(), block.to_owned());
        }
    }
}

/// The range of the reminder at the end of a text, with its tags.
fn place(text: &str) -> Option<Range<usize>> {
    let last = last_line(text);
    if !text[last.clone()].starts_with(CLOSE.trim_start()) {
        return None;
    }
    let start = text[..last.end].rfind(OPEN)?;
    let below = start == 0 || text[..start].ends_with("\n\n");
    let whole = text[start..last.end].ends_with(CLOSE) && last.end - start <= MAX_BYTES;
    (below && whole).then_some(start..last.end)
}

/// The range of the last line that is not empty, above a footer.
fn last_line(text: &str) -> Range<usize> {
    let body = footer::read(text).map_or(text, |signed| signed.body).trim_end_matches('\n');
    body.rfind('\n').map_or(0, |at| at + 1)..body.len()
}

/// The first words of a reminder.
fn quote(block: &str) -> Option<&str> {
    let line = block.strip_prefix(OPEN)?.lines().next()?;
    let most = line.char_indices().nth(MAX_QUOTE_CHARS).map_or(line.len(), |(at, _)| at);
    let words = if most == line.len() { line } else { &line[..line[..most].rfind(' ')?] };
    let plain = words.trim() == words && !words.contains(char::is_control) && !words.contains(": same");
    (plain && words.len() >= MIN_QUOTE_BYTES).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "<system-reminder>\nWhenever you read a file, think of those who wrote it, and of why.\n\
                         Do not say so.\n</system-reminder>";

    fn read() -> Call<'static> {
        Call { id: "a", tool: "Read", command: Some("a.rs"), ..Call::default() }
    }

    fn check(text: &str, expected: Option<&str>) {
        let mut reminders = Reminders::default();
        assert_eq!(reminders.name(read(), text), None, "before it was shown");
        reminders.keep(&format!("1\tx\n\n{BLOCK}\n"));
        let named = reminders.name(read(), text);
        assert_eq!(named.as_deref(), expected);
        if let Some(named) = named {
            assert_eq!(reminders.put_back(read(), &named).as_deref(), Some(text));
            assert_eq!(Reminders::default().put_back(read(), &named), None);
        }
    }

    #[test]
    fn a_reminder_that_was_shown_is_named() {
        let words =
            "[system reminder that begins \"Whenever you read a file, think of those who\": same as above]";
        check(&format!("1\ty\n\n{BLOCK}\n"), Some(&format!("1\ty\n\n{words}\n")));
        check(&format!("1\ty\n\n{BLOCK}"), Some(&format!("1\ty\n\n{words}")));
        check(BLOCK, Some(words));
        let form = "[layout1 numbered: 4, width 6, arrow]\n";
        check(&format!("1\ty\n\n{BLOCK}\n{form}"), Some(&format!("1\ty\n\n{words}\n{form}")));
    }

    #[test]
    fn others_stay() {
        check(&BLOCK.replace("Do not", "Do"), None);
        check(&format!("1\ty\n{BLOCK}\n"), None);
        check(&format!("1\ty\n\n{BLOCK}\nmore"), None);
        check("</system-reminder>", None);
        check("", None);
    }

    #[test]
    fn only_a_tool_that_reads_has_reminders() {
        let mut reminders = Reminders::default();
        reminders.keep(BLOCK);
        assert_eq!(reminders.name(Call { tool: "Bash", ..read() }, BLOCK), None);
    }
}
