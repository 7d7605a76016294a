//! Error lines, their source lines and their carets are shown whole in standard mode.
//!
//! Errors are recognised here by a separate list and by labels set by hand, not by the product's detector, whose blind
//! spots would otherwise hide themselves.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use tersely_core::{Call, Plan, compress};
use tersely_stage::Room;
use tersely_stage::form::GENERAL;
use tersely_testing::corpus::{files, outputs_of};

/// Files whose lines begin with `! ` if they must be shown, and with two spaces if not. The first line is the command.
const LABELLED: &str = "tests/fixtures/errors";

#[test]
fn lines_labelled_by_hand_are_shown_whole() {
    let fixtures: Vec<_> = files(&own()).iter().map(|file| Fixture::read(file)).collect();
    let labelled: usize = fixtures.iter().map(|fixture| fixture.wanted.len()).sum();
    assert!(labelled >= 300, "only {labelled} lines are labelled");
    let lost = fixtures.iter().flat_map(|fixture| {
        let wanted = || fixture.wanted.iter().map(String::as_str);
        let calls = [fixture.call(), Call::default()].into_iter();
        calls
            .flat_map(move |call| missing(call, &fixture.text, wanted()))
            .map(|line| (&fixture.command, line))
    });
    let lost: Vec<_> = lost.collect();
    assert!(lost.is_empty(), "{} lines, such as {:#?}", lost.len(), &lost[..lost.len().min(40)]);
}

/// Behaviour 0.14.
#[test]
fn lines_that_tell_of_errors_are_shown_whole() {
    let fixtures = files(&own()).into_iter().map(|file| Fixture::read(&file));
    let mut lost: Vec<(String, String)> = Vec::new();
    for fixture in fixtures {
        lost.extend(lost_errors(fixture.call(), &fixture.text).map(|line| (fixture.command.clone(), line)));
    }
    for output in outputs_of(&["build", "ci", "logs", "traces"]) {
        lost.extend(lost_errors(Call::default(), &output.text).map(|line| (output.name.clone(), line)));
    }
    assert!(lost.is_empty(), "{} lines, such as {:#?}", lost.len(), &lost[..lost.len().min(40)]);
}

/// The lines of a text that must be shown whole and are not.
fn lost_errors(call: Call<'_>, text: &str) -> impl Iterator<Item = String> {
    let plain = without_colours(text);
    let lines: Vec<&str> = plain.lines().collect();
    let wanted = (0..lines.len()).filter(|at| is_wanted(&lines, *at)).map(|at| lines[at]);
    missing(call, text, wanted).into_iter()
}

/// Words that report an error anywhere in a line.
const WORDS: [&str; 22] = [
    "error:",
    "Error:",
    "ERROR",
    "[error]",
    "level=error",
    "FATAL",
    "fatal:",
    "CRITICAL",
    "SEVERE",
    "FAILED",
    "FAIL ",
    "FAIL:",
    "panicked at",
    "panic: ",
    "Traceback (most recent call last)",
    "Exception",
    "AssertionError",
    "npm ERR!",
    "✕",
    "✗",
    "undefined reference",
    "Segmentation fault",
];

/// True for an error line, for source that it quotes, and for a caret that points into that.
fn is_wanted(lines: &[&str], at: usize) -> bool {
    let line = lines[at];
    let quoted = line.starts_with("E   ") || line.starts_with(">   ") || is_framed(line);
    let pointed = lines.get(at + 1).is_some_and(|next| points(next)) && is_below_error(lines, at);
    tells(line) || quoted || pointed || points(line) && is_below_error(lines, at)
}

/// True for the line of a code frame that an arrow marks: `> 3 | x`.
fn is_framed(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix("> ") else { return false };
    rest.trim_start().split_once(" |").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
}

/// True for a line of carets.
fn points(line: &str) -> bool {
    let signs = line.trim();
    signs.contains('^') && signs.chars().all(|char| "^~-| ".contains(char))
}

/// True when a caret belongs to an error, not to a warning or a note.
fn is_below_error(lines: &[&str], at: usize) -> bool {
    // A location has its own message right above it; lines further up do not belong to it.
    let place = lines[..=at].iter().rposition(|line| line.trim_start().starts_with("--> "));
    let first = place.map_or(0, |place| place.saturating_sub(1));
    let above = lines[first..=at].iter().rev().take(6);
    let told = above.filter_map(|line| {
        let line = line.to_lowercase();
        let place = |word: &str| line.find(word);
        match (place("error"), place("warning").or_else(|| place("note:")).or_else(|| place("help:"))) {
            (Some(_), None) => Some(true),
            (None, Some(_)) => Some(false),
            (Some(error), Some(other)) => Some(error < other),
            (None, None) => None,
        }
    });
    told.into_iter().next() == Some(true)
}

/// The lines of `wanted` that cannot be read in the compressed `text`.
fn missing<'a>(call: Call<'_>, text: &str, wanted: impl Iterator<Item = &'a str>) -> Vec<String> {
    let outcome = compress(&Plan { redact: tersely_core::Redaction::Off, ..Plan::default() }, call, text);
    let lines = lines_in_sight(&outcome.text);
    let shown: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let whole: HashSet<&str> = shown.iter().copied().collect();
    let seen = |line: &str| whole.contains(line) || (0..shown.len()).any(|at| completes(&shown[..=at], line));
    wanted.map(str::trim_end).filter(|line| !line.is_empty() && !seen(line)).map(str::to_owned).collect()
}

/// The visible lines. Of a text in the general form, those whose row has no sign for other words, and shows its severity
/// itself.
fn lines_in_sight(text: &str) -> Vec<String> {
    let Some((head, body)) = text.split_once("\n[The text:]\n").filter(|_| text.contains(GENERAL_HEAD))
    else {
        return text.lines().map(str::to_owned).collect();
    };
    let before = head.find(GENERAL_HEAD).expect("its head");
    let (before, head) = head.split_at(before);
    let signs: Vec<char> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.chars().next().filter(|first| !first.is_ascii()))
        .collect();
    let mut shown: Vec<String> = before.lines().map(str::to_owned).collect();
    let mut run: Option<(&str, usize)> = None;
    for line in body.lines() {
        let row = match run.take() {
            Some((name, left)) => {
                run = (left > 1).then_some((name, left - 1));
                format!("{name} ×1:\n{line}")
            }
            None => line.to_owned(),
        };
        let counted = line.strip_suffix(':').and_then(|line| line.split_once(" ×"));
        if let Some((name, Ok(count))) = counted.map(|(name, count)| (name, count.parse()))
            && row == line
        {
            run = Some((name, count));
            continue;
        }
        let alone = format!("{head}\n[The text:]\n{row}");
        let restored = GENERAL.restore(Room::of(&text.repeat(2)), "", &alone).unwrap_or_else(|| row.clone());
        let is_open = |shown: &str| {
            !tells(shown)
                || tells(line)
                || row.split(' ').next().is_some_and(|name| name.ends_with('!'))
                || shown == line
        };
        if !line.contains(signs.as_slice()) {
            shown.extend(restored.lines().filter(|line| is_open(line)).map(str::to_owned));
        }
    }
    shown
}

/// How a text in the general form begins.
const GENERAL_HEAD: &str = "[Shorter notation.";

fn tells(line: &str) -> bool {
    WORDS.iter().any(|word| line.contains(word))
}

/// True when the last of `shown` is the line, except for words at its beginning that are shown above.
fn completes(shown: &[&str], line: &str) -> bool {
    let Some((last, above)) = shown.split_last() else { return false };
    let same = last.bytes().rev().zip(line.bytes().rev()).take_while(|(one, two)| one == two).count();
    if same < 4 || !line.is_char_boundary(line.len() - same) || !last.is_char_boundary(last.len() - same) {
        return false;
    }
    let (left, said) = (words(&line[..line.len() - same]), words(&last[..last.len() - same]));
    // A line that continues differently, or of which only the last word is there, is another line.
    let most = same * 2 >= line.len() || same >= 24 || said.is_empty() && same * 4 >= line.len();
    // A heading gives the start of a step, so lines below it have no time.
    let timed = above.iter().any(|above| above.contains(" times left out: "));
    let known = |word: &&str| {
        said.contains(word)
            || timed && word.starts_with(|char: char| char.is_ascii_digit())
            || above.iter().any(|above| words(above).contains(word))
    };
    most && said.iter().all(|word| left.contains(word)) && left.iter().all(known)
}

/// Words and numbers, each by itself.
fn words(text: &str) -> Vec<&str> {
    let kind = |char: char| (char.is_alphabetic(), char.is_numeric());
    let ends =
        text.char_indices().zip(text.chars().skip(1)).filter(|((_, one), two)| kind(*one) != kind(*two));
    let mut from = 0;
    let ends = ends.map(|((at, one), _)| at + one.len_utf8()).chain([text.len()]);
    let parts = ends.map(|end| &text[std::mem::replace(&mut from, end)..end]);
    parts.filter(|part| part.starts_with(char::is_alphanumeric)).collect()
}

/// The text without colour codes.
fn without_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        rest = after.trim_start_matches(|char: char| char.is_ascii_digit() || char == ';');
        rest = rest.get(1..).unwrap_or_default();
    }
    out + rest
}

/// A result with its labels.
struct Fixture {
    command: String,
    text: String,
    /// The lines that must be shown.
    wanted: Vec<String>,
}

impl Fixture {
    fn read(file: &Path) -> Self {
        let labelled = fs::read_to_string(file).expect("a fixture");
        let (command, lines) = labelled.split_once('\n').expect("a command above the lines");
        let command = command.strip_prefix("$ ").expect("a command").to_owned();
        let line = |line: &str| line.get(2..).expect("a label").to_owned() + "\n";
        let wanted = lines.lines().filter(|line| line.starts_with("! ")).map(|line| line[2..].to_owned());
        Self { command, text: lines.lines().map(line).collect(), wanted: wanted.collect() }
    }

    fn call(&self) -> Call<'_> {
        Call { tool: "bash", command: Some(&self.command), ..Call::default() }
    }
}

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(LABELLED)
}
