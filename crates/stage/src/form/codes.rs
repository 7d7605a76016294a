//! Diagnostics with each message said once, by its code: `error TS2307: Cannot find module '<name>'.` above, and
//! `(1,2): TS2307 'x'` below the path.
//!
//! No line says its error in full any more, so milder modes leave these texts to the form that says each path once.

use std::collections::BTreeMap;

use crate::form::search::Search;
use crate::plan::{Loss, Mode, Reader};
use crate::read::hit;
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};

/// A text of `path(1,2): error X123: message` lines.
pub(crate) struct Codes;

/// A message must come so often to be said once.
const MIN_LINES: usize = 3;

/// What stands for the name in a message.
const HOLE: &str = "'<name>'";

/// What the note says before the count of messages.
const NOTE: &str = "messages said once: ";

impl Stage for Codes {
    fn name(&self) -> &'static str {
        "codes"
    }

    fn mode(&self) -> Mode {
        Mode::Aggressive
    }

    /// A small model did not put a message together that stands in two places.
    fn reader(&self) -> Reader {
        Reader::Strong
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        if !LEVELS.iter().any(|level| text.contains(&format!("): {level} "))) {
            return None;
        }
        let messages = Messages::of(text);
        let rows: String = text.split_inclusive('\n').map(|line| messages.shorten(line)).collect();
        let edit = Search.apply(scene, &rows)?;
        let note = if edit.note.is_empty() { String::new() } else { format!("; {}", edit.note) };
        let note = format!("{NOTE}{}{note}", messages.0.len());
        (!messages.0.is_empty()).then(|| Edit {
            text: format!("{}\n{}", messages.list(), edit.text),
            loss: Loss::None,
            note,
        })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let note = note.strip_prefix(NOTE)?;
        let (count, note) = note.split_once("; ").unwrap_or((note, ""));
        let (messages, rows) = Messages::parse(count.parse().ok()?, text)?;
        let rows = Search.restore(room, note, rows)?;
        let mut out = String::with_capacity(rows.len() * 2);
        for line in rows.split_inclusive('\n') {
            out.push_str(&messages.expand(line));
            room.fits(out.len())?;
        }
        Some(out)
    }
}

const LEVELS: [&str; 2] = ["error", "warning"];

/// What every code says: `error` and `Cannot find name '<name>'.`
struct Messages(BTreeMap<String, (&'static str, String)>);

impl Messages {
    /// The message that most lines with a code have, if it comes often.
    fn of(text: &str) -> Self {
        let mut counts: BTreeMap<_, usize> = BTreeMap::new();
        for finding in text.lines().filter_map(Finding::of) {
            *counts.entry((finding.code, finding.level, finding.words().join(HOLE))).or_default() += 1;
        }
        let mut best: BTreeMap<String, (usize, (&'static str, String))> = BTreeMap::new();
        for ((code, level, message), count) in counts {
            let known = best.get(code).map_or(MIN_LINES - 1, |(count, _)| *count);
            if count > known {
                best.insert(code.to_owned(), (count, (level, message)));
            }
        }
        Self(best.into_iter().map(|(code, (_, message))| (code, message)).collect())
    }

    /// One a line.
    fn list(&self) -> String {
        let lines = self.0.iter().map(|(code, (level, message))| format!("{level} {code}: {message}\n"));
        lines.collect()
    }

    /// What `list` wrote, and what stands below it.
    fn parse(count: usize, text: &str) -> Option<(Self, &str)> {
        let (mut all, mut rest) = (BTreeMap::new(), text);
        for _ in 0..count {
            let (line, below) = rest.split_once('\n')?;
            let (level, line) = split_level(line)?;
            let (code, message) = line.split_once(": ")?;
            all.insert(code.to_owned(), (level, message.to_owned()));
            rest = below;
        }
        Some((Self(all), rest.strip_prefix('\n')?))
    }

    /// The line with its message by its code, if that is said above.
    fn shorten(&self, line: &str) -> String {
        let (body, end) = split_end(line);
        let told = |finding: &Finding<'_>| {
            self.0.get(finding.code).is_some_and(|(level, message)| {
                *level == finding.level && *message == finding.words().join(HOLE)
            })
        };
        let Some(finding) = Finding::of(body).filter(told) else { return line.to_owned() };
        let names: String = finding.names().flat_map(|name| [" '", name, "'"]).collect();
        format!("{}{}{names}{end}", finding.place, finding.code)
    }

    /// The line that `shorten` made this of.
    fn expand(&self, line: &str) -> String {
        let (body, end) = split_end(line);
        self.read(body).map_or_else(|| line.to_owned(), |full| full + end)
    }

    fn read(&self, line: &str) -> Option<String> {
        let (place, text) = split_place(line)?;
        let code = text.split(' ').next()?;
        let (level, message) = self.0.get(code)?;
        let mut names = text[code.len()..].split('\'');
        let mut full = format!("{place}{level} {code}: ");
        for (at, words) in message.split(HOLE).enumerate() {
            if at > 0 {
                let name = if names.next()? == " " { names.next()? } else { return None };
                full.extend(["'", name, "'"]);
            }
            full.push_str(words);
        }
        (names.next() == Some("") && names.next().is_none()).then_some(full)
    }
}

/// One line, taken apart.
struct Finding<'a> {
    /// With the colon behind it.
    place: &'a str,
    level: &'static str,
    code: &'a str,
    message: &'a str,
}

impl<'a> Finding<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let (place, text) = split_place(line)?;
        let (level, text) = split_level(text)?;
        let (code, message) = text.split_once(": ")?;
        let plain = code.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let numbered = code.bytes().any(|byte| byte.is_ascii_digit());
        // A quote that is never closed leaves unsaid what is a name.
        let paired = message.matches('\'').count() % 2 == 0;
        (plain && numbered && paired).then_some(Self { place, level, code, message })
    }

    /// The message between the names in it.
    fn words(&self) -> Vec<&'a str> {
        self.message.split('\'').step_by(2).collect()
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.message.split('\'').skip(1).step_by(2)
    }
}

/// `path(1,2): ` and what stands behind it.
fn split_place(line: &str) -> Option<(&str, &str)> {
    let hit = hit::spotted(line)?;
    let text = &hit.rest[hit.rest.find("): ")? + 3..];
    Some((&line[..line.len() - text.len()], text))
}

fn split_level(text: &str) -> Option<(&'static str, &str)> {
    LEVELS.into_iter().find_map(|level| Some((level, text.strip_prefix(level)?.strip_prefix(' ')?)))
}

/// The line and how it ends.
fn split_end(line: &str) -> (&str, &str) {
    line.split_at(line.trim_end_matches(['\r', '\n']).len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;
    use crate::proof::{apply, check, check_odd, read_foreign};

    const USUAL: &str = "a.ts(1,2): error TS1: No 'x' on 'y'.\r\na.ts(3,4): error TS1: No 'é' on ''.\n\
                         a.ts(5,6): error TS1: No 'x' on 'y z'.\na.ts(7,8): warning TS2: Odd\n\
                         a.ts(7,9): warning TS2: Odd\na.ts(8,9): warning TS2: Odd\nb.ts(1,1): error TS3: One";

    #[test]
    fn a_message_is_said_once() {
        check(
            &Codes,
            USUAL,
            "messages said once: 2",
            "error TS1: No '<name>' on '<name>'.\nwarning TS2: Odd\n\na.ts\n(1,2): TS1 'x' 'y'\r\n(3,4): TS1 'é' ''\n\
             (5,6): TS1 'x' 'y z'\n(7,8): TS2\n(7,9): TS2\n(8,9): TS2\n\nb.ts\n(1,1): error TS3: One",
        );
    }

    #[test]
    fn odd_lines_come_back() {
        let odd = [
            "",
            "\r",
            "  Type 'x' is not 'y'.",
            "a.ts(1,2): error TS1: No x",
            "a.ts(1,2): error TS1: No 'x",
            "a.ts(1,2): error TS1: No '<name>' on '<name>'.",
            "a.ts(1,2): warning TS1: No 'x' on 'y'.",
            "a.ts(1,2): TS1 'x'",
            "a.ts(1,2): TS2 ",
            "a.ts(1,2): TS4 'x' 'y'",
            "error TS1: x",
            "Found 3 errors.",
        ];
        check_odd(&Codes, &odd, USUAL);
    }

    /// What looks like our own rows would come back longer: the pipeline then sends the text as it is.
    #[test]
    fn rows_that_stood_there_are_noticed() {
        let text = format!("{USUAL}\na.ts(1,2): TS1 'x' 'y'");
        let edit = apply(&Codes, &text).unwrap();
        assert_ne!(proof::back(&Codes, &edit), Some(text));
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in ["", "a.ts(1,2): error TS1: x", "x): error y\n".repeat(4).as_str()] {
            assert_eq!(apply(&Codes, text), None, "{text}");
        }
    }

    #[test]
    fn what_it_never_wrote_is_no_fault() {
        read_foreign(&Codes);
        for note in
            ["messages said once: 1", "messages said once: 0; x", "messages said once: 99999999999999999999"]
        {
            for body in ["", "\n", "error X1: '<name>\n\na.ts\n(1): X1 'é", "error\n\nx"] {
                let _ = proof::read(&Codes, note, body);
            }
        }
    }
}
