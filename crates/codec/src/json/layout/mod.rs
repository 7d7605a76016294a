//! Describes the layout of a JSON text, so that the text can be reproduced byte for byte.

mod escape;
mod look;
mod rule;
mod words;
mod write;

use self::escape::Escapes;
use self::look::Look;
use self::rule::LayoutRule;
use crate::Value;

/// The white space and the escapes that the writer of a JSON text has chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    space: Space,
    escapes: Escapes,
    /// White space before the value.
    before: String,
    /// White space after the value.
    after: String,
}

/// The white space between the tokens of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Space {
    base: Base,
    newline: Newline,
    rule: LayoutRule,
    /// The numbers of the groups that break the rule. Groups are counted from 1, without the empty ones.
    odd: Vec<usize>,
    colon: Colon,
    comma: Comma,
    pad: Pad,
}

/// The main layout of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    /// `{"a":1,"b":2}`
    Compact,
    /// `{"a": 1, "b": 2}`
    Spaced,
    /// Like `Compact`, but each item of the outermost array is on its own line.
    Rows,
    /// Like `Rows`, but with a space before and after each line break, as Postgres writes aggregated rows.
    Gathered,
    /// Each member and item on its own line, indented by this many spaces per level.
    Indent(usize),
    /// Each member and item on its own line, indented by one tab per level.
    Tabs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Newline {
    Lf,
    Crlf,
}

/// The white space around a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colon {
    Tight,
    Spaced,
    /// A space before and after the colon.
    Wide,
}

/// The white space after a comma in a group on one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comma {
    Tight,
    Spaced,
}

/// The white space inside the brackets of a group on one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pad {
    None,
    /// `{ "a": 1 }`, `[ ]`
    Space,
    /// `[ ]`, but no white space inside brackets with content.
    Empty,
}

/// The maximum number of groups that may break the rule. With more exceptions, the rule does not describe the text.
const MAX_ODD: usize = 24;

/// The maximum amount of white space around a value; programs never write more.
const MAX_BLANK: usize = 16;

impl Layout {
    /// The layout that writes `value` exactly as `text`; `None` when no known layout does.
    #[must_use]
    pub fn of(text: &str, value: &Value<'_>) -> Option<Self> {
        let inner = text.trim_start_matches(BLANKS);
        let before = &text[..text.len() - inner.len()];
        let inner = inner.trim_end_matches(BLANKS);
        let after = &text[before.len() + inner.len()..];
        if before.len() > MAX_BLANK || after.len() > MAX_BLANK {
            return None;
        }
        let space = Look::at(inner).space()?;
        escape::candidates(inner).find_map(|escapes| {
            let (before, after) = (before.to_owned(), after.to_owned());
            let layout = Self { space: space.clone(), escapes, before, after };
            (layout.write(value) == text).then_some(layout)
        })
    }
}

const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

impl Base {
    /// The default spacing for this base.
    fn space(self) -> Space {
        let tight = matches!(self, Self::Compact | Self::Rows | Self::Gathered);
        Space {
            base: self,
            newline: Newline::Lf,
            rule: LayoutRule::All,
            odd: Vec::new(),
            colon: if tight { Colon::Tight } else { Colon::Spaced },
            comma: if tight { Comma::Tight } else { Comma::Spaced },
            pad: Pad::None,
        }
    }

    /// The indentation of one level, for layouts with several lines.
    fn step(self) -> Option<(char, usize)> {
        match self {
            Self::Indent(width) => Some((' ', width)),
            Self::Tabs => Some(('\t', 1)),
            _ => None,
        }
    }
}

impl Newline {
    fn text(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::Crlf => "\r\n",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Layout;
    use crate::json;

    fn check(text: &str, words: &str) {
        let value = json::decode(text).unwrap();
        let layout = Layout::of(text, &value).unwrap_or_else(|| panic!("no layout: {text}"));
        assert_eq!(layout.to_string(), words, "{text}");
        assert_eq!(words.parse().as_ref(), Ok(&layout));
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
    fn habits_of_single_writers_are_known() {
        check("{ \"a\": 1, \"b\": [ 1, 2 ], \"c\": [ ] }", "spaced, padded");
        check("{\"a\": 1,\"b\": 2}", "compact, spaced colons");
        check("{\"a\":1, \"b\":[1, 2]}", "spaced, tight colons");
        check("{\"a\" : 1, \"b\" : 2}", "spaced, wide colons");
        check("[{\"a\":1}, \n {\"a\":2}, \n {\"a\":3}]", "gathered rows");
        check("{\r\n  \"a\": [\r\n    1\r\n  ]\r\n}\r\n", "indent 2, crlf, ends \"\\r\\n\"");
        check("{\n\t\"a\" : \"b\"\n}\n", "tabs, wide colons, newline");
        check("{\n  \"a\":[\n    1,\n    2\n  ]\n}", "indent 2, tight colons");
        check("{\n  \"a\": 1,\n  \"b\": [ ],\n  \"c\": { }\n}", "indent 2, padded when empty");
        check(
            "{\n  \"a\" : [ 1, 2 ],\n  \"b\" : [ {\n    \"c\" : 1\n  }, {\n    \"c\" : 2\n  } ]\n}",
            "indent 2, arrays on one line, wide colons, padded",
        );
    }

    #[test]
    fn groups_on_one_line_among_others_are_known() {
        let long = "\"0123456789012345678901234567890123456789\"";
        check(
            "{\n  \"a\": [\"x\", \"y\"],\n  \"b\": [\n    {\n      \"c\": []\n    }\n  ]\n}",
            "indent 2, plain arrays on one line",
        );
        check(
            &format!("{{\n  \"a\": [1, 2],\n  \"b\": [\n    {long},\n    {long}\n  ]\n}}"),
            "indent 2, arrays up to 80 on one line",
        );
        check(
            "[\n  {\"a\":1,\"b\":[1]},\n  {\"a\":2,\"b\":[2]}\n]",
            "indent 2, 1 level on lines, tight colons, tight commas",
        );
        check(
            "{\n  \"a\": {\"b\": 1},\n  \"c\": {\n    \"d\": {\n      \"e\": 1\n    }\n  }\n}",
            "indent 2, except 2",
        );
    }

    #[test]
    fn white_space_around_is_known() {
        check("\n\n{\"a\":1}\n\n", "compact, begins \"\\n\\n\", ends \"\\n\\n\"");
        check(" 1", "compact, begins \" \"");
    }

    #[test]
    fn escapes_of_common_writers_are_known() {
        check(r#"{"a":"http:\/\/x\/","b":"é"}"#, "compact, slashes");
        check(r#"{"a":"x\/\u00e9"}"#, "compact, ascii, slashes");
        check(r#"{"a":"\u00E9\u001B"}"#, "compact, ascii, capitals");
        check(r#"{"a":"it\u0027s \u003d \u003cb\u003e"}"#, "compact, script");
        check(r#"{"a":"\u0022it\u0027s\u0022 \u002B\u00E9 \\u"}"#, "compact, strict, capitals");
        check(r#"{"a":"\\u00e9 \\/ é"}"#, "compact");
    }

    #[test]
    fn other_layouts_are_not() {
        for text in ["[1 ,2]", "{\"a\": 1,\"b\":  2}", "[\"\\/\", \"/\"]", "[\"\\u00e9é\"]"] {
            assert_eq!(Layout::of(text, &json::decode(text).unwrap()), None, "{text}");
        }
        for words in [
            "",
            "dense",
            "compact, compact",
            "indent 99",
            "newline",
            "compact, newline, crlf",
            "indent 2, except",
        ] {
            assert!(words.parse::<Layout>().is_err(), "{words}");
        }
    }
}
