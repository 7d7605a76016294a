//! Collects everything that is drawn on each row of a terminal into one line.
//!
//! A program that moves the cursor up draws over earlier rows, frame by frame. When each row is collected into one
//! line, the frames become states of that line, and the last state stays visible.

use std::borrow::Cow;

use super::code::{self, Carets, Code};

/// Moves the cursor to the beginning of a row and erases the row.
const WIPE: &str = "\r\x1b[2K";

/// The maximum number of rows erased in total, because a text may ask to erase all rows again and again.
const MAX_WIPES: usize = 100_000;

/// The text with all states of each row on one line. The text is unchanged if the cursor never moves up.
pub(super) fn collect_rows(text: &str, carets: Carets) -> Cow<'_, str> {
    if !moves_up(text, carets) {
        return Cow::Borrowed(text);
    }
    let mut screen =
        Screen { rows: vec![Row::default()], at: 0, moved: false, is_redrawn: false, wipes: MAX_WIPES };
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some((code, length)) = code::read(rest, carets) {
            screen.apply(code, &rest[..length]);
            rest = &rest[length..];
        } else if first == '\n' {
            screen.next();
            rest = &rest[1..];
        } else {
            let next = rest[first.len_utf8()..].find(['\x1b', '\n', '^', '\r']);
            let (part, behind) = rest.split_at(next.map_or(rest.len(), |at| at + first.len_utf8()));
            screen.print(part);
            rest = behind;
        }
    }
    if screen.is_redrawn { Cow::Owned(screen.text()) } else { Cow::Borrowed(text) }
}

/// True when the text moves the cursor up. Few texts do; the others need no rows.
fn moves_up(text: &str, carets: Carets) -> bool {
    let codes = text.match_indices(['\x1b', '^']).filter_map(|(at, _)| code::read(&text[at..], carets));
    codes.into_iter().any(|(code, _)| matches!(code, Code::Up(_)))
}

/// Everything drawn on a row, and whether a line break ended the row.
#[derive(Default)]
struct Row {
    drawn: String,
    is_ended: bool,
}

struct Screen {
    rows: Vec<Row>,
    /// The index of the row that the cursor is on.
    at: usize,
    /// True when the cursor has moved to another existing row and has not printed there yet.
    moved: bool,
    is_redrawn: bool,
    /// The number of rows that "erase below" may still erase.
    wipes: usize,
}

impl Screen {
    fn apply(&mut self, code: Code<'_>, spelled: &str) {
        match code {
            Code::Up(count) => self.move_to(self.at.saturating_sub(steps(count))),
            Code::Down(count) => self.move_to(self.at.saturating_add(steps(count)).min(self.rows.len() - 1)),
            Code::Below => {
                let from = if self.moved { self.at } else { self.at + 1 };
                let count = (self.rows.len() - from).min(self.wipes);
                self.wipes -= count;
                self.rows[from..].iter_mut().take(count).for_each(|row| row.drawn.push_str(WIPE));
            }
            // The text after this move is drawn to the right of the text that the row already contains.
            Code::Forward(_) | Code::Column(_) if self.moved && !is_start(code) => {
                self.moved = false;
                self.rows[self.at].drawn.push_str(spelled);
            }
            Code::Erase(_) => self.print(spelled),
            _ => self.rows[self.at].drawn.push_str(spelled),
        }
    }

    fn move_to(&mut self, to: usize) {
        self.is_redrawn |= to < self.at;
        self.moved |= to != self.at;
        self.at = to;
    }

    fn print(&mut self, part: &str) {
        let row = &mut self.rows[self.at].drawn;
        // The cursor is already at the beginning of the row.
        if self.moved && part == "\r" {
            return;
        }
        if self.moved && !row.is_empty() {
            row.push_str(WIPE);
        }
        self.moved = false;
        row.push_str(part);
    }

    /// Ends the current row and moves to the next.
    fn next(&mut self) {
        self.rows[self.at].is_ended = true;
        self.at += 1;
        self.moved = self.at < self.rows.len();
        if !self.moved {
            self.rows.push(Row::default());
        }
    }

    fn text(&self) -> String {
        let last = self.rows.len() - 1;
        let mut out = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            out.push_str(&row.drawn);
            out.push_str(if row.is_ended || at < last { "\n" } else { "" });
        }
        out
    }
}

/// The number of rows that the cursor moves; one by default.
fn steps(count: &str) -> usize {
    count.parse().unwrap_or(1).max(1)
}

/// True when the code moves the cursor to the first column.
fn is_start(code: Code<'_>) -> bool {
    matches!(code, Code::Column("" | "0" | "1"))
}
