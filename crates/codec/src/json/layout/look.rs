//! Detects the layout of a JSON text from its white space, in one pass.

use super::rule::{Group, LayoutRule, RuleKind};
use super::{Base, Colon, Comma, MAX_ODD, Newline, Pad, Space};

/// The state of one pass over a JSON text.
pub(super) struct Look<'t> {
    text: &'t str,
    at: usize,
    /// The position where the current line begins.
    line: usize,
    /// The number of characters so far, without the white space between tokens.
    ink: usize,
    /// The number of UTF-8 continuation bytes so far on this line, which do not count as characters.
    tails: usize,
    /// The open groups (arrays and objects).
    open: Vec<Open>,
    /// The groups that are not empty; for each, whether it spans several lines.
    groups: Vec<(Group, bool)>,
    /// For each kind of gap, the white space at its first occurrence.
    gaps: [Option<&'t str>; Gap::COUNT],
}

struct Open {
    /// The index of this group in `groups`.
    index: usize,
    column: usize,
    ink: usize,
    commas: usize,
}

/// The kinds of positions where white space may occur.
#[derive(Clone, Copy)]
enum Gap {
    BeforeColon,
    AfterColon,
    /// After a comma, in a group on one line.
    Comma,
    /// After the opening bracket of a group on one line.
    Pad,
    Empty,
    /// After the opening bracket of a group on several lines.
    Line,
    /// After a comma of the outermost group.
    Row,
}

impl Gap {
    const COUNT: usize = 7;
}

impl<'t> Look<'t> {
    /// Reads a JSON text.
    pub(super) fn at(text: &'t str) -> Self {
        let gaps = [None; Gap::COUNT];
        let (open, groups) = (Vec::new(), Vec::new());
        let mut look = Self { text, at: 0, line: 0, ink: 0, tails: 0, open, groups, gaps };
        while look.at < text.len() {
            look.token();
        }
        look
    }

    fn token(&mut self) {
        let byte = self.text.as_bytes()[self.at];
        match byte {
            b'{' | b'[' => self.open(byte),
            b'}' | b']' => self.close(),
            b',' => self.comma(),
            b':' => {
                self.ink(1);
                let gap = self.blank();
                self.note(Gap::AfterColon, gap);
            }
            b'"' => self.string(),
            b' ' | b'\t' | b'\n' | b'\r' => {
                let gap = self.blank();
                if self.text.as_bytes().get(self.at) == Some(&b':') {
                    self.note(Gap::BeforeColon, gap);
                }
            }
            _ => self.ink(1),
        }
    }

    fn ink(&mut self, bytes: usize) {
        self.at += bytes;
        self.ink += bytes;
    }

    fn string(&mut self) {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        let mut tails = 0;
        while let Some(&byte) = bytes.get(end) {
            match byte {
                b'"' => break,
                b'\\' => end += 1,
                _ => tails += usize::from(byte & 0xC0 == 0x80),
            }
            end += 1;
        }
        let end = (end + 1).min(bytes.len());
        self.ink(end - self.at);
        self.ink -= tails;
        self.tails += tails;
    }

    /// Skips white space, and returns it.
    fn blank(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let gap =
            &rest[..rest.bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count()];
        self.at += gap.len();
        if let Some(end) = gap.rfind('\n') {
            self.line = self.at - gap.len() + end + 1;
            self.tails = 0;
        }
        gap
    }

    fn note(&mut self, place: Gap, gap: &'t str) {
        self.gaps[place as usize].get_or_insert(gap);
    }

    fn gap(&self, place: Gap) -> Option<&'t str> {
        self.gaps[place as usize]
    }

    fn open(&mut self, byte: u8) {
        let column = self.at - self.line - self.tails;
        let ink = self.ink;
        self.ink(1);
        let gap = self.blank();
        if matches!(self.text.as_bytes().get(self.at), Some(b'}' | b']')) {
            self.note(Gap::Empty, gap);
            self.holds_group();
            return self.ink(1);
        }
        let lines = gap.contains('\n');
        self.note(if lines { Gap::Line } else { Gap::Pad }, gap);
        self.holds_group();
        let kind = if byte == b'{' { RuleKind::Object } else { RuleKind::Plain };
        self.open.push(Open { index: self.groups.len(), column, ink, commas: 0 });
        self.groups.push((Group { kind, level: self.open.len() - 1, column: 0 }, lines));
    }

    /// Records that the innermost open group contains another group.
    fn holds_group(&mut self) {
        let Some(open) = self.open.last() else { return };
        let kind = &mut self.groups[open.index].0.kind;
        if *kind == RuleKind::Plain {
            *kind = RuleKind::Array;
        }
    }

    fn close(&mut self) {
        self.ink(1);
        let Some(open) = self.open.pop() else { return };
        let follows = usize::from(self.text.as_bytes().get(self.at) == Some(&b','));
        self.groups[open.index].0.column = open.column + self.ink - open.ink + open.commas + follows;
    }

    fn comma(&mut self) {
        self.ink(1);
        let gap = self.blank();
        let Some(open) = self.open.last_mut() else { return };
        open.commas += 1;
        let (index, outermost) = (open.index, self.open.len() == 1);
        if outermost {
            self.note(Gap::Row, gap);
        }
        if !self.groups[index].1 && !gap.contains('\n') {
            self.note(Gap::Comma, gap);
        }
    }

    /// The layout that matches the white space.
    pub(super) fn space(&self) -> Option<Space> {
        let (base, newline) = self.base()?;
        let mut space = Space { newline, ..base.space() };
        space.pad = self.pad()?;
        match (self.gap(Gap::BeforeColon), self.gap(Gap::AfterColon)) {
            (_, None) => {}
            (None, Some("")) => space.colon = Colon::Tight,
            (None, Some(" ")) => space.colon = Colon::Spaced,
            (Some(" "), Some(" ")) => space.colon = Colon::Wide,
            _ => return None,
        }
        match self.gap(Gap::Comma) {
            None => {}
            Some("") => space.comma = Comma::Tight,
            Some(" ") => space.comma = Comma::Spaced,
            _ => return None,
        }
        if base.step().is_some() {
            (space.rule, space.odd) = self.rule()?;
        }
        Some(space)
    }

    fn base(&self) -> Option<(Base, Newline)> {
        if let Some(line) = self.gap(Gap::Line) {
            let (newline, rest) = match line.strip_prefix("\r\n") {
                Some(rest) => (Newline::Crlf, rest),
                None => (Newline::Lf, line.strip_prefix('\n')?),
            };
            let base = match rest.bytes().take_while(|&byte| byte == b' ').count() {
                0 if rest == "\t" => Base::Tabs,
                spaces if spaces == rest.len() && spaces <= 16 => Base::Indent(spaces),
                _ => return None,
            };
            return Some((base, newline));
        }
        let base = match (self.gap(Gap::Row), self.gap(Gap::Comma), self.gap(Gap::AfterColon)) {
            (Some(",\n" | "\n"), ..) => Base::Rows,
            (Some(" \n "), ..) => Base::Gathered,
            (_, Some(" "), _) | (_, None, Some(" ")) => Base::Spaced,
            _ => Base::Compact,
        };
        Some((base, Newline::Lf))
    }

    fn pad(&self) -> Option<Pad> {
        match (self.gap(Gap::Pad), self.gap(Gap::Empty)) {
            (None | Some(""), None | Some("")) => Some(Pad::None),
            (Some(" "), None | Some(" ")) => Some(Pad::Space),
            (None | Some(""), Some(" ")) => Some(Pad::Empty),
            _ => None,
        }
    }

    /// The rule that fits most groups, and the numbers of the groups that it does not fit.
    fn rule(&self) -> Option<(LayoutRule, Vec<usize>)> {
        let odd = |rule: LayoutRule| -> Vec<usize> {
            let groups = self.groups.iter().zip(1..);
            let odd = groups.filter(|((group, lines), _)| rule.breaks(*group) != *lines);
            odd.map(|(_, number)| number).take(MAX_ODD + 1).collect()
        };
        let found = LayoutRule::all().map(|rule| (rule, odd(rule))).min_by_key(|(_, odd)| odd.len());
        found.filter(|(_, odd)| odd.len() <= MAX_ODD)
    }
}
