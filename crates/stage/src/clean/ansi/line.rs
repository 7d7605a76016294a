//! Draws one line as a terminal does. A line that is redrawn has several states.

use std::mem;

use crate::clean::ansi::code::Code;
use crate::clean::ansi::{Habits, code};
use crate::signal;

/// The effect of a carriage return within a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Returns {
    /// The next state of the line overwrites the previous one.
    Overwrite,
    /// A carriage return may end a line, as on old systems; only obvious progress reports are overwritten.
    Break,
}

/// A line being drawn.
pub(super) struct ScreenLine {
    /// Earlier states that remain visible.
    past: Vec<String>,
    now: String,
    /// The number of backspaces that nothing has been printed over yet.
    back: usize,
    ink: Option<Ink>,
    /// The ink of the last character, if that is a letter or digit.
    near: Option<Ink>,
    returns: Returns,
}

/// Colours that mark removed and added text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ink {
    Red,
    Green,
}

/// The width in columns of the widest gap drawn; a wider gap is not worth its tokens.
const MAX_GAP_COLUMNS: usize = 32;

impl ScreenLine {
    /// Draws `text`. Returns `None` when red and green letters are adjacent: without colours, the old and the new
    /// letters of a word would run together.
    pub(super) fn read(text: &str, habits: Habits) -> Option<Self> {
        let mut line = Self {
            past: Vec::new(),
            now: String::new(),
            back: 0,
            ink: None,
            near: None,
            returns: habits.returns,
        };
        let mut rest = text;
        while let Some(char) = rest.chars().next() {
            let code = code::read(rest, habits.carets);
            rest = &rest[code.map_or(char.len_utf8(), |(_, length)| length)..];
            match (code, char) {
                (Some((code, _)), _) => line.apply(code),
                (None, '\r') => line.carriage_return(),
                (None, '\x08') => line.back += 1,
                (None, _) => line.print(char)?,
            }
        }
        Some(line)
    }

    /// The text that is visible at the end.
    pub(super) fn into_text(mut self) -> String {
        if self.past.is_empty() {
            return self.now;
        }
        let open = self.now.is_empty() && self.past.len() > 1;
        self.carriage_return();
        self.past.join("\r") + if open { "\r" } else { "" }
    }

    /// Draws a character over those that backspaces moved across.
    fn print(&mut self, char: char) -> Option<()> {
        for _ in 0..mem::take(&mut self.back).min(self.now.len()) {
            self.now.pop();
        }
        self.now.push(char);
        let ink = self.ink.filter(|_| char.is_alphanumeric());
        let clash = ink.is_some() && self.near.is_some() && ink != self.near;
        self.near = ink;
        (!clash).then_some(())
    }

    fn apply(&mut self, code: Code<'_>) {
        match code {
            Code::Colour(numbers) => self.ink = ink(self.ink, numbers),
            Code::Erase("" | "0") if self.now.is_empty() => self.erase(),
            Code::Erase("1" | "2") => {
                self.carriage_return();
                self.erase();
            }
            Code::Column("" | "0" | "1") => self.carriage_return(),
            Code::Column(_) => self.gap(1),
            Code::Forward(numbers) => self.gap(numbers.parse().unwrap_or(1)),
            Code::Jump if !self.now.is_empty() => self.now.push('\n'),
            _ => {}
        }
    }

    fn gap(&mut self, columns: usize) {
        self.near = None;
        self.now.extend(std::iter::repeat_n(' ', columns.min(MAX_GAP_COLUMNS)));
    }

    /// Erases earlier states of the line, except for those that report errors.
    fn erase(&mut self) {
        self.past.retain(|state| signal::find(state).is_some());
    }

    /// Moves the cursor to the beginning of the line.
    fn carriage_return(&mut self) {
        let state = mem::take(&mut self.now);
        self.near = None;
        self.back = 0;
        if state.is_empty() {
            return;
        }
        let blank = state.trim().is_empty();
        let gone = |past: &mut String| {
            if blank { is_wiped(past, &state) } else { is_overwritten(past, &state, self.returns) }
        };
        self.past.pop_if(gone);
        if !blank {
            self.past.push(state);
        }
    }
}

/// The ink that is in effect after a colour sequence with these parameters.
fn ink(mut ink: Option<Ink>, numbers: &str) -> Option<Ink> {
    let mut numbers = numbers.split([';', ':']);
    while let Some(number) = numbers.next() {
        ink = match number {
            "31" | "41" | "91" | "101" => Some(Ink::Red),
            "32" | "42" | "92" | "102" => Some(Ink::Green),
            "38" | "48" => {
                let more = if numbers.next() == Some("2") { 3 } else { 1 };
                numbers.by_ref().take(more).for_each(drop);
                None
            }
            "1" | "2" | "3" | "4" | "7" | "22" | "23" | "24" | "27" => ink,
            _ => None,
        };
    }
    ink
}

/// True when `spaces` are wide enough to cover `state`, and `state` does not report an error.
fn is_wiped(state: &str, spaces: &str) -> bool {
    spaces.chars().count() >= state.chars().count() && signal::find(state).is_none()
}

/// True when `new` is a later state of the progress that `old` shows.
fn is_overwritten(old: &str, new: &str, returns: Returns) -> bool {
    let same = letters(old).eq(letters(new));
    let led = || lead(old) == lead(new) && signal::find(old).is_none();
    match returns {
        Returns::Overwrite if same => true,
        _ => shows_progress(old) && shows_progress(new) && (same || led()),
    }
}

fn letters(state: &str) -> impl Iterator<Item = char> {
    state.chars().filter(|char| char.is_alphabetic())
}

/// The words in front of the first number or progress bar.
fn lead(state: &str) -> &str {
    let state = state.trim_start();
    let end = state.find(|char: char| !char.is_alphabetic() && char != ' ').unwrap_or(state.len());
    state[..end].trim_end()
}

/// True when a state reports progress, as in `12%` or `3/10`.
fn shows_progress(state: &str) -> bool {
    let bytes = state.as_bytes();
    bytes.windows(2).any(|pair| pair[0].is_ascii_digit() && pair[1] == b'%')
        || bytes
            .windows(3)
            .any(|three| three[0].is_ascii_digit() && three[1] == b'/' && three[2].is_ascii_digit())
}
