//! Chooses names for phrases, templates and holes.

use std::collections::HashSet;

use crate::form::general::source::ReadText;
use crate::form::general::span::Span;
use crate::form::general::template::{LinePart, LineTemplate};

/// Signs that name phrases: one token each, all distinct, and without another meaning in the notation.
pub(super) const SIGNS: &str = "ΓΔζθλξπΣφψΩЖШЮЯИЦЛЭ§¶†‡※★■●◆▲▼♥♪∞√∀≈€£¥♀☎あいうえかきくけこしすせそたつてとなにねのはひふへまみむめもやゆよらるをん";

/// The signs that do not occur in `text`.
pub(super) fn free_signs(text: &str) -> Vec<char> {
    if text.is_ascii() {
        return SIGNS.chars().collect();
    }
    let used: HashSet<char> = text.chars().filter(|letter| !letter.is_ascii()).collect();
    SIGNS.chars().filter(|sign| !used.contains(sign)).collect()
}

/// The ditto sign, which means "same value as in the row above": the first candidate that does not occur in the text.
pub(super) fn ditto(text: &str) -> Option<char> {
    DITTOS.into_iter().find(|sign| !text.contains(*sign))
}

pub(super) const DITTOS: [char; 4] = ['↑', '⇑', '〃', '▴'];

/// A mark after the name of a template that contains an error or a warning.
pub(super) const ALARM: char = '!';

/// The names of templates, in order. Skips names that are the first word of a line in `literals`.
pub(super) fn template_letters(source: &ReadText<'_>, literals: &[u32]) -> impl Iterator<Item = String> {
    let first = |line: &u32| source.line(*line).split(' ').next().unwrap_or_default();
    let taken: HashSet<&str> = literals
        .iter()
        .map(first)
        .filter(|word| word.len() <= 4 && word.starts_with(|it: char| it.is_ascii_uppercase()))
        .collect();
    let is_free =
        move |name: &String| !taken.contains(name.as_str()) && !taken.contains(&*format!("{name}{ALARM}"));
    (0..).map(letters).filter(is_free)
}

/// The name with this number in the sequence A to Z, AA to ZZ, AAA and so on.
fn letters(number: usize) -> String {
    let letter = char::from(b'A' + (number % 26) as u8);
    match number / 26 {
        0 => letter.to_string(),
        more => format!("{}{letter}", letters(more - 1)),
    }
}

/// A name for each hole of a template: the heading above the hole, the key in front of it, `time`, or a number.
pub(super) fn hole_names(source: &ReadText<'_>, template: &LineTemplate) -> Vec<String> {
    let same = template.same_text(source.text);
    let headings = headings(source, template);
    let mut names: Vec<Option<String>> = vec![None; template.columns.len()];
    let mut used: HashSet<String> = HashSet::new();
    let mut before = "";
    let mut number = 0;
    for part in &template.parts {
        let LinePart::Hole(hole, _) = part else {
            if let LinePart::Same(span) = part {
                before = span.of(source.text);
            }
            continue;
        };
        let key = std::mem::take(&mut before);
        if names[*hole].is_some() {
            continue;
        }
        let cells = &template.columns[*hole];
        let given = headings.get(*hole).cloned().flatten().or_else(|| key_before(key));
        let given = given.or_else(|| is_time(source.text, cells).then(|| "time".to_owned()));
        let is_free = |name: &String| {
            !used.contains(name)
                && !same.contains(&format!("{{{name}}}"))
                && !same.contains(&format!("{{{name}:"))
        };
        let name = match given {
            Some(name) => (1..=MAX_ATTEMPTS)
                .map(|n| if n == 1 { name.clone() } else { format!("{name}{n}") })
                .find(is_free),
            None => (number + 1..=number + MAX_ATTEMPTS).map(|n: usize| n.to_string()).find(is_free),
        };
        let name = name.unwrap_or_default();
        number = name.parse().unwrap_or(number);
        used.insert(name.clone());
        names[*hole] = Some(name);
    }
    names.into_iter().map(Option::unwrap_or_default).collect()
}

/// The maximum number of names tried for a hole.
const MAX_ATTEMPTS: usize = 4096;

/// The maximum length of a hole's name in bytes.
const MAX_NAME_BYTES: usize = 24;

/// The key in front of a value: `"key": "`, `key=`, `key: ` at the beginning of a line, or `<key>`.
fn key_before(text: &str) -> Option<String> {
    let bare = text.trim_end_matches(['"', '\'', '[', '\\']);
    let key = if let Some(rest) = bare.strip_suffix('=') {
        rest.rsplit(|letter: char| !is_key(letter)).next()
    } else if let Some(rest) =
        bare.strip_suffix('>').filter(|rest| bare.len() == text.len() && !rest.ends_with('/'))
    {
        let (_, name) = rest.rsplit_once('<')?;
        Some(name).filter(|name| name.chars().all(is_key))
    } else {
        let rest = bare.trim_end().strip_suffix(':')?;
        let line = rest.rsplit('\n').next()?;
        match line.trim_end_matches('\\').strip_suffix('"') {
            Some(rest) => rest.rsplit('"').next(),
            None => Some(line.trim_start_matches([' ', '\t', '-'])),
        }
    }?;
    let key = key.trim_matches(['_', '.', '-', ':', '@', '$']).to_lowercase();
    let starts = key.starts_with(char::is_alphabetic);
    (starts && key.len() <= MAX_NAME_BYTES && key.chars().all(is_key)).then_some(key)
}

fn is_key(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-' | ':' | '@' | '$')
}

/// True when the first values are times.
fn is_time(text: &str, cells: &[Span]) -> bool {
    let is_one = |cell: &Span| {
        let value = cell.of(text);
        let digits = value.bytes().filter(u8::is_ascii_digit).count();
        let clock = value.bytes().filter(|byte| *byte == b':').count();
        let marks = value.bytes().all(|byte| byte.is_ascii_digit() || b"-:.,TZ+ /".contains(&byte));
        marks
            && value.len() <= 35
            && (clock >= 2 && digits >= 5 || digits >= 8 && value.matches('-').count() == 2)
    };
    cells.iter().take(50).all(is_one)
}

/// The column names in a heading line above the rows, if there is one.
fn headings(source: &ReadText<'_>, template: &LineTemplate) -> Vec<Option<String>> {
    let none = || vec![None; template.columns.len()];
    if template.height > 1 || template.columns.len() < 2 {
        return none();
    }
    let first = template.rows[0];
    let lines = [Some(0), first.checked_sub(1)].into_iter().flatten().filter(|line| *line < first);
    lines.into_iter().find_map(|line| headings_from(source, template, source.line(line))).unwrap_or_else(none)
}

/// The column names in the line `head`, if it has as many fields as the rows.
fn headings_from(source: &ReadText<'_>, template: &LineTemplate, head: &str) -> Option<Vec<Option<String>>> {
    if head.len() > 600 || head.trim().is_empty() {
        return None;
    }
    // A row with marks in place of its values. The marks are control characters, which do not occur in the text.
    let mark = |part: &LinePart| match part {
        LinePart::Same(span) => span.of(source.text).to_owned(),
        LinePart::Hole(hole, _) => format!("\u{1}{hole}\u{2}"),
    };
    let row: String = template.parts.iter().map(mark).collect();
    ['\t', ',', '|', ';', ' '].into_iter().find_map(|separator| {
        let split = |text: &str| -> Vec<String> {
            let fields =
                text.split(separator).map(|field| field.trim_matches([' ', '"', '#', '*']).to_owned());
            fields.filter(|field| separator != ' ' || !field.is_empty()).collect()
        };
        let (names, fields) = (split(head), split(&row));
        let is_name = |name: &String| {
            name.len() <= MAX_NAME_BYTES
                && name.starts_with(char::is_alphabetic)
                && name.chars().all(|letter| letter.is_alphanumeric() || " _.%/-".contains(letter))
        };
        if names.len() != fields.len()
            || names.len() < 2
            || !names.iter().all(|name| name.is_empty() || is_name(name))
        {
            return None;
        }
        let mut found = vec![None; template.columns.len()];
        for (name, field) in names.iter().zip(&fields) {
            let hole = field.strip_prefix('\u{1}').and_then(|rest| rest.strip_suffix('\u{2}'));
            if let Some(place) = hole.and_then(|hole| found.get_mut(hole.parse::<usize>().ok()?))
                && !name.is_empty()
            {
                *place = Some(name.to_lowercase());
            }
        }
        found.iter().any(Option::is_some).then_some(found)
    })
}
