//! Reads an XML document as a tree of values; what the tree cannot say is declined.

use std::borrow::Cow;

use tersely_codec::{Text, Value};

/// What stands above the root element, and the root.
pub(super) fn document(text: &str) -> Option<(&str, Value<'_>)> {
    let start = root(text)?;
    let (head, rest) = text.split_at(start);
    let mut reader = Reader { rest };
    let (name, value) = reader.element(0)?;
    let end = reader.rest;
    (end.is_empty() || end == "\n").then(|| (head, Value::Object(vec![(Text::of(name), value)])))
}

/// How deep elements may nest: each may take two levels of values.
const MAX_DEPTH: usize = 60;

/// Where the root begins, behind declarations and comments.
fn root(text: &str) -> Option<usize> {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let end = if rest.starts_with("<?") {
            rest.find("?>")? + 2
        } else if rest.starts_with("<!--") {
            rest.find("-->")? + 3
        } else if rest.starts_with("<!") {
            let end = rest.find('>')?;
            (!rest[..end].contains('[')).then_some(end + 1)?
        } else {
            return rest.starts_with('<').then_some(text.len() - rest.len());
        };
        rest = &rest[end..];
    }
}

/// The members of an element, in order.
type Members<'a> = Vec<(Text<'a>, Value<'a>)>;

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn skip(&mut self, sign: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(sign)?;
        Some(())
    }

    /// The element that begins here.
    fn element(&mut self, depth: usize) -> Option<(&'a str, Value<'a>)> {
        self.skip("<")?;
        let name = self.name()?;
        let mut members = self.attributes()?;
        if self.rest.starts_with(['/', ' ']) {
            self.rest = self.rest.strip_prefix(' ').unwrap_or(self.rest);
            self.skip("/>")?;
            return Some((name, if members.is_empty() { Value::Null } else { Value::Object(members) }));
        }
        self.skip(">")?;
        let before = members.len();
        let text = self.text()?;
        if self.rest.starts_with("</") {
            let value = scalar(text);
            self.close(name)?;
            if before == 0 {
                return Some((name, value));
            }
            members.push((Text::of("#text"), value));
            return Some((name, Value::Object(members)));
        }
        text.trim().is_empty().then_some(())?;
        (depth < MAX_DEPTH).then_some(())?;
        self.children(depth, &mut members)?;
        self.close(name)?;
        Some((name, Value::Object(members)))
    }

    /// Elements and comments up to the end of the element around them.
    fn children(&mut self, depth: usize, members: &mut Members<'a>) -> Option<()> {
        while !self.rest.starts_with("</") {
            let (name, value) = match self.rest.strip_prefix("<!--") {
                Some(comment) => {
                    let (comment, rest) = comment.split_once("-->")?;
                    self.rest = rest;
                    ("#comment", Value::String(Text::of(comment)))
                }
                None => self.element(depth + 1)?,
            };
            add(members, name, value);
            self.text()?.trim().is_empty().then_some(())?;
        }
        Some(())
    }

    fn close(&mut self, name: &str) -> Option<()> {
        self.skip("</")?;
        self.skip(name)?;
        self.skip(">")
    }

    fn name(&mut self) -> Option<&'a str> {
        let part = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '-' | '.' | ':');
        let end = self.rest.find(|sign| !part(sign))?;
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!name.is_empty()).then_some(name)
    }

    fn attributes(&mut self) -> Option<Members<'a>> {
        let mut members = Vec::new();
        while let Some(after) = self.rest.strip_prefix(' ')
            && !after.starts_with('/')
        {
            self.rest = after;
            let name = self.name()?;
            self.skip("=\"")?;
            let (value, rest) = self.rest.split_once('"')?;
            self.rest = rest;
            members.push((Text::of(&format!("@{name}")).into_owned(), scalar(value)));
        }
        Some(members)
    }

    /// What stands before the next tag; a quoted section is part of it.
    fn text(&mut self) -> Option<&'a str> {
        let whole = self.rest;
        loop {
            let at = self.rest.find('<')?;
            self.rest = &self.rest[at..];
            if !self.rest.starts_with("<![CDATA[") {
                return Some(&whole[..whole.len() - self.rest.len()]);
            }
            let end = self.rest.find("]]>")?;
            self.rest = &self.rest[end + 3..];
        }
    }
}

/// Adds an element; one that follows another of its name becomes a row beside it.
fn add<'a>(members: &mut Members<'a>, name: &'a str, value: Value<'a>) {
    match members.last_mut() {
        Some((last, Value::Array(rows))) if last.as_str() == name => rows.push(value),
        Some((last, first)) if last.as_str() == name => {
            let first_value = std::mem::replace(first, Value::Null);
            *first = Value::Array(vec![first_value, value]);
        }
        _ => members.push((Text::of(name), value)),
    }
}

/// A text as the value that is spelled like it.
fn scalar(text: &str) -> Value<'_> {
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ if is_number(text) => Value::Number(Cow::Borrowed(text)),
        _ => Value::String(Text::of(text)),
    }
}

/// True of what JSON calls a number, without an exponent.
fn is_number(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let bare = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = bare.split_once('.').map_or((bare, "0"), |(whole, part)| (whole, part));
    digits(whole) && digits(part) && (whole == "0" || !whole.starts_with('0'))
}
