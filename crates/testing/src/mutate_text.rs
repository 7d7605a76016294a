//! Mutates a text in a few places, determined by a seed.

use crate::generate::Choices;

/// Pieces to insert: line ends, signs of notations, and imitations of our marks.
const PIECES: [&str; 37] = [
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "  ",
    "\u{feff}",
    "\0",
    "é",
    "漢",
    "\u{1b}[31m",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ":",
    ",",
    "|",
    "/",
    "-",
    "…",
    "→",
    "Γ",
    "↑",
    "{1}",
    " = ",
    "0",
    "18446744073709551616",
    "\n[2 lines as they came:]\n",
    "\n[3 lines left out: passing tests]\n",
    "\n(the line above 41 more times)\n",
    "\nA ×9:\n",
    "\nA ×3\n",
    "\n[The text:]\n",
    "\n[layout1 json: compact]\n",
];

/// The text with one to four mutations.
#[must_use]
pub fn mutate_text(seed: &mut u64, text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..=seed.pick(4) {
        text = change(seed, &text);
    }
    text
}

fn change(seed: &mut u64, text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (one, two) = (place(seed, text), place(seed, text));
    let (start, end) = (one.min(two), one.max(two));
    match seed.pick(8) {
        0 => text[..one].to_owned(),
        1 => [&text[..one], PIECES[seed.pick(PIECES.len())], &text[one..]].concat(),
        2 => [&text[..start], &text[end.min(text.floor_char_boundary(start + 40))..]].concat(),
        3 => text.replace('\n', "\r\n"),
        4 => text.trim_end().to_owned(),
        5 if !lines.is_empty() => {
            let mut lines = lines;
            lines.remove(seed.pick(lines.len()));
            lines.concat()
        }
        6 if !lines.is_empty() => {
            let mut lines = lines;
            let (from, to) = (seed.pick(lines.len()), seed.pick(lines.len()));
            lines.swap(from, to);
            lines.concat()
        }
        _ if !lines.is_empty() => {
            let mut lines = lines;
            let at = seed.pick(lines.len());
            lines.insert(at, lines[at]);
            lines.concat()
        }
        _ => PIECES[seed.pick(PIECES.len())].to_owned(),
    }
}

/// A place between two characters.
fn place(seed: &mut u64, text: &str) -> usize {
    text.floor_char_boundary(seed.pick(text.len() + 1))
}
