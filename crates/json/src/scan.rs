//! Walks through the bytes of a JSON text once, and skips the values that the caller does not ask for.
//!
//! Parsers that record positions do more work. `jiter` checks every escape that it skips, so it refuses a body
//! because of a lone surrogate or a depth of 200 in a part that is only copied. `serde_json` and `sonic-rs` scan
//! their raw values again at every level. Here, skipping a string only takes the search for its closing quote, at any
//! depth.
//!
//! Skipped parts are not checked. This is safe: strings begin and end where every JSON parser sees them begin and
//! end, so a range is a whole value for every parser, and an invalid body remains invalid.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::JsonError;
use crate::string;

/// A position in a JSON text that only moves forward.
pub struct JsonScan<'a> {
    body: &'a [u8],
    at: usize,
    /// The position where the latest name began.
    name_start: usize,
}

type Step = Result<(), JsonError>;

/// Runs `walk` on a whole body, and returns what it has collected.
///
/// # Errors
/// Returns the errors of `walk`. Also fails if anything follows the value.
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
    /// Starts at the beginning of a text.
    #[must_use]
    pub fn new(body: &'a [u8]) -> Self {
        Self { body, at: 0, name_start: 0 }
    }

    /// Passes each member of the object at the current position to `each`, which must consume the value. Skips any
    /// other value.
    ///
    /// # Errors
    /// Fails where the text stops being JSON, and returns the errors of `each`.
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

    /// Passes each item of the array at the current position to `each`, which must consume it. An object counts as an
    /// array with one item.
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

    /// Passes each item of the member `name` of the current object to `each`; skips every other member.
    ///
    /// # Errors
    /// As with [`Self::members`]. Also fails if the name occurs twice.
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

    /// Decodes the string at the current position. Any other value, and a string that cannot be decoded, is skipped
    /// and gives `None`.
    ///
    /// # Errors
    /// Fails where the text stops being JSON.
    pub fn string(&mut self) -> Result<Option<Cow<'a, str>>, JsonError> {
        let span = self.skip()?;
        Ok(string::decode(&self.body[span]))
    }

    /// Skips the value at the current position, and returns its range.
    ///
    /// # Errors
    /// Fails where the text stops being JSON.
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

    /// Skips white space, and returns the next byte.
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
    /// Fails if the field is already set. Parsers disagree about a name that occurs twice in one object, so such a
    /// body is not changed.
    pub fn once<T>(&self, field: &mut Option<T>, value: T) -> Step {
        if field.replace(value).is_some() {
            return self.fail("each key only once");
        }
        Ok(())
    }

    /// Reads the string at the current position into `field`; any other value counts as an empty string.
    ///
    /// # Errors
    /// As with [`Self::skip`] and [`Self::once`].
    pub fn word(&mut self, field: &mut Option<Cow<'a, str>>) -> Step {
        let word = self.string()?.unwrap_or_default();
        self.once(field, word)
    }

    /// Skips the value at the current position, and stores its range in `field`.
    ///
    /// # Errors
    /// As with [`Self::skip`] and [`Self::once`].
    pub fn place(&mut self, field: &mut Option<Range<usize>>) -> Step {
        let place = self.skip()?;
        self.once(field, place)
    }

    /// Checks that only white space is left.
    ///
    /// # Errors
    /// Fails if anything else is left.
    pub fn end(&mut self) -> Step {
        if self.peek().is_some() { self.fail("the end of the body") } else { Ok(()) }
    }

    /// The current position in the text.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// The position where the name of the current member begins.
    #[must_use]
    pub fn name_start(&self) -> usize {
        self.name_start
    }

    /// The whole text.
    #[must_use]
    pub fn body(&self) -> &'a [u8] {
        self.body
    }

    /// The bytes of a name. They are only compared, so they need not be valid UTF-8.
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
        // A name that cannot be decoded is never one of the names that callers look for.
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

    /// Skips an array or an object. It counts brackets instead of recursing, so deep nesting cannot overflow the
    /// stack.
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
