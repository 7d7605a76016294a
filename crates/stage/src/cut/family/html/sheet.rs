//! Assembles the lines of a page: collapses white space and separates blocks.

use crate::cut::family::html::entity;

/// The lines of a page while they are written.
#[derive(Default)]
pub(super) struct PageSheet {
    pub(super) lines: Vec<PageLine>,
    /// The current line.
    line: String,
    /// The text that begins the current line in place of an indent, such as a list marker.
    lead: Option<String>,
    /// The indent of lines that have no lead.
    pub(super) indent: usize,
    gap: Gap,
    /// True when a blank line precedes the current line.
    apart: bool,
    /// True when a blank must be written before the next word.
    blank: bool,
    /// Marks to write in front of the next word, such as the backtick in front of code.
    marks: String,
    watch: Watch,
    /// The length of the line at the moment when it consisted only of a link within the page.
    jump: Option<usize>,
    /// The number of bytes in all words.
    pub(super) bytes: usize,
}

/// A finished line.
pub(super) struct PageLine {
    pub(super) text: String,
    pub(super) kind: LineKind,
    /// True when a blank line precedes this line.
    pub(super) apart: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Plain,
    Heading,
    /// A line that consists of a single link within the page.
    Jump,
}

/// The gap in front of the next word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Gap {
    #[default]
    None,
    Line,
    Paragraph,
}

/// The start or the end of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LineSide {
    Open,
    Close,
}

/// The state of a request for the position of the next word.
#[derive(Clone, Copy, Default)]
enum Watch {
    #[default]
    Off,
    /// The position is requested. It is after this many bytes of the pending marks.
    Waits(usize),
    At(SheetPlace),
}

/// A position on the sheet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct SheetPlace {
    line: usize,
    byte: usize,
}

impl PageSheet {
    /// Adds a text, decodes its references and collapses its white space.
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

    /// Adds a word unchanged.
    pub(super) fn word(&mut self, word: &str) {
        self.apply_gap();
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

    /// Requests a blank in front of the next word.
    pub(super) fn space(&mut self) {
        self.blank = true;
    }

    /// Requests a gap in front of the next word, unless the line ends with the bar of a table cell.
    pub(super) fn add_gap(&mut self, gap: Gap) {
        self.blank = true;
        if !self.line.ends_with('|') {
            self.gap = self.gap.max(gap);
        }
    }

    /// Begins a new line with the given lead.
    pub(super) fn lead(&mut self, gap: Gap, lead: String) {
        self.add_gap(gap);
        self.gap = self.gap.max(gap);
        self.apply_gap();
        self.lead = Some(lead);
    }

    /// Writes the bar between two table cells.
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

    /// Writes a mark in front of or after words. A pair of marks without words between them is not written.
    pub(super) fn mark(&mut self, mark: &str, side: LineSide) {
        if side == LineSide::Open {
            self.marks.push_str(mark);
        } else if self.marks.ends_with(mark) {
            self.marks.truncate(self.marks.len() - mark.len());
        } else if !self.line.is_empty() {
            self.line.push_str(mark);
        }
    }

    /// Adds lines unchanged.
    pub(super) fn block(&mut self, text: &str) {
        self.end_line();
        self.apart |= self.gap == Gap::Paragraph;
        let apart = std::mem::take(&mut self.apart);
        self.lines.push(PageLine { text: text.to_owned(), kind: LineKind::Plain, apart });
        self.bytes += text.len();
        self.gap = Gap::Line;
    }

    /// Requests the position of the next word.
    pub(super) fn watch(&mut self) {
        self.watch = Watch::Waits(self.marks.len());
    }

    /// The position of the first word since `watch`.
    pub(super) fn take_watch(&mut self) -> Option<SheetPlace> {
        match std::mem::take(&mut self.watch) {
            Watch::At(place) => Some(place),
            Watch::Off | Watch::Waits(_) => None,
        }
    }

    /// The text on the current line since `place`, if there is any.
    pub(super) fn since(&self, place: SheetPlace) -> Option<&str> {
        let same = place.line == self.lines.len();
        self.line.get(place.byte..).filter(|text| same && !text.is_empty())
    }

    /// Puts `before` and `after` around the text on the current line since `place`.
    pub(super) fn enclose(&mut self, place: SheetPlace, [before, after]: [&str; 2]) {
        if self.since(place).is_some() {
            self.line.insert_str(place.byte, before);
            self.line.push_str(after);
        }
    }

    /// Removes the text on the current line since `place`.
    pub(super) fn take_back(&mut self, place: SheetPlace) {
        if self.since(place).is_some() {
            self.line.truncate(place.byte);
        }
    }

    /// Records that the text on the current line since `place` is a link to an anchor on the page.
    pub(super) fn note_jump(&mut self, place: SheetPlace) {
        let lead = |sign: char| sign == ' ' || sign == '-' || sign == '.' || sign.is_ascii_digit();
        let first = self.line.get(..place.byte).is_some_and(|before| before.chars().all(lead));
        if first && self.since(place).is_some() {
            self.jump = Some(self.line.len());
        }
    }

    /// Ends the current line.
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

    /// Applies the requested gap.
    fn apply_gap(&mut self) {
        let gap = std::mem::take(&mut self.gap);
        if gap > Gap::None {
            self.end_line();
            self.apart |= gap == Gap::Paragraph;
        }
    }

    fn start(&mut self) {
        self.apply_gap();
        let indent = self.indent;
        self.line = self.lead.take().unwrap_or_else(|| "  ".repeat(indent));
    }
}
