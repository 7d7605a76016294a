//! Removes lines from a cut result if they have not changed since the same command was last run.
//!
//! Agents look at the same screen and run the same tests again and again. Each output is cut on its own and would
//! repeat lines of the previous one; a single line replaces these. Restoring it needs no lookup: the cut result refers
//! to its original anyway, and the original contains those lines.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tersely_stage::signal;

use crate::pipeline::reference;

/// The name of this stage.
pub(crate) const SINCE: &str = "since";

/// The maximum number of consecutive outputs that leave out unchanged lines. The next output is shown as if it were the
/// first.
pub(super) const MAX_REPEATS: usize = 8;

/// The minimum number of lines in a run that is left out.
const MIN_LINES: usize = 8;

/// The minimum number of bytes that leaving out a run must save.
const MIN_SAVED_BYTES: usize = 80;

/// The minimum length, in bytes, of a line that can identify a run.
const MIN_ANCHOR_BYTES: usize = 6;

/// The number of lines that are shown on each side of an error.
const LINES_BESIDE_ERROR: usize = 3;

/// The beginning of the earlier output's name, and its replacement: "the last" output is now this one.
const LAST: &str = "the last ";
const PREVIOUS: &str = "the previous ";

/// Added to the mark if the previous output did not show all of the lines either.
const UNSEEN: &str = ", not all shown there";

/// The originals of a cut text (`new`) and of the earlier result called `name` (`old`).
pub(super) struct SinceSubject<'s> {
    pub(super) name: &'s str,
    pub(super) old: &'s str,
    /// The text that was sent for `old`.
    pub(super) shown: &'s str,
    pub(super) new: &'s str,
}

/// The cut text `sent` without its unchanged lines.
pub(super) fn shorten(subject: &SinceSubject<'_>, sent: &str) -> Option<String> {
    let (name_line, shown) = reference::split(sent)?;
    let [old, new] = [subject.old, subject.new].map(|text| text.lines().collect::<Vec<_>>());
    let mut items = items(&new, shown)?;
    let runs = runs(&old, &new);
    let near_errors = near_errors(&items);
    for (item, _) in items.iter_mut().zip(near_errors).filter(|(_, is_near)| !is_near) {
        item.run = runs.iter().position(|run| item.at.start >= run.start && item.at.end <= run.end);
    }
    let there: HashSet<&str> = subject.shown.lines().collect();
    let mut out = name_line.to_owned();
    for part in items.chunk_by(|one, two| one.run == two.run) {
        match mark(subject.name, part, |at| new[at].iter().all(|line| there.contains(line))) {
            Some(mark) => out.push_str(&mark),
            None => part.iter().for_each(|item| out.push_str(item.text)),
        }
    }
    (out.len() < sent.len()).then_some(out)
}

/// A line of a cut text.
struct CutItem<'t> {
    text: &'t str,
    /// The lines of the original that this line shows or marks as left out.
    at: Range<usize>,
    /// The unchanged run that this line belongs to, if the line may be left out with it.
    run: Option<usize>,
}

/// The lines of `shown`. Each must be a line of `original` or a mark for lines that were left out.
fn items<'t>(original: &[&str], shown: &'t str) -> Option<Vec<CutItem<'t>>> {
    let mut next = 0;
    let item = |text: &'t str| {
        let line = text.lines().next().unwrap_or_default();
        let at = match missing(line) {
            Some(at) => Some(at).filter(|at| at.start == next)?,
            None => shows(line, original.get(next)?).then_some(next..next + 1)?,
        };
        next = at.end;
        Some(CutItem { text, at, run: None })
    };
    shown.split_inclusive('\n').map(item).collect()
}

/// The range of lines that a mark in `line` declares as left out.
fn missing(line: &str) -> Option<Range<usize>> {
    let inside = line.strip_prefix("[line")?.strip_suffix(" left out]")?;
    let (first, last) = match inside.strip_prefix("s ") {
        Some(range) => range.split_once('-')?,
        None => (inside.strip_prefix(' ')?, inside.strip_prefix(' ')?),
    };
    let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
    (first > 0 && first <= last).then(|| first - 1..last)
}

/// True when `line` equals `full`, or is a truncated form of it with a mark.
fn shows(line: &str, full: &str) -> bool {
    let begins =
        || line.strip_suffix(" more characters left out]")?.rsplit_once(" [").map(|(start, _)| start);
    line == full || begins().is_some_and(|start| full.starts_with(start))
}

/// For each line, whether it is an error or close to one.
fn near_errors(items: &[CutItem<'_>]) -> Vec<bool> {
    let errors: Vec<usize> =
        items.iter().filter(|item| signal::find(item.text).is_some()).map(|item| item.at.start).collect();
    let near = |item: &CutItem<'_>| {
        let first = errors.partition_point(|at| at + LINES_BESIDE_ERROR < item.at.start);
        errors.get(first).is_some_and(|at| *at < item.at.end + LINES_BESIDE_ERROR)
    };
    items.iter().map(near).collect()
}

/// The runs of consecutive lines of `new` that also occur consecutively in `old`, in order.
fn runs(old: &[&str], new: &[&str]) -> Vec<Range<usize>> {
    let [places, here] = [old, new].map(unique_lines);
    let mut runs = Vec::new();
    let (mut at, mut from) = (0, 0);
    while let Some(line) = new.get(at) {
        let Some(Some(place)) = places.get(line).filter(|_| here.get(line).is_some_and(Option::is_some))
        else {
            at += 1;
            continue;
        };
        let back = new[from..at].iter().rev().zip(old[..*place].iter().rev());
        let start = at - back.take_while(|(one, two)| one == two).count();
        at += new[at..].iter().zip(&old[*place..]).take_while(|(one, two)| one == two).count();
        from = at;
        runs.push(start..at);
    }
    runs.retain(|run| run.len() >= MIN_LINES);
    runs
}

/// The index of each line that is long enough; `None` for lines that occur more than once.
fn unique_lines<'t>(lines: &[&'t str]) -> HashMap<&'t str, Option<usize>> {
    let mut places = HashMap::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.trim().len() >= MIN_ANCHOR_BYTES) {
        places.entry(*line).and_modify(|place| *place = None).or_insert(Some(at));
    }
    places
}

/// The mark that replaces lines of a run, if it is much shorter than they are; `is_shown` returns whether the earlier
/// output shows all of the lines.
fn mark(name: &str, part: &[CutItem<'_>], is_shown: impl Fn(Range<usize>) -> bool) -> Option<String> {
    let (first, last) = (part.first().filter(|first| first.run.is_some())?, part.last()?);
    let at = first.at.start..last.at.end;
    let since = name.strip_prefix(LAST).map_or(name.to_owned(), |name| format!("{PREVIOUS}{name}"));
    let shown = if is_shown(at.clone()) { "" } else { UNSEEN };
    let mark = format!("[lines {}-{} left out: unchanged since {since}{shown}]\n", at.start + 1, at.end);
    let bytes: usize = part.iter().map(|item| item.text.len()).sum();
    (last.at.end - first.at.start >= MIN_LINES && bytes >= mark.len() + MIN_SAVED_BYTES).then_some(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMED: &str = "<<<SHADOW:shadow_00000000000000000000000000000000>>>\n";

    const NAME: &str = "the last output of watch above";

    const SAID: &str = "the previous output of watch above";

    /// Checks the text that is sent for a cut text; line `n` of an output contains its number.
    fn check(old: &[&str], new: &[&str], shown: &str, expected: Option<&str>) {
        let (old, new) = (old.join("\n"), new.join("\n"));
        let subject = SinceSubject { name: NAME, old: &old, shown: &old, new: &new };
        let sent = shorten(&subject, &format!("{NAMED}{shown}"));
        let sent = sent.as_deref().map(|text| text.strip_prefix(NAMED).expect("the name"));
        assert_eq!(sent, expected);
    }

    fn output(from: usize, to: usize) -> Vec<String> {
        (from..=to).map(|n| format!("step {n} of the long work is done in {} ms", n * 7)).collect()
    }

    fn lines(output: &[String]) -> Vec<&str> {
        output.iter().map(String::as_str).collect()
    }

    #[test]
    fn what_is_unchanged_is_said_to_be() {
        let (old, new) = (output(1, 40), output(9, 44));
        let shown = format!("{}\n[lines 7-30 left out]\n{}\n", new[..6].join("\n"), new[30..].join("\n"));
        let expected = format!("[lines 1-32 left out: unchanged since {SAID}]\n{}\n", new[32..].join("\n"));
        check(&lines(&old), &lines(&new), &shown, Some(&expected));
    }

    /// The mark must not send a reader to lines that were never shown.
    #[test]
    fn what_was_not_shown_before_is_said_not_to_be() {
        let output = output(1, 40);
        let text = output.join("\n");
        let cut = format!("{NAMED}{}\n[lines 21-40 left out]\n", output[..20].join("\n"));
        let subject = SinceSubject { name: NAME, old: &text, shown: &cut, new: &text };
        let expected = format!("{NAMED}[lines 1-40 left out: unchanged since {SAID}, not all shown there]\n");
        assert_eq!(shorten(&subject, &cut), Some(expected));
        let seen = SinceSubject { shown: &text, ..subject };
        let expected = format!("{NAMED}[lines 1-40 left out: unchanged since {SAID}]\n");
        assert_eq!(shorten(&seen, &cut), Some(expected));
    }

    #[test]
    fn what_tells_of_an_error_is_shown_again() {
        let (mut old, mut new) = (output(1, 40), output(9, 44));
        (old[20], new[12]) = ("error: no such file".into(), "error: no such file".into());
        let shown = format!("{}\n[lines 17-36 left out]\n", new[..16].join("\n"));
        let mark = format!("[lines 1-9 left out: unchanged since {SAID}]\n");
        let expected = format!("{mark}{}\n[lines 17-36 left out]\n", new[9..16].join("\n"));
        check(&lines(&old), &lines(&new), &shown, Some(&expected));
    }

    #[test]
    fn a_gap_that_holds_something_else_too_stays() {
        let (old, new) = (output(1, 20), output(1, 44));
        let shown = format!("{}\n[lines 13-40 left out]\n{}\n", new[..12].join("\n"), new[40..].join("\n"));
        let expected = format!(
            "[lines 1-12 left out: unchanged since {SAID}]\n[lines 13-40 left out]\n{}\n",
            new[40..].join("\n")
        );
        check(&lines(&old), &lines(&new), &shown, Some(&expected));
    }

    #[test]
    fn what_is_not_lines_of_the_original_is_left_alone() {
        let new = output(1, 30);
        let whole = format!("{}\n", new.join("\n"));
        check(&lines(&new), &lines(&new), &whole.replace("step 3 ", "stop 3 "), None);
        check(&lines(&new), &lines(&new), &whole.replace("step 3 ", "[lines 9-12 left out]\nstep 3 "), None);
        check(&lines(&output(50, 90)), &lines(&new), &whole, None);
        check(&["same"; 30], &["same"; 30], &"same\n".repeat(30), None);
    }

    #[test]
    fn words_for_missing_lines_are_read() {
        for (line, expected) in [
            ("[line 3 left out]", Some(2..3)),
            ("[lines 3-9 left out]", Some(2..9)),
            ("[lines 0-9 left out]", None),
            ("[lines 9-3 left out]", None),
            ("[lines 3 left out]", None),
            ("[line 3-4 left out]", None),
            ("[3 lines left out]", None),
        ] {
            assert_eq!(missing(line), expected, "{line}");
        }
        assert!(shows("a long [7 more characters left out]", "a long sentence"));
        assert!(!shows("a short [7 more characters left out]", "a long sentence"));
    }
}
