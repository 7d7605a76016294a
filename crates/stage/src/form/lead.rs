//! What stands before the path on each line of a list: nothing, a count, or one word in a fixed frame.

use std::borrow::Cow;

/// How lines begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lead<'a> {
    /// With the path.
    None,
    /// With a number, right-aligned: `wc -l`.
    Count { width: usize },
    /// With a word that changes and a frame that does not: `git ls-files -s`, `du`, `sha256sum`.
    Word { before: Cow<'a, str>, after: Cow<'a, str> },
}

/// Lines from which a frame is guessed.
const SAMPLES: usize = 4;
/// How far into a line a word is looked for.
const MAX_PIECES: usize = 8;

impl<'a> Lead<'a> {
    /// The lead of most lines, and how many lines those are; one of fewer than `least` lines is not looked for.
    pub(crate) fn of(lines: &[&'a str], least: usize) -> (Self, usize) {
        let step = lines.len() / (SAMPLES + 1) + 1;
        let mut best = (Self::None, lines.iter().filter(|line| Self::None.split(line).is_some()).count());
        for line in lines.iter().skip(step / 2).step_by(step) {
            for lead in Self::guesses(line) {
                let others = lines.len().checked_sub(least.max(best.1 + 1));
                if let Some(count) = others.and_then(|others| lead.count(lines, others)) {
                    best = (lead, count);
                }
            }
        }
        best
    }

    /// How many lines have it, if at most so many do not.
    fn count(&self, lines: &[&str], others: usize) -> Option<usize> {
        let without = lines.iter().filter(|line| self.split(line).is_none()).take(others + 1).count();
        (without <= others).then(|| lines.len() - without)
    }

    /// The leads that `line` may have.
    fn guesses(line: &'a str) -> Vec<Self> {
        let Some(slash) = line.find(['/', '\\']) else { return Vec::new() };
        let Some(gap) = line[..slash].rfind([' ', '\t']) else { return Vec::new() };
        let lead = &line[..=gap];
        let (mut leads, mut start) = (vec![Self::Count { width: gap }], 0);
        for piece in lead.split_inclusive([' ', '\t']).take(MAX_PIECES) {
            let (before, after) = (&lead[..start], &lead[start + piece.len() - 1..]);
            // Blanks before a word may tell what it means: ` M` and `M ` are not the same to git.
            let framed = before.is_empty() || !before.trim().is_empty();
            if piece.len() > 1 && framed {
                leads.push(Self::Word { before: before.into(), after: after.into() });
            }
            start += piece.len();
        }
        leads
    }

    /// What a row says of the lead, and the path.
    pub(crate) fn split<'l>(&self, line: &'l str) -> Option<(&'l str, &'l str)> {
        let (word, path) = match self {
            Self::None => ("", line),
            Self::Count { width } => {
                let (count, path) = line.trim_start_matches(' ').split_once(' ')?;
                let digits = count.bytes().all(|byte| byte.is_ascii_digit());
                let aligned = line.len() - path.len() - 1 == count.len().max(*width);
                (Some(count).filter(|_| digits && aligned)?, path)
            }
            Self::Word { before, after } => {
                let rest = line.strip_prefix(&**before)?;
                let end = rest.find([' ', '\t'])?;
                (&rest[..end], rest[end..].strip_prefix(&**after)?)
            }
        };
        let sound = (*self == Self::None) == word.is_empty() && folder(path).is_some();
        sound.then_some((word, path))
    }

    /// The lead as it stood.
    pub(crate) fn join(&self, word: &str) -> String {
        match self {
            Self::None => String::new(),
            Self::Count { width } => format!("{word:>width$} "),
            Self::Word { before, after } => format!("{before}{word}{after}"),
        }
    }

    /// What a reader cannot see in the rows, as `read` reads it: `each line: 100644 {word} 0 {path}`.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Word { before, after } if !before.is_empty() || !after.trim().is_empty() => {
                [EACH, before, WORD, after, PATH].concat()
            }
            _ => String::new(),
        }
    }

    pub(crate) fn read(words: &str) -> Option<Self> {
        let Some(frame) = words.strip_prefix(EACH) else { return words.is_empty().then_some(Self::None) };
        let (before, after) = frame.strip_suffix(PATH)?.split_once(WORD)?;
        Some(Self::Word { before: before.to_owned().into(), after: after.to_owned().into() })
    }

    /// Writes what `parse` reads: `counts to column 7`, `each line "<first>\t<path>"`.
    pub(crate) fn note(&self) -> String {
        match self {
            Self::None => String::new(),
            Self::Count { width } => format!("{COUNT}{width}"),
            Self::Word { before, after } => {
                format!("{OPEN}{}<first>{}{CLOSE}", before.replace('\t', "\\t"), after.replace('\t', "\\t"))
            }
        }
    }

    pub(crate) fn parse(note: &str) -> Option<Self> {
        if let Some(width) = note.strip_prefix(COUNT) {
            return width
                .parse()
                .ok()
                .filter(|&width: &usize| width <= 64)
                .map(|width| Self::Count { width });
        }
        let Some(frame) = note.strip_prefix(OPEN) else { return note.is_empty().then_some(Self::None) };
        let (before, after) = frame.strip_suffix(CLOSE)?.split_once("<first>")?;
        let plain = |part: &str| part.replace("\\t", "\t").into();
        Some(Self::Word { before: plain(before), after: plain(after) })
    }
}

const EACH: &str = "each line: ";
const WORD: &str = "{word}";
const PATH: &str = "{path}";
const COUNT: &str = "counts to column ";
const OPEN: &str = "each line \"";
const CLOSE: &str = "<path>\"";

/// The folder of a path, with its slash; what stands behind a blank or a colon is no part of the path.
pub(crate) fn folder(path: &str) -> Option<&str> {
    let start = start(path);
    let end = path[start..].find([' ', '\t', ':', '"', '<', '(']).map_or(path.len(), |end| start + end);
    let name = path[start..end].trim_end_matches(['/', '\\', '\r']);
    let slash = start + name.rfind(['/', '\\'])?;
    let begins = path.starts_with(|char: char| char.is_alphanumeric() || "./_~@".contains(char));
    let named = path.starts_with(['.', '/']) || path[..slash].contains(char::is_alphabetic);
    (begins && named && !path.starts_with("//")).then_some(&path[..=slash])
}

/// Where a path's folders begin: behind `C:` or `https://`.
fn start(path: &str) -> usize {
    let scheme = path.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let rest = &path[scheme..];
    let drive = scheme == 1 && rest.starts_with(":\\");
    let address = scheme > 1 && rest.starts_with("://");
    if address { scheme + 3 } else { usize::from(drive) * 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_are_those_of_most_lines() {
        let word = |before, after| Lead::Word { before: Cow::Borrowed(before), after: Cow::Borrowed(after) };
        for (text, lead, count) in [
            ("a/b\nc/d\n  x", Lead::None, 2),
            ("  1 a/b\n 12 a/c\n123 a/d\n136 total", Lead::Count { width: 3 }, 3),
            ("4.0K\t./a\n12K\t./b\n1M\t./c", word("", "\t"), 3),
            ("100644 aa 0\ta/b\n100644 bb 0\ta/c\n100755 cc 0\ta/d", word("100644 ", " 0\t"), 2),
            ("[07/Feb/2020] x\n02/03/2020 y\nno", Lead::None, 0),
            (" M a/b\n M a/c\n M a/d", Lead::None, 0),
        ] {
            let lines: Vec<_> = text.split('\n').collect();
            assert_eq!(Lead::of(&lines, 0), (lead.clone(), count), "{text}");
            assert_eq!(Lead::parse(&lead.note()), Some(lead.clone()));
            assert!(lead.words().is_empty() || Lead::read(&lead.words()) == Some(lead));
        }
    }

    #[test]
    fn folders_end_with_a_slash() {
        for (path, expected) in [
            ("a/b/c.rs", Some("a/b/")),
            ("a/b/", Some("a/")),
            ("/etc", Some("/")),
            ("C:\\a\\b", Some("C:\\a\\")),
            ("https://a.b/c/d", Some("https://a.b/c/")),
            ("a/b:1: c/d", Some("a/")),
            ("a/b\tc/d", Some("a/")),
            ("https://a.b", None),
            ("// note", None),
            ("/", None),
            ("plain", None),
            ("", None),
        ] {
            assert_eq!(folder(path), expected, "{path}");
        }
    }
}
