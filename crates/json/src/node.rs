//! Values of a JSON text, and their positions in the text.

use std::borrow::Cow;
use std::ops::Range;

use crate::scan::JsonScan;
use crate::string;

/// A value in a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonNode<'a> {
    body: &'a [u8],
    /// The range of the value in the text.
    pub span: Range<usize>,
}

impl<'a> JsonNode<'a> {
    /// Reads the whole of `body` as one object.
    #[must_use]
    pub fn object(body: &'a [u8]) -> Option<Self> {
        Self::parse(body).filter(Self::is_object)
    }

    /// Reads the whole of `body` as one value.
    #[must_use]
    pub fn parse(body: &'a [u8]) -> Option<Self> {
        let mut scan = JsonScan::new(body);
        let place = scan.skip().ok()?;
        scan.end().ok()?;
        Some(Self { body, span: place })
    }

    /// The value at `span`.
    #[must_use]
    pub fn at(span: Range<usize>, body: &'a [u8]) -> Self {
        Self { body, span }
    }

    /// The values of the members with these names. `None` when the object cannot be read, or when one of the names
    /// occurs twice.
    #[must_use]
    pub fn get_all<const N: usize>(&self, names: [&str; N]) -> Option<[Option<Self>; N]> {
        let mut found = [const { None }; N];
        let read = JsonScan::new(self.bytes()).members(|scan, key| {
            match names.iter().position(|name| name.as_bytes() == key) {
                Some(at) => scan.place(&mut found[at]),
                None => scan.skip().map(drop),
            }
        });
        read.ok()?;
        Some(found.map(|place| place.map(|place| self.inner(&place))))
    }

    /// The value of the member with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Self> {
        let [value] = self.get_all([name])?;
        value
    }

    /// The range of the member with this name, from the start of its name to the end of its value.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Range<usize>> {
        let mut span = None;
        let read = JsonScan::new(self.bytes()).members(|scan, key| {
            let start = scan.name_start();
            let end = scan.skip()?.end;
            if key == name.as_bytes() {
                span = Some(start..end);
            }
            Ok(())
        });
        read.ok()?;
        span.map(|span| self.inner(&span).span)
    }

    /// The items of an array; empty for any other value.
    #[must_use]
    pub fn items(&self) -> Vec<Self> {
        let mut items = Vec::new();
        let read = JsonScan::new(self.bytes()).items(|scan| {
            items.push(scan.skip()?);
            Ok(())
        });
        let is_list = self.is_list() && read.is_ok();
        items.iter().filter(|_| is_list).map(|place| self.inner(place)).collect()
    }

    /// The names and values of an object's members; empty when the object cannot be read.
    #[must_use]
    pub fn members(&self) -> Vec<(String, Self)> {
        let mut members = Vec::new();
        let read = JsonScan::new(self.bytes()).members(|scan, key| {
            let name = String::from_utf8_lossy(key).into_owned();
            members.push((name, self.inner(&scan.skip()?)));
            Ok(())
        });
        if read.is_ok() { members } else { Vec::new() }
    }

    /// True for an array.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.bytes().first() == Some(&b'[')
    }

    /// True for an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.bytes().first() == Some(&b'{')
    }

    /// True for an empty array or object.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inside().trim_ascii().is_empty()
    }

    /// The decoded text of a string.
    #[must_use]
    pub fn text(&self) -> Option<Cow<'a, str>> {
        string::decode(self.bytes())
    }

    /// True when the value is this string.
    #[must_use]
    pub fn is_str(&self, word: &str) -> bool {
        self.text().as_deref() == Some(word)
    }

    /// The value as a whole number that is not negative.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        str::from_utf8(self.bytes()).ok()?.parse().ok()
    }

    /// The bytes between the first and the last byte of the value: the escaped content of a string, the members of an
    /// object, or the items of an array.
    #[must_use]
    pub fn inside(&self) -> &'a [u8] {
        let bytes = self.bytes();
        bytes.get(1..bytes.len() - 1).unwrap_or_default()
    }

    /// The bytes of the value.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        &self.body[self.span.clone()]
    }

    fn inner(&self, place: &Range<usize>) -> Self {
        let start = self.span.start;
        Self { body: self.body, span: start + place.start..start + place.end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_where_they_are() {
        let body = br#" {"a":{"b":[1, "x\n"]},"n":12} "#;
        let top = JsonNode::object(body).unwrap();
        let list = top.get("a").unwrap().get("b").unwrap();
        assert_eq!(&body[list.span.clone()], br#"[1, "x\n"]"#);
        let items = list.items();
        assert_eq!((items[0].number(), items[1].text().as_deref()), (Some(1), Some("x\n")));
        assert!(items[1].is_str("x\n") && !items[1].is_str("x"));
        assert_eq!(items[1].inside(), br"x\n");
        assert_eq!(top.get("n").unwrap().number(), Some(12));
        assert_eq!(top.get("m"), None);
        assert!(top.items().is_empty() && !top.is_empty() && top.is_object());
    }

    #[test]
    fn what_is_read_in_two_ways_is_not_read() {
        assert_eq!(JsonNode::object(br#"{"a":1,"a":2}"#).unwrap().get_all(["a"]), None);
        assert_eq!(JsonNode::object(br#"{"a":1"#), None);
        assert_eq!(JsonNode::object(br#"{"a":1} {}"#), None);
        assert_eq!(JsonNode::object(b"[1]"), None);
        assert_eq!(JsonNode::object(b""), None);
    }
}
