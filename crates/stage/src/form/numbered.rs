//! Writes numbered file contents with a shorter gutter: keeps the number of every line that contains text, and drops
//! the padding and the arrow.
//!
//! For strong readers, an empty line between two numbered lines has no number: nobody refers to it, and both neighbours
//! have numbers. The file's own text stays unchanged byte for byte, because an edit tool must match it.

use crate::call::ToolKind;
use crate::plan::{Loss, Mode, Reader};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// A text whose lines begin with line numbers.
pub(crate) struct Numbered;

/// The name of this stage, by which other modules recognise a file with numbered lines.
pub const NAME: &str = "numbered";

/// The minimum number of numbered lines; fewer may be a coincidence.
const MIN_LINES: usize = 4;

impl Stage for Numbered {
    fn lines_stand_alone(&self) -> bool {
        true
    }

    fn keeps_text(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        NAME
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        let (head, shape) = begin(scene, text)?;
        let mut out = String::with_capacity(text.len());
        let mut lines = text.split_inclusive('\n').peekable();
        lines.by_ref().take(head).for_each(|line| out.push_str(line));
        let mut numbered = 0;
        for number in shape.first.. {
            let next = lines.next_if(|line| shape.content(line, number).is_some());
            let Some(content) = next.and_then(|line| shape.content(line, number)) else { break };
            let goes_on = lines.peek().is_some_and(|line| shape.content(line, number + 1).is_some());
            if !(content == "\n" && goes_on && numbered > 0 && scene.plan.reader >= Reader::Strong) {
                out.push_str(&number.to_string());
                out.push(TAB);
            }
            out.push_str(content);
            numbered += 1;
        }
        let rest = lines.inspect(|line| out.push_str(line)).count();
        let note = shape.note(numbered, head);
        // If other lines precede the numbered ones, a few numbers in a long text may be a coincidence.
        let most = head == 0 || numbered >= rest;
        (numbered >= MIN_LINES && most && out != **text).then_some(Edit { text: out, loss: Loss::None, note })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let (numbered, head, shape) = Shape::parse(note)?;
        let mut out = String::with_capacity(text.len() + 8 * numbered.min(text.len()));
        let mut lines = text.split_inclusive('\n');
        lines.by_ref().take(head).for_each(|line| out.push_str(line));
        for number in shape.first..shape.first.checked_add(numbered)? {
            let line = lines.next()?;
            let bare = line == "\n";
            let content =
                if bare { line } else { line.strip_prefix(&number.to_string())?.strip_prefix(TAB)? };
            shape.push(&mut out, number, content);
            out.push_str(content);
        }
        lines.for_each(|line| out.push_str(line));
        room.fits(out.len())?;
        Some(out)
    }
}

/// The number of lines above the numbered lines, and the shape of the gutter.
///
/// Tools that edit a file or run a command write a report above the lines that they show.
fn begin(scene: Scene<'_>, text: &str) -> Option<(usize, Shape)> {
    let lines: Vec<&str> = text.split('\n').take(MAX_HEAD_LINES + MIN_LINES).collect();
    let numbered = |head: usize, shape: &Shape| {
        let first = lines.get(head..head + MIN_LINES).unwrap_or_default();
        !first.is_empty()
            && (shape.first..).zip(first).all(|(number, line)| shape.content(line, number).is_some())
    };
    // Lists number their items with dots too.
    let fits = |shape: &Shape| shape.separator != DOT || scene.call.tool_kind() == ToolKind::Read;
    let first = lines.iter().enumerate().take(MAX_HEAD_LINES + 1);
    let shapes = first.filter_map(|(head, line)| Some((head, Shape::of(line)?.with_ending(text))));
    shapes.into_iter().find(|(head, shape)| fits(shape) && numbered(*head, shape))
}

/// The maximum number of lines above the numbered lines.
const MAX_HEAD_LINES: usize = 12;

/// The character between the number and the text in our notation.
const TAB: char = '\t';

/// Separators between number and text, and their names in the note.
const SEPARATORS: [(&str, &str); 6] =
    [("→", "arrow"), ("\t", "tab"), (": ", "colon"), (DOT, "dot"), (" | ", "bar"), ("| ", "pipe")];
const DOT: &str = ". ";

/// Words in the note for zero-padded numbers, and for gutters that lack the last space on empty lines.
const ZEROS: &str = ", zeros";
const TRIMMED: &str = ", trimmed";

/// The layout of a gutter.
struct Shape {
    first: usize,
    /// The width to which numbers are padded, and the padding character.
    width: usize,
    padding: char,
    separator: &'static str,
    /// True when the gutter of an empty line does not end with a space.
    trimmed: bool,
}

impl Shape {
    /// The shape of the gutter in `line`, the first numbered line.
    fn of(line: &str) -> Option<Self> {
        let number = line.trim_start_matches(' ');
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = number.split_at(digits);
        let (separator, _) = SEPARATORS.into_iter().find(|(separator, _)| rest.starts_with(separator))?;
        let width = line.len() - number.len() - rest.len() + digits;
        let zeros = number.len() > 1 && number.starts_with('0');
        let padded = number.len() < width;
        let plain = digits > 0 && digits < 8 && number != "0" && !(zeros && padded) && width <= 16;
        plain.then_some(Self {
            first: number.parse().ok()?,
            width: if padded || zeros { width } else { 1 },
            padding: if zeros { '0' } else { ' ' },
            separator,
            trimmed: false,
        })
    }

    /// Sets whether the gutters of empty lines in `text` lack their last space.
    fn with_ending(self, text: &str) -> Self {
        let end = self.separator.trim_end_matches(' ');
        let is_empty = |line: &str| {
            let rest = line.trim_start_matches(' ').trim_start_matches(|char: char| char.is_ascii_digit());
            rest.len() < line.len() && rest == end
        };
        let trimmed = end.len() < self.separator.len() && text.split('\n').any(is_empty);
        Self { trimmed, ..self }
    }

    /// The text after the gutter of `line`, if its number is `number`.
    fn content<'l>(&self, line: &'l str, number: usize) -> Option<&'l str> {
        let digits = number.to_string();
        let padding = self.width.saturating_sub(digits.len());
        let (before, rest) = line.split_at_checked(padding)?;
        let rest = rest.strip_prefix(&digits).filter(|_| before.chars().all(|char| char == self.padding))?;
        if !self.trimmed {
            return rest.strip_prefix(self.separator);
        }
        let is_empty = |content: &&str| matches!(*content, "" | "\n");
        let short = rest.strip_prefix(self.separator.trim_end_matches(' ')).filter(is_empty);
        short.or_else(|| rest.strip_prefix(self.separator).filter(|content| !is_empty(content)))
    }

    /// Writes a line with its original gutter.
    fn push(&self, out: &mut String, number: usize, content: &str) {
        let digits = number.to_string();
        out.extend(std::iter::repeat_n(self.padding, self.width.saturating_sub(digits.len())));
        out.push_str(&digits);
        let short = self.trimmed && matches!(content, "" | "\n");
        out.push_str(if short { self.separator.trim_end_matches(' ') } else { self.separator });
    }

    fn name(&self) -> &'static str {
        SEPARATORS.iter().find(|(separator, _)| *separator == self.separator).map_or("", |(_, name)| name)
    }

    /// Writes the note: `120, width 6, arrow`, the padding and the ending, the first number if it is not 1, and the
    /// number of lines above.
    fn note(&self, numbered: usize, head: usize) -> String {
        let from = if self.first == 1 { String::new() } else { format!(" from {}", self.first) };
        let after = if head == 0 { String::new() } else { format!(" after {head} lines") };
        let zeros = if self.padding == '0' { ZEROS } else { "" };
        let trimmed = if self.trimmed { TRIMMED } else { "" };
        format!("{numbered}{from}{after}, width {}, {}{zeros}{trimmed}", self.width, self.name())
    }

    /// Parses a note written by `note`.
    fn parse(note: &str) -> Option<(usize, usize, Self)> {
        let (counts, rest) = note.split_once(", width ")?;
        let (counts, head) = match counts.split_once(" after ") {
            Some((counts, head)) => (counts, head.strip_suffix(" lines")?.parse().ok()?),
            None => (counts, 0),
        };
        let (numbered, first) = counts.split_once(" from ").unwrap_or((counts, "1"));
        let (width, name) = rest.split_once(", ")?;
        let (name, trimmed) = name.strip_suffix(TRIMMED).map_or((name, false), |name| (name, true));
        let (name, padding) = name.strip_suffix(ZEROS).map_or((name, ' '), |name| (name, '0'));
        let (separator, _) = SEPARATORS.into_iter().find(|(_, known)| *known == name)?;
        let width = width.parse().ok().filter(|&width: &usize| width <= 16)?;
        Some((
            numbered.parse().ok()?,
            head,
            Self { first: first.parse().ok()?, width, padding, separator, trimmed },
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;
    use crate::proof::{apply, check};

    #[test]
    fn gutters_of_real_harnesses_get_cheaper() {
        check(
            &Numbered,
            "     1→a\n     2→\n     3→\tb\n     4→c",
            "4, width 6, arrow",
            "1\ta\n\n3\t\tb\n4\tc",
        );
        check(
            &Numbered,
            "     7\ta\n     8\tb\n     9\tc\n    10\td\n",
            "4 from 7, width 6, tab",
            "7\ta\n8\tb\n9\tc\n10\td\n",
        );
        check(
            &Numbered,
            "00009| a\n00010| \n00011|  b\n00012| c\n",
            "4 from 9, width 5, pipe, zeros",
            "9\ta\n\n11\t b\n12\tc\n",
        );
        check(
            &Numbered,
            " 9 | a\n10 |\n11 | b\n12 | c",
            "4 from 9, width 2, bar, trimmed",
            "9\ta\n\n11\tb\n12\tc",
        );
        check(&Numbered, "1: a\n2: b\n3: c\n4: d\n", "4, width 1, colon", "1\ta\n2\tb\n3\tc\n4\td\n");
    }

    /// Copilot numbers lines in this way. Lists look the same, so only the result of a client's own read tool counts.
    #[test]
    fn dots_count_behind_a_tool_that_reads() {
        let text = "1. a\n2. \n3. b\n4. c\n";
        let call = Call { tool: "view", command: Some("a.py"), ..Call::default() };
        let scene = Scene::of(&Plan::USUAL, call);
        let edit = Numbered.apply(scene, &TextView::new(text)).expect("an edit");
        assert_eq!((edit.text.as_str(), edit.note.as_str()), ("1\ta\n\n3\tb\n4\tc\n", "4, width 1, dot"));
        assert_eq!(Numbered.restore(Room::of(&edit.text), &edit.note, &edit.text).as_deref(), Some(text));
        assert_eq!(apply(&Numbered, text), None);
    }

    #[test]
    fn only_empty_lines_between_others_lose_their_numbers() {
        check(
            &Numbered,
            "1\t\n2\ta\n3\t\n4\t\n5\tb\n6\t \n7\t\n",
            "7, width 1, tab",
            "1\t\n2\ta\n\n\n5\tb\n6\t \n7\t\n",
        );
        check(
            &Numbered,
            " 1\ta\n 2\t\n 3\tc\n 4\t\n\n<note>",
            "4, width 2, tab",
            "1\ta\n\n3\tc\n4\t\n\n<note>",
        );
    }

    #[test]
    fn lines_above_the_numbered_ones_stay() {
        check(
            &Numbered,
            "The file has been updated:\n   98→a\n   99→b\n  100→c\n  101→d",
            "4 from 98 after 1 lines, width 5, arrow",
            "The file has been updated:\n98\ta\n99\tb\n100\tc\n101\td",
        );
        assert_eq!(apply(&Numbered, &format!("x\n1: a\n2: b\n3: c\n4: d\n{}", "y\n".repeat(9))), None);
    }

    #[test]
    fn what_follows_the_numbered_lines_stays() {
        check(
            &Numbered,
            "  1→a\n  2→b\n  3→c\n  4→d\n\n6→e",
            "4, width 3, arrow",
            "1\ta\n2\tb\n3\tc\n4\td\n\n6→e",
        );
    }

    #[test]
    fn other_numbers_are_left_alone() {
        for text in [
            "1\ta\n3\tb\n4\tc\n5\td",
            "1. a\n2. b\n3. c\n4. d",
            "01\ta\n02\tb",
            "0\ta\n1\tb\n2\tc\n3\td",
            "1 |\n\n2 |",
            "",
            "\n\n\n\n",
        ] {
            assert_eq!(apply(&Numbered, text), None, "{text:?}");
        }
    }
}
