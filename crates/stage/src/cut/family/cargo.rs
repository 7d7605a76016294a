//! Shortens cargo output: omits progress and passing tests, keeps diagnostics and failures.

use crate::class::{CutClass, Omission};
use crate::cut::family::rustc::{self, Diagnostics};
use crate::cut::family::sheet::Sheet;
use crate::lines;
use crate::plan::{Loss, Mode};
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// The cut for the output of `cargo build`, `check`, `clippy`, `test` and `nextest`.
pub(super) struct Cargo;

impl Stage for Cargo {
    fn name(&self) -> &'static str {
        "cargo"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn leaves(&self) -> &'static [Omission] {
        &OMISSIONS
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if !text.contains_any(&SIGNS) {
            return None;
        }
        let lines: Vec<&str> = lines::split_inclusive(text).collect();
        let diagnostics = Diagnostics::new(scene);
        let mut writer = Writer { sheet: Sheet::new(text), diagnostics, scene, traced: false, hinted: false };
        let mut at = 0;
        while at < lines.len() {
            at += writer.take(&lines[at..]);
        }
        Some(Edit { text: writer.sheet.finish()?, loss: Loss::Detail, note: String::new() })
    }
}

/// Strings by which cargo output is recognised quickly.
const SIGNS: [&str; 8] = [
    "   Compiling ",
    "    Checking ",
    "  Downloaded ",
    "     Running ",
    "test result: ",
    "        PASS [",
    "\nstack backtrace:",
    "\n  --> ",
];

const FRAMES: &str = "frames of libraries";
const HINTS: &str = "hint";
const PASSING: &str = "passing tests";

const OMISSIONS: [Omission; 3] = [
    (
        CutClass::Noise,
        &[
            "crates compiled",
            "crates checked",
            "crates documented",
            "downloads",
            "crates updated",
            "crates added",
            "crates unpacked",
            "crates up to date",
            "crates out of date",
            "progress",
            "commands",
            PASSING,
            rustc::NOTES,
            HINTS,
        ],
    ),
    (CutClass::Further, &[rustc::SOURCE]),
    (CutClass::Content, &[FRAMES]),
];

struct Writer<'a> {
    sheet: Sheet<'a>,
    diagnostics: Diagnostics,
    scene: Scene<'a>,
    /// True after a backtrace was shown with all its frames.
    traced: bool,
    /// True after the hint below a backtrace was shown.
    hinted: bool,
}

impl<'a> Writer<'a> {
    /// Writes the item at the start of `lines`, and returns the number of lines in it.
    fn take(&mut self, lines: &[&'a str]) -> usize {
        let line = lines[0].trim_end();
        if let Some(what) = progress(line).or_else(|| passing(line)) {
            self.sheet.omit(lines[0], what);
            return 1;
        }
        if line == "stack backtrace:" {
            return self.trace(lines);
        }
        let taken = self.diagnostics.take(&mut self.sheet, lines);
        if taken == 0 {
            self.sheet.keep(lines[0]);
        }
        taken.max(1)
    }

    /// Writes a backtrace. After the first one, frames of libraries are omitted; the frame numbers show where.
    fn trace(&mut self, lines: &[&'a str]) -> usize {
        self.sheet.keep(lines[0]);
        let is_whole = !self.traced || !self.scene.may_omit(CutClass::Content);
        self.traced = true;
        let mut at = 1;
        while let Some(len) = frame(&lines[at..]) {
            let frame = &lines[at..at + len];
            for line in frame {
                if !is_whole && is_foreign(frame) {
                    self.sheet.omit(line, FRAMES);
                } else {
                    self.sheet.head(line);
                }
            }
            at += len;
        }
        if lines.get(at).is_some_and(|line| line.starts_with(HINT)) {
            if self.hinted {
                self.sheet.drop(lines[at], HINTS);
            } else {
                self.sheet.head(lines[at]);
            }
            self.hinted = true;
            at += 1;
        }
        at
    }
}

const HINT: &str = "note: Some details are omitted, run with `RUST_BACKTRACE=full`";

/// Cargo's status verbs, which are right-aligned in a column, and the description of each when it is omitted.
const STEPS: [(&str, &str); 12] = [
    ("Compiling", "crates compiled"),
    ("Checking", "crates checked"),
    ("Documenting", "crates documented"),
    ("Downloading", "downloads"),
    ("Downloaded", "downloads"),
    ("Updating", "crates updated"),
    ("Adding", "crates added"),
    ("Unpacking", "crates unpacked"),
    ("Fresh", "crates up to date"),
    ("Dirty", "crates out of date"),
    ("Building [", "progress"),
    ("Running `", "commands"),
];

/// The column in which cargo's status verbs end.
const VERB_COLUMN: usize = 12;

fn progress(line: &str) -> Option<&'static str> {
    let verb = line.trim_start_matches(' ');
    let indent = line.len() - verb.len();
    let is_step = |step: &str| {
        let word = step.split(' ').next().unwrap_or(step);
        verb.starts_with(step) && indent + word.len() == VERB_COLUMN && verb[word.len()..].starts_with(' ')
    };
    (indent > 0).then(|| STEPS.iter().find(|(step, _)| is_step(step)).map(|(_, what)| *what))?
}

fn passing(line: &str) -> Option<&'static str> {
    let libtest = || line.starts_with("test ") && (line.ends_with(" ... ok") || line.contains(" ... ok <"));
    let nextest = || line.trim_start().starts_with("PASS [") && line.contains("s] ");
    (libtest() || nextest()).then_some(PASSING)
}

/// The number of lines of the frame at the start of `lines`: `   4: name`, usually followed by its location.
fn frame(lines: &[&str]) -> Option<usize> {
    let (number, name) = lines.first()?.trim_start().split_once(": ")?;
    if number.is_empty() || name.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let placed =
        lines.get(1).is_some_and(|line| line.starts_with(' ') && line.trim_start().starts_with("at "));
    Some(1 + usize::from(placed))
}

/// Directories that contain the standard library and dependencies.
const FOREIGN: [&str; 4] = ["/rustc/", "/rustlib/src/", "/.cargo/registry/", "/.cargo/git/"];

/// Prefixes of function names in the standard library.
const CRATES: [&str; 9] =
    ["core::", "core[", "std::", "std[", "alloc::", "alloc[", "test::", "__rust", "rust_begin_unwind"];

fn is_foreign(frame: &[&str]) -> bool {
    match frame {
        [_, place, ..] => FOREIGN.iter().any(|part| place.contains(part)),
        [only] => {
            let name = only.split_once(": ").map_or("", |(_, name)| name);
            // A full backtrace shows an address in front of the name.
            let name = name.split_once(" - ").map_or(name, |(_, name)| name).trim_start_matches('<');
            CRATES.iter().any(|part| name.starts_with(part))
        }
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::cut::family::proof::{check, declines, lines};

    use super::*;

    fn crates(count: usize) -> String {
        lines(count, |at| format!("   Compiling some-crate-{at} v1.0.{at}\n"))
    }

    fn passes(count: usize) -> String {
        lines(count, |at| format!("test unit::tests::does_thing_{at} ... ok\n"))
    }

    #[test]
    fn crates_are_counted() {
        let text = format!("{}  Downloaded other v1.0\n{}    Finished `dev` profile\n", crates(4), crates(2));
        let expected = "[7 lines left out: crates compiled (6), downloads (1)]\n    Finished `dev` profile\n";
        check(&Cargo, &text, expected);
    }

    #[test]
    fn failures_stay_among_passing_tests() {
        let passes = passes(5);
        let text = format!(
            "\nrunning 12 tests\n{passes}test x ... FAILED\ntest y ... ignored\n{passes}\nfailures:\n\n\
             ---- x stdout ----\nthread 'x' panicked at src/x.rs:1:2:\nassertion failed: a\n\n\n\
             failures:\n    x\n\ntest result: FAILED. 10 passed; 1 failed; 1 ignored\n"
        );
        let expected = text.replace(&passes, "[5 lines left out: passing tests]\n");
        check(&Cargo, &text, &expected);
    }

    #[test]
    fn errors_stay_among_crates() {
        let crates = crates(4);
        let text = format!("{crates}error: could not compile `x`\n{crates}é\r\nerror[E0001]: y\n");
        let expected = text.replace(&crates, "[4 lines left out: crates compiled]\n");
        check(&Cargo, &text, &expected);
    }

    #[test]
    fn backtraces_behind_the_first_keep_the_frames_of_the_project() {
        let trace = |hint: &str| {
            format!(
                "thread 'x' panicked at src/x.rs:1:2:\nbad\nstack backtrace:\n   0: rust_begin_unwind\n   \
                 1: core::panicking::panic_fmt\n             at /rustc/0123456789abcdef/library/core/src/p.rs:8:1\n   \
                 2: mine::run\n             at ./src/x.rs:1:2\n   3: dep::call\n             at \
                 /x/.cargo/registry/src/dep-1.0/src/lib.rs:5:5\n{hint}\n"
            )
        };
        let hint = format!("{HINT} for a verbose backtrace.\n");
        let head = "thread 'x' panicked at src/x.rs:1:2:\nbad\nstack backtrace:\n   2: mine::run\n             \
                    at ./src/x.rs:1:2\n";
        let first = trace(&hint);
        let expected = format!("{first}{head}[6 lines left out: frames of libraries (5), hint (1)]\n\n");
        check(&Cargo, &first.repeat(2), &expected);
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in [
            "",
            "   Compiling x v1\n",
            "Compiling x v1\nCompiling y v2\ntest result: ok\n",
            "test a ... ok",
            "stack backtrace:\n",
            "\nstack backtrace:\n: x\n é: y\n 1:",
        ] {
            declines(&Cargo, text);
            declines(&Cargo, &format!("{text}\r\n     Running "));
        }
    }
}
