//! Writes a layout as text: the list of signs, the templates, and the lines and rows.

use std::fmt::Write as _;
use std::ops::Range;

use crate::form::general::error_context::kept_lines;
use crate::form::general::name;
use crate::form::general::notation::{self, HeadWord, TEXT};
use crate::form::general::phrase::{self, NamedPhrase, Passage};
use crate::form::general::sheet::{NamedTemplate, RowValue, SheetItem, TextSheet};
use crate::form::general::source::ReadText;
use crate::form::general::span::Span;
use crate::form::general::template::{LinePart, MIN_RUN_ROWS};

/// Writes a layout, and replaces its phrases with signs.
pub(super) fn write(source: &ReadText<'_>, sheet: &TextSheet, fold: Option<&str>) -> Option<String> {
    let mut ink = Ink {
        source,
        sheet,
        kept: kept_lines(source),
        notes: String::new(),
        pieces: Vec::new(),
        passages: Vec::new(),
        words: Vec::new(),
    };
    ink.definitions();
    ink.note(&format!("{TEXT}\n"));
    ink.body();
    let signs = name::free_signs(source.text);
    let phrases = phrase::find(source.text, &source.costs, &ink.passages, signs.len());
    if phrases.is_empty() && sheet.templates.is_empty() {
        return None;
    }
    if !phrases.is_empty() {
        ink.needs(HeadWord::Signs);
    }
    let mut text = notation::head(&ink.words, sheet.ditto, fold);
    for (phrase, sign) in phrases.iter().zip(&signs) {
        let _ = writeln!(text, "{sign} {}", phrase.text);
    }
    ink.put(&phrases, &signs, &mut text);
    Some(text)
}

/// A piece of the output.
enum Piece {
    /// Text of the notation itself, by its range in the notes.
    Note(Range<usize>),
    /// A passage of the original text, by its index.
    Passage(usize),
}

struct Ink<'s, 'a> {
    source: &'s ReadText<'a>,
    sheet: &'s TextSheet,
    /// For each line, whether it must contain no signs.
    kept: Vec<bool>,
    /// All text of the notation itself.
    notes: String,
    pieces: Vec<Piece>,
    passages: Vec<Passage>,
    words: Vec<HeadWord>,
}

impl Ink<'_, '_> {
    fn needs(&mut self, word: HeadWord) {
        if !self.words.contains(&word) {
            self.words.push(word);
        }
    }

    fn note(&mut self, words: &str) {
        let start = self.notes.len();
        self.notes.push_str(words);
        match self.pieces.last_mut() {
            Some(Piece::Note(last)) => last.end = self.notes.len(),
            _ => self.pieces.push(Piece::Note(start..self.notes.len())),
        }
    }

    fn text(&mut self, span: Span, is_kept: bool) {
        if !span.is_empty() {
            self.pieces.push(Piece::Passage(self.passages.len()));
            self.passages.push(Passage { span, is_kept });
        }
    }

    fn definitions(&mut self) {
        for named in &self.sheet.templates {
            self.needs(HeadWord::Templates);
            if named.is_alarming {
                self.needs(HeadWord::Alarms);
            }
            self.note(&named.name);
            if !named.holes.is_empty() {
                let holes: Vec<String> = named.holes.iter().map(|hole| format!("{{{hole}}}")).collect();
                self.note(&format!(" {}", holes.join(named.separator)));
            }
            self.note(" = ");
            let height = named.template.height;
            if height > 1 {
                self.note(&format!("{height} lines:\n | "));
            }
            self.parts(named);
            self.note("\n");
        }
    }

    fn parts(&mut self, named: &NamedTemplate) {
        for part in &named.template.parts {
            match part {
                LinePart::Same(span) => self.lines(*span),
                LinePart::Hole(hole, pad) => {
                    let name = &named.holes[*hole];
                    if pad.is_some() {
                        self.needs(HeadWord::Pads);
                    }
                    let padded =
                        pad.map(|pad| format!(":{}{}", if pad.is_right { '>' } else { '<' }, pad.width));
                    self.note(&format!("{{{name}{}}}", padded.unwrap_or_default()));
                }
            }
        }
    }

    /// Adds a part of a template, which may span several lines.
    fn lines(&mut self, span: Span) {
        let mut start = span.from();
        for (place, line) in span.of(self.source.text).split('\n').enumerate() {
            if place > 0 {
                self.note("\n | ");
            }
            self.text(Span::new(start, start + line.len()), false);
            start += line.len() + 1;
        }
    }

    fn body(&mut self) {
        let items = &self.sheet.items;
        let mut at = 0;
        while at < items.len() {
            if at > 0 {
                self.note("\n");
            }
            match items[at] {
                SheetItem::Line(line) => {
                    self.text(self.source.lines[line as usize], self.kept[line as usize]);
                    at += 1;
                }
                SheetItem::Row(number, _) => {
                    let same =
                        |item: &&SheetItem| matches!(item, SheetItem::Row(other, _) if *other == number);
                    let run = items[at..].iter().take_while(same).count();
                    at += self.run(number, at, run);
                }
            }
        }
    }

    /// Writes adjacent rows of a template. Returns the number of rows written.
    fn run(&mut self, number: usize, at: usize, run: usize) -> usize {
        let named = &self.sheet.templates[number];
        let name = &named.name;
        if named.holes.is_empty() {
            if run == 1 {
                self.note(name);
            } else {
                self.needs(HeadWord::Repeats);
                self.note(&format!("{name} ×{run}"));
            }
            return run;
        }
        if run < MIN_RUN_ROWS || named.is_alarming {
            self.note(&format!("{name} "));
            self.row(named, at);
            return 1;
        }
        self.needs(HeadWord::Runs);
        self.note(&format!("{name} ×{run}:"));
        for at in at..at + run {
            self.note("\n");
            self.row(named, at);
        }
        run
    }

    fn row(&mut self, named: &NamedTemplate, at: usize) {
        let SheetItem::Row(_, row) = self.sheet.items[at] else { return };
        let first = named.template.rows[row] as usize;
        let is_kept = self.kept[first..first + named.template.height].contains(&true);
        for (place, value) in named.rows[row].iter().enumerate() {
            if place > 0 {
                self.note(named.separator);
            }
            match value {
                RowValue::Text(span) => self.text(*span, is_kept),
                RowValue::Again => {
                    self.needs(HeadWord::Dittos);
                    self.note(&self.sheet.ditto.map_or_else(String::new, String::from));
                }
            }
        }
    }

    /// Appends all pieces to `text`, with signs in place of phrases.
    fn put(&self, phrases: &[NamedPhrase<'_>], signs: &[char], text: &mut String) {
        let mut named: Vec<(usize, Span, char)> = Vec::new();
        for (phrase, sign) in phrases.iter().zip(signs) {
            let places = phrase.passages.iter().zip(&phrase.places);
            named.extend(places.map(|(passage, place)| (*passage, *place, *sign)));
        }
        named.sort_unstable_by_key(|(passage, place, _)| (*passage, place.start));
        let mut named = named.into_iter().peekable();
        for piece in &self.pieces {
            match piece {
                Piece::Note(words) => text.push_str(&self.notes[words.clone()]),
                Piece::Passage(number) => {
                    let span = self.passages[*number].span;
                    let mut from = span.from();
                    while let Some((_, place, sign)) = named.next_if(|(passage, ..)| passage == number) {
                        text.push_str(&self.source.text[from..place.from()]);
                        text.push(sign);
                        from = place.to();
                    }
                    text.push_str(&self.source.text[from..span.to()]);
                }
            }
        }
    }
}
