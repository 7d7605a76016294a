//! Separates kept from omitted lines, and writes one marker for each kind of omitted line, at the place of the first.

use crate::class::CutClass;
use crate::lines;
use crate::plan::Loss;
use crate::stage::{Edit, Scene};
use crate::{omit, signal};

/// Whether a line is kept or omitted, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cut) enum LineFate {
    Keep,
    /// The line only shows that the tool runs. It is omitted unless it mentions trouble.
    Noise(&'static str),
    /// A similar line was shown before, so this one is omitted unless it reports an error.
    Known(&'static str),
}

/// The text without the lines that `fate` omits, as far as the scene allows; `None` when too few lines are omitted.
pub(super) fn sift(scene: Scene<'_>, text: &str, mut fate: impl FnMut(&str) -> LineFate) -> Option<Edit> {
    let mut kept = KeptLines::default();
    for line in lines::split_inclusive(text) {
        let fate = match fate(line.trim_end_matches(['\n', '\r'])) {
            LineFate::Known(_) if !scene.may_omit(CutClass::Further) => LineFate::Keep,
            fate => fate,
        };
        kept.line(line, fate);
    }
    kept.edit()
}

/// If fewer lines are omitted, they are not worth a marker.
const MIN_OMITTED_LINES: usize = 4;

/// Words, in lower case, that indicate trouble.
const TROUBLE: [&str; 13] = [
    "warn",
    "error",
    "fail",
    "fatal",
    "denied",
    "deprecat",
    "cannot",
    "unable",
    "not found",
    "refused",
    "timed out",
    "conflict",
    "corrupt",
];

/// The lines kept so far, and the gaps left by omitted lines.
#[derive(Default)]
pub(in crate::cut) struct KeptLines<'a> {
    text: String,
    gaps: Vec<Gap<'a>>,
}

/// A gap for all omitted lines of one kind.
struct Gap<'a> {
    what: &'static str,
    /// The position in the kept text at which the first of these lines was omitted.
    start: usize,
    /// The position in the kept text at which the last of these lines was omitted.
    end: usize,
    count: usize,
    first: &'a str,
}

impl<'a> KeptLines<'a> {
    /// Adds a line, including its line ending, or counts it as omitted, according to its fate.
    pub(in crate::cut) fn line(&mut self, line: &'a str, fate: LineFate) {
        match fate {
            LineFate::Noise(what) if !is_trouble(line) => self.drop(line, what),
            LineFate::Known(what) if signal::find(line).is_none() => self.drop(line, what),
            _ => self.text.push_str(line),
        }
    }

    fn drop(&mut self, line: &'a str, what: &'static str) {
        let end = self.text.len();
        match self.gaps.iter_mut().find(|gap| gap.what == what) {
            Some(gap) => {
                gap.count += 1;
                gap.end = end;
            }
            None => self.gaps.push(Gap { what, start: end, end, count: 1, first: line }),
        }
    }

    /// The kept text with its markers, if enough was omitted.
    pub(super) fn edit(self) -> Option<Edit> {
        self.is_worth().then(|| Edit { text: self.text(), loss: Loss::Detail, note: String::new() })
    }

    /// True when enough was omitted to be worth a marker.
    pub(in crate::cut) fn is_worth(&self) -> bool {
        self.gaps.iter().map(|gap| gap.count).sum::<usize>() >= MIN_OMITTED_LINES
    }

    /// The kept text with its markers.
    pub(in crate::cut) fn text(&self) -> String {
        let mut out = String::with_capacity(self.text.len() + self.gaps.len() * 64);
        let mut from = 0;
        for gap in &self.gaps {
            out.push_str(&self.text[from..gap.start]);
            gap.write(&mut out);
            from = gap.start;
        }
        out.push_str(&self.text[from..]);
        out
    }
}

impl Gap<'_> {
    /// Writes the marker, or the line itself if only one was omitted.
    fn write(&self, out: &mut String) {
        match (self.count, self.start == self.end) {
            (1, _) => out.push_str(self.first),
            (count, true) => out.extend([&*omit::lines(count, self.what), "\n"]),
            (count, false) => {
                out.extend([&*omit::lines(count, &format!("{}, here and below", self.what)), "\n"]);
            }
        }
    }
}

/// True when a line mentions trouble, however mildly.
pub(super) fn is_trouble(line: &str) -> bool {
    let bytes = line.as_bytes();
    let holds = |at: usize, word: &str| {
        bytes.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    };
    let told = |at: usize| {
        matches!(bytes[at] | 0x20, b'w' | b'e' | b'f' | b'd' | b'c' | b'u' | b'n' | b'r' | b't')
            && TROUBLE.iter().any(|word| holds(at, word))
    };
    signal::find(line).is_some() || (0..bytes.len()).any(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;

    fn fate(line: &str) -> LineFate {
        match line.as_bytes().first() {
            Some(b'a') => LineFate::Noise("a's"),
            Some(b'b') => LineFate::Noise("b's"),
            Some(b'c') => LineFate::Known("c's"),
            _ => LineFate::Keep,
        }
    }

    fn sift_letters(text: &str) -> Option<String> {
        sift(Scene::of(&Plan::default(), Call::default()), text, fate).map(|edit| edit.text)
    }

    #[test]
    fn each_kind_has_one_marker_with_its_count() {
        let text = "x\na1\na2\ny\nb1\na3\nb2\r\nz";
        let shown = "x\n[3 lines left out: a's, here and below]\ny\n[2 lines left out: b's]\nz";
        assert_eq!(sift_letters(text).as_deref(), Some(shown));
    }

    #[test]
    fn a_lone_line_stays_and_few_are_not_worth_it() {
        assert_eq!(
            sift_letters("x\na1\na2\na3\nb\nz\n").as_deref(),
            Some("x\n[3 lines left out: a's]\nb\nz\n")
        );
        assert_eq!(sift_letters("a1\na2\na3\n"), None);
        assert_eq!(sift_letters(""), None);
    }

    #[test]
    fn trouble_stays_and_repeated_trouble_is_counted() {
        let text = "a1\na Warning\na2\na3\na4\nc warn\nc warn\nc error: x\n";
        let shown =
            "[4 lines left out: a's, here and below]\na Warning\n[2 lines left out: c's]\nc error: x\n";
        assert_eq!(sift_letters(text).as_deref(), Some(shown));
    }
}
