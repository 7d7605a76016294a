//! File reads with a cheaper gutter: the number stays on every line, its padding and its arrow go.
//!
//! The file's own text stays byte for byte what an edit tool must match.

use super::{Edit, Scene, Stage};
use crate::{Loss, Mode};

/// A text whose lines begin with their numbers.
pub(super) struct Gutter;

/// Fewer numbered lines than this may be anything.
const MIN_LINES: usize = 4;

impl Stage for Gutter {
    fn keeps_text(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "numbered"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        let shape = Shape::of(text.split('\n').next()?)?;
        let mut out = String::with_capacity(text.len());
        let mut numbered = 0;
        let mut lines = text.split_inclusive('\n');
        for (number, line) in (shape.first..).zip(lines.by_ref()) {
            let Some(content) = shape.content(line, number) else {
                out.push_str(line);
                break;
            };
            out.push_str(&number.to_string());
            out.push(TAB);
            out.push_str(content);
            numbered += 1;
        }
        lines.for_each(|line| out.push_str(line));
        let note = shape.note(numbered);
        (numbered >= MIN_LINES).then_some(Edit { text: out, loss: Loss::None, note })
    }

    fn restore(&self, note: &str, text: &str) -> Option<String> {
        let (numbered, shape) = Shape::parse(note)?;
        let mut out = String::with_capacity(text.len() + 8 * numbered.min(text.len()));
        let mut lines = text.split_inclusive('\n');
        for number in shape.first..shape.first.checked_add(numbered)? {
            let line = lines.next()?;
            let content = line.strip_prefix(&number.to_string())?.strip_prefix(TAB)?;
            shape.push(&mut out, number);
            out.push_str(content);
        }
        lines.for_each(|line| out.push_str(line));
        Some(out)
    }
}

/// What stands between number and text once it is made cheaper.
const TAB: char = '\t';

/// Arrows and what the note calls them.
const SEPARATORS: [(&str, &str); 3] = [("→", "arrow"), ("\t", "tab"), (": ", "colon")];

/// How a gutter is written.
struct Shape {
    first: usize,
    /// Columns that a number is padded to.
    width: usize,
    separator: &'static str,
}

impl Shape {
    /// The shape of the gutter that `line`, the first, has.
    fn of(line: &str) -> Option<Self> {
        let number = line.trim_start_matches(' ');
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = number.split_at(digits);
        let (separator, _) = SEPARATORS.into_iter().find(|(separator, _)| rest.starts_with(separator))?;
        let width = line.len() - number.len() - rest.len() + digits;
        let padded = number.len() < width;
        let plain = digits > 0 && digits < 8 && !number.starts_with('0') && width <= 16;
        plain.then_some(Self {
            first: number.parse().ok()?,
            width: if padded { width } else { 1 },
            separator,
        })
    }

    /// What stands behind the gutter of line `number`.
    fn content<'l>(&self, line: &'l str, number: usize) -> Option<&'l str> {
        let digits = number.to_string();
        let padding = self.width.saturating_sub(digits.len());
        let (spaces, rest) = line.split_at_checked(padding)?;
        let sound = spaces.bytes().all(|byte| byte == b' ');
        if sound { rest.strip_prefix(&digits)?.strip_prefix(self.separator) } else { None }
    }

    fn push(&self, out: &mut String, number: usize) {
        let digits = number.to_string();
        out.extend(std::iter::repeat_n(' ', self.width.saturating_sub(digits.len())));
        out.push_str(&digits);
        out.push_str(self.separator);
    }

    fn name(&self) -> &'static str {
        SEPARATORS.iter().find(|(separator, _)| *separator == self.separator).map_or("", |(_, name)| name)
    }

    /// Says `120, width 6, arrow`, and where the numbers begin if that is not 1.
    fn note(&self, numbered: usize) -> String {
        let from = if self.first == 1 { String::new() } else { format!(" from {}", self.first) };
        format!("{numbered}{from}, width {}, {}", self.width, self.name())
    }

    /// Reads what `note` says.
    fn parse(note: &str) -> Option<(usize, Self)> {
        let (counts, rest) = note.split_once(", width ")?;
        let (numbered, first) = counts.split_once(" from ").unwrap_or((counts, "1"));
        let (width, name) = rest.split_once(", ")?;
        let (separator, _) = SEPARATORS.into_iter().find(|(_, known)| *known == name)?;
        let width = width.parse().ok().filter(|&width: &usize| width <= 16)?;
        Some((numbered.parse().ok()?, Self { first: first.parse().ok()?, width, separator }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::proof::{apply, check};

    #[test]
    fn gutters_of_real_harnesses_get_cheaper() {
        check(
            &Gutter,
            "     1→a\n     2→\n     3→\tb\n     4→c",
            "4, width 6, arrow",
            "1\ta\n2\t\n3\t\tb\n4\tc",
        );
        check(
            &Gutter,
            "     7\ta\n     8\tb\n     9\tc\n    10\td\n",
            "4 from 7, width 6, tab",
            "7\ta\n8\tb\n9\tc\n10\td\n",
        );
        check(&Gutter, "1: a\n2: b\n3: c\n4: d\n", "4, width 1, colon", "1\ta\n2\tb\n3\tc\n4\td\n");
    }

    #[test]
    fn what_follows_the_numbered_lines_stays() {
        check(
            &Gutter,
            "  1→a\n  2→b\n  3→c\n  4→d\n\n6→e",
            "4, width 3, arrow",
            "1\ta\n2\tb\n3\tc\n4\td\n\n6→e",
        );
    }

    #[test]
    fn other_numbers_are_left_alone() {
        for text in ["1\ta\n3\tb\n4\tc\n5\td", "1. a\n2. b\n3. c\n4. d", "01\ta\n02\tb", "", "\n\n\n\n"] {
            assert_eq!(apply(&Gutter, text), None, "{text:?}");
        }
    }
}
