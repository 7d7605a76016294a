//! Puts references in the place of lines, and lines in the place of references.

use std::borrow::Cow;

use super::anchor::{self, Cut};
use super::index::Place;
use super::line::{self, Line};
use super::note::{self, How, MAX_NAMES, Reference};
use super::runs::{self, Likeness, Piece, Run};
use super::shown::Shown;
use super::{History, Source};
use crate::{Call, Room};

/// The note and the body of a text that refers to earlier ones; `None` when nothing of it stands there.
pub(super) fn write(history: &History, call: Call<'_>, text: &str) -> Option<(String, String)> {
    let lines = line::lines(text);
    let source = Source::of(call);
    let pieces = runs::find(history, source, text, &lines);
    let mut writer = Writer { history, source, text, lines, named: Vec::new(), out: Vec::new() };
    for piece in pieces {
        match piece {
            Piece::Keep(lines) => lines.for_each(|line| writer.keep(line)),
            Piece::Refer(run) => writer.refer(&run),
        }
    }
    let named: Vec<&Shown> = writer.named.iter().filter_map(|shown| history.shown.get(*shown)).collect();
    (!named.is_empty()).then(|| (note::write(&named), writer.out.join("\n")))
}

struct Writer<'w> {
    history: &'w History,
    source: Source,
    text: &'w str,
    lines: Vec<Line>,
    /// The texts that are referred to, in the order of their names.
    named: Vec<usize>,
    out: Vec<Cow<'w, str>>,
}

impl Writer<'_> {
    /// A line that is shown, without what long parts of it stand elsewhere.
    fn keep(&mut self, line: usize) {
        let full = self.lines[line].full(self.text);
        let (mut out, mut from) = (String::new(), 0);
        for Cut { part, place, start } in anchor::cuts(self.history, self.source, full) {
            let how = How::Bytes(start + 1..=start + part.len());
            let Some(reference) = self.reference(place, 1, how) else { continue };
            out.push_str(&full[from..part.start]);
            out.push_str(&reference.to_string());
            from = part.end;
        }
        let rest = &full[from..];
        self.out.push(if from == 0 { Cow::Borrowed(rest) } else { Cow::Owned(out + rest) });
    }

    fn refer(&mut self, run: &Run) {
        let how = match (run.likeness, self.lines[run.at.start].number) {
            (Likeness::Numbered, Some(number)) => How::From(number),
            (Likeness::Bare, _) => How::Bare,
            (Likeness::After(sign), _) => How::After(sign),
            _ => How::Same,
        };
        match self.reference(run.place, run.at.len(), how) {
            Some(reference) => self.out.push(Cow::Owned(reference.to_string())),
            None => run.at.clone().for_each(|line| self.keep(line)),
        }
    }

    /// A reference to so many lines; `None` when there are too many texts to name another.
    fn reference(&mut self, place: Place, count: usize, how: How) -> Option<Reference> {
        let shown = self.history.shown.get(place.shown)?;
        let name = self.named.iter().position(|named| *named == place.shown).unwrap_or(self.named.len());
        if name >= MAX_NAMES {
            return None;
        }
        if name == self.named.len() {
            self.named.push(place.shown);
        }
        let (first, counted) = called(shown, place.line, count);
        Some(Reference { name, lines: first..=first + count - 1, how, counted })
    }
}

/// What the first of some lines is called, and whether it is counted though there are numbers.
fn called(shown: &Shown, line: usize, count: usize) -> (usize, bool) {
    if !shown.is_numbered() {
        return (line + 1, false);
    }
    let lines = &shown.lines[line..line + count];
    let follows =
        lines.windows(2).all(|pair| pair[1].number.is_some_and(|number| pair[0].number == Some(number - 1)));
    match lines[0].number {
        Some(number) if follows => (number, false),
        _ => (line + 1, true),
    }
}

/// The text whose references a note names; `None` when they lead nowhere.
pub(super) fn read(room: Room, history: &History, note: &str, body: &str) -> Option<String> {
    let named: Vec<&Shown> =
        note::ids(note)?.into_iter().map(|id| history.named(id)).collect::<Option<_>>()?;
    let mut out = String::with_capacity(body.len() * 2);
    for (at, line) in body.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
        }
        for (words, reference) in note::parts(line) {
            match reference {
                Some(reference) => resolve(named.get(reference.name)?, &reference, &mut out)?,
                None => out.push_str(words),
            }
        }
        room.fits(out.len())?;
    }
    Some(out)
}

/// Writes the lines that a reference means.
fn resolve(shown: &Shown, reference: &Reference, out: &mut String) -> Option<()> {
    let (first, last) = (*reference.lines.start(), *reference.lines.end());
    let by_number = shown.is_numbered() && !reference.counted;
    let start = if by_number { shown.place_of(first)? } else { first - 1 };
    let lines = shown.lines.get(start..start.checked_add(last - first + 1)?)?;
    for (at, line) in lines.iter().enumerate() {
        if line.is_reference {
            return None;
        }
        if at > 0 {
            out.push('\n');
        }
        push(shown, line, (&reference.how, at), out)?;
    }
    Some(())
}

fn push(shown: &Shown, line: &Line, (how, at): (&How, usize), out: &mut String) -> Option<()> {
    let text = shown.text.as_str();
    match how {
        How::Same => out.push_str(line.full(text)),
        How::Bare => out.push_str(line.content(text)),
        How::After(sign) => {
            out.push(*sign);
            out.push_str(line.content(text));
        }
        How::From(first) => {
            line.push_gutter(text, first.checked_add(at)?, out);
            out.push_str(line.content(text));
        }
        How::Bytes(bytes) => out.push_str(line.full(text).get(bytes.start() - 1..*bytes.end())?),
    }
    Some(())
}
