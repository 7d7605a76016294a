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
    fn name(&self) -> &'static str {
        "numbered lines"
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
        let note = format!("{numbered} from {}, width {}, {}", shape.first, shape.width, shape.name());
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

    /// Reads `120 from 1, width 6, arrow`.
    fn parse(note: &str) -> Option<(usize, Self)> {
        let (counts, rest) = note.split_once(", width ")?;
        let (numbered, first) = counts.split_once(" from ")?;
        let (width, name) = rest.split_once(", ")?;
        let (separator, _) = SEPARATORS.into_iter().find(|(_, known)| *known == name)?;
        let width = width.parse().ok().filter(|&width: &usize| width <= 16)?;
        Some((numbered.parse().ok()?, Self { first: first.parse().ok()?, width, separator }))
    }
}
