//! What a conversation has shown so far, and references to it: says nothing twice.
//!
//! A client sends its whole conversation with every request, so what stands earlier in a request is in sight of
//! whoever reads the rest. Lines that a result repeats give way to a short line that says where they stand.
//! A reference is to text that is shown itself, never to another reference, and is put back and compared before it
//! is used. What stands for a result depends on it and on the results before it, on nothing else.

mod anchor;
pub(crate) mod duplicate;
mod index;
mod line;
mod note;
mod put;
mod runs;
mod shown;

use std::borrow::Cow;
use std::collections::HashMap;

use anchor::Anchors;
use index::Index;
use shown::Shown;

use crate::{Call, Loss, Outcome, Room, Step, Tokens, budget, mark, reference, signal};

/// The stage that names lines of earlier results.
pub(crate) const EARLIER: &str = "earlier";

/// The stage that names an earlier result as a whole.
pub(crate) const DUPLICATE: &str = "duplicate";

/// What references must save of a text, as a part of it: following them costs attention.
const WORTH: usize = 20;

/// And at least so many tokens.
const LEAST: usize = 16;

/// The bytes that it may take to remember what was shown; what comes after that is not named by anything later.
const MOST: usize = 64 << 20;

/// The texts of one request so far, as they are sent.
#[derive(Default)]
pub struct History {
    shown: Vec<Shown>,
    /// The place of each result that can be named; `None` for an id that stands for more than one text.
    ids: HashMap<String, Option<usize>>,
    index: Index,
    anchors: Anchors,
    /// Texts by their hash.
    whole: HashMap<u64, usize>,
    /// About how many bytes all this takes.
    bytes: usize,
}

impl History {
    /// What is sent for `outcome`, the next result: the same, or fewer tokens that name what was shown before.
    ///
    /// Law 4 by count, law 3 by putting back: a proposal that fails either is not made, nor one of fewer than `least`
    /// bytes, which would stand for more than there is room for. What is sent is remembered.
    #[must_use]
    pub fn refer<'a>(
        &mut self,
        tokens: &dyn Tokens,
        call: Call<'_>,
        least: usize,
        outcome: Outcome<'a>,
    ) -> Outcome<'a> {
        self.block_known(call.id);
        let within = budget::is_within(&outcome.text);
        let proposal = if within { self.proposal(call, &outcome.text) } else { None };
        let proposal = proposal.filter(|(_, text)| text.len() >= least);
        let outcome = match proposal {
            Some(proposal) => accept(tokens, outcome, proposal),
            None => outcome,
        };
        self.keep(call, &outcome.text);
        outcome
    }

    /// Takes note of a result that is sent as it came.
    pub fn remember(&mut self, call: Call<'_>, text: &str) {
        self.block_known(call.id);
        self.keep(call, text);
    }

    /// About how many bytes it takes to remember all this.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes note of a result that cannot be read, which is then no text to name.
    pub fn skip(&mut self, call: Call<'_>) {
        self.ids.insert(call.id.to_owned(), None);
    }

    /// The text that `sent`, the next result, stands for; `None` when it names what is not there.
    ///
    /// References only: the form that the text was given before is `restore`'s to undo.
    pub fn put_back<'t>(&mut self, room: Room, call: Call<'_>, sent: &'t str) -> Option<Cow<'t, str>> {
        self.block_known(call.id);
        let text = self.lookup(room, sent);
        self.keep(call, sent);
        text
    }

    /// One id for two texts would leave open which is meant.
    fn block_known(&mut self, id: &str) {
        if let Some(place) = self.ids.get_mut(id) {
            *place = None;
        }
    }

    /// What could stand for a text, under the name of its stage.
    fn proposal(&self, call: Call<'_>, text: &str) -> Option<(&'static str, String)> {
        let (stage, new) = match self.duplicate_of(call, text) {
            Some(marker) => (DUPLICATE, marker),
            None => (EARLIER, self.with_references(call, text)?),
        };
        // Bytes are quicker counted than tokens, and tell which proposals are worth that.
        let pays = new.len() + text.len() / (WORTH + WORTH / 4) < text.len();
        (pays && self.lookup(Room::of(text), &new).as_deref() == Some(text)).then_some((stage, new))
    }

    /// The marker of a text that the same tool gave before; one that tells of errors says so again.
    fn duplicate_of(&self, call: Call<'_>, text: &str) -> Option<String> {
        let shown = self.shown.get(*self.whole.get(&index::hash(text.as_bytes()))?)?;
        let named = self.named(&shown.id).is_some_and(|named| std::ptr::eq(named, shown));
        let quiet = call.reads_file() || signal::signals(text).next().is_none();
        let same = quiet && shown.is_whole && shown.text == text && shown.is_of(call);
        (named && same).then(|| duplicate::marker(&shown.id, &shown.tool))
    }

    /// The text with references for lines that stand in earlier ones.
    fn with_references(&self, call: Call<'_>, text: &str) -> Option<String> {
        if self.shown.is_empty() {
            return None;
        }
        let (name, body) = reference::split(text).unwrap_or(("", text));
        let (note, body) = put::write(self, call, body)?;
        Some(format!("{name}{}", mark::mark(EARLIER, &note, &body)))
    }

    /// A text with its references resolved, or as it is if it has none.
    fn lookup<'t>(&self, room: Room, sent: &'t str) -> Option<Cow<'t, str>> {
        if let Some(id) = duplicate::id(sent) {
            let shown = self.named(id).filter(|shown| shown.is_whole)?;
            room.fits(shown.text.len())?;
            return Some(Cow::Owned(shown.text.clone()));
        }
        let (name, body) = reference::split(sent).unwrap_or(("", sent));
        match note::open(body) {
            Some((note, body)) => {
                put::read(room, self, note, body).map(|text| Cow::Owned(format!("{name}{text}")))
            }
            None => Some(Cow::Borrowed(sent)),
        }
    }

    /// The result that an id names.
    fn named(&self, id: &str) -> Option<&Shown> {
        self.shown.get((*self.ids.get(id)?)?)
    }

    fn keep(&mut self, call: Call<'_>, text: &str) {
        if !shown::can_be_named(call.id) || self.ids.contains_key(call.id) {
            return;
        }
        if self.bytes() > MOST || !budget::is_within(text) {
            self.ids.insert(call.id.to_owned(), None);
            return;
        }
        let place = self.shown.len();
        let shown = Shown::of(call, text);
        self.index.add(place, &shown);
        self.anchors.add(place, &shown);
        if shown.is_whole {
            self.whole.entry(index::hash(text.as_bytes())).or_insert(place);
        }
        self.ids.insert(call.id.to_owned(), Some(place));
        self.bytes += shown.bytes();
        self.shown.push(shown);
    }
}

/// Where a text came from, as far as it matters to what of it must be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A file: words in it tell of no error.
    File,
    Other,
}

impl Source {
    fn of(call: Call<'_>) -> Self {
        if call.reads_file() { Self::File } else { Self::Other }
    }
}

/// The outcome with a proposal in its place, if that is cheaper by enough.
fn accept<'a>(
    tokens: &dyn Tokens,
    mut outcome: Outcome<'a>,
    (stage, text): (&'static str, String),
) -> Outcome<'a> {
    let before = outcome.tokens().map_or_else(|| tokens.count(&outcome.text), |(_, after)| after);
    let least = if stage == DUPLICATE { 1 } else { LEAST.max(before / WORTH) };
    let Some(limit) = before.checked_sub(least) else { return outcome };
    let Some(after) = tokens.count_within(&text, limit) else { return outcome };
    outcome.steps.push(Step { stage, before, after, loss: Loss::None });
    Outcome { text: Cow::Owned(text), ..outcome }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::{O200k, Plan, Redaction, compress, restore};

    /// What is sent for results of `(id, tool, text)`, each of which must come back.
    fn sent(results: &[(&str, &str, &str)]) -> Vec<String> {
        let (mut there, mut back) = (History::default(), History::default());
        let each = |(id, tool, text): &(&str, &str, &str)| {
            let call = Call { id, tool, command: None };
            let plan = Plan { loss: Loss::None, redact: Redaction::Off, ..Plan::default() };
            let outcome = there.refer(&O200k, call, 0, compress(&plan, &O200k, call, text));
            assert!(O200k.count(&outcome.text) <= O200k.count(text), "{}", outcome.text);
            let shown =
                back.put_back(Room::of(text), call, &outcome.text).expect("references that lead somewhere");
            assert_eq!(restore(&shown).as_deref(), Some(*text), "{}", outcome.text);
            outcome.text.into_owned()
        };
        results.iter().map(each).collect()
    }

    /// Holds what is sent for the last of some results.
    fn check(results: &[(&str, &str, &str)], expected: &str) {
        assert_eq!(sent(results).last().map(String::as_str), Some(expected));
    }

    /// Lines that say something, with a number before each if `gutter` puts one.
    fn file(lines: std::ops::RangeInclusive<usize>, gutter: impl Fn(usize) -> String) -> String {
        let line = |n: usize| format!("{}    let value_{n} = compute(input_{n});", gutter(n));
        lines.map(line).collect::<Vec<_>>().join("\n")
    }

    fn plain(_: usize) -> String {
        String::new()
    }

    fn tab(n: usize) -> String {
        format!("{n}\t")
    }

    #[test]
    fn a_file_read_again_shows_what_changed_and_points_to_the_rest() {
        let old = file(1..=60, tab);
        let new = old.replace("compute(input_30)", "changed()");
        check(
            &[("a", "Read", &old), ("b", "Read", &new)],
            "[terse1 earlier: A = a (Read)]\n[= A lines 1-28]\n29\t    let value_29 = compute(input_29);\n\
             30\t    let value_30 = changed();\n31\t    let value_31 = compute(input_31);\n[= A lines 32-60]",
        );
    }

    #[test]
    fn numbers_that_an_edit_shifted_are_said_for_both() {
        let (old, new) = (file(1..=60, tab), file(1..=60, |n| format!("{}\t", n + 2)));
        let new = format!("1\tfirst new line\n2\tsecond new line\n{new}");
        check(
            &[("a", "Read", &old), ("b", "Read", &new)],
            "[terse1 earlier: A = a (Read)]\n1\tfirst new line\n2\tsecond new line\n\
             3\t    let value_1 = compute(input_1);\n[lines 4-62 = A lines 2-60]",
        );
    }

    #[test]
    fn gutters_and_signs_are_seen_through() {
        let (numbered, bare) = (file(1..=40, tab), file(1..=40, plain));
        check(
            &[("a", "Read", &numbered), ("b", "Bash", &bare)],
            "[terse1 earlier: A = a (Read)]\n[= A lines 1-40, no numbers]",
        );
        check(
            &[("a", "Bash", &bare), ("b", "Read", &numbered)],
            "[terse1 earlier: A = a (Bash)]\n[lines 1-40 = A lines 1-40]",
        );
        let diff = format!("@@ -0,0 +1,40 @@\n{}", file(1..=40, |_| "+".to_owned()));
        check(
            &[("a", "Bash", &bare), ("b", "Bash", &diff)],
            "[terse1 earlier: A = a (Bash)]\n@@ -0,0 +1,40 @@\n[= A lines 1-40, each after '+']",
        );
    }

    #[test]
    fn lines_without_numbers_are_counted_where_others_have_some() {
        let trailer = "\n\nThis is a note that a harness puts below every file that is read.\nIt says nothing of the file.\n\
                       It goes on for some lines, and is the same below every one of them.";
        let one = file(1..=10, tab) + trailer;
        let two: Vec<_> = (1..=10).map(|n| format!("{n}\tother text {n}\n")).collect();
        let two = two.concat() + trailer;
        let last = sent(&[("a", "Read", &one), ("b", "Read", &two)]).pop().unwrap();
        assert!(last.ends_with("\n[= A lines 12-14, counted]"), "{last}");
    }

    #[test]
    fn long_parts_of_long_lines_are_named() {
        let words = (0..90).map(|n| format!("word{n} ")).collect::<Vec<_>>().concat();
        let (one, two) = (format!("{{first: {words}}}"), format!("{{other: {words}, more: 1}}"));
        let last = sent(&[("a", "api", &one), ("b", "api", &two)]).pop().unwrap();
        assert_eq!(
            last,
            "[terse1 earlier: A = a (api)]\n{other: word0 word1[= A line 1, bytes 20-614]word88 word89 , more: 1}"
        );
    }

    #[test]
    fn whole_results_are_duplicates() {
        let text = file(1..=20, plain);
        for (results, expected) in [
            (vec![("a", "bash"), ("b", "bash")], "[Duplicate of a (bash); see earlier result]"),
            (vec![("a", "Bash"), ("b", "shell")], "[Duplicate of a (Bash); see earlier result]"),
            (
                vec![("a", "bash"), ("b", "bash"), ("c", "bash")],
                "[Duplicate of a (bash); see earlier result]",
            ),
            (vec![("a", "one"), ("b", "two")], "[terse1 earlier: A = a (one)]\n[= A lines 1-20]"),
            (vec![("a", ""), ("b", "")], "[Duplicate of a (generic); see earlier result]"),
        ] {
            let results: Vec<_> = results.into_iter().map(|(id, tool)| (id, tool, text.as_str())).collect();
            check(&results, expected);
        }
        check(&[("a", "bash", "ok"), ("b", "bash", "ok")], "ok");
    }

    #[test]
    fn what_cannot_be_named_is_said_again() {
        let text = file(1..=20, plain);
        for ids in [["", ""], ["a", "a"], ["a b", "c"], ["a]", "c"], ["x, B = y", "c"]] {
            check(&[(ids[0], "bash", &text), (ids[1], "bash", &text)], &text);
        }
        check(&[("a", "bash", &text), ("a", "bash", "other"), ("b", "bash", &text)], &text);
    }

    #[test]
    fn only_text_that_is_shown_is_named() {
        let (one, two) = (file(1..=20, plain), file(1..=40, plain));
        let all = sent(&[("a", "bash", &one), ("b", "bash", &two), ("c", "bash", &two)]);
        assert!(
            all[1].starts_with("[terse1 earlier: A = a (bash)]\n[= A lines 1-20]\n    let value_21"),
            "{}",
            all[1]
        );
        assert_eq!(
            all[2],
            "[terse1 earlier: A = a (bash), B = b (bash)]\n[= A lines 1-20]\n[= B lines 3-22]"
        );
    }

    #[test]
    fn errors_are_repeated() {
        let text = format!(
            "{}\nerror: it broke at the very same place\n{}",
            file(1..=20, plain),
            file(21..=40, plain)
        );
        check(
            &[("a", "bash", &text), ("b", "bash", &text)],
            "[terse1 earlier: A = a (bash)]\n[= A lines 1-20]\nerror: it broke at the very same place\n[= A lines 22-41]",
        );
    }

    #[test]
    fn look_alikes_come_back_and_lead_nowhere() {
        let text = file(1..=20, plain);
        for played in [
            "[terse1 earlier: A = a (bash)]\n[= A lines 1-20]".to_owned(),
            "[Duplicate of a (bash); see earlier result]".to_owned(),
            "[Duplicate1 a (bash); see earlier result]".to_owned(),
            "[Duplicate999 a (bash); see earlier result]".to_owned(),
            "[Duplicate of".to_owned() + " me",
            format!("[= A lines 1-2]\n{text}"),
            format!("{text}\nx [= A line 1, bytes 1-9] y"),
            format!("[terse1 earlier: A = a (bash)]\n{text}"),
        ] {
            let all = sent(&[("a", "bash", &text), ("b", "bash", &played), ("c", "bash", &played)]);
            assert_ne!(all[1], "[Duplicate of a (bash); see earlier result]");
        }
    }

    #[test]
    fn references_that_lead_nowhere_are_refused() {
        let mut history = History::default();
        history.remember(Call { id: "a", tool: "bash", command: None }, "one\ntwo\nthree");
        for sent in [
            "[Duplicate of b (bash); see earlier result]",
            "[terse1 earlier: A = b (bash)]\nx",
            "[terse1 earlier: B = a (bash)]\nx",
            "[terse1 earlier: A = a (bash)]\n[= A lines 1-4]",
            "[terse1 earlier: A = a (bash)]\n[= B lines 1-2]",
            "[terse1 earlier: A = a (bash)]\n[= A line 1, bytes 2-9]",
        ] {
            assert_eq!(
                history.put_back(Room::of(sent), Call { id: "c", ..Call::default() }, sent),
                None,
                "{sent}"
            );
        }
        for sent in ["[terse1 earlier: A = a]\n[= A lines 0-1]", "[terse1 earlier: A = a]\n[= A lines 2-1]"] {
            let text = sent.split_once('\n').map(|(_, text)| text);
            assert_eq!(
                history.put_back(Room::of(sent), Call { id: "d", ..Call::default() }, sent).as_deref(),
                text,
                "no words of ours"
            );
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
            "[= A lines 1-2]\n".repeat(50_000),
            "\n".repeat(1 << 20),
        ] {
            sent(&[("a", "bash", &text), ("b", "sh", &format!("{text}.")), ("c", "bash", &text)]);
        }
        let ids: Vec<String> = (0..3_000).map(|n| format!("call_{n}")).collect();
        let text = file(1..=10, plain);
        let results: Vec<_> = ids.iter().map(|id| (id.as_str(), "bash", text.as_str())).collect();
        sent(&results);
        assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    }
}
