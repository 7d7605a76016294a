//! Writes a value in a layout.

use super::rule::{COLUMNS, Group, LayoutRule, RuleKind};
use super::{Base, Colon, Comma, Layout, Pad};
use crate::{Text, Value};

impl Layout {
    /// Writes `value` in this layout.
    #[must_use]
    pub fn write(&self, value: &Value<'_>) -> String {
        self.write_within(usize::MAX, value).unwrap_or_default()
    }

    /// Writes `value` in this layout; `None` when the text would be longer than `most` bytes.
    #[must_use]
    pub fn write_within(&self, most: usize, value: &Value<'_>) -> Option<String> {
        let mut writer =
            Writer { out: self.before.clone(), line: 0, layout: self, group: 0, odd: 0, level: 0, most };
        writer.value(value, Place { depth: 0, follows: 0 });
        writer.out.push_str(&self.after);
        (writer.out.len() <= most).then_some(writer.out)
    }
}

/// A column beyond the limit of every rule.
const BEYOND: usize = COLUMNS[COLUMNS.len() - 1] + 1;

struct Writer<'l> {
    out: String,
    /// The position where the current line begins.
    line: usize,
    layout: &'l Layout,
    /// The number of groups so far that are not empty.
    group: usize,
    /// The number of groups so far that break the rule.
    odd: usize,
    /// The number of open groups.
    level: usize,
    /// The maximum number of bytes; nothing is written after this limit.
    most: usize,
}

/// The position of a value.
#[derive(Clone, Copy)]
struct Place {
    /// The indentation of the value's line, in levels.
    depth: usize,
    /// The minimum number of characters after the value on its line: one if a comma follows.
    follows: usize,
}

/// A member or an item of a group.
type Part<'g, 'v> = (Option<&'g Text<'v>>, &'g Value<'v>);

impl Writer<'_> {
    fn value(&mut self, value: &Value<'_>, place: Place) {
        match value {
            Value::Array(items) => {
                let kind = if items.iter().all(Value::is_scalar) { RuleKind::Plain } else { RuleKind::Array };
                self.group(kind, items.iter().map(|item| (None, item)), place);
            }
            Value::Object(members) => {
                let members = members.iter().map(|(key, value)| (Some(key), value));
                self.group(RuleKind::Object, members, place);
            }
            Value::String(text) => self.string(text),
            scalar => crate::json::push_scalar(&mut self.out, scalar),
        }
    }

    fn group<'g, 'v: 'g>(
        &mut self,
        kind: RuleKind,
        parts: impl ExactSizeIterator<Item = Part<'g, 'v>> + Clone,
        place: Place,
    ) {
        let (open, close) = if kind == RuleKind::Object { ('{', '}') } else { ('[', ']') };
        self.out.push(open);
        if parts.len() == 0 {
            self.out.push_str(if self.layout.space.pad == Pad::None { "" } else { " " });
        } else {
            self.group += 1;
            self.level += 1;
            self.write_content(kind, parts, place);
            self.level -= 1;
        }
        self.out.push(close);
    }

    /// Writes the content between the brackets.
    fn write_content<'g, 'v: 'g>(
        &mut self,
        kind: RuleKind,
        parts: impl ExactSizeIterator<Item = Part<'g, 'v>> + Clone,
        place: Place,
    ) {
        let space = &self.layout.space;
        let odd = space.odd.get(self.odd) == Some(&self.group);
        self.odd += usize::from(odd);
        let start = self.out.len();
        let measured = kind == RuleKind::Plain && matches!(space.rule, LayoutRule::Fit(_));
        if measured {
            self.flat(parts.clone(), place);
        }
        let column = if measured { self.column() + 1 + place.follows } else { 0 };
        let lines = space.base.step().is_some()
            && space.rule.breaks(Group { kind, level: self.level - 1, column }) != odd;
        if measured && !lines {
            return;
        }
        self.out.truncate(start);
        if lines { self.lines(parts, place) } else { self.flat(parts, place) }
    }

    /// The current column, in characters; on a long line, a column beyond the limit of every rule.
    fn column(&self) -> usize {
        self.out[self.line..].chars().take(BEYOND).count()
    }

    fn lines<'g, 'v: 'g>(&mut self, parts: impl ExactSizeIterator<Item = Part<'g, 'v>>, place: Place) {
        let last = parts.len() - 1;
        for (index, part) in parts.enumerate() {
            self.line(place.depth + 1);
            self.part(part, Place { depth: place.depth + 1, follows: usize::from(index < last) });
            self.out.push_str(if index < last { "," } else { "" });
        }
        self.line(place.depth);
    }

    fn flat<'g, 'v: 'g>(&mut self, parts: impl ExactSizeIterator<Item = Part<'g, 'v>>, place: Place) {
        let space = &self.layout.space;
        let pad = if space.pad == Pad::Space { " " } else { "" };
        let comma = match (space.base, space.comma) {
            (Base::Rows, _) if self.level == 1 => ",\n",
            (Base::Gathered, _) if self.level == 1 => ", \n ",
            (_, Comma::Tight) => ",",
            (_, Comma::Spaced) => ", ",
        };
        self.out.push_str(pad);
        let last = parts.len() - 1;
        for (index, part) in parts.enumerate() {
            self.part(part, Place { follows: usize::from(index < last), ..place });
            self.out.push_str(if index < last { comma } else { "" });
        }
        self.out.push_str(pad);
    }

    fn part(&mut self, (key, value): Part<'_, '_>, place: Place) {
        if self.out.len() > self.most {
            return;
        }
        if let Some(key) = key {
            self.string(key);
            self.out.push_str(match self.layout.space.colon {
                Colon::Tight => ":",
                Colon::Spaced => ": ",
                Colon::Wide => " : ",
            });
        }
        self.value(value, place);
    }

    /// Starts a new line, indented by `depth` levels.
    fn line(&mut self, depth: usize) {
        let space = &self.layout.space;
        let (step, width) = space.base.step().unwrap_or((' ', 0));
        if self.out.len() <= self.most {
            self.out.push_str(space.newline.text());
            self.line = self.out.len();
            self.out.extend(std::iter::repeat_n(step, depth * width));
        }
    }

    fn string(&mut self, text: &Text<'_>) {
        self.out.push('"');
        self.layout.escapes.push(&mut self.out, text);
        self.out.push('"');
    }
}
