//! Parses one line of search output: `path:12:text`, a context line `path-13-text`, `path(12,5): text`, or `path:text`.

use std::collections::BTreeSet;

use memchr::{memchr, memchr_iter};

/// A parsed line of search output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit<'a> {
    pub(crate) path: &'a str,
    /// The part after the path: `12:text`, `13-text` or `text`.
    pub(crate) rest: &'a str,
}

/// The maximum length of a path in bytes, which limits the work per line.
const MAX_PATH_BYTES: usize = 512;

/// Parses `path:12:text`.
pub(crate) fn parse_numbered(line: &str) -> Option<Hit<'_>> {
    let at = marks(line, b':').next()?;
    let hit = Hit { path: &line[..at], rest: &line[at + 1..] };
    let word = hit.path.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    (is_path(hit.path) || word && !hit.path.is_empty()).then_some(hit)
}

/// Parses `path(12,5): text`, as compilers write it.
pub(crate) fn parse_location(line: &str) -> Option<Hit<'_>> {
    let (path, rest) = line.split_at(memchr(b'(', &line.as_bytes()[..line.len().min(MAX_PATH_BYTES)])?);
    (is_path(path) && is_spot(rest)).then_some(Hit { path, rest })
}

/// True for text that begins with `(12):` or `(12,5):`.
fn is_spot(rest: &str) -> bool {
    let inside =
        rest.strip_prefix('(').and_then(|rest| rest.split_once("):")).map_or("", |(inside, _)| inside);
    !inside.is_empty()
        && inside.len() < 24
        && inside.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
}

/// Parses `path-13-text` if `paths` contains the path.
pub(crate) fn context<'a>(line: &'a str, paths: &BTreeSet<&str>) -> Option<Hit<'a>> {
    marks(line, b'-')
        .map(|at| Hit { path: &line[..at], rest: &line[at + 1..] })
        .find(|hit| paths.contains(hit.path))
}

/// Parses `path:text`.
pub(crate) fn plain(line: &str) -> Option<Hit<'_>> {
    let (path, rest) = line.split_once(':')?;
    let (path, rest) = match rest.strip_prefix('\\') {
        Some(below) if path.len() == 1 => {
            let end = 3 + below.find(':')?;
            (&line[..end], &line[end + 1..])
        }
        _ => (path, rest),
    };
    // After two colons comes the name of a test, not a line of the file.
    let text = !rest.is_empty() && !rest.starts_with("//") && !rest.starts_with(':');
    (is_path(path) && text).then_some(Hit { path, rest })
}

/// The directory in front of the path in a context line whose path is still absolute: `/srv/me/project/`.
pub(crate) fn root<'a>(line: &'a str, paths: &BTreeSet<&str>) -> Option<&'a str> {
    if !line.starts_with('/') || line.contains(':') {
        return None;
    }
    let under = |at: usize| {
        let path = &line[..at];
        let slash = path.match_indices('/').map(|(slash, _)| slash + 1);
        slash.take(64).find(|&slash| paths.contains(&path[slash..])).map(|slash| &path[..slash])
    };
    marks(line, b'-').find_map(under)
}

/// The separator between the path and `rest`: the same as after the line number in `rest`, or empty in front of
/// `(12,5)`.
pub(crate) fn sign(rest: &str) -> Option<&str> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let sign = rest.get(digits..=digits).filter(|sign| digits > 0 && [":", "-"].contains(sign));
    sign.or_else(|| is_spot(rest).then_some(""))
}

/// The first few positions, near the start of the line, at which `sign`, a number and `sign` again follow each other.
fn marks(line: &str, sign: u8) -> impl Iterator<Item = usize> {
    let bytes = line.as_bytes();
    let near = &bytes[..bytes.len().min(MAX_PATH_BYTES)];
    let signs = memchr_iter(sign, near).filter(|at| *at > 0);
    let marks = signs.filter(move |at| {
        let digits = bytes[at + 1..].iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && bytes.get(at + 1 + digits) == Some(&sign)
    });
    marks.take(16)
}

/// True for a plausible file name. Times, addresses and sentences are not plausible.
fn is_path(word: &str) -> bool {
    let strange = |char: char| {
        char.is_whitespace() || char.is_control() || matches!(char, '"' | '\'' | '<' | '>' | '|')
    };
    let named = word.bytes().any(|byte| byte.is_ascii_alphabetic());
    let begins = !word.starts_with(['{', '[', '(']);
    named
        && begins
        && word.len() <= MAX_PATH_BYTES
        && word.contains(['/', '\\', '.'])
        && !word.contains(strange)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_distinguished_from_other_lines() {
        let hit = |path, rest| Some(Hit { path, rest });
        for (line, expected) in [
            ("src/a.rs:12:fn main()", hit("src/a.rs", "12:fn main()")),
            ("src/a.rs:12:", hit("src/a.rs", "12:")),
            (r"C:\src\a.go:7:x: y", hit(r"C:\src\a.go", "7:x: y")),
            ("Makefile:3:all:", hit("Makefile", "3:all:")),
            ("src/a.rs:12:5: error", hit("src/a.rs", "12:5: error")),
            ("2026-01-02T03:04:05 started", None),
            ("12:34:56 GET /", None),
            ("[14/Nov/2024:10:12:13] x", None),
            ("see src/a.rs:12: it says", None),
            ("a:b:c", None),
            (":1:x", None),
            ("", None),
        ] {
            assert_eq!(parse_numbered(line), expected, "{line}");
        }
    }

    #[test]
    fn context_needs_a_path_that_was_hit() {
        let paths = BTreeSet::from(["notes/2026-02-13-plan.md", "a-1-b.md"]);
        let found = |line| context(line, &paths).map(|hit| (hit.path, hit.rest));
        assert_eq!(found("notes/2026-02-13-plan.md-7-x-1-y"), Some(("notes/2026-02-13-plan.md", "7-x-1-y")));
        assert_eq!(found("a-1-b.md-2-"), Some(("a-1-b.md", "2-")));
        assert_eq!(found("other.md-2-x"), None);
        assert_eq!(root("/srv/me/a-1-b.md-2-x", &paths), Some("/srv/me/"));
        assert_eq!(root("/srv/me/a-1-b.md-2-x: y", &paths), None);
    }

    #[test]
    fn plain_hits_have_paths() {
        assert_eq!(plain("src/a.rs:use x;"), Some(Hit { path: "src/a.rs", rest: "use x;" }));
        assert_eq!(plain(r"D:\a.rs:x"), Some(Hit { path: r"D:\a.rs", rest: "x" }));
        for line in
            ["error: x", "https://a.b/c", "key.name: ", "a.b:", "  a.b:c", "\"a.b\":1", "a.py::test PASSED"]
        {
            let odd = plain(line).filter(|hit| hit.path != "key.name");
            assert_eq!(odd, None, "{line}");
        }
    }
}
