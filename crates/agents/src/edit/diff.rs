//! Shows what patches change in a text: a few lines around, what goes and what comes.
//!
//! The places of change are known, so nothing is searched for, however large the text.

use std::fmt::Write;
use std::ops::Range;

use clap::builder::styling::{AnsiColor, Style};
use tersely_terminal::output::visible;

use crate::edit::patch::{Patch, apply};

const GONE: Style = AnsiColor::Red.on_default();
const NEW: Style = AnsiColor::Green.on_default();
const HEAD: Style = AnsiColor::Cyan.on_default();

/// Lines around a change.
const AROUND: usize = 3;

/// Of a longer line only a part is shown, the part that changes: some files are one line.
const LONG: usize = 400;

/// Characters that are shown beside a change in a long line.
const BESIDE: usize = 60;

/// The changes, in colour. The patches are in order.
pub(crate) fn show(text: &str, patches: &[Patch]) -> String {
    let lines = Lines::of(text);
    let groups = grouped(&lines, patches);
    let mut out = String::new();
    let mut shown = 0;
    for (at, (changed, patches)) in groups.iter().enumerate() {
        let from = changed.start.saturating_sub(AROUND).max(shown);
        if from > shown || at == 0 {
            let _ = writeln!(out, "{HEAD}@@ line {} @@{HEAD:#}", from + 1);
        }
        for line in from..changed.start {
            put(&mut out, ' ', lines.get(line..line + 1));
        }
        let place = lines.place(changed.clone());
        change(&mut out, &text[place.clone()], &inside(text, &place, patches));
        let next = groups.get(at + 1).map_or(lines.starts.len(), |(next, _)| next.start);
        shown = (changed.end + AROUND).min(next);
        for line in changed.end..shown {
            put(&mut out, ' ', lines.get(line..line + 1));
        }
    }
    out
}

/// A text, and where its lines start.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        let after = text.match_indices('\n').map(|(at, _)| at + 1).filter(|at| *at < text.len());
        Self { text, starts: [0].into_iter().chain(after).collect() }
    }

    fn place(&self, lines: Range<usize>) -> Range<usize> {
        let start = |line: usize| self.starts.get(line).copied().unwrap_or(self.text.len());
        start(lines.start)..start(lines.end)
    }

    fn get(&self, lines: Range<usize>) -> &'t str {
        &self.text[self.place(lines)]
    }

    fn holding(&self, place: &Range<usize>) -> Range<usize> {
        let line = |at: usize| self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        line(place.start)..line(place.end) + 1
    }
}

/// The lines that change, each run of them with its patches.
fn grouped<'p>(lines: &Lines<'_>, patches: &'p [Patch]) -> Vec<(Range<usize>, &'p [Patch])> {
    let mut groups: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for (at, patch) in patches.iter().enumerate() {
        let held = lines.holding(&patch.place);
        match groups.last_mut() {
            Some((changed, own)) if held.start <= changed.end => {
                *changed = changed.start..held.end.max(changed.end);
                own.end = at + 1;
            }
            _ => groups.push((held, at..at + 1)),
        }
    }
    groups.into_iter().map(|(changed, own)| (changed, &patches[own])).collect()
}

/// What a part of a text becomes.
fn inside(text: &str, part: &Range<usize>, patches: &[Patch]) -> String {
    let moved = |patch: &Patch| Patch {
        place: patch.place.start - part.start..patch.place.end - part.start,
        text: patch.text.clone(),
    };
    apply(&text[part.clone()], &mut patches.iter().map(moved).collect::<Vec<_>>())
}

/// Lines that go and lines that come; those that both have at either end are only around.
fn change(out: &mut String, old: &str, new: &str) {
    let (old_lines, new_lines): (Vec<_>, Vec<_>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let least = old_lines.len().min(new_lines.len());
    let head = old_lines.iter().zip(&new_lines).take_while(|(old, new)| old == new).count();
    let tail = old_lines.iter().rev().zip(new_lines.iter().rev()).take_while(|(old, new)| old == new);
    let tail = tail.count().min(least - head);
    let middle = |lines: &[&str]| lines[head..lines.len() - tail].concat();
    put(out, ' ', &old_lines[..head].concat());
    let (old_middle, new_middle) = cropped(middle(&old_lines), middle(&new_lines));
    put(out, '-', &old_middle);
    put(out, '+', &new_middle);
    put(out, ' ', &old_lines[old_lines.len() - tail..].concat());
}

/// Both, without what long lines have in common.
fn cropped(old: String, new: String) -> (String, String) {
    if old.lines().chain(new.lines()).all(|line| line.len() <= LONG) {
        return (old, new);
    }
    let same = old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count();
    let rest = (old.chars().count()).min(new.chars().count()) - same;
    let tail = old.chars().rev().zip(new.chars().rev()).take_while(|(old, new)| old == new);
    let tail = tail.count().min(rest);
    let crop = |text: &str| {
        let (skipped, count) = (same.saturating_sub(BESIDE), text.chars().count());
        let end = count - tail.saturating_sub(BESIDE);
        let kept: Vec<_> = text.chars().skip(skipped).take(end - skipped).collect();
        let (first, last) = (kept.len().min(LONG), kept.len().saturating_sub(LONG));
        let kept = if last > first { [&kept[..first], &['…'], &kept[last..]].concat() } else { kept };
        let sign = |is_cut: bool| if is_cut { "…" } else { "" };
        format!("{}{}{}", sign(skipped > 0), kept.into_iter().collect::<String>(), sign(end < count))
    };
    (crop(&old), crop(&new))
}

/// Each line behind a sign, without what could move a cursor.
fn put(out: &mut String, sign: char, text: &str) {
    let style = match sign {
        '-' => GONE,
        '+' => NEW,
        _ => Style::new(),
    };
    for line in text.lines() {
        let seen = visible(&line.chars().take(3 * LONG).collect::<String>());
        let _ = writeln!(out, "{style}{sign}{seen}{style:#}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, patches: &[(Range<usize>, &str)], expected: &str) {
        let patches =
            patches.iter().map(|(place, text)| Patch { place: place.clone(), text: (*text).into() });
        let shown = show(text, &patches.collect::<Vec<_>>());
        let plain: String = shown.split('\u{1b}').enumerate().fold(String::new(), |all, (at, piece)| {
            all + if at == 0 { piece } else { piece.split_once('m').map_or("", |(_, rest)| rest) }
        });
        assert_eq!(plain, expected);
    }

    #[test]
    fn changes_are_shown_with_lines_around() {
        check("a\r\nb\r\nc", &[(3..4, "x")], "@@ line 1 @@\n a\n-b\n+x\n c\n");
        check("a\nb\n", &[(1..1, "\nx")], "@@ line 1 @@\n a\n+x\n b\n");
        check("a", &[(0..1, "b"), (1..1, "\nc")], "@@ line 1 @@\n-a\n+b\n+c\n");
        let lines: String = "0123456789".repeat(2).chars().flat_map(|digit| [digit, '\n']).collect();
        check(
            &lines,
            &[(8..9, "x"), (20..20, "y"), (36..38, "")],
            "@@ line 2 @@\n 1\n 2\n 3\n-4\n+x\n 5\n 6\n 7\n 8\n 9\n-0\n+y0\n 1\n 2\n 3\n@@ line 16 @@\n 5\n 6\n 7\n-8\n 9\n",
        );
    }

    #[test]
    fn a_long_line_is_shown_where_it_changes() {
        let long = format!("{}!{}", "é".repeat(1000), "b".repeat(1000));
        let (left, right) = ("é".repeat(BESIDE), "b".repeat(BESIDE));
        let expected = format!("@@ line 1 @@\n-…{left}!{right}…\n+…{left}??{right}…\n");
        check(&long, &[(2000..2001, "??")], &expected);
        let ends = format!("@@ line 1 @@\n-{0}…{1}\n+x{0}…{1}x\n", "é".repeat(LONG), "b".repeat(LONG));
        assert!(show(&long, &[Patch { place: 0..0, text: "x".into() }]).len() < ends.len());
    }

    #[test]
    fn nothing_in_a_file_moves_the_cursor() {
        check(
            "a\u{1b}[2Jb\u{9b}",
            &[(0..1, "\u{7}")],
            "@@ line 1 @@\n-a\\u{1b}[2Jb\\u{9b}\n+\\u{7}\\u{1b}[2Jb\\u{9b}\n",
        );
    }
}
