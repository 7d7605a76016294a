//! Detects which characters a JSON writer escapes in addition to the characters that must be escaped.

use std::fmt::Write as _;

use crate::Text;

/// A writer's choice of escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Escapes {
    pub(super) set: EscapeSet,
    pub(super) slash: Slash,
    pub(super) digits: Digits,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapeSet {
    /// Only the characters that JSON requires to be escaped.
    Few,
    /// Also all characters outside ASCII.
    Ascii,
    /// The characters that JSON requires, and `<`, `>`, `&`, U+2028 and U+2029.
    Html,
    /// The characters of `Html`, and `=` and `'`.
    Script,
    /// All characters outside ASCII, and all characters with a special meaning in HTML; quotes become numeric
    /// escapes.
    Strict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slash {
    Plain,
    Escaped,
}

/// The case of hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Digits {
    Small,
    Capital,
}

/// The choices of escapes that may have produced `text`, the likeliest first.
pub(super) fn candidates(text: &str) -> impl Iterator<Item = Escapes> {
    let stats = EscapeStats::in_text(text);
    let ascii = text.is_ascii();
    let bare = |signs: &[char]| text.contains(signs);
    let sets = [
        (EscapeSet::Few, true),
        (EscapeSet::Ascii, stats.numbers && ascii),
        (EscapeSet::Html, stats.numbers && !bare(&['<', '>', '&'])),
        (EscapeSet::Script, stats.numbers && !bare(&['<', '>', '&', '\'', '='])),
        (EscapeSet::Strict, stats.numbers && ascii && !bare(&['<', '>', '&', '\'', '+', '`'])),
    ];
    let EscapeStats { slash, digits, .. } = stats;
    sets.into_iter().filter(|&(_, may)| may).map(move |(set, _)| Escapes { set, slash, digits })
}

/// Which escapes occur in a text.
struct EscapeStats {
    /// True when the text contains a numeric escape.
    numbers: bool,
    slash: Slash,
    digits: Digits,
}

impl EscapeStats {
    fn in_text(text: &str) -> Self {
        let mut stats = Self { numbers: false, slash: Slash::Plain, digits: Digits::Small };
        let mut rest = text;
        while let Some(at) = rest.find('\\') {
            match rest.as_bytes().get(at + 1) {
                Some(b'/') => stats.slash = Slash::Escaped,
                Some(b'u') => stats.number(rest.as_bytes().get(at + 2..at + 6).unwrap_or_default()),
                _ => {}
            }
            rest = rest.get(at + 2..).unwrap_or_default();
        }
        stats
    }

    fn number(&mut self, digits: &[u8]) {
        self.numbers = true;
        if digits.iter().any(u8::is_ascii_uppercase) {
            self.digits = Digits::Capital;
        }
    }
}

impl Escapes {
    /// Writes the content of a string.
    pub(super) fn push(self, out: &mut String, text: &Text<'_>) {
        let plain = Self { set: EscapeSet::Few, slash: Slash::Plain, digits: Digits::Small };
        if self == plain {
            out.push_str(text.as_str());
            return;
        }
        let mut rest = text.as_str();
        while let Some(at) = rest.find(|character| self.changes(character)) {
            out.push_str(&rest[..at]);
            rest = self.push_next(out, &rest[at..]);
        }
        out.push_str(rest);
    }

    /// True for a character that the writer escapes.
    fn changes(self, character: char) -> bool {
        let html = matches!(character, '<' | '>' | '&');
        let line = matches!(character, '\u{2028}' | '\u{2029}');
        let more = match self.set {
            EscapeSet::Few => false,
            EscapeSet::Ascii => !character.is_ascii(),
            EscapeSet::Html => html || line,
            EscapeSet::Script => html || line || matches!(character, '=' | '\''),
            EscapeSet::Strict => {
                html || !character.is_ascii() || matches!(character, '\'' | '+' | '`' | '\u{7f}')
            }
        };
        more || character == '\\' || character == '/' && self.slash == Slash::Escaped
    }

    /// Writes the first character or escape of `text`, and returns the rest.
    fn push_next<'t>(self, out: &mut String, text: &'t str) -> &'t str {
        let mut characters = text.chars();
        let Some(first) = characters.next() else { return "" };
        match (first, characters.clone().next()) {
            ('\\', Some('"')) if self.set == EscapeSet::Strict => self.push_unit(out, 0x22),
            ('\\', Some('u')) if self.digits == Digits::Capital && text.len() >= 6 => {
                out.push_str("\\u");
                out.push_str(&text[2..6].to_ascii_uppercase());
                return &text[6..];
            }
            ('\\', Some(second)) => out.extend([first, second]),
            ('/', _) => {
                out.push_str("\\/");
                return characters.as_str();
            }
            _ => {
                first.encode_utf16(&mut [0; 2]).iter().for_each(|&unit| self.push_unit(out, unit));
                return characters.as_str();
            }
        }
        characters.next();
        characters.as_str()
    }

    fn push_unit(self, out: &mut String, unit: u16) {
        let _ = match self.digits {
            Digits::Small => write!(out, "\\u{unit:04x}"),
            Digits::Capital => write!(out, "\\u{unit:04X}"),
        };
    }
}
