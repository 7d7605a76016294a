//! Reads the tokens that all forms have in common with JSON: strings, numbers, words and white space.

use std::borrow::Cow;

use tersely_json::number_length;

use crate::error::ReadFault;
use crate::text::respell;
use crate::{Text, Value};

/// A position in a text.
pub(crate) struct TextScan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> TextScan<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Moves to byte `at`, which must be a character boundary.
    pub(crate) fn go(&mut self, at: usize) {
        self.at = at;
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Consumes the next byte if it is `byte`.
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let next = self.peek() == Some(byte);
        self.at += usize::from(next);
        next
    }

    /// Consumes `word` if the text continues with it.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let next = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += if next { word.len() } else { 0 };
        next
    }

    pub(crate) fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Consumes `byte` and the white space after it; fails if the next byte is different.
    pub(crate) fn take(&mut self, byte: u8, expected: &'static str) -> Result<(), ReadFault> {
        if !self.eat(byte) {
            return self.fail(expected);
        }
        self.space();
        Ok(())
    }

    /// Checks that only white space is left.
    pub(crate) fn end(&mut self) -> Result<(), ReadFault> {
        self.space();
        if self.peek().is_some() { self.fail("the end of the document") } else { Ok(()) }
    }

    /// Reads an array whose opening bracket comes next; `item` reads each item.
    pub(crate) fn array(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<Value<'a>, ReadFault>,
    ) -> Result<Value<'a>, ReadFault> {
        let mut items = Vec::new();
        self.take(b'[', "'['")?;
        if self.eat(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(item(self)?);
            self.space();
            if self.eat(b']') {
                return Ok(Value::Array(items));
            }
            self.take(b',', "',' or ']'")?;
        }
    }

    /// Reads an object whose opening brace comes next; `member` reads each member.
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self) -> Result<(Text<'a>, Value<'a>), ReadFault>,
    ) -> Result<Value<'a>, ReadFault> {
        let mut members = Vec::new();
        self.take(b'{', "'{'")?;
        if self.eat(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            members.push(member(self)?);
            self.space();
            if self.eat(b'}') {
                return Ok(Value::Object(members));
            }
            self.take(b',', "',' or '}'")?;
        }
    }

    pub(crate) fn fail<T>(&self, expected: impl Into<Cow<'static, str>>) -> Result<T, ReadFault> {
        Err(ReadFault { at: self.at, expected: expected.into() })
    }

    /// Reads a JSON string whose opening quote comes next.
    pub(crate) fn string(&mut self) -> Result<Text<'a>, ReadFault> {
        let start = self.at + 1;
        let mut at = start;
        let bytes = self.text.as_bytes();
        let mut plain = true;
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    plain = false;
                    at += 2;
                }
                Some(0..=0x1F) | None => {
                    self.at = at.min(bytes.len());
                    return self.fail("the closing quote of a string");
                }
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        let raw = &self.text[start..at];
        if plain {
            return Ok(Text::plain(raw));
        }
        respell(raw)
            .map_err(|bad| ReadFault { at: start + bad, expected: "an escape that JSON knows".into() })
    }

    /// Reads a JSON number whose first byte comes next.
    pub(crate) fn number(&mut self) -> Result<&'a str, ReadFault> {
        let rest = self.rest();
        match number_length(rest.as_bytes()) {
            0 => self.fail("a number"),
            length => {
                self.at += length;
                Ok(&rest[..length])
            }
        }
    }

    /// Reads `true`, `false`, `null`, a number or a string.
    pub(crate) fn scalar(&mut self) -> Result<Value<'a>, ReadFault> {
        match self.peek() {
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(|number| Value::Number(number.into())),
            Some(b't') if self.eat_word("true") => Ok(Value::Bool(true)),
            Some(b'f') if self.eat_word("false") => Ok(Value::Bool(false)),
            Some(b'n') if self.eat_word("null") => Ok(Value::Null),
            _ => self.fail("a value"),
        }
    }
}
