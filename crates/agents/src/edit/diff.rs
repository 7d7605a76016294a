//! Shows how a text changes: removed and added lines, with a few unchanged lines around them.

use std::fmt::Write;

use clap::builder::styling::{AnsiColor, Style};
use similar::algorithms::{Capture, Replace, myers};
use similar::{DiffOp, DiffTag, group_diff_ops};
use tersely_terminal::output::visible;

const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const HEADER: Style = AnsiColor::Cyan.on_default();

/// The number of unchanged lines shown around a change.
const CONTEXT_LINES: usize = 3;

/// Of a line longer than this, only the part that changes is shown, because some files consist of a single line.
const MAX_LINE_CHARS: usize = 400;

/// The number of unchanged characters shown on either side of a change in a long line.
const CONTEXT_CHARS: usize = 60;

/// The changes from `old` to `new`, in colour.
pub(crate) fn show(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let mut found = Replace::new(Capture::new());
    // Collecting changes cannot fail.
    let _ = myers::diff(&mut found, &old[..], 0..old.len(), &new[..], 0..new.len());
    let mut out = String::new();
    for hunk in group_diff_ops(found.into_inner().into_ops(), CONTEXT_LINES) {
        let first = hunk.first().map_or(0, |change| change.old_range().start);
        let _ = writeln!(out, "{HEADER}@@ line {} @@{HEADER:#}", first + 1);
        for (tag, before, after) in hunk.iter().map(DiffOp::as_tag_tuple) {
            let (before, after) = (old[before].concat(), new[after].concat());
            if tag == DiffTag::Equal {
                put(&mut out, ' ', &before);
                continue;
            }
            let (before, after) = crop_common(before, after);
            put(&mut out, '-', &before);
            put(&mut out, '+', &after);
        }
    }
    out
}

/// Both texts, shortened where long lines are the same.
fn crop_common(old: String, new: String) -> (String, String) {
    if old.lines().chain(new.lines()).all(|line| line.len() <= MAX_LINE_CHARS) {
        return (old, new);
    }
    let same = old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count();
    let rest = (old.chars().count()).min(new.chars().count()) - same;
    let tail = old.chars().rev().zip(new.chars().rev()).take_while(|(old, new)| old == new);
    let tail = tail.count().min(rest);
    let crop = |text: &str| {
        let (skipped, count) = (same.saturating_sub(CONTEXT_CHARS), text.chars().count());
        let end = count - tail.saturating_sub(CONTEXT_CHARS);
        let kept: Vec<_> = text.chars().skip(skipped).take(end - skipped).collect();
        let (first, last) = (kept.len().min(MAX_LINE_CHARS), kept.len().saturating_sub(MAX_LINE_CHARS));
        let kept = if last > first { [&kept[..first], &['…'], &kept[last..]].concat() } else { kept };
        let sign = |is_cut: bool| if is_cut { "…" } else { "" };
        format!("{}{}{}", sign(skipped > 0), kept.into_iter().collect::<String>(), sign(end < count))
    };
    (crop(&old), crop(&new))
}

/// Appends each line with a sign in front of it, without control characters that could move the cursor.
fn put(out: &mut String, sign: char, text: &str) {
    let style = match sign {
        '-' => REMOVED,
        '+' => ADDED,
        _ => Style::new(),
    };
    for line in text.lines() {
        let seen = visible(&line.chars().take(3 * MAX_LINE_CHARS).collect::<String>());
        let _ = writeln!(out, "{style}{sign}{seen}{style:#}");
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::edit::patch::{Patch, apply};

    fn check(text: &str, patches: &[(Range<usize>, &str)], expected: &str) {
        let patches =
            patches.iter().map(|(place, text)| Patch { place: place.clone(), text: (*text).into() });
        let shown = show(text, &apply(text, &mut patches.collect::<Vec<_>>()));
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
        let (left, right) = ("é".repeat(CONTEXT_CHARS), "b".repeat(CONTEXT_CHARS));
        let expected = format!("@@ line 1 @@\n-…{left}!{right}…\n+…{left}??{right}…\n");
        check(&long, &[(2000..2001, "??")], &expected);
        let ends = format!(
            "@@ line 1 @@\n-{0}…{1}\n+x{0}…{1}x\n",
            "é".repeat(MAX_LINE_CHARS),
            "b".repeat(MAX_LINE_CHARS)
        );
        assert!(show(&long, &format!("x{long}")).len() < ends.len());
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
