//! Replaces text that an earlier result of the conversation already shows with a reference to that result.
//!
//! A client sends its whole conversation with every request, so the model can see the earlier results. Repeated lines
//! are replaced by one line that says where to find them, in words that the model understands: it identifies a result
//! by the command or tool call that the model wrote, and lines by their first words. A reference always leads to text
//! that is shown, never to another reference, and is resolved and compared before it is used. The text that is sent for
//! a result depends only on that result and the ones before it.

mod duplicate;
mod imitation;
mod index;
mod line;
mod name;
mod name_index;
mod reminder;
mod runs;
mod shown_result;
mod since;
mod source;
mod splice;
mod words;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use duplicate::{marker, whole};
use imitation::{EscapedLines, MarkOwner};
use index::Index;
use name_index::NameIndex;
use reminder::{REMINDER, Reminders};
use runs::RunSubject;
use shown_result::{ShownResult, ShownText};
use since::{MAX_REPEATS, SINCE, SinceSubject};
use source::Source;

use tersely_stage::{Call, Loss, Room, signal, stands_alone};

use crate::pipeline::budget;
use crate::pipeline::footer::WRAPPED;
use crate::pipeline::ledger::Step;
use crate::pipeline::outcome::Outcome;
use crate::tokens::O200k;

/// The stage that refers to lines of earlier results.
pub(crate) const EARLIER: &str = "earlier";

/// The stage that refers to an earlier result as a whole.
pub(crate) const DUPLICATE: &str = "duplicate";

/// References must save at least this fraction of a text, given as its denominator: following them costs the model
/// attention.
const MIN_SAVED_PART: usize = 20;

/// The minimum fraction for a command that was run before. An output that changed more is shown whole, so that the next
/// one can refer to it.
const MIN_SAVED_PART_REPEATED: usize = 3;

/// The minimum fraction for leaving lines out of a cut text that have not changed since the last run.
const MIN_SAVED_PART_SINCE: usize = 6;

/// The minimum number of tokens that a reference must save, regardless of the length of the text.
const MIN_SAVED_TOKENS: usize = 16;

/// The maximum size, in tokens, of a file text that is always shown in full: an edit may quote any of it.
const MAX_SHORT_FILE_TOKENS: usize = 800;

/// The maximum memory of a session, in bytes. Results beyond this limit are not remembered, so no reference leads to
/// them.
const MAX_SESSION_BYTES: usize = 64 << 20;

/// The results of one request so far, as they are sent.
#[derive(Default)]
pub struct Session {
    shown: Vec<ShownResult>,
    names: NameIndex,
    reminders: Reminders,
    /// Ids of the calls that have a result.
    ids: HashSet<String>,
    index: Index,
    /// Results without references, by the hash of their text.
    whole: HashMap<u64, usize>,
    /// The approximate memory use of the session, in bytes.
    bytes: usize,
}

impl Session {
    /// The outcome to send for the next result: `outcome` itself, or a shorter text that refers to earlier results.
    ///
    /// A proposal must cost less when counted (law 4) and resolve to the same text (law 3). It must also be at least
    /// `min_bytes` long, so that restoring it does not exceed the size limits of a restore. The session remembers the
    /// text that is sent.
    #[must_use]
    pub fn refer<'a>(&mut self, call: Call<'_>, min_bytes: usize, outcome: Outcome<'a>) -> Outcome<'a> {
        self.block_ambiguous(call);
        let outcome = escape_imitations(call, outcome);
        let proposal = self.proposal(call, &outcome).filter(|(_, text)| text.len() >= min_bytes);
        let accepted = proposal
            .and_then(|proposal| accept(self.min_saved_part(call), &outcome, proposal))
            .or_else(|| self.since(call, &outcome).filter(|new| new.text.len() >= min_bytes));
        let referred = accepted.as_ref().unwrap_or(&outcome);
        let reminded = self.name_reminder(call, referred).filter(|new| new.text.len() >= min_bytes);
        let sent = reminded.as_ref().unwrap_or(referred);
        let stands_for = outcome.original.as_ref().map_or(&*outcome.text, |original| &original.text);
        self.keep(call, &sent.ledger.steps, ShownText { sent: &sent.text, stands_for });
        reminded.or(accepted).unwrap_or(outcome)
    }

    /// The outcome to send for the next result if references are not allowed.
    #[must_use]
    pub fn show<'a>(&mut self, call: Call<'_>, outcome: Outcome<'a>) -> Outcome<'a> {
        self.block_ambiguous(call);
        let outcome = escape_imitations(call, outcome);
        self.keep(call, &outcome.ledger.steps, ShownText::same(&outcome.text));
        outcome
    }

    /// Remembers a result that is sent unchanged.
    pub fn remember(&mut self, call: Call<'_>, text: &str) {
        self.block_ambiguous(call);
        self.keep(call, &[], ShownText::same(text));
    }

    /// The approximate memory use of the session, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Remembers a result whose text cannot be read. It is now the last result with its name, so that name refers to
    /// nothing.
    pub fn skip(&mut self, call: Call<'_>) {
        self.ids.insert(call.id.to_owned());
        self.names.block(call);
    }

    /// Resolves the references of `sent`, the next result; `None` when a reference cannot be resolved.
    ///
    /// It resolves references only; `restore` undoes the form of the text afterwards.
    pub fn put_back<'t>(&mut self, room: Room, call: Call<'_>, sent: &'t str) -> Option<Cow<'t, str>> {
        self.block_ambiguous(call);
        let text = match self.reminders.put_back(call, sent) {
            None => None,
            Some(Cow::Borrowed(sent)) => self.lookup(room, call, sent),
            Some(Cow::Owned(sent)) => room
                .fits(sent.len())
                .and_then(|()| self.lookup(room, call, &sent).map(|text| Cow::Owned(text.into_owned()))),
        };
        self.keep(call, &[], ShownText { sent, stands_for: text.as_deref().unwrap_or(sent) });
        text
    }

    /// Blocks the name of a call that already has a result or has no id, because a reference to it would be ambiguous.
    fn block_ambiguous(&mut self, call: Call<'_>) {
        if call.id.is_empty() || self.ids.contains(call.id) {
            self.names.block(call);
        }
    }

    /// The outcome with a reference in place of a reminder that was shown before.
    fn name_reminder<'a>(&self, call: Call<'_>, outcome: &Outcome<'a>) -> Option<Outcome<'a>> {
        let theirs = imitation::owner_of(&outcome.text) == MarkOwner::Theirs;
        let text = if theirs { None } else { self.reminders.name(call, &outcome.text) }?;
        replace_text(MIN_SAVED_TOKENS, outcome, (REMINDER, text))
    }

    /// A cut outcome without the lines that have not changed since the same command was last run.
    fn since<'a>(&self, call: Call<'_>, outcome: &Outcome<'a>) -> Option<Outcome<'a>> {
        let new = &outcome.original.as_ref()?.text;
        let name = name::names(call)?.last;
        let shown = self
            .find_by_name(&name)
            .filter(|shown| shown.is_same_file(call) && shown.repeats < MAX_REPEATS)?;
        let fits =
            Source::of(call) == Source::Other && imitation::owner_of(&outcome.text) == MarkOwner::Nobody;
        let subject = SinceSubject { name: &name, old: shown.stands_for(), shown: &shown.text, new };
        let text = since::shorten(&subject, &outcome.text).filter(|_| fits)?;
        let min_saved = MIN_SAVED_TOKENS.max(outcome.ledger.after / MIN_SAVED_PART_SINCE);
        replace_text(min_saved, outcome, (SINCE, text))
    }

    /// A text with references and the stage that wrote it, if the text is shorter and resolves to the original.
    fn proposal(&self, call: Call<'_>, outcome: &Outcome<'_>) -> Option<(&'static str, String)> {
        let text = &*outcome.text;
        let source = Source::of(call);
        let short = source == Source::File && (call.asks_for_part() || is_short(text));
        let fixed = short || source == Source::Edit || imitation::owner_of(text) != MarkOwner::Nobody;
        if fixed || !budget::is_within(text) {
            return None;
        }
        let (stage, new) = match self.duplicate_of(call, text) {
            Some(marker) => (DUPLICATE, marker),
            None => (EARLIER, self.with_references(call, outcome)?),
        };
        // Bytes are faster to count than tokens, and rule out most proposals that save too little.
        let pays = new.len() + text.len() / (MIN_SAVED_PART + MIN_SAVED_PART / 4) < text.len();
        (pays && self.lookup(Room::of(text), call, &new).as_deref() == Some(text)).then_some((stage, new))
    }

    /// A reference to an equal text that the same tool returned before. A text that reports errors is shown again.
    fn duplicate_of(&self, call: Call<'_>, text: &str) -> Option<String> {
        let shown = self.shown.get(*self.whole.get(&index::hash(text.as_bytes()))?)?;
        let is_file = Source::of(call) == Source::File;
        let fits = shown.is_of(call) && (!is_file || shown.is_same_file(call));
        let name = self.name_of(shown)?;
        let same = shown.is_whole && shown.text == text && fits;
        let quiet = is_file || signal::signals(text).next().is_none();
        let lines = text.lines().count();
        (same && quiet && runs::is_worth(lines, O200k.count(text))).then(|| marker(shown, name))
    }

    /// The text with references in place of lines that earlier results show.
    fn with_references(&self, call: Call<'_>, outcome: &Outcome<'_>) -> Option<String> {
        if self.shown.is_empty() || !stand_alone(&outcome.ledger.steps) {
            return None;
        }
        let text = &*outcome.text;
        let lines = shown_result::lines(text)?;
        let subject = RunSubject { call, source: Source::of(call), text, lines: &lines };
        let runs = runs::find(self, &subject);
        if runs.is_empty() { None } else { splice::write(text, &lines, &runs) }
    }

    /// The text with its references resolved, or unchanged if it has none.
    fn lookup<'t>(&self, room: Room, call: Call<'_>, sent: &'t str) -> Option<Cow<'t, str>> {
        match imitation::owner_of(sent) {
            MarkOwner::Nobody => Some(Cow::Borrowed(sent)),
            MarkOwner::Theirs => {
                imitation::unescape(EscapedLines::of(Source::of(call)), sent).map(Cow::Owned)
            }
            MarkOwner::Ours => match whole(sent) {
                Some(name) => {
                    let shown = self.find_by_name(name).filter(|shown| shown.is_whole)?;
                    room.fits(shown.text.len())?;
                    Some(Cow::Owned(shown.text.clone()))
                }
                None => splice::resolve(room, self, sent).map(Cow::Owned),
            },
        }
    }

    /// The fraction of a call's result that references must save, as its denominator.
    fn min_saved_part(&self, call: Call<'_>) -> usize {
        let whole = name::names(call).and_then(|names| names.whole);
        if whole.is_some_and(|whole| self.find_by_name(&whole).is_some()) {
            MIN_SAVED_PART_REPEATED
        } else {
            MIN_SAVED_PART
        }
    }

    /// The result that a name refers to.
    fn find_by_name(&self, name: &str) -> Option<&ShownResult> {
        self.shown.get(self.names.place(name)?)
    }

    /// A name that currently refers to a result.
    fn name_of<'n>(&self, shown: &'n ShownResult) -> Option<&'n str> {
        let means = |name: &&str| self.find_by_name(name).is_some_and(|found| std::ptr::eq(found, shown));
        let whole = shown.names.whole.as_deref().filter(|_| shown.is_whole);
        std::iter::once(&*shown.names.last).chain(whole).find(means)
    }

    /// Remembers the text that is sent for a result.
    fn keep(&mut self, call: Call<'_>, steps: &[Step], text: ShownText<'_>) {
        // A reference to all of an earlier result shows nothing itself; the earlier result remains the last one with
        // its name.
        let is_duplicate = imitation::owner_of(text.sent) == MarkOwner::Ours && whole(text.sent).is_some();
        let known = !self.ids.insert(call.id.to_owned());
        self.reminders.keep(text.sent);
        if call.id.is_empty() || known || is_duplicate {
            return;
        }
        let Some(names) =
            name::names(call).filter(|_| self.bytes <= MAX_SESSION_BYTES && budget::is_within(text.sent))
        else {
            self.names.block(call);
            return;
        };
        let place = self.shown.len();
        let mut shown = ShownResult::of(call, names, text);
        if steps.iter().any(|step| step.stage == SINCE) {
            shown.repeats = self.find_by_name(&shown.names.last).map_or(1, |last| last.repeats + 1);
        }
        if stand_alone(steps) {
            self.index.add(place, &shown);
        }
        if shown.is_whole {
            self.whole.insert(index::hash(text.sent.as_bytes()), place);
        }
        self.names.add(call, &shown, place);
        self.bytes += shown.bytes();
        self.shown.push(shown);
    }
}

/// True when a file's text is so short that it is always shown in full.
fn is_short(text: &str) -> bool {
    O200k.count_within(text, MAX_SHORT_FILE_TOKENS).is_some()
}

/// True when after all these steps each line can be understood on its own.
fn stand_alone(steps: &[Step]) -> bool {
    let alone = |step: &Step| [EARLIER, REMINDER, WRAPPED].contains(&step.stage) || stands_alone(step.stage);
    steps.iter().all(|step| step.loss < Loss::Detail && alone(step))
}

/// The outcome with imitations of our references escaped.
fn escape_imitations<'a>(call: Call<'_>, mut outcome: Outcome<'a>) -> Outcome<'a> {
    let lines = EscapedLines::of(Source::of(call));
    let Some(text) = imitation::escape(lines, &outcome.text) else { return outcome };
    outcome.ledger.settle(O200k.count(&text));
    Outcome { text: Cow::Owned(text), ..outcome }
}

/// The outcome with the proposed text, if that saves at least 1/`part` of the tokens, and no fewer than
/// `MIN_SAVED_TOKENS`.
fn accept<'a>(
    part: usize,
    outcome: &Outcome<'a>,
    (stage, text): (&'static str, String),
) -> Option<Outcome<'a>> {
    replace_text(MIN_SAVED_TOKENS.max(outcome.ledger.after / part), outcome, (stage, text))
}

/// The outcome with another text, if that saves at least `min_saved` tokens.
fn replace_text<'a>(
    min_saved: usize,
    outcome: &Outcome<'a>,
    (stage, text): (&'static str, String),
) -> Option<Outcome<'a>> {
    let after = O200k.count_within(&text, outcome.ledger.after.checked_sub(min_saved)?)?;
    let mut ledger = outcome.ledger.clone();
    ledger.record(stage, after, if stage == SINCE { Loss::Detail } else { Loss::None });
    Some(Outcome {
        text: Cow::Owned(text),
        redacted: outcome.redacted,
        ledger,
        original: outcome.original.clone(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::pipeline::compress::compress;
    use crate::pipeline::restore::restore;
    use tersely_stage::{Plan, Reader, Redaction};

    /// A call, and its result.
    type CallResult<'s> = (Call<'s>, &'s str);

    /// The texts that are sent for results; checks that each can be restored.
    fn send(results: &[CallResult<'_>]) -> Vec<String> {
        let (mut there, mut back) = (Session::default(), Session::default());
        let each = |(call, text): &CallResult<'_>| {
            // For a small reader, similar lines stay unchanged, so that references can lead to them.
            let plan =
                Plan { loss: Loss::None, redact: Redaction::Off, reader: Reader::Small, ..Plan::default() };
            let outcome = there.refer(*call, 0, compress(&plan, *call, text));
            assert!(O200k.count(&outcome.text) <= O200k.count(text), "{}", outcome.text);
            let shown =
                back.put_back(Room::of(text), *call, &outcome.text).expect("references that lead somewhere");
            assert_eq!(restore(&shown).as_deref(), Some(*text), "{}", outcome.text);
            outcome.text.into_owned()
        };
        results.iter().map(each).collect()
    }

    /// The text that is sent for the last of some results.
    fn last(results: &[CallResult<'_>]) -> String {
        send(results).pop().expect("a result")
    }

    fn call<'c>(id: &'c str, tool: &'c str, command: &'c str) -> Call<'c> {
        Call { id, tool, command: Some(command), ..Call::default() }
    }

    fn read(id: &str) -> Call<'_> {
        call(id, "Read", "src/a.rs")
    }

    /// A call that reads a screen, whose lines stay unchanged.
    const SCREEN: &str = "mux capture all";

    fn ran(id: &str) -> Call<'_> {
        call(id, "Bash", SCREEN)
    }

    /// Distinct lines of text, with a number in front of each if `gutter` adds one.
    fn file(lines: std::ops::RangeInclusive<usize>, gutter: impl Fn(usize) -> String) -> String {
        let line = |n: usize| format!("{}    let value_{n} = compute(input_{n}, \"of_{n}\");", gutter(n));
        lines.map(line).collect::<Vec<_>>().join("\n")
    }

    fn plain(_: usize) -> String {
        String::new()
    }

    fn tab(n: usize) -> String {
        format!("{n}\t")
    }

    /// The lines of `range` in a text, counted from 1, each with its line end.
    fn lines(text: &str, range: std::ops::RangeInclusive<usize>) -> String {
        text.split_inclusive('\n').skip(range.start() - 1).take(range.count()).collect()
    }

    #[test]
    fn a_file_read_again_shows_what_changed_and_names_the_rest() {
        let old = file(1..=120, tab);
        let new = old.replace("compute(input_60,", "changed(");
        assert_eq!(
            last(&[(read("a"), &old), (read("b"), &new)]),
            format!(
                "[lines 1-54: same as in src/a.rs as last read in full above]\n{}\
                 [lines 66-120: same as in src/a.rs as last read in full above]",
                lines(&new, 55..=65)
            )
        );
    }

    #[test]
    fn numbers_that_an_edit_moved_stand_for_both() {
        let (old, new) = (file(1..=120, tab), file(1..=120, |n| format!("{}\t", n + 2)));
        let new = format!("1\tfirst new line\n2\tsecond new line\n{new}");
        assert_eq!(
            last(&[(read("a"), &old), (read("b"), &new)]),
            lines(&new, 1..=7) + "[lines 8-122: same as lines 6-120 in src/a.rs as last read in full above]"
        );
    }

    #[test]
    fn what_was_deleted_is_a_change() {
        let old = file(1..=120, tab);
        let new = format!("{}\n{}", file(1..=50, tab), file(61..=120, |n| format!("{}\t", n - 10)));
        assert_eq!(
            last(&[(read("a"), &old), (read("b"), &new)]),
            format!(
                "[lines 1-45: same as in src/a.rs as last read in full above]\n{}\
                 [lines 56-110: same as lines 66-120 in src/a.rs as last read in full above]",
                lines(&new, 46..=55)
            )
        );
    }

    #[test]
    fn lines_without_numbers_go_by_the_first_and_the_last() {
        let old = format!("{{\n{}\n}}", file(1..=40, plain));
        let new = format!("new\n{old}\nmore");
        let expected = "new\n{\n[40 lines from \"let value_1 = compute(input_1, \"of_1\");\" to \"let value_40 = \
                        compute(input_40, \"of_40\");\": same as in the last output of mux capture all above]\n}\nmore";
        assert_eq!(last(&[(ran("a"), &old), (ran("b"), &new)]), expected);
        let other = call("b", "Bash", "make more");
        assert_eq!(last(&[(ran("a"), &old), (other, &new)]), expected, "under another name");
    }

    #[test]
    fn a_line_that_stands_there_twice_begins_and_ends_nothing() {
        let body = file(1..=40, plain);
        let old = format!("let twice = 1;\n{body}\nlet twice = 1;");
        let new = format!("x\n{old}\ny");
        let shown = last(&[(ran("a"), &old), (ran("b"), &new)]);
        assert!(shown.starts_with("x\nlet twice = 1;\n[40 lines from \"let value_1 ="), "{shown}");
    }

    /// Behaviour 5.2.
    #[test]
    fn all_of_a_result_is_named_as_a_whole() {
        let text = file(1..=60, plain);
        let words = "[all lines: same as in the last output of mux capture all above]";
        let marked = format!("[Duplicate of a (Bash); see earlier result]\n{words}");
        assert_eq!(last(&[(ran("a"), &text), (ran("b"), &text)]), marked);
        assert_eq!(last(&[(ran("a"), &text), (ran("b"), &text), (ran("c"), &text)]), marked, "what is shown");
        assert_eq!(last(&[(ran("a b"), &text), (ran("c"), &text)]), words, "an id that is not plain");
        assert_eq!(
            last(&[(ran("a"), &text), (call("b", "sh", "mux capture x"), &text)]),
            marked,
            "a tool of the kind"
        );
        let file = file(1..=60, tab);
        assert_eq!(
            last(&[(read("a"), &file), (read("b"), &file)]),
            "[Duplicate of a (Read); see earlier result]\n[all lines: same as in src/a.rs as last read in full above]"
        );
    }

    #[test]
    fn only_the_last_result_of_a_name_is_named() {
        let (one, two) = (file(1..=60, plain), file(100..=160, plain));
        assert_eq!(last(&[(ran("a"), &one), (ran("b"), &two), (ran("c"), &one)]), one);
        let part = Call { is_part: true, ..read("b") };
        let (file, lines) = (file(1..=60, tab), file(9..=20, tab));
        let shown = last(&[(read("a"), &file), (part, &lines), (read("c"), &file)]);
        assert!(shown.starts_with("[Duplicate of a (Read)"), "a part is no reading in full: {shown}");
    }

    #[test]
    fn only_text_that_is_shown_is_named() {
        let (one, two) = (file(1..=60, plain), file(1..=90, plain));
        let all = send(&[(ran("a"), &one), (ran("b"), &two), (ran("c"), &two)]);
        assert!(all[1].starts_with("[60 lines from \"let value_1 = "), "{}", all[1]);
        assert_eq!(
            all[2],
            "[60 lines from \"let value_1 = compute(input_1, \"of_1\");\" to \"let value_60 = compute(input_60, \
             \"of_60\");\": same as in the last output of mux capture all shown whole above]\n\
             [30 lines from \"let value_61 = compute(input_61, \"of_61\");\" to \"let value_90 = compute(input_90, \
             \"of_90\");\": same as in the last output of mux capture all above]"
        );
    }

    #[test]
    fn what_changed_too_much_is_shown_whole_for_the_next() {
        let texts = [file(1..=60, plain), file(45..=105, plain), file(50..=110, plain)];
        let all = send(&[(ran("a"), &texts[0]), (ran("b"), &texts[1]), (ran("c"), &texts[2])]);
        assert_eq!(all[1], texts[1]);
        assert!(all[2].starts_with("[56 lines from \"let value_50 = "), "{}", all[2]);
    }

    #[test]
    fn a_line_behind_a_reference_cannot_be_quoted_too() {
        let one = format!("{}\nthe end of it all\n{}", file(1..=60, plain), file(61..=70, plain));
        let two = format!("{one}\n{}\nthe end of it all", file(71..=90, plain));
        let new = format!("{}\nthe end of it all\nmore", file(71..=90, plain));
        let all = send(&[(ran("a"), &one), (ran("b"), &two), (call("c", "Bash", "ls"), &new)]);
        assert!(all[1].contains("same as in the last output of mux capture all above]"), "{}", all[1]);
        assert!(all[2].ends_with("\nthe end of it all\nmore"), "it stands in b twice: {}", all[2]);
        assert!(all[2].starts_with("[20 lines from \"let value_71"), "{}", all[2]);
    }

    #[test]
    fn what_has_no_name_is_said_again() {
        let text = file(1..=60, plain);
        let long = format!("{SCREEN}{}", "x".repeat(61));
        for (one, two) in [
            (call("a", "Bash", &long), call("b", "Bash", &long)),
            (call("", "Bash", SCREEN), call("", "Bash", SCREEN)),
            (call("a", "Bash", SCREEN), call("a", "Bash", SCREEN)),
            (call("a", "Edit", "a.rs"), call("b", "Edit", "a.rs")),
            (call("a", "screen", "x"), call("b", "Bash", "screen capture x")),
        ] {
            let shown = last(&[(one, &text), (two, &text)]);
            assert!(shown == text || shown.starts_with("[60 lines from "), "{one:?} {shown}");
            assert_eq!(shown == text, one.tool != "screen", "{one:?}");
        }
        assert_eq!(last(&[(ran("a"), &text), (ran("a"), "other"), (ran("b"), &text)]), text);
    }

    #[test]
    fn lines_of_a_text_in_json_are_named() {
        let wrapped = |id: usize, text: &str| {
            let text = text.replace('\n', "\\n").replace('"', "\\\"");
            format!("{{\"id\":{id},\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}}")
        };
        let one = wrapped(1, &file(1..=60, plain));
        let two = wrapped(2, &format!("first\n{}\nlast", file(1..=60, plain)));
        let (a, b) = (call("a", "get_screen", "x"), call("b", "get_screen", "x"));
        let shown = last(&[(a, &one), (b, &two)]);
        let words = "first\n[60 lines from \"let value_1 = compute(input_1, \"of_1\");\" to \"let value_60 = \
                     compute(input_60, \"of_60\");\": same as in the last output of get_screen x above]\nlast\n[layout1";
        assert!(shown.contains(words), "{shown}");
    }

    #[test]
    fn a_long_command_is_named_unless_another_has_its_ends() {
        let text = file(1..=60, plain);
        let long = "cd crates && cargo build --workspace --all-targets && mux capture --workspace --locked";
        let same = "cd crates && cargo build --release --all-targets --all-features && mux capture --workspace --locked";
        let (one, other) = (call("a", "Bash", long), call("b", "Bash", same));
        let shown = last(&[(one, &text), (call("c", "Bash", long), &text)]);
        assert!(
            shown.ends_with(
                "the command from \"cd crates && cargo build\" to \"capture --workspace --locked\" above]"
            ),
            "{shown}"
        );
        assert_eq!(last(&[(one, &text), (other, "x"), (call("c", "Bash", long), &text)]), text);
        let short = "cd crates && cargo build; mux capture --workspace --locked";
        assert_eq!(
            last(&[(one, &text), (call("b", "Bash", short), "x"), (call("c", "Bash", long), &text)]),
            text
        );
    }

    #[test]
    fn what_an_edit_may_quote_is_shown_in_full() {
        let (long, short) = (file(1..=120, tab), file(1..=20, tab));
        let (long, short) = (long.as_str(), short.as_str());
        let part = |id| Call { is_part: true, ..read(id) };
        let edit = |id| call(id, "Edit", "src/a.rs");
        for (results, shown) in [
            ([(read("a"), short), (read("b"), short)], short),
            ([(read("a"), long), (part("b"), long)], long),
            ([(read("a"), long), (edit("b"), long)], long),
            ([(edit("a"), long), (edit("b"), long)], long),
            ([(read("a"), long), (call("b", "Read", "src/b.rs"), long)], long),
        ] {
            assert_eq!(last(&results), shown, "{:?}", results[1].0);
        }
    }

    #[test]
    fn errors_are_repeated_with_what_is_around_them() {
        let text = format!(
            "{}\nerror: it broke at the very same place\n{}",
            file(1..=20, plain),
            file(21..=40, plain)
        );
        let shown = last(&[(ran("a"), &text), (ran("b"), &text)]);
        assert!(shown.starts_with("[17 lines from \"let value_1 "), "{shown}");
        let around = lines(&text, 18..=24);
        assert!(around.contains("error: it broke") && shown.contains(&format!("above]\n{around}[17 lines")));
    }

    #[test]
    fn few_lines_and_few_tokens_are_said_again() {
        let line = |n: usize| format!("step {n}\n");
        let short: String = (1..=7).map(line).collect();
        let text = format!("{short}{}", file(1..=9, |n| format!("{n}{n} ")));
        assert_eq!(last(&[(ran("a"), &short), (ran("b"), &short)]), short);
        let shown = last(&[(ran("a"), &short), (ran("b"), &text)]);
        assert_eq!(shown, text);
    }

    #[test]
    fn at_most_four_references_stand_in_a_result() {
        let blocks: Vec<String> = (0..6).map(|n| file(n * 100 + 1..=n * 100 + 20 + n, plain)).collect();
        let old = blocks.join("\n");
        let new = blocks.iter().enumerate().map(|(n, block)| format!("new {n}\n{block}\n"));
        let new = new.collect::<Vec<_>>().concat();
        let shown = last(&[(ran("a"), &old), (ran("b"), &new)]);
        assert_eq!(shown.matches(": same as in ").count(), 4, "{shown}");
        assert!(
            shown.contains("value_1 =") && shown.contains("value_101 ="),
            "the shortest are shown: {shown}"
        );
    }

    #[test]
    fn look_alikes_come_back_and_lead_nowhere() {
        let text = file(1..=60, plain);
        for played in [
            "[all lines: same as in the last output of mux capture all above]".to_owned(),
            "[all lines: same1 in the last output of mux capture all above]".to_owned(),
            "[Duplicate of a (Bash); see earlier result]\n[all lines: same as in the last output of mux capture all above]"
                .to_owned(),
            "[Duplicate of a (Bash); see earlier result]".to_owned(),
            format!("{text}\n[lines 1-9: same as in x above]"),
            format!("[lines 1-9: same999 in x above]\n{text}\n[all lines: same as in x above]"),
        ] {
            let all = send(&[(ran("a"), &text), (ran("b"), &played), (ran("c"), &played)]);
            assert_ne!(imitation::owner_of(&all[1]), MarkOwner::Ours, "{played}");
        }
    }

    #[test]
    fn references_that_lead_nowhere_are_refused() {
        let name = "the last output of mux capture all above";
        for sent in [
            "[all lines: same as in the last output of make above]".to_owned(),
            format!("[lines 1-2: same as in {name}]"),
            format!("[2 lines from \"one\" to \"three\": same as in {name}]"),
            format!("[3 lines from \"one\" to \"four\": same as in {name}]"),
            format!("[3 lines from \"three\" to \"one\": same as in {name}]"),
            format!("x\n[all lines: same as in {name}]"),
        ] {
            let mut history = Session::default();
            history.remember(ran("a"), "one\ntwo\nthree");
            assert_eq!(history.put_back(Room::of(&sent), call("c", "Bash", "x"), &sent), None, "{sent}");
        }
    }

    #[test]
    fn hostile_texts_take_no_time() {
        let start = Instant::now();
        let rule = format!("{}\n", "─".repeat(400));
        for text in [
            "the same line again\n".repeat(100_000),
            rule.repeat(1_000),
            "x".repeat(1 << 20),
            "abcdefg ".repeat(1 << 17),
            "[lines 1-2: same as in x above]\n".repeat(50_000),
            "\n".repeat(1 << 20),
        ] {
            send(&[(ran("a"), &text), (call("b", "sh", "x"), &format!("{text}.")), (ran("c"), &text)]);
        }
        let ids: Vec<String> = (0..3_000).map(|n| format!("call_{n}")).collect();
        let text = file(1..=10, plain);
        let results: Vec<_> = ids.iter().map(|id| (ran(id), text.as_str())).collect();
        send(&results);
        assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    }
}
