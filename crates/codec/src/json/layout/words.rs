//! Prints and parses a layout: `indent 2, arrays up to 80 on one line, newline`.

use std::fmt;
use std::str::FromStr;

use super::escape::{Digits, EscapeSet, Escapes, Slash};
use super::rule::{COLUMNS, LEVELS, LayoutRule};
use super::{Base, Colon, Comma, Layout, MAX_BLANK, MAX_ODD, Newline, Pad, Space};
use crate::Text;

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.space.fmt(f)?;
        self.escapes.fmt(f)?;
        if !self.before.is_empty() {
            write!(f, ", begins \"{}\"", Text::of(&self.before).as_str())?;
        }
        match self.after.as_str() {
            "" => Ok(()),
            "\n" => f.write_str(", newline"),
            other => write!(f, ", ends \"{}\"", Text::of(other).as_str()),
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.base {
            Base::Indent(width) => write!(f, "indent {width}")?,
            base => f.write_str(base_word(base))?,
        }
        let usual = self.base.space();
        f.write_str(if self.newline == Newline::Crlf { ", crlf" } else { "" })?;
        match self.rule {
            LayoutRule::All => {}
            LayoutRule::Plain => f.write_str(", plain arrays on one line")?,
            LayoutRule::Objects => f.write_str(", arrays on one line")?,
            LayoutRule::Arrays => f.write_str(", objects on one line")?,
            LayoutRule::Fit(columns) => write!(f, ", arrays up to {columns} on one line")?,
            LayoutRule::Outer(1) => f.write_str(", 1 level on lines")?,
            LayoutRule::Outer(levels) => write!(f, ", {levels} levels on lines")?,
        }
        if !self.odd.is_empty() {
            f.write_str(", except")?;
            self.odd.iter().try_for_each(|number| write!(f, " {number}"))?;
        }
        f.write_str(match self.colon {
            colon if colon == usual.colon => "",
            Colon::Tight => ", tight colons",
            Colon::Spaced => ", spaced colons",
            Colon::Wide => ", wide colons",
        })?;
        f.write_str(match self.comma {
            comma if comma == usual.comma => "",
            Comma::Tight => ", tight commas",
            Comma::Spaced => ", spaced commas",
        })?;
        f.write_str(match self.pad {
            Pad::None => "",
            Pad::Space => ", padded",
            Pad::Empty => ", padded when empty",
        })
    }
}

fn base_word(base: Base) -> &'static str {
    match base {
        Base::Compact => "compact",
        Base::Spaced => "spaced",
        Base::Rows => "rows",
        Base::Gathered => "gathered rows",
        Base::Indent(_) => "indent",
        Base::Tabs => "tabs",
    }
}

impl fmt::Display for Escapes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.set {
            EscapeSet::Few => "",
            EscapeSet::Ascii => ", ascii",
            EscapeSet::Html => ", html",
            EscapeSet::Script => ", script",
            EscapeSet::Strict => ", strict",
        })?;
        f.write_str(if self.slash == Slash::Escaped { ", slashes" } else { "" })?;
        f.write_str(if self.digits == Digits::Capital { ", capitals" } else { "" })
    }
}

impl FromStr for Layout {
    type Err = ();

    fn from_str(words: &str) -> Result<Self, ()> {
        let mut parts = words.split(", ");
        let base = parts.next().and_then(base).ok_or(())?;
        let escapes = Escapes { set: EscapeSet::Few, slash: Slash::Plain, digits: Digits::Small };
        let mut layout = Self { space: base.space(), escapes, before: String::new(), after: String::new() };
        for word in parts {
            let known = layout.space.read(word).or_else(|| layout.escapes.read(word));
            known.or_else(|| layout.read_blank(word)).ok_or(())?;
        }
        // Each layout has exactly one name, so other orders and repetitions are refused.
        if layout.to_string() == words { Ok(layout) } else { Err(()) }
    }
}

fn base(word: &str) -> Option<Base> {
    let indent = |word: &str| word.strip_prefix("indent ")?.parse().ok().filter(|&width| width <= 16);
    [Base::Compact, Base::Spaced, Base::Rows, Base::Gathered, Base::Tabs]
        .into_iter()
        .find(|&base| base_word(base) == word)
        .or_else(|| indent(word).map(Base::Indent))
}

impl Layout {
    fn read_blank(&mut self, word: &str) -> Option<()> {
        let blank = |quoted: &str| {
            let text = Text::spelled_as(quoted.strip_suffix('"')?)?.value()?.into_owned();
            (text.len() <= MAX_BLANK && text.chars().all(|char| super::BLANKS.contains(&char)))
                .then_some(text)
        };
        if word == "newline" {
            self.after.push('\n');
        } else if let Some(quoted) = word.strip_prefix("begins \"") {
            self.before = blank(quoted)?;
        } else {
            self.after = blank(word.strip_prefix("ends \"")?)?;
        }
        Some(())
    }
}

impl Space {
    fn read(&mut self, word: &str) -> Option<()> {
        match word {
            "crlf" => self.newline = Newline::Crlf,
            "tight colons" => self.colon = Colon::Tight,
            "spaced colons" => self.colon = Colon::Spaced,
            "wide colons" => self.colon = Colon::Wide,
            "tight commas" => self.comma = Comma::Tight,
            "spaced commas" => self.comma = Comma::Spaced,
            "padded" => self.pad = Pad::Space,
            "padded when empty" => self.pad = Pad::Empty,
            "plain arrays on one line" => self.rule = LayoutRule::Plain,
            "arrays on one line" => self.rule = LayoutRule::Objects,
            "objects on one line" => self.rule = LayoutRule::Arrays,
            _ => return self.read_number(word),
        }
        Some(())
    }

    fn read_number(&mut self, word: &str) -> Option<()> {
        if let Some(numbers) = word.strip_prefix("except ") {
            self.odd = numbers.split(' ').map(|number| number.parse().ok()).collect::<Option<_>>()?;
            return (self.odd.len() <= MAX_ODD && self.odd.is_sorted()).then_some(());
        }
        let levels = word.strip_suffix(" on lines").and_then(|word| word.split(' ').next()?.parse().ok());
        let fit = || word.strip_prefix("arrays up to ")?.strip_suffix(" on one line")?.parse().ok();
        self.rule = match levels {
            Some(levels) if levels <= LEVELS => LayoutRule::Outer(levels),
            Some(_) => return None,
            None => LayoutRule::Fit(fit().filter(|columns| COLUMNS.contains(columns))?),
        };
        Some(())
    }
}

impl Escapes {
    fn read(&mut self, word: &str) -> Option<()> {
        match word {
            "ascii" => self.set = EscapeSet::Ascii,
            "html" => self.set = EscapeSet::Html,
            "script" => self.set = EscapeSet::Script,
            "strict" => self.set = EscapeSet::Strict,
            "slashes" => self.slash = Slash::Escaped,
            "capitals" => self.digits = Digits::Capital,
            _ => return None,
        }
        Some(())
    }
}
