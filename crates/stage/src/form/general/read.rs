//! Decodes the general form: replaces signs, then expands rows.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;

use crate::form::general::fold;
use crate::form::general::name::SIGNS;
use crate::form::general::notation::{self, HEAD, HEAD_END, TEXT};
use crate::form::general::part::Pad;
use crate::lines;
use crate::room::Room;

/// Restores the original of `text`.
pub(super) fn read(room: Room, text: &str) -> Option<String> {
    let (head, rest) = text.strip_prefix(HEAD)?.split_once(HEAD_END)?;
    let (signs, rest) = signs(rest)?;
    let plain = expand_signs(room, &signs, rest)?;
    let (templates, body) = definitions(&plain)?;
    let reader = Reader { room, ditto: notation::ditto(head), templates, parts: Cell::new(0) };
    let body = reader.body(body)?;
    Some(match notation::fold(head) {
        Some(end) => fold::unfold(&body, end),
        None => body,
    })
}

/// Parses the list of signs. Returns the signs, and the text after the list.
fn signs(mut text: &str) -> Option<(HashMap<char, &str>, &str)> {
    let mut signs = HashMap::new();
    while let Some(sign) = text.chars().next().filter(|first| SIGNS.contains(*first)) {
        let (line, rest) = text.split_once('\n')?;
        signs.insert(sign, line[sign.len_utf8()..].strip_prefix(' ')?);
        text = rest;
    }
    Some((signs, text))
}

fn expand_signs<'t>(room: Room, signs: &HashMap<char, &str>, text: &'t str) -> Option<Cow<'t, str>> {
    if signs.is_empty() {
        return Some(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len() * 2);
    let mut from = 0;
    for (at, letter) in text.char_indices().filter(|(_, letter)| !letter.is_ascii()) {
        if let Some(phrase) = signs.get(&letter) {
            out.push_str(&text[from..at]);
            out.push_str(phrase);
            room.fits(out.len())?;
            from = at + letter.len_utf8();
        }
    }
    out.push_str(&text[from..]);
    Some(Cow::Owned(out))
}

/// A template's definition.
struct Definition<'t> {
    holes: usize,
    separator: &'t str,
    parts: Vec<DefinitionPart<'t>>,
}

enum DefinitionPart<'t> {
    Same(&'t str),
    LineEnd,
    Hole(usize, Option<Pad>),
}

/// Parses all template definitions. Returns them, and the text after them.
fn definitions(mut text: &str) -> Option<(HashMap<&str, Definition<'_>>, &str)> {
    let mut found = HashMap::new();
    loop {
        let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
        text = rest;
        if line == TEXT {
            return Some((found, rest));
        }
        let (left, right) = line.split_once(" = ")?;
        let (name, holes) = left.split_once(' ').unwrap_or((left, ""));
        let (names, holes, separator) = hole_names(holes)?;
        let mut definition = Definition { holes, separator, parts: Vec::new() };
        let height = right.strip_suffix(" lines:").and_then(|count| count.parse::<usize>().ok());
        match height {
            None => definition.put(right, &names),
            Some(height) => {
                for place in 0..height {
                    let (line, rest) = text.split_once('\n')?;
                    if place > 0 {
                        definition.parts.push(DefinitionPart::LineEnd);
                    }
                    definition.put(line.strip_prefix(" | ")?, &names);
                    text = rest;
                }
            }
        }
        found.insert(name, definition);
    }
}

/// Parses the left side of a definition: the names of the holes, their number, and the separator between values.
fn hole_names(left: &str) -> Option<(HashMap<&str, usize>, usize, &str)> {
    let (mut names, mut count, mut separator) = (HashMap::new(), 0, ",");
    let mut rest = left;
    while !rest.is_empty() {
        if count > 0 {
            let (between, _) = rest.split_once('{')?;
            separator = between;
            rest = &rest[between.len()..];
        }
        let (name, behind) = rest.strip_prefix('{')?.split_once('}')?;
        names.entry(name).or_insert(count);
        count += 1;
        rest = behind;
    }
    Some((names, count, separator))
}

impl<'t> Definition<'t> {
    /// Adds a line of the definition's right side.
    fn put(&mut self, line: &'t str, names: &HashMap<&str, usize>) {
        let (mut from, mut open) = (0, None);
        for (at, brace) in line.match_indices(['{', '}']) {
            let inside = open.take().map(|open: usize| (open, &line[open + 1..at]));
            if brace == "{" {
                open = Some(at);
            } else if let Some((open, (hole, pad))) =
                inside.and_then(|(open, inside)| Some((open, hole(inside, names)?)))
            {
                self.parts.push(DefinitionPart::Same(&line[from..open]));
                self.parts.push(DefinitionPart::Hole(hole, pad));
                from = at + 1;
            }
        }
        self.parts.push(DefinitionPart::Same(&line[from..]));
    }
}

/// The hole that the text inside braces describes, if it describes one.
fn hole(inside: &str, names: &HashMap<&str, usize>) -> Option<(usize, Option<Pad>)> {
    if let Some(hole) = names.get(inside) {
        return Some((*hole, None));
    }
    let (name, pad) = inside.rsplit_once(':')?;
    let hole = *names.get(name)?;
    let is_right = pad.starts_with('>');
    let width = pad.strip_prefix(['<', '>'])?.parse().ok()?;
    Some((hole, Some(Pad { is_right, width })))
}

struct Reader<'t> {
    room: Room,
    ditto: Option<char>,
    templates: HashMap<&'t str, Definition<'t>>,
    /// The number of parts written so far, which is limited because even empty parts take time.
    parts: Cell<usize>,
}

impl Reader<'_> {
    fn body(&self, body: &str) -> Option<String> {
        let mut out = String::with_capacity(body.len() * 2);
        let mut lines = lines::split(body);
        let mut is_first = true;
        while let Some(line) = lines.next() {
            if !std::mem::take(&mut is_first) {
                out.push('\n');
            }
            let (name, values) = line.split_once(' ').map_or((line, None), |(name, rest)| (name, Some(rest)));
            let Some(template) = self.templates.get(name) else {
                out.push_str(line);
                self.room.fits(out.len())?;
                continue;
            };
            let mut last = Vec::new();
            match values.and_then(count) {
                Some((count, true)) => {
                    for place in 0..count {
                        if place > 0 {
                            out.push('\n');
                        }
                        self.row(template, lines.next()?, &mut last, &mut out)?;
                    }
                }
                Some((count, false)) if template.holes == 0 => {
                    for place in 0..count {
                        if place > 0 {
                            out.push('\n');
                        }
                        self.row(template, "", &mut last, &mut out)?;
                    }
                }
                _ => self.row(template, values.unwrap_or(""), &mut last, &mut out)?,
            }
        }
        Some(out)
    }

    /// Writes one row. A ditto sign copies the value of the row above.
    fn row<'r>(
        &self,
        template: &Definition<'_>,
        line: &'r str,
        last: &mut Vec<&'r str>,
        out: &mut String,
    ) -> Option<()> {
        let mut values: Vec<&str> = match template.holes {
            0 if line.is_empty() => Vec::new(),
            0 => return None,
            1 => vec![line],
            _ => line.split(template.separator).collect(),
        };
        if values.len() != template.holes {
            return None;
        }
        for (place, value) in values.iter_mut().enumerate() {
            if self.ditto.is_some_and(|ditto| value.strip_prefix(ditto) == Some("")) {
                *value = last.get(place)?;
            }
        }
        self.parts.set(self.parts.get() + template.parts.len());
        for part in &template.parts {
            match part {
                DefinitionPart::Same(text) => out.push_str(text),
                DefinitionPart::LineEnd => out.push('\n'),
                DefinitionPart::Hole(hole, pad) => fill(out, values.get(*hole)?, *pad, self.room)?,
            }
        }
        self.room.fits(out.len().max(self.parts.get()))?;
        *last = values;
        Some(())
    }
}

/// Writes a value with its padding.
fn fill(out: &mut String, value: &str, pad: Option<Pad>, room: Room) -> Option<()> {
    let Some(Pad { is_right, width }) = pad else {
        out.push_str(value);
        return Some(());
    };
    let blanks = width.saturating_sub(value.len());
    room.fits(out.len().checked_add(blanks)?)?;
    if is_right {
        out.extend(std::iter::repeat_n(' ', blanks));
    }
    out.push_str(value);
    if !is_right {
        out.extend(std::iter::repeat_n(' ', blanks));
    }
    Some(())
}

/// Parses the count of a run: `×9:` or `×9`.
fn count(values: &str) -> Option<(usize, bool)> {
    let rest = values.strip_prefix('×')?;
    let (digits, is_run) = rest.strip_suffix(':').map_or((rest, false), |digits| (digits, true));
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number).map(|count| (count, is_run))
}
