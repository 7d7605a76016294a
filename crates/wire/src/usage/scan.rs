//! Finds members of JSON values that arrive in pieces, and stores nothing else.
//!
//! The scan stores the depth, the latest name and the current member. So it needs the same memory for any input: of
//! any length, at any depth, cut off anywhere, or not JSON at all.

use memchr::memchr2;

/// The maximum length of a member that is collected. Counts take a few hundred bytes.
const MAX_MEMBER_BYTES: usize = 16 << 10;

/// The maximum length of a name that is compared.
const MAX_NAME_BYTES: usize = 48;

/// A position in a series of JSON values that arrive in pieces.
#[derive(Debug)]
pub(super) struct MemberScan {
    /// The paths of the members to find.
    places: &'static [&'static [&'static str]],
    /// `depth` is the number of open arrays and objects. `base` is the number of those that enclose every value: one
    /// if all values are in an array, otherwise zero.
    depth: usize,
    base: usize,
    text: Text,
    /// The latest string, which may be a name; if the string is long, only its start.
    word: Vec<u8>,
    /// The name of the current top-level member.
    top: Vec<u8>,
    /// The member that is being collected: the index of its path, its depth, and its bytes so far.
    taken: Option<(usize, usize, Vec<u8>)>,
}

/// Whether the position is in a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    Outside,
    Inside,
    /// After a backslash.
    Escaped,
}

impl MemberScan {
    pub(super) fn new(places: &'static [&'static [&'static str]]) -> Self {
        let (word, top) = (Vec::new(), Vec::new());
        Self { places, depth: 0, base: 0, text: Text::Outside, word, top, taken: None }
    }

    /// Starts over, because another value comes next.
    pub(super) fn reset(&mut self) {
        (self.depth, self.base, self.text, self.taken) = (0, 0, Text::Outside, None);
        self.word.clear();
        self.top.clear();
    }

    /// Takes bytes, and passes each member that is now complete to `each`, with its path.
    pub(super) fn see(&mut self, mut bytes: &[u8], mut each: impl FnMut(&[&str], &[u8])) {
        while let Some((&byte, rest)) = bytes.split_first() {
            match self.text {
                Text::Inside => {
                    let end = memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
                    let (inside, from) = bytes.split_at(end);
                    self.spell(inside);
                    self.take(inside);
                    bytes = from;
                    if let Some((&mark, rest)) = from.split_first() {
                        self.text = if mark == b'"' { Text::Outside } else { Text::Escaped };
                        self.take(&[mark]);
                        bytes = rest;
                    }
                }
                Text::Escaped => {
                    // A name that contains an escape cannot be one of the names to find.
                    self.spell(b"\\");
                    self.take(&[byte]);
                    (self.text, bytes) = (Text::Inside, rest);
                }
                Text::Outside => {
                    self.mark(byte, &mut each);
                    bytes = rest;
                }
            }
        }
    }

    /// Takes a byte outside of a string.
    fn mark(&mut self, byte: u8, each: &mut impl FnMut(&[&str], &[u8])) {
        match byte {
            b'"' => {
                self.text = Text::Inside;
                self.word.clear();
            }
            b'[' if self.depth == 0 => (self.depth, self.base) = (1, 1),
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' => {
                self.finish(each);
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.base = 0;
                }
            }
            b',' => self.finish(each),
            b':' if self.taken.is_none() => return self.name(),
            _ => {}
        }
        self.take(&[byte]);
    }

    /// Starts a member with the latest name.
    fn name(&mut self) {
        let level = self.depth.saturating_sub(self.base);
        if level == 1 {
            std::mem::swap(&mut self.top, &mut self.word);
        }
        let leads = |place: &&[&str]| match (*place, level) {
            ([one], 1) => one.as_bytes() == self.top,
            ([one, two], 2) => one.as_bytes() == self.top && two.as_bytes() == self.word,
            _ => false,
        };
        self.taken = self.places.iter().position(leads).map(|at| (at, self.depth, Vec::new()));
    }

    /// Ends the member that is being collected, if the member is at this depth.
    fn finish(&mut self, each: &mut impl FnMut(&[&str], &[u8])) {
        if let Some((at, _, member)) = self.taken.take_if(|(_, depth, _)| *depth == self.depth) {
            each(self.places[at], &member);
        }
    }

    /// Adds bytes to the member that is being collected; gives up on the member if it becomes too long.
    fn take(&mut self, bytes: &[u8]) {
        if let Some((.., member)) = &mut self.taken {
            member.extend_from_slice(bytes.get(..MAX_MEMBER_BYTES).unwrap_or(bytes));
        }
        self.taken.take_if(|(.., member)| member.len() > MAX_MEMBER_BYTES);
    }

    /// Adds characters to a string that may be a name.
    fn spell(&mut self, bytes: &[u8]) {
        let room = MAX_NAME_BYTES.saturating_sub(self.word.len());
        self.word.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: &[&[&str]] = &[&["usage"], &["message", "usage"], &["count"]];

    fn find_all(text: &str, step: usize) -> Vec<String> {
        let (mut scan, mut found) = (MemberScan::new(PLACES), Vec::new());
        for piece in text.as_bytes().chunks(step) {
            scan.see(piece, |place, member| {
                found.push(format!("{}={}", place.join("."), String::from_utf8_lossy(member)));
            });
        }
        found
    }

    fn check(text: &str, expected: &[&str]) {
        for step in [1, 2, 3, 7, 4096] {
            assert_eq!(find_all(text, step), expected, "{text} in pieces of {step}");
        }
    }

    #[test]
    fn members_are_found_where_they_belong_and_nowhere_else() {
        check(r#"{"id":"x","usage":{"a":1,"b":{"c":[2]}}}"#, &[r#"usage={"a":1,"b":{"c":[2]}}"#]);
        check(r#"{"message":{"id":1,"usage":{"a":1}},"n":2}"#, &[r#"message.usage={"a":1}"#]);
        check(r#"{"count":12,"x":{"usage":1,"count":2}}"#, &["count=12"]);
        check(r#"{"count":12}{"count" : 13 }"#, &["count=12", "count= 13 "]);
        check("{\"count\":1}\n{\"count\":2}\n", &["count=1", "count=2"]);
        check(r#"[{"count":1},{"usage":{}}]"#, &["count=1", "usage={}"]);
        check(r#"{"a":"\"usage\":{\"a\":9}","usage":null}"#, &["usage=null"]);
        check(r#"{"a":["usage",{"usage":1}],"b":"usage"}"#, &[]);
        check(r#"{"choices":[{"message":{"usage":{"a":1}}}]}"#, &[]);
    }

    #[test]
    fn what_is_cut_off_or_too_long_is_not_found() {
        check(r#"{"usage":{"a":1"#, &[]);
        check(r#"{"usage":{"a":"x}"#, &[]);
        let long = format!(r#"{{"usage":{{"a":"{}"}},"count":1}}"#, "x".repeat(MAX_MEMBER_BYTES));
        check(&long, &["count=1"]);
        for text in ["}}}]]]", "[[[[", "\"", "{:::,,,}", "\\\\\"\\", "{\"usage\":}"] {
            find_all(text, 1);
        }
        check("}}}{\"count\":1}", &["count=1"]);
    }

    #[test]
    fn a_value_begins_anew_where_it_is_told_to() {
        let (mut scan, mut found) = (MemberScan::new(PLACES), 0);
        scan.see(b"{\"a\":\"unended", |_, _| found += 1);
        scan.reset();
        scan.see(b"{\"count\":1}", |_, _| found += 1);
        assert_eq!(found, 1);
    }
}
