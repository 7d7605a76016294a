//! The lines of a page as words are put on them: white space folded, blocks apart.

use crate::cut::family::html::entity;

/// Lines under way.
#[derive(Default)]
pub(super) struct PageSheet {
    pub(super) lines: Vec<PageLine>,
    /// The line that is being written.
    line: String,
    /// What stands before its first word, in place of the indent.
    lead: Option<String>,
    /// How far in a line begins that has no lead.
    pub(super) indent: usize,
    gap: Gap,
    /// True when a blank line stands above the line.
    apart: bool,
    /// True when a blank stands before the next word.
    blank: bool,
    /// Marks that wait for the next word, such as the one before code.
    marks: String,
    watch: Watch,
    /// The length of the line when a jump was all that stood on it.
    jump: Option<usize>,
    /// Bytes of all words.
    pub(super) bytes: usize,
}

/// A line that was written.
pub(super) struct PageLine {
    pub(super) text: String,
    pub(super) kind: LineKind,
    /// True when a blank line stands above.
    pub(super) apart: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Plain,
    Heading,
    /// One link to a place on the same page.
    Jump,
}

/// What comes before the next word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Gap {
    #[default]
    None,
    Line,
    Paragraph,
}

/// Which side of an element is seen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LineSide {
    Open,
    Close,
}

/// Where the next word comes to stand, for who asked.
#[derive(Clone, Copy, Default)]
enum Watch {
    #[default]
    Off,
    /// Behind so many bytes of the marks that wait.
    Waits(usize),
    At(SheetPlace),
}

/// A place on the sheet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct SheetPlace {
    line: usize,
    byte: usize,
}

impl PageSheet {
    /// Adds words, whose references are read and whose white space is folded.
    pub(super) fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let reference = if first == '&' { entity::decode(rest) } else { None };
            let (length, sign) = reference.unwrap_or((first.len_utf8(), first));
            if sign.is_whitespace() {
                self.blank = true;
                rest = &rest[length..];
            } else if reference.is_some() {
                self.word(sign.encode_utf8(&mut [0; 4]));
                rest = &rest[length..];
            } else {
                let ends = |sign: char| sign == '&' || sign.is_whitespace();
                let end = rest[length..].find(ends).map_or(rest.len(), |end| end + length);
                self.word(&rest[..end]);
                rest = &rest[end..];
            }
        }
    }

    /// Adds a word as it is.
    pub(super) fn word(&mut self, word: &str) {
        self.turn();
        if self.line.is_empty() {
            self.start();
        } else if self.blank {
            self.line.push(' ');
        }
        self.blank = false;
        let marks = std::mem::take(&mut self.marks);
        let before = if let Watch::Waits(before) = self.watch { before } else { marks.len() };
        let (outer, inner) = marks.split_at(before.min(marks.len()));
        self.line.push_str(outer);
        if let Watch::Waits(_) = self.watch {
            self.watch = Watch::At(SheetPlace { line: self.lines.len(), byte: self.line.len() });
        }
        self.line.push_str(inner);
        self.line.push_str(word);
        self.bytes += word.len();
    }

    /// Puts a blank before the next word.
    pub(super) fn space(&mut self) {
        self.blank = true;
    }

    /// Puts a gap before the next word; a cell that has no word yet needs none.
    pub(super) fn part(&mut self, gap: Gap) {
        self.blank = true;
        if !self.line.ends_with('|') {
            self.gap = self.gap.max(gap);
        }
    }

    /// Begins a line with a lead of its own.
    pub(super) fn lead(&mut self, gap: Gap, lead: String) {
        self.part(gap);
        self.gap = self.gap.max(gap);
        self.turn();
        self.lead = Some(lead);
    }

    /// Ends a cell.
    pub(super) fn bar(&mut self) {
        self.gap = Gap::None;
        if self.line.is_empty() {
            self.start();
        } else {
            self.line.push(' ');
        }
        self.line.push('|');
        self.blank = true;
    }

    /// A mark before or behind words; one around nothing is not written.
    pub(super) fn mark(&mut self, mark: &str, side: LineSide) {
        if side == LineSide::Open {
            self.marks.push_str(mark);
        } else if self.marks.ends_with(mark) {
            self.marks.truncate(self.marks.len() - mark.len());
        } else if !self.line.is_empty() {
            self.line.push_str(mark);
        }
    }

    /// Adds lines as they are.
    pub(super) fn block(&mut self, text: &str) {
        self.end_line();
        self.apart |= self.gap == Gap::Paragraph;
        let apart = std::mem::take(&mut self.apart);
        self.lines.push(PageLine { text: text.to_owned(), kind: LineKind::Plain, apart });
        self.bytes += text.len();
        self.gap = Gap::Line;
    }

    /// Asks where the next word comes to stand.
    pub(super) fn watch(&mut self) {
        self.watch = Watch::Waits(self.marks.len());
    }

    /// Where the first word since `watch` stands.
    pub(super) fn watched(&mut self) -> Option<SheetPlace> {
        match std::mem::take(&mut self.watch) {
            Watch::At(place) => Some(place),
            Watch::Off | Watch::Waits(_) => None,
        }
    }

    /// What was written on this line since `place`.
    pub(super) fn since(&self, place: SheetPlace) -> Option<&str> {
        let same = place.line == self.lines.len();
        self.line.get(place.byte..).filter(|text| same && !text.is_empty())
    }

    /// Puts what stands on this line since `place` between two signs.
    pub(super) fn enclose(&mut self, place: SheetPlace, [before, after]: [&str; 2]) {
        if self.since(place).is_some() {
            self.line.insert_str(place.byte, before);
            self.line.push_str(after);
        }
    }

    /// Takes back what was written on this line since `place`.
    pub(super) fn take_back(&mut self, place: SheetPlace) {
        if self.since(place).is_some() {
            self.line.truncate(place.byte);
        }
    }

    /// Notes that what stands on this line since `place` leads to another place on the page.
    pub(super) fn note_jump(&mut self, place: SheetPlace) {
        let lead = |sign: char| sign == ' ' || sign == '-' || sign == '.' || sign.is_ascii_digit();
        let first = self.line.get(..place.byte).is_some_and(|before| before.chars().all(lead));
        if first && self.since(place).is_some() {
            self.jump = Some(self.line.len());
        }
    }

    /// Ends the line that is being written.
    pub(super) fn end_line(&mut self) {
        let jump = self.jump.take();
        if self.line.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.line);
        let kind = match jump {
            Some(length) if length == text.len() => LineKind::Jump,
            _ if text.starts_with('#') => LineKind::Heading,
            _ => LineKind::Plain,
        };
        let apart = std::mem::take(&mut self.apart);
        self.lines.push(PageLine { text, kind, apart });
    }

    /// Takes the gap before a word.
    fn turn(&mut self) {
        let gap = std::mem::take(&mut self.gap);
        if gap > Gap::None {
            self.end_line();
            self.apart |= gap == Gap::Paragraph;
        }
    }

    fn start(&mut self) {
        self.turn();
        let indent = self.indent;
        self.line = self.lead.take().unwrap_or_else(|| "  ".repeat(indent));
    }
}
