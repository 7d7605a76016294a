//! How a JSON text is laid out, so that it can be written again byte for byte.

use std::fmt;
use std::str::FromStr;

use crate::{Text, Value};

/// The white space and the escapes of a JSON text, as programs that write JSON choose them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    space: Space,
    escapes: Escapes,
    end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    /// `{"a":1,"b":2}`
    Compact,
    /// `{"a": 1, "b": 2}`
    Spaced,
    /// Compact, with the items of the outermost array on lines of their own.
    Rows,
    /// Members and items on lines of their own, so many spaces further in.
    Indent(usize),
    /// The same with tabs.
    Tabs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escapes {
    /// Only what must be escaped is.
    Few,
    /// Everything outside ASCII is escaped.
    Ascii,
    /// `<`, `>`, `&`, U+2028 and U+2029 are escaped.
    Html,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    None,
    Newline,
}

impl Layout {
    /// The layout that makes `text` of `value`; `None` when none of those known does.
    #[must_use]
    pub fn of(text: &str, value: &Value<'_>) -> Option<Self> {
        let end = if text.ends_with('\n') { End::Newline } else { End::None };
        let escapes: &[Escapes] = if text.contains("\\u") {
            &[Escapes::Few, Escapes::Ascii, Escapes::Html]
        } else {
            &[Escapes::Few]
        };
        let space = guess(text);
        let layouts = escapes.iter().map(|&escapes| Self { space, escapes, end });
        layouts.into_iter().find(|layout| layout.write(value) == text)
    }

    /// Writes `value` in this layout.
    #[must_use]
    pub fn write(self, value: &Value<'_>) -> String {
        let mut writer = Writer { out: String::new(), layout: self };
        writer.value(value, 0);
        if self.end == End::Newline {
            writer.out.push('\n');
        }
        writer.out
    }
}

/// The white space that a text begins to show.
fn guess(text: &str) -> Space {
    let Some(inside) = text.strip_prefix(['{', '[']) else { return Space::Compact };
    if let Some(line) = inside.strip_prefix('\n') {
        return match line.bytes().take_while(|&byte| byte == b' ').count() {
            0 if line.starts_with('\t') => Space::Tabs,
            spaces => Space::Indent(spaces.min(16)),
        };
    }
    // The first comma or colon outside strings shows whether a space follows it.
    let mut quoted = false;
    let mut bytes = inside.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => _ = bytes.next(),
            b'"' => quoted = !quoted,
            b':' | b',' if !quoted && inside[at + 1..].starts_with(' ') => return Space::Spaced,
            b':' | b',' if !quoted => break,
            _ => {}
        }
    }
    if text.starts_with('[') && inside.contains(",\n") { Space::Rows } else { Space::Compact }
}

struct Writer {
    out: String,
    layout: Layout,
}

impl Writer {
    fn value(&mut self, value: &Value<'_>, depth: usize) {
        match value {
            Value::Array(items) => {
                let items = items.iter().map(|item| (None, item));
                self.group(('[', ']'), items, depth);
            }
            Value::Object(members) => {
                let members = members.iter().map(|(key, value)| (Some(key), value));
                self.group(('{', '}'), members, depth);
            }
            Value::String(text) => self.string(text),
            scalar => super::push_scalar(&mut self.out, scalar),
        }
    }

    fn group<'g, 'v: 'g>(
        &mut self,
        (open, close): (char, char),
        parts: impl ExactSizeIterator<Item = (Option<&'g Text<'v>>, &'g Value<'v>)>,
        depth: usize,
    ) {
        self.out.push(open);
        let filled = parts.len() > 0;
        for (index, (key, value)) in parts.enumerate() {
            self.next(index, depth + 1);
            if let Some(key) = key {
                self.string(key);
                self.out.push_str(if self.is_tight() { ":" } else { ": " });
            }
            self.value(value, depth + 1);
        }
        if filled {
            self.line(depth);
        }
        self.out.push(close);
    }

    /// Writes what stands before part `index` of a group.
    fn next(&mut self, index: usize, depth: usize) {
        if index > 0 {
            self.out.push_str(match self.layout.space {
                Space::Spaced => ", ",
                Space::Rows if depth == 1 => ",\n",
                _ => ",",
            });
        }
        self.line(depth);
    }

    /// True when no space follows a colon.
    fn is_tight(&self) -> bool {
        matches!(self.layout.space, Space::Compact | Space::Rows)
    }

    /// Begins a line `depth` steps in, where the layout has lines.
    fn line(&mut self, depth: usize) {
        let (step, width) = match self.layout.space {
            Space::Compact | Space::Spaced | Space::Rows => return,
            Space::Indent(width) => (' ', width),
            Space::Tabs => ('\t', 1),
        };
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(step, depth * width));
    }

    fn string(&mut self, text: &Text<'_>) {
        self.out.push('"');
        match self.layout.escapes {
            Escapes::Few => self.out.push_str(text.as_str()),
            Escapes::Ascii => self.escaped(text, |character| !character.is_ascii()),
            Escapes::Html => {
                self.escaped(text, |c| matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}'));
            }
        }
        self.out.push('"');
    }

    fn escaped(&mut self, text: &Text<'_>, escapes: impl Fn(char) -> bool) {
        use fmt::Write as _;
        for character in text.as_str().chars() {
            if escapes(character) {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let _ = write!(self.out, "\\u{unit:04x}");
                }
            } else {
                self.out.push(character);
            }
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.space {
            Space::Compact => f.write_str("compact")?,
            Space::Spaced => f.write_str("spaced")?,
            Space::Rows => f.write_str("rows")?,
            Space::Indent(width) => write!(f, "indent {width}")?,
            Space::Tabs => f.write_str("tabs")?,
        }
        f.write_str(match self.escapes {
            Escapes::Few => "",
            Escapes::Ascii => ", ascii",
            Escapes::Html => ", html",
        })?;
        f.write_str(if self.end == End::Newline { ", newline" } else { "" })
    }
}

impl FromStr for Layout {
    type Err = ();

    fn from_str(words: &str) -> Result<Self, ()> {
        let mut words = words.split(", ").peekable();
        let space = match words.next() {
            Some("compact") => Space::Compact,
            Some("spaced") => Space::Spaced,
            Some("rows") => Space::Rows,
            Some("tabs") => Space::Tabs,
            Some(word) => Space::Indent(indent(word).ok_or(())?),
            None => return Err(()),
        };
        let escapes = match words.peek() {
            Some(&"ascii") => Escapes::Ascii,
            Some(&"html") => Escapes::Html,
            _ => Escapes::Few,
        };
        if escapes != Escapes::Few {
            words.next();
        }
        let end = match words.next() {
            Some("newline") => End::Newline,
            None => End::None,
            Some(_) => return Err(()),
        };
        if words.next().is_some() { Err(()) } else { Ok(Self { space, escapes, end }) }
    }
}

fn indent(word: &str) -> Option<usize> {
    word.strip_prefix("indent ")?.parse().ok().filter(|&width| width <= 16)
}

#[cfg(test)]
mod tests {
    use super::Layout;
    use crate::json;

    fn check(text: &str, words: &str) {
        let value = json::decode(text).unwrap();
        let layout = Layout::of(text, &value).unwrap();
        assert_eq!(layout.to_string(), words, "{text}");
        assert_eq!(words.parse(), Ok(layout));
        assert_eq!(layout.write(&value), text);
    }

    #[test]
    fn layouts_of_common_writers_are_known() {
        check(r#"{"a":1,"b":[1,2]}"#, "compact");
        check(r#"{"a": 1, "b": [1, 2], "c": {}}"#, "spaced");
        check("{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": []\n}\n", "indent 2, newline");
        check("[\n\t1\n]", "tabs");
        check("[{\"a\":1},\n{\"a\":2}]\n", "rows, newline");
        check("{\"a\":\"\\u00e9\\ud83d\\ude00\"}", "compact, ascii");
        check("{\"a\":\"\\u003cb\\u003e\"}", "compact, html");
        check("1\n", "compact, newline");
        check("[]", "compact");
    }

    #[test]
    fn other_layouts_are_not() {
        for text in ["{ \"a\": 1 }", "[1 ,2]", "{\"a\" : 1}", "\"\\/\"", " 1", "1\n\n"] {
            assert_eq!(Layout::of(text, &json::decode(text).unwrap()), None, "{text}");
        }
    }
}
