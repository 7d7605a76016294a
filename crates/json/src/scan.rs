//! Walks the bytes of a JSON text once, and skips what the caller does not ask for.
//!
//! Parsers that keep spans do more work: `jiter` checks every escape that it skips, and so refuses a body for a lone
//! surrogate or a depth of 200 in a part that is only copied; raw values of `serde_json` and `sonic-rs` are scanned again
//! at every level. Here a string costs the search for its closing quote, at any depth.
//!
//! Skipped parts are not checked. That is safe: strings begin and end where every JSON reader sees them begin and end, so
//! a place is a whole value for every reader, and a body that was broken stays broken.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::JsonError;
use crate::string;

/// A position in a JSON text, moving forward only.
pub struct JsonScan<'a> {
    body: &'a [u8],
    at: usize,
    /// Where the latest name began.
    name_start: usize,
}

type Step = Result<(), JsonError>;

/// What `walk` finds in a whole body.
///
/// # Errors
/// Those of `walk`, and when something follows the value.
pub fn scan_all<'a, F: Default>(
    body: &'a [u8],
    walk: impl FnOnce(&mut JsonScan<'a>, &mut F) -> Step,
) -> Result<F, JsonError> {
    let mut scan = JsonScan::new(body);
    let mut found = F::default();
    walk(&mut scan, &mut found)?;
    scan.end()?;
    Ok(found)
}

impl<'a> JsonScan<'a> {
    /// The start of a text.
    #[must_use]
    pub fn new(body: &'a [u8]) -> Self {
        Self { body, at: 0, name_start: 0 }
    }

    /// Passes each member of the object here to `each`, which takes its value; skips anything else.
    ///
    /// # Errors
    /// Where the text stops being JSON, and those of `each`.
    pub fn members(&mut self, mut each: impl FnMut(&mut Self, &[u8]) -> Step) -> Step {
        if !self.eat(b'{') {
            return self.skip().map(drop);
        }
        if self.eat(b'}') {
            return Ok(());
        }
        loop {
            let key = self.key()?;
            self.want(b':', "a colon")?;
            each(self, &key)?;
            if self.eat(b'}') {
                return Ok(());
            }
            self.want(b',', "a comma or the end of an object")?;
        }
    }

    /// Passes each item of the array here to `each`, which takes it; an object here counts as an array of one.
    ///
    /// # Errors
    /// As with [`Self::members`].
    pub fn items(&mut self, mut each: impl FnMut(&mut Self) -> Step) -> Step {
        if self.peek() == Some(b'{') {
            return each(self);
        }
        if !self.eat(b'[') {
            return self.skip().map(drop);
        }
        if self.eat(b']') {
            return Ok(());
        }
        loop {
            each(self)?;
            if self.eat(b']') {
                return Ok(());
            }
            self.want(b',', "a comma or the end of an array")?;
        }
    }

    /// Passes each item under `name` in the object here to `each`; skips every other member.
    ///
    /// # Errors
    /// As with [`Self::members`], and when the name is there twice.
    pub fn items_of(&mut self, name: &str, mut each: impl FnMut(&mut Self) -> Step) -> Step {
        let mut seen = None;
        self.members(|scan, key| {
            if key != name.as_bytes() {
                return scan.skip().map(drop);
            }
            scan.once(&mut seen, ())?;
            scan.items(&mut each)
        })
    }

    /// The characters of the string here; `None`, and a skip, for anything else and for a string that cannot be decoded.
    ///
    /// # Errors
    /// Where the text stops being JSON.
    pub fn string(&mut self) -> Result<Option<Cow<'a, str>>, JsonError> {
        let span = self.skip()?;
        Ok(string::decode(&self.body[span]))
    }

    /// Skips the value here, and returns where it is.
    ///
    /// # Errors
    /// Where the text stops being JSON.
    pub fn skip(&mut self) -> Result<Range<usize>, JsonError> {
        let next = self.peek();
        let start = self.at;
        match next {
            Some(b'"') => self.skip_string()?,
            Some(b'{' | b'[') => self.skip_nested()?,
            _ => self.skip_word()?,
        }
        Ok(start..self.at)
    }

    /// The first byte of what comes next, after white space.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.body.get(self.at) {
            self.at += 1;
        }
        self.body.get(self.at).copied()
    }

    /// Stores `value` in `field`.
    ///
    /// # Errors
    /// When the field is set already. Readers disagree about a name that is twice in one object, so such a body is left
    /// alone.
    pub fn once<T>(&self, field: &mut Option<T>, value: T) -> Step {
        if field.replace(value).is_some() {
            return self.fail("each key only once");
        }
        Ok(())
    }

    /// Reads the string here into `field`; anything else counts as an empty string.
    ///
    /// # Errors
    /// As with [`Self::skip`] and [`Self::once`].
    pub fn word(&mut self, field: &mut Option<Cow<'a, str>>) -> Step {
        let word = self.string()?.unwrap_or_default();
        self.once(field, word)
    }

    /// Skips the value here, and stores its place in `field`.
    ///
    /// # Errors
    /// As with [`Self::skip`] and [`Self::once`].
    pub fn place(&mut self, field: &mut Option<Range<usize>>) -> Step {
        let place = self.skip()?;
        self.once(field, place)
    }

    /// Nothing but white space is left.
    ///
    /// # Errors
    /// When something else is.
    pub fn end(&mut self) -> Step {
        if self.peek().is_some() { self.fail("the end of the body") } else { Ok(()) }
    }

    /// The position in the text.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Where the name of the member begins whose value comes next.
    #[must_use]
    pub fn name_start(&self) -> usize {
        self.name_start
    }

    /// The whole text.
    #[must_use]
    pub fn body(&self) -> &'a [u8] {
        self.body
    }

    /// The bytes of a name: they are only compared, so they need not be characters.
    fn key(&mut self) -> Result<Cow<'a, [u8]>, JsonError> {
        if self.peek() != Some(b'"') {
            return self.fail("a name in quotes");
        }
        self.name_start = self.at;
        let first = self.at + 1;
        if let Some(quote) = string::near_quote(self.body, first) {
            self.at = quote + 1;
            return Ok(Cow::Borrowed(&self.body[first..quote]));
        }
        // A name that cannot be decoded is not one that we look for.
        let name = self.string()?.unwrap_or_default();
        Ok(Cow::Owned(name.into_owned().into_bytes()))
    }

    fn want(&mut self, byte: u8, expected: &'static str) -> Step {
        if self.eat(byte) { Ok(()) } else { self.fail(expected) }
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let next = self.peek() == Some(byte);
        self.at += usize::from(next);
        next
    }

    fn skip_string(&mut self) -> Step {
        match string::end(self.body, self.at) {
            Some(end) => {
                self.at = end;
                Ok(())
            }
            None => self.fail("the closing quote of a string"),
        }
    }

    /// Counts brackets instead of recursing, so no depth of nesting can exhaust the stack.
    fn skip_nested(&mut self) -> Step {
        let start = self.at;
        let mut depth = 0_usize;
        while let Some(byte) = self.body.get(self.at) {
            match byte {
                b'"' => {
                    self.skip_string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
        self.at = start;
        self.fail("the end of what was opened here")
    }

    fn skip_word(&mut self) -> Step {
        let rest = &self.body[self.at..];
        let is_of_word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'-' | b'+' | b'.');
        match rest.iter().take_while(is_of_word).count() {
            0 => self.fail("a value"),
            length => {
                self.at += length;
                Ok(())
            }
        }
    }

    fn fail<T>(&self, expected: &'static str) -> Result<T, JsonError> {
        Err(JsonError { at: self.at, expected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skips(body: &str, expected: Result<usize, &'static str>) {
        let mut scan = JsonScan::new(body.as_bytes());
        let seen = scan.skip().map(|span| span.len()).map_err(|error| error.expected);
        assert_eq!(seen, expected, "{body}");
    }

    #[test]
    fn strings_end_at_the_first_quote_that_is_not_escaped() {
        skips(r#""""#, Ok(2));
        skips(r#""a","b""#, Ok(3));
        skips(r#""\"" "#, Ok(4));
        skips(r#""\\" ""#, Ok(4));
        skips(r#""\\\"" ""#, Ok(6));
        let long = "x".repeat(100);
        skips(&format!(r#""{long}\\\"{long}\\"" "#), Ok(208));
        skips(r#""\"#, Err("the closing quote of a string"));
        skips(r#""\""#, Err("the closing quote of a string"));
    }

    #[test]
    fn brackets_in_strings_do_not_count() {
        skips(r#"{"]":"}\"{"} x"#, Ok(12));
        skips(r#"[[],{"a":[1]}],"#, Ok(14));
        skips("[[]", Err("the end of what was opened here"));
        skips(r#"["]"#, Err("the closing quote of a string"));
    }

    #[test]
    fn words_end_before_what_is_not_theirs() {
        skips("-1.5e+7,", Ok(7));
        skips("null}", Ok(4));
        skips("", Err("a value"));
        skips("]", Err("a value"));
    }

    #[test]
    fn no_depth_exhausts_the_stack() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        skips(&deep, Ok(2_000_000));
    }

    #[test]
    fn names_are_read_as_they_are_meant() {
        let mut names = Vec::new();
        let mut scan = JsonScan::new(br#" { "r\u006fle" : 1 , "\ud800" : {} } "#);
        let read = scan.members(|scan, key| {
            names.push(String::from_utf8_lossy(key).into_owned());
            scan.skip().map(drop)
        });
        assert_eq!((read, scan.end()), (Ok(()), Ok(())));
        assert_eq!(names, ["role", ""]);
    }

    #[test]
    fn faults_say_where() {
        for (body, at, expected) in [
            ("{1}", 1, "a name in quotes"),
            (r#"{"a" 1}"#, 5, "a colon"),
            (r#"{"a":1 "b":2}"#, 7, "a comma or the end of an object"),
            (r#"{"a":}"#, 5, "a value"),
            (r#"{"a":1,}"#, 7, "a name in quotes"),
            ("{", 1, "a name in quotes"),
        ] {
            let read = JsonScan::new(body.as_bytes()).members(|scan, _| scan.skip().map(drop));
            assert_eq!(read, Err(JsonError { at, expected }), "{body}");
        }
    }
}
