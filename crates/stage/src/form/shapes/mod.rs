//! Lines that differ only in a few values: their words are said once, under a name, and each line is the name and its
//! values: `opened: root,1000`.
//!
//! Every line keeps its place, its indent and its time. A name is a word of the line itself, so that a reader who skips the
//! shapes still sees what happened. A line that tells of an error stays as it came.

mod call;
mod mine;
mod mold;
mod name;
mod shape;
mod unit;

use std::collections::{HashMap, HashSet};

use self::call::{COMMAS, CallExample, CallSigns, Calls};
use self::mine::{LineWords, mine};
use self::mold::Mold;
use self::shape::BRACKETS;
use crate::call::Call;
use crate::form::log;
use crate::form::log::clock::Clock;
use crate::form::log::head::{self, HeadRow};
use crate::form::repeats;
use crate::plan::{Loss, Mode, Reader};
use crate::read::{hit, json, source};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};
use crate::{omit, signal};

/// A text of lines that resemble each other.
pub(crate) struct Shapes;

impl Stage for Shapes {
    fn name(&self) -> &'static str {
        "shapes"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn reader(&self) -> Reader {
        Reader::Strong
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        if text.len() < MIN_BYTES || !is_for(scene.call, text) {
            return None;
        }
        let (note, body) = write(text)?;
        let (body, _) = repeats::fold(&body);
        let worth = body.len() * 100 < text.len() * MOST;
        worth.then_some(Edit { text: body, loss: Loss::None, note })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        read(room, note, &repeats::unfold(room, text)?)
    }
}

/// Shorter texts have nothing to give.
const MIN_BYTES: usize = 256;

/// False for JSON, which has forms of its own; for what an agent may edit, which has to be quoted; and for a screen, of
/// which the next look at it can then name the lines.
fn is_for(call: Call<'_>, text: &str) -> bool {
    let is_file = || call.origin(text).is_editable() || source::is_source(call, text);
    json::begin(text).is_none() && !call.shows_screen() && !is_file()
}

/// A text that keeps more of its bytes than this, in percent, is better read as it is.
const MOST: usize = 92;

/// Longer lines are left alone.
const MAX_LINE: usize = 4096;

/// What a shape must save: this weight, and of the bytes of all lines one in so many.
const MIN_GAIN: usize = 16;
const MIN_SHARE: usize = 1200;

/// The note and the body of a text; `None` where its lines have nothing in common.
fn write(text: &str) -> Option<(String, String)> {
    let lines: Vec<&str> = text.split('\n').collect();
    let rows = head::rows(&lines);
    let kind = Kind::of(&rows)?;
    let lines = LineWords::new(kind.plain(&rows))?;
    let molds = molds(kind, &lines, text.len());
    let (calls, of) = calls(&lines, &rows, molds).filter(|(_, of)| kind.is_enough(&lines, of))?;
    let example = example(calls.signs.comma, &of)?;
    let mut clock = Clock::of(&rows);
    let mut body = calls.head(clock.words(), &example)?;
    for (row, of) in rows.iter().zip(&of) {
        let text = said(row);
        let call = of.as_ref().and_then(|(index, values)| calls.print(*index, values));
        match row {
            HeadRow::Section(before, after) => {
                let words = head::say(before, after);
                head::read(&words).filter(|said| *said == (*before, *after))?;
                body.push_str(&words);
            }
            HeadRow::Timed(time, _) => clock.write(&mut body, time),
            HeadRow::Plain(line) if clock.is_taken(line) || head::read(line).is_some() => return None,
            HeadRow::Plain(_) => {}
        }
        match call {
            Some(call) => body.extend([&text[..text.len() - text.trim_start_matches(BLANKS).len()], &call]),
            None if calls.is_call(text) => return None,
            None => body.push_str(text),
        }
        body.push('\n');
    }
    body.pop();
    Some((calls.note() + clock.note(), body))
}

/// What kind of text the lines are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A log, of which at least half of the lines have a time.
    Log,
    /// What another tool printed: it has to be alike throughout.
    List,
}

impl Kind {
    /// `None` for lines that begin as calls do, as those of YAML, which nobody could tell apart; and for those of a
    /// compiler, which begin with where to look; and where colours are part of the lines.
    fn of(rows: &[HeadRow<'_>]) -> Option<Self> {
        let timed = rows.iter().filter(|row| matches!(row, HeadRow::Timed(..))).count();
        if timed * 2 >= rows.len() {
            return Some(Self::Log);
        }
        let keyed = rows.iter().filter(|row| is_keyed(said(row)) || is_diagnostic(said(row))).count();
        let painted = || rows.iter().any(|row| said(row).contains('\u{1b}'));
        (keyed * 4 < rows.len() && !painted()).then_some(Self::List)
    }

    /// What of each line may be written short. Where no time parts them, the lines of a trace tell of one failure together,
    /// each with the line of source below it.
    fn plain<'r>(self, rows: &[HeadRow<'r>]) -> Vec<&'r str> {
        let mut traced = false;
        let text = |row: &HeadRow<'r>| {
            let frame = self == Self::List && is_frame(said(row));
            let beside = std::mem::replace(&mut traced, frame);
            if frame || beside { "" } else { plain(said(row)) }
        };
        rows.iter().map(text).collect()
    }

    /// More shapes are more than a reader keeps in mind.
    fn most(self) -> usize {
        match self {
            Self::Log => 40,
            Self::List => 16,
        }
    }

    /// True when enough lines have a shape: of a list at least half of those that may be written short.
    fn is_enough(self, lines: &LineWords<'_>, of: &Called<'_>) -> bool {
        let plain = lines.texts.iter().filter(|text| !text.is_empty()).count();
        self == Self::Log || of.iter().flatten().count() * 2 >= plain
    }
}

/// True for a line that begins with a word and a colon.
fn is_keyed(text: &str) -> bool {
    let words = text.trim_start_matches([' ', '\t', '-']);
    let key = words.split_once(": ").or_else(|| words.strip_suffix(':').map(|key| (key, "")));
    let is_name = |key: &str| key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    key.is_some_and(|(key, _)| !key.is_empty() && is_name(key))
}

const BLANKS: [char; 2] = [' ', '\t'];

/// What a row says behind its time.
fn said<'a>(row: &HeadRow<'a>) -> &'a str {
    match row {
        HeadRow::Section(..) => "",
        HeadRow::Timed(_, text) | HeadRow::Plain(text) => text,
    }
}

/// The words of a line that may be written short, without its indent; none of one that stays as it is: one that tells of
/// an error, or of lines that were left out, or that quotes one of a file.
fn plain(text: &str) -> &str {
    let whole = || signal::find(text).is_some() || omit::is_said(text) || quotes_file(text);
    let short = text.len() <= MAX_LINE && !whole();
    if short { text.trim_start_matches(BLANKS) } else { "" }
}

/// True for `12 | text`, as compilers quote what they complain about, and for what points into such a line.
fn quotes_file(text: &str) -> bool {
    let words = text.trim_start_matches(' ').trim_start_matches(|sign: char| sign.is_ascii_digit());
    words.trim_start_matches(' ').starts_with('|')
}

/// True for `path:12:5: text`, `path:12: text` and `path(12,5): text`.
fn is_diagnostic(text: &str) -> bool {
    let place = |rest: &str| {
        let words = rest.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == ':');
        rest[..rest.len() - words.len()].ends_with(':') && words.starts_with(' ')
    };
    hit::spotted(text).is_some() || hit::numbered(text).is_some_and(|hit| place(hit.rest))
}

/// True for a line of a trace: `at main (a.js:3:57)`, `File "a.py", line 3, in f`.
fn is_frame(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("at ") && text.ends_with(')')
        || text.starts_with("File \"") && text.contains("\", line ")
}

/// The molds that are worth most.
fn molds(kind: Kind, lines: &LineWords<'_>, bytes: usize) -> Vec<Mold> {
    let least = MIN_GAIN.max(bytes / MIN_SHARE);
    let molds: Vec<Mold> = mine(lines).into_iter().filter_map(|group| Mold::of(lines, group)).collect();
    let mut molds = merged(lines, molds);
    molds.retain(|mold| kind == Kind::Log || mold.is_even());
    molds.retain(|mold| mold.gain >= least);
    molds.sort_by_key(|mold| std::cmp::Reverse(mold.gain));
    molds.truncate(kind.most());
    parted(kind, lines, &mut molds);
    molds.retain(|mold| mold.gain >= least);
    molds
}

/// Fewer molds: those that differ in a few words that can as well be values are one.
fn merged(lines: &LineWords<'_>, molds: Vec<Mold>) -> Vec<Mold> {
    let mut families: HashMap<_, Vec<Mold>> = HashMap::new();
    let mut walk = Walk::new(lines);
    for mold in molds.into_iter().filter(|mold| mold.gain > 0) {
        let family = families.entry(mold.frame(lines)).or_default();
        let joined = family.iter_mut().rev().take(MAX_KIN).find_map(|other| {
            walk.over(&[&mold, &*other])?;
            *other = other.merged(lines, &mold)?;
            Some(())
        });
        if joined.is_none() {
            family.push(mold);
        }
    }
    let mut molds: Vec<_> = families.into_values().flatten().collect();
    molds.sort_by_key(|mold| mold.kin);
    molds
}

/// Gives the lines with a value that most have a shape of their own, where that pays.
fn parted(kind: Kind, lines: &LineWords<'_>, molds: &mut Vec<Mold>) {
    let mut walk = Walk::new(lines);
    // The list grows while it is walked: what was parted is looked at again.
    let mut at = 0;
    while at < molds.len() && molds.len() < kind.most() && walk.over(&[&molds[at]]).is_some() {
        match molds[at].parted(lines) {
            Some([usual, rest]) if usual.gain + rest.gain > molds[at].gain => {
                molds[at] = usual;
                molds.push(rest);
            }
            _ => at += 1,
        }
    }
}

/// Molds of one family that another is tried with.
const MAX_KIN: usize = 4;

/// How often every line may be looked at while shapes are merged, and while they are parted.
const MAX_LOOKS: usize = 12;

/// The looks at lines that are left.
struct Walk(usize);

impl Walk {
    fn new(lines: &LineWords<'_>) -> Self {
        Self(lines.texts.len() * MAX_LOOKS)
    }

    /// Pays for a look at the lines of some molds, if that can be afforded.
    fn over(&mut self, molds: &[&Mold]) -> Option<()> {
        let looks = molds.iter().map(|mold| mold.group.lines.len()).sum();
        self.0 = self.0.checked_sub(looks)?;
        Some(())
    }
}

/// For each row, the shape that it has and the values.
type Called<'a> = Vec<Option<(usize, Vec<&'a str>)>>;

/// The calls of named shapes.
fn calls<'a>(
    lines: &LineWords<'a>,
    rows: &[HeadRow<'_>],
    mut molds: Vec<Mold>,
) -> Option<(Calls, Called<'a>)> {
    let begins = |row: &HeadRow<'_>| {
        let text = said(row).trim_start_matches(BLANKS);
        text.split_once(':').map(|(begin, _)| begin.to_owned())
    };
    let taken: HashSet<String> = rows.iter().filter_map(begins).filter(|begin| begin.len() < 40).collect();
    let brackets = brackets(&mut molds);
    let names = name::names(&molds.iter().map(|mold| (mold.kin, &mold.shape)).collect::<Vec<_>>(), taken);
    let mut of: Called<'a> = vec![None; lines.texts.len()];
    let mut kept = Vec::new();
    for (mut mold, name) in molds.into_iter().zip(names) {
        let Some(name) = name else { continue };
        for &line in &mold.group.lines {
            of[line] = mold.take(lines, line).map(|values| (kept.len(), values));
        }
        mold.shape.name = name;
        kept.push(mold);
    }
    adopt(lines, &kept, &mut of);
    let signs = CallSigns { brackets, comma: comma(&of) };
    let shapes: Vec<_> = kept.into_iter().map(|mold| mold.shape).collect();
    (!shapes.is_empty()).then(|| (Calls::new(shapes, signs), of))
}

/// Gives a shape to lines that have it, but were too few to be grouped with others.
fn adopt<'a>(lines: &LineWords<'a>, molds: &[Mold], of: &mut Called<'a>) {
    let mut by_words: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, mold) in molds.iter().enumerate().filter(|(_, mold)| mold.group.whole) {
        by_words.entry(mold.group.depth).or_default().push(index);
    }
    for (line, of) in of.iter_mut().enumerate().filter(|(_, of)| of.is_none()) {
        let alike = by_words.get(&lines.units(line).len()).map_or(&[][..], Vec::as_slice);
        let mut tries = alike.iter().take(MAX_KIN);
        *of = tries.find_map(|&index| Some((index, molds[index].take(lines, line)?)));
    }
}

/// The brackets that fewest shapes have in their text; those that do are dropped.
fn brackets(molds: &mut Vec<Mold>) -> [char; 2] {
    let has = |mold: &Mold, signs: [char; 2]| mold.shape.text().any(|text| text.contains(signs));
    let lost = |signs: &[char; 2]| {
        molds.iter().filter(|mold| has(mold, *signs)).map(|mold| mold.gain).sum::<usize>()
    };
    let best = BRACKETS.into_iter().min_by_key(lost).unwrap_or(BRACKETS[0]);
    molds.retain(|mold| !has(mold, best));
    best
}

/// What parts values: the first sign that few of them hold.
fn comma(of: &Called<'_>) -> char {
    let inner =
        || of.iter().flatten().filter_map(|(_, values)| values.split_last()).flat_map(|(_, inner)| inner);
    let all = inner().count();
    let few = |sign: &char| inner().filter(|value| value.contains(*sign)).count() * 32 <= all;
    COMMAS.into_iter().find(few).unwrap_or(COMMAS[0])
}

/// The call that shows best how calls are read: short, with two values.
fn example<'o>(comma: char, of: &'o Called<'_>) -> Option<CallExample<'o>> {
    let length = |values: &[&str]| values.iter().map(|value| value.len()).sum::<usize>();
    let best = of.iter().flatten().min_by_key(|(_, values)| (values.len().abs_diff(2), length(values)));
    let runs_on =
        of.iter().flatten().any(|(_, values)| values.last().is_some_and(|last| last.contains(comma)));
    best.map(|(index, values)| CallExample { index: *index, values, runs_on })
}

/// The text that was written.
fn read(room: Room, note: &str, body: &str) -> Option<String> {
    let (clock, note) = Clock::parse(note);
    let (calls, body) = Calls::parse(note, body)?;
    log::read(room, clock, body, |out, text| calls.expand(out, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;
    use crate::proof;

    fn comes_back(text: &str) {
        let Some((note, body)) = write(text) else { return };
        let (folded, _) = repeats::fold(&body);
        assert_eq!(proof::read(&Shapes, &note, &folded).as_deref(), Some(text), "{note}\n{folded}");
    }

    /// A log with two shapes, several lines a minute, and `more` in the middle of it.
    fn log(more: &str) -> String {
        let line = |n: usize| {
            let at = format!("2026-03-02 10:{:02}:{:02}.718", n / 8, n % 8 * 7);
            match n % 3 {
                0 => format!(
                    "{at} shop stock: order {} was paid by card {} at the till\n",
                    8000 + n,
                    n * 37 % 91
                ),
                1 => format!(
                    "{at} shop mail: a letter for order {} was queued behind {} others\n",
                    8000 + n,
                    n * 7
                ),
                _ => format!("{at} shop door opened {n}\n"),
            }
        };
        (0..24).map(line).chain([more.to_owned()]).chain((24..48).map(line)).collect()
    }

    #[test]
    fn words_that_lines_share_are_said_once() {
        let (note, body) = write(&log("Caused by: x\n")).unwrap();
        assert_eq!(note, "{, minutes");
        for words in [
            "order {1} was paid by card {2} at the till",
            "a letter for order {1} was queued behind {2} others",
        ] {
            assert_eq!(body.matches(words).count(), 1, "{body}");
        }
        assert_eq!(body.matches("at the till").count(), 1, "{body}");
        assert!(body.contains("\nCaused by: x\n"), "{body}");
        comes_back(&log("Caused by: x\n"));
    }

    /// Behaviour 3.24.
    #[test]
    fn a_line_that_tells_of_an_error_stays_as_it_came() {
        let line = |n: usize| {
            let level = if n % 7 == 3 { "ERROR" } else { "INFO" };
            format!(
                "2026-03-02 10:00:{n:02} {level} worker {n} of pool main has taken job {} from the long queue\n",
                n * 31 % 97
            )
        };
        let text: String = (0..40).map(line).collect();
        let edit = proof::apply(&Shapes, &text).unwrap();
        for error in text.lines().filter(|line| line.contains(" ERROR ")).map(|line| &line[20..]) {
            assert!(edit.text.lines().any(|line| line.ends_with(error)), "{error}\n{}", edit.text);
        }
        assert!(!edit.text.contains("INFO worker 1 "), "{}", edit.text);
    }

    /// Behaviour 3.24: what failed is told on several lines.
    #[test]
    fn a_trace_stays_as_it_came() {
        let line =
            |n: usize| format!("    at handler{n} (/srv/shop/lib/modules/cart/item.js:{}:12)\n", n * 7);
        let text = format!("Error: no price\n{}", (0..40).map(line).collect::<String>());
        assert_eq!(proof::apply(&Shapes, &text), None);
    }

    #[test]
    fn what_was_left_out_is_said_in_full() {
        let gap = |n: usize| format!("[{n} lines left out: like those shown, with other numbers]");
        let text = (1..9).map(|n| format!("{}{}\n", log(""), gap(n))).collect::<Vec<_>>().concat();
        let (_, body) = write(&text).unwrap();
        assert!((1..9).all(|n| body.contains(&gap(n))), "{body}");
    }

    #[test]
    fn an_indent_stays_before_the_name() {
        let line = |n: usize| {
            let (indent, time) = (" ".repeat(n % 3 + 1), format!("2026-03-02 10:00:{n:02}"));
            format!(
                "{time} door {n} was opened by a guest\n{time} door {n} was closed by the wind\n\
                 {indent}took {n} of the plates out of kitchen number {}\n",
                n * 3
            )
        };
        let text = (0..30).map(line).collect::<Vec<_>>().concat();
        let (_, body) = write(&text).unwrap();
        for indented in ["\n took: 0,0\n", "\n  took: 1,3\n", "\n   took: 2,6\n"] {
            assert!(body.contains(indented), "{body}");
        }
        comes_back(&text);
    }

    #[test]
    fn braces_of_the_text_are_not_taken_for_places() {
        let line = |n: usize| {
            format!(
                "2026-03-02 10:00:{n:02} thread {{main}} has seen file number {n} of the {} in all\n",
                n * 7
            )
        };
        let text: String = (0..30).map(line).collect();
        let (note, body) = write(&text).unwrap();
        assert!(note.starts_with("<,"), "{note}");
        assert!(body.contains("{main} has seen file number <1> of the <2> in all\n"), "{body}");
        comes_back(&text);
    }

    #[test]
    fn many_words_that_differ_are_values_and_not_shapes() {
        let pick = |n: usize, words: &[&'static str]| words[n % words.len()];
        let line = |n: usize| {
            let (level, service) =
                (pick(n, &["info", "debug", "warn"]), pick(n / 3, &["api", "worker", "mail", "web"]));
            format!(
                "2026-03-02 10:{:02}:{:02} level={level} service={service} duration_ms={} bytes_sent={} request_id=r{n}\n",
                n / 60,
                n % 60,
                n * 7 % 50,
                n * 91
            )
        };
        let text: String = (0..96).map(line).collect();
        let (_, body) = write(&text).unwrap();
        assert_eq!(body.lines().filter(|line| line.contains("duration_ms=")).count(), 1, "{body}");
    }

    #[test]
    fn hostile_lines_come_back() {
        for line in [
            "",
            "\n",
            "\\",
            "each timed line below: {time} {text}",
            "each timed line below: a{time}b{text}",
            "[the lines:]",
            "stock: 1,1",
            "  stock: 1,1",
            "paid: 1,1",
            ":05 x",
            ":05.718 x",
            "10:04",
            "10:04:05 x",
            "2026-03-02 10:04:05.718 shop paid: 1,1",
            "2026-03-02 10:04:05.718 shop stock: order 1,2 was paid by card  at the till",
            "2026-03-02 10:04:05.718 shop stock: order {1} was paid by card <2> at the till",
            "2026-03-02 10:04:05.718 shop ",
            "2026-03-02 10:04:05.718",
            "\tat x\r",
            "{1}{2}{3}",
            "日本語 12:00:00 é",
        ] {
            comes_back(&log(&format!("{line}\n")));
            comes_back(&log(&format!("{line}\n").repeat(9)));
            comes_back(&format!("{}{line}", log("")));
            comes_back(&format!("{line}\n{}", log("")));
            comes_back(&log("").replace('\n', "\r\n"));
            comes_back(&log("").replace("was paid", line));
            comes_back(&log("").replace("2026-03-02 ", line));
        }
    }

    #[test]
    fn lines_that_look_like_ours_are_not_taken_for_them() {
        for line in ["each timed line below: a{time}b{text}", ":05 x", "10:04", "(the line above once more)"]
        {
            let text = log(&format!("{line}\n"));
            let back = proof::apply(&Shapes, &text).map(|edit| proof::read(&Shapes, &edit.note, &edit.text));
            assert!(back.is_none_or(|back| back.as_deref() != Some(&*text)), "{line}");
        }
    }

    #[test]
    fn edges_come_back() {
        for text in ["", "\n", "a", "a\n\n", "12:00:00 ", &"12:00:00 x\n".repeat(9), &"é{1} 7\n".repeat(9)] {
            comes_back(text);
        }
        for n in 1..40 {
            comes_back(&log("x\n")[n..]);
        }
    }

    #[test]
    fn files_and_small_readers_are_spared() {
        let plan = Plan::default();
        let scene = |tool| Scene { plan: &plan, call: Call { tool, ..Call::default() } };
        assert!(Shapes.apply(scene("bash"), &log("")).is_some());
        assert_eq!(Shapes.apply(scene("Read"), &log("")), None);
        assert_eq!(Shapes.reader(), Reader::Strong);
    }

    #[test]
    fn what_was_never_written_is_declined() {
        proof::read_foreign(&Shapes);
        for (note, body) in [("", "x"), ("{,", "x"), ("{,", "[short lines: x]\na: {9"), ("?", "x\n")] {
            assert_eq!(proof::read(&Shapes, note, body), None, "{note} {body}");
        }
    }
}
