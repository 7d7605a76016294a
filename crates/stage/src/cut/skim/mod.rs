//! Shortens long output that nobody edits to what a reader skims: head, tail, errors and leading lines.
//!
//! Markers give the numbers of the omitted lines, with which these lines can be fetched. So a text that another stage
//! has already cut is left unchanged, because its line numbers differ from those of the original. Another stage cuts
//! JSON, at the ends of its values.

mod budget;
mod lead;
mod wide;

use self::budget::Budget;
use crate::class::{CutClass, Omission};
use crate::cut::alike;
use crate::lines;
use crate::plan::{Loss, Mode, Reader};
use crate::read::{json, table};
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;
use crate::{omit, signal};

/// The cut for long texts that are read, not edited.
pub(crate) struct Skim;

/// The number of lines kept before an error, and after it.
const ERROR_CONTEXT_LINES: (usize, usize) = (1, 2);

/// A run of lines with fewer bytes costs no more than its marker.
const MIN_RUN_BYTES: usize = 120;

/// A reader may need any row of a table, so tables get this many times the room of other texts.
const TABLE_ROOM_FACTOR: usize = 2;

/// Maximum number of bytes shown of a leading line.
const LEAD_LINE_BYTES: usize = 160;

/// If the longest line is more than this fraction of a text, the text does not consist of lines.
const LONGEST_LINE_DIVISOR: usize = 4;

impl Stage for Skim {
    fn name(&self) -> &'static str {
        "skim"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn reader(&self) -> Reader {
        Reader::Strong
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Content, &["lines between both ends"])]
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        let times = if table::is_table(text) { TABLE_ROOM_FACTOR } else { 1 };
        let room = scene.room.saturating_mul(times);
        let budget = Budget::of(Scene { room, ..scene }, text)?;
        if budget.is_whole_on_error && signal::signals(text).next().is_some() {
            return None;
        }
        let lines: Vec<&str> = lines::split_inclusive(text).collect();
        let longest = lines.iter().map(|line| line.len()).max()?;
        if longest * LONGEST_LINE_DIVISOR > text.len()
            || json::begin(text).is_some()
            || lines.iter().any(|line| omit::is_marker(line))
        {
            return None;
        }
        let short = match wide::narrow(&lines) {
            Some(short) => short,
            None if alike::is_data(scene, text) => return None,
            None => write(scene.call.first_line(), &lines, &select_lines(&lines, &budget)?),
        };
        // Many small gaps cost a reader more effort than they save.
        (short.len() * 4 <= text.len() * 3).then_some(Edit {
            text: short,
            loss: Loss::Detail,
            note: String::new(),
        })
    }
}

/// How much of a line is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineView {
    Nothing,
    Beginning,
    Whole,
}

/// For each line, how much of it is shown; `None` if head and tail meet.
fn select_lines(lines: &[&str], budget: &Budget) -> Option<Vec<LineView>> {
    let head = omit::lines_within(lines.iter(), budget.head);
    let tail = lines.len() - omit::lines_within(lines.iter().rev(), budget.tail);
    if head >= tail {
        return None;
    }
    let mut shown = vec![LineView::Whole; lines.len()];
    shown[head..tail].fill(LineView::Nothing);
    for at in head..tail {
        if signal::find(lines[at].trim_end()).is_some() {
            let near =
                at.saturating_sub(ERROR_CONTEXT_LINES.0)..(at + ERROR_CONTEXT_LINES.1 + 1).min(lines.len());
            shown[near].fill(LineView::Whole);
        }
    }
    lead_on(lines, &mut shown, budget);
    Some(shown)
}

/// The approximate size of the marker in front of a shown line, in bytes.
const MARKER_BYTES: usize = 20;

/// Shows leading lines while there is room, the most important kinds first. If there are too many lines of a kind, a
/// sample from the whole text is shown.
fn lead_on(lines: &[&str], shown: &mut [LineView], budget: &Budget) {
    let leads = lead::leads(lines);
    let mut room = budget.between;
    let cost = |at: usize| lines[at].len().min(LEAD_LINE_BYTES) + MARKER_BYTES;
    for kind in budget.leads {
        let of_kind = |at: &usize| leads[*at] == Some(*kind) && shown[*at] == LineView::Nothing;
        let places: Vec<usize> = (0..lines.len()).filter(of_kind).collect();
        let all: usize = places.iter().map(|at| cost(*at)).sum();
        for at in places.into_iter().step_by(all.div_ceil(room.max(1)).max(1)) {
            if cost(at) > room {
                return;
            }
            room -= cost(at);
            shown[at] = LineView::Beginning;
        }
    }
}

/// Writes the shown lines, and markers with the numbers of the omitted lines. If the text is part of a file and
/// begins at line `start`, markers also give the line numbers in the file.
fn write(start: Option<usize>, lines: &[&str], shown: &[LineView]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for run in shown.chunk_by(|one, two| one == two) {
        let part = &lines[at..at + run.len()];
        at += run.len();
        match run[0] {
            LineView::Nothing if part.iter().map(|line| line.len()).sum::<usize>() >= MIN_RUN_BYTES => {
                let first = at + 1 - part.len();
                out.push_str(&match start.filter(|start| *start > 1) {
                    Some(start) => omit::numbered_in_file(start, first, at),
                    None => omit::numbered_lines(first, at),
                });
                out.push('\n');
            }
            LineView::Beginning => part.iter().for_each(|line| {
                out.push_str(&omit::clip(line.trim_end(), LEAD_LINE_BYTES));
                out.push('\n');
            }),
            _ => out.extend(part.iter().copied()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;

    /// The room for a text in bytes.
    const ROOM: usize = 3_100;

    fn skim(tool: &str, command: &str, text: &str) -> Option<String> {
        let call = Call { tool, command: Some(command), ..Call::default() };
        Skim.apply(Scene { room: ROOM, ..Scene::of(&Plan::default(), call) }, &TextView::new(text))
            .map(|edit| edit.text)
    }

    /// Behaviour 0.20: for a part of a file, markers also give the line numbers in the file.
    #[test]
    fn lines_of_a_file_have_its_numbers() {
        let line = |at: usize| {
            format!("worker {} of the pool has taken job {at} from the queue\n", "x".repeat(at % 40))
        };
        let text: String = (0..400).map(line).collect();
        let shown = skim("bash", "sed -n '2001,2400p' logs/app.log", &text).expect("an edit");
        let gap = shown.lines().find(|line| line.contains(" left out")).expect("a gap");
        let (first, of_file) = gap.split_once(" left out: ").expect("both numbers");
        let number = |words: &str| {
            words.split(['-', ' ']).find_map(|word| word.parse::<usize>().ok()).expect("a number")
        };
        assert_eq!(number(first.trim_start_matches("[lines ")) + 2000, number(of_file), "{gap}");
        let whole = skim("bash", "cat logs/app.log", &text).expect("an edit");
        assert!(!whole.contains("of the file"), "{whole}");
    }

    /// The output of a program, with `odd` in the middle.
    fn output(odd: &str) -> String {
        let line = |at: usize| match at % 10 {
            0 => format!("* Ran step {at}\n"),
            1 => "\n".to_owned(),
            _ => format!("    one of the things that step number {at} did on its way\n"),
        };
        let half = |range: std::ops::Range<usize>| range.map(line).collect::<String>();
        half(0..100) + odd + &half(100..200)
    }

    #[test]
    fn ends_and_leads_stay() {
        let text = output("");
        for (tool, command) in [("bash", "tmux capture-pane -p"), ("bash", "./work.sh"), ("get_report", "x")]
        {
            let out = skim(tool, command, &text).expect("a long text");
            assert!(out.starts_with("* Ran step 0\n") && out.ends_with(&text[text.len() - 500..]), "{out}");
            assert!(out.contains("\n* Ran step 100\n[lines "), "{out}");
            assert!(out.len() * 2 < text.len(), "{out}");
        }
    }

    /// Behaviour 3.23: missing lines can be fetched by the numbers in the markers.
    #[test]
    fn missing_lines_are_numbered_as_in_the_original() {
        let text = output("");
        let lines: Vec<&str> = text.lines().collect();
        let out = skim("bash", "./work.sh", &text).expect("a long text");
        let (mut at, mut gaps) = (0, 0);
        for line in out.lines() {
            let gap = line.strip_prefix("[lines ").and_then(|rest| rest.strip_suffix(" left out]"));
            if let Some((first, last)) = gap.and_then(|range| range.split_once('-')) {
                assert_eq!(first.parse(), Ok(at + 1), "{line}");
                at = last.parse().expect("a number");
                gaps += 1;
            } else {
                assert_eq!(line, lines[at]);
                at += 1;
            }
        }
        assert_eq!(at, lines.len());
        assert!(gaps > 2, "{out}");
    }

    /// Behaviour 3.15.
    #[test]
    fn errors_stay_whole_with_what_stands_around_them() {
        let odd = format!("error: it broke {}\n", "because of this and that ".repeat(20));
        assert_eq!(skim("bash", "./work.sh", &output(&odd)), None, "a run that failed is shown whole");
        let out = skim("bash", "tmux capture-pane -p", &output(&odd)).expect("a long text");
        assert!(out.contains(&format!("step number 99 did on its way\n{odd}* Ran step 100\n\n")), "{out}");
    }

    #[test]
    fn leads_that_are_long_are_clipped() {
        let odd = format!("Summary: {}\n", "all went well ".repeat(20));
        let out = skim("bash", "./work.sh", &output(&odd)).expect("a long text");
        assert!(
            out.contains("\nSummary: all went well") && out.contains(" more characters left out]\n"),
            "{out}"
        );
    }

    #[test]
    fn what_may_be_edited_or_asked_for_by_name_stays_whole() {
        let text = output("");
        let numbered = text.lines().enumerate().map(|(at, line)| format!("{at:6}\t{line}\n"));
        let numbered = numbered.collect::<Vec<_>>().concat();
        for (tool, command, text) in [
            ("Read", "notes.txt", &text),
            ("bash", "cat notes.txt", &text),
            ("bash", "rg -n step", &text),
            ("bash", "gh api x --jq .content | base64 -d", &text),
            ("bash", "./show.sh", &numbered),
            ("bash", "./work.sh", &output("diff --git a/x b/x\n")),
            ("bash", "./work.sh", &output("[9 lines left out: more]\n")),
            ("bash", "./work.sh", &text[..3_000].to_owned()),
            ("bash", "./work.sh", &"x".repeat(20_000)),
            ("bash", "./work.sh", &format!("Output:\n{{\"a\":[\n{}]}}", "  1,\n".repeat(3_000))),
            ("AskUserQuestion", "", &text),
            ("Skill", "deploy", &text),
            ("", "", &text),
        ] {
            assert_eq!(skim(tool, command, text), None, "{tool} {command}");
        }
    }
}
