//! Splits a page into tokens: text, tags, comments, scripts.
//!
//! Anything that is not closed is text, so a tag that never ends hides none of the text after it. A search that
//! failed once is not repeated, so every byte is inspected only a bounded number of times.

/// A token of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Text(&'a str),
    /// `<a href="x">`
    Open {
        name: &'a str,
        attributes: &'a str,
    },
    /// `</a>`
    Close {
        name: &'a str,
        tail: &'a str,
    },
    /// The content of a script or a style.
    Raw(&'a str),
    Comment(&'a str),
    /// A doctype or a processing instruction.
    Other(&'a str),
}

/// The tokens of a page, in order.
pub(super) struct HtmlTokens<'a> {
    rest: &'a str,
    /// The current script or style element, whose content is not markup.
    raw: Option<&'a str>,
    /// For each terminator, whether the rest of the page is known not to contain it.
    missing: [bool; 5],
}

/// The terminators that are searched for.
#[derive(Clone, Copy)]
enum End {
    Comment,
    /// A `>` outside quotes.
    Tag,
    /// Any `>`, even within quotes.
    Sign,
    Script,
    Style,
}

impl<'a> HtmlTokens<'a> {
    pub(super) fn new(html: &'a str) -> Self {
        Self { rest: html, raw: None, missing: [false; 5] }
    }

    /// The text that was not read yet.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// Takes `count` bytes from the rest.
    fn take(&mut self, count: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        taken
    }

    /// Searches for a terminator, unless it is known to be missing.
    fn find(&mut self, end: End, search: impl FnOnce(&str) -> Option<usize>) -> Option<usize> {
        let missing = &mut self.missing[end as usize];
        let found = if *missing { None } else { search(self.rest) };
        *missing = found.is_none();
        found
    }

    /// The content of a script or a style; `None` if it is empty or never ends.
    fn content(&mut self, name: &str) -> Option<Token<'a>> {
        let kind = if name.eq_ignore_ascii_case("script") { End::Script } else { End::Style };
        let end = self.find(kind, |rest| closing(rest, name))?;
        (end > 0).then(|| Token::Raw(self.take(end)))
    }

    /// The comment, tag, doctype or processing instruction at the start of the rest.
    fn markup(&mut self) -> Option<Token<'a>> {
        let after = &self.rest[1..];
        if let Some(comment) = after.strip_prefix("!--") {
            return self.comment(comment);
        }
        let tag = after.strip_prefix('/').unwrap_or(after);
        let special = after.starts_with(['!', '?']);
        if !(special || tag.starts_with(|first: char| first.is_ascii_alphabetic())) {
            return None;
        }
        let end = self.end()?;
        let whole = self.take(end + 1);
        let inner = &whole[1..end];
        if special {
            return Some(Token::Other(whole));
        }
        let closes = inner.starts_with('/');
        let inner = inner.strip_prefix('/').unwrap_or(inner);
        let length =
            inner.find(|sign: char| sign.is_ascii_whitespace() || sign == '/').unwrap_or(inner.len());
        let (name, attributes) = inner.split_at(length);
        if closes {
            return Some(Token::Close { name, tail: attributes });
        }
        self.raw = is_raw(name).then_some(name);
        Some(Token::Open { name, attributes })
    }

    fn comment(&mut self, comment: &'a str) -> Option<Token<'a>> {
        let end = self.find(End::Comment, |_| comment.find("-->"))?;
        self.take("<!--".len() + end + "-->".len());
        Some(Token::Comment(&comment[..end]))
    }

    /// The position of the `>` that ends the tag at the start of the rest.
    fn end(&mut self) -> Option<usize> {
        let end = self.find(End::Tag, quoted_end);
        end.or_else(|| self.find(End::Sign, |rest| rest.find('>')))
    }
}

impl<'a> Iterator for HtmlTokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if let Some(name) = self.raw.take()
            && let Some(token) = self.content(name)
        {
            return Some(token);
        }
        if self.rest.starts_with('<')
            && let Some(token) = self.markup()
        {
            return Some(token);
        }
        // A `<` that begins no tag is text.
        let skip = usize::from(self.rest.starts_with('<'));
        let end = self.rest[skip..].find('<').map_or(self.rest.len(), |at| at + skip);
        (end > 0).then(|| Token::Text(self.take(end)))
    }
}

/// True for elements whose content is not markup and is not shown.
fn is_raw(name: &str) -> bool {
    name.eq_ignore_ascii_case("script") || name.eq_ignore_ascii_case("style")
}

/// The position of the closing tag `</name`.
fn closing(text: &str, name: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].find("</") {
        let start = from + at;
        let word = text.as_bytes().get(start + 2..start + 2 + name.len());
        if word.is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes())) {
            return Some(start);
        }
        from = start + 2;
    }
    None
}

/// The end of a tag, in which quoted values may contain `>`. As in browsers, a quote counts only after `=`.
fn quoted_end(tag: &str) -> Option<usize> {
    let bytes = tag.as_bytes();
    let (mut at, mut value) = (1, false);
    loop {
        match *bytes.get(at)? {
            b'>' => return Some(at),
            b'=' => value = true,
            quote @ (b'"' | b'\'') if value => {
                at += 1 + bytes[at + 1..].iter().position(|&byte| byte == quote)?;
                value = false;
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => value = false,
        }
        at += 1;
    }
}

/// The value of an attribute, without decoding references.
pub(super) fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = attributes;
    loop {
        rest = rest.trim_start_matches(|sign: char| sign.is_ascii_whitespace() || sign == '/');
        let end = rest.find(|sign: char| sign.is_ascii_whitespace() || sign == '=').unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        let (value, after) = match after.trim_start().strip_prefix('=') {
            Some(after) => value(after.trim_start()),
            None => ("", after),
        };
        if key.eq_ignore_ascii_case(name) {
            return Some(value);
        }
        if after.is_empty() {
            return None;
        }
        rest = after;
    }
}

/// Splits a text into the attribute value at its start and the text after it.
fn value(text: &str) -> (&str, &str) {
    let quoted = ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.split_once(quote));
    quoted.unwrap_or_else(|| {
        text.split_at(text.find(|sign: char| sign.is_ascii_whitespace()).unwrap_or(text.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, tokens: &[Token<'_>]) {
        assert_eq!(HtmlTokens::new(html).collect::<Vec<_>>(), tokens, "{html}");
    }

    fn open<'a>(name: &'a str, attributes: &'a str) -> Token<'a> {
        Token::Open { name, attributes }
    }

    fn close(name: &str) -> Token<'_> {
        Token::Close { name, tail: "" }
    }

    #[test]
    fn tokens_are_distinguished() {
        check(
            "<!doctype html><p>a</p>",
            &[Token::Other("<!doctype html>"), open("p", ""), Token::Text("a"), close("p")],
        );
        check("<a title=\"x > y\">z", &[open("a", " title=\"x > y\""), Token::Text("z")]);
        check("<!-- <p> -->b", &[Token::Comment(" <p> "), Token::Text("b")]);
        check(
            "<script>if (a<b) '<p>'</SCRIPT>",
            &[open("script", ""), Token::Raw("if (a<b) '<p>'"), close("SCRIPT")],
        );
    }

    #[test]
    fn what_is_not_closed_is_text() {
        check("a < b", &[Token::Text("a "), Token::Text("< b")]);
        check("x<!-- y", &[Token::Text("x"), Token::Text("<!-- y")]);
        check("<p", &[Token::Text("<p")]);
        check("<p a=\">b", &[open("p", " a=\""), Token::Text("b")]);
        check("<script>x", &[open("script", ""), Token::Text("x")]);
        check("", &[]);
    }

    #[test]
    fn attributes_are_read() {
        for (attributes, value) in [
            (" href=\"x y\"", Some("x y")),
            (" class=a HREF = 'b' ", Some("b")),
            (" data-href=\"no\"", None),
            (" a href", Some("")),
            (" href=x", Some("x")),
            (" href=\"x", Some("\"x")),
            ("", None),
        ] {
            assert_eq!(attribute(attributes, "href"), value, "{attributes}");
        }
    }

    /// Hostile pages take only a few passes over each byte.
    #[test]
    fn hostile_pages_are_read_once() {
        for piece in ["<", "<a", "<a b=\">\" ", "<!--", "<a \"", "<script>", "</", "<a b='\">", "é<"] {
            let html = piece.repeat(200_000);
            let size: usize = HtmlTokens::new(&html)
                .map(|token| match token {
                    Token::Text(text) | Token::Raw(text) | Token::Other(text) => text.len(),
                    Token::Open { name, attributes } => name.len() + attributes.len() + 2,
                    Token::Close { name, tail } => name.len() + tail.len() + 3,
                    Token::Comment(text) => text.len() + 7,
                })
                .sum();
            assert_eq!(size, html.len(), "{piece}");
        }
    }
}
