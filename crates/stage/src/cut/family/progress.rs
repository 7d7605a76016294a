//! Shortens progress meters that print a line for every few percent or items: keeps the first and the last line of
//! each meter.

use crate::class::{CutClass, Omission};
use crate::cut::family::sift::is_trouble;
use crate::lines;
use crate::omit;
use crate::plan::{Loss, Mode};
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// The cut for lines that differ only in the progress they report.
pub(super) struct Progress;

impl Stage for Progress {
    fn name(&self) -> &'static str {
        "progress"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Noise, &["progress"])]
    }

    fn apply(&self, _: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if !shows_progress(text) {
            return None;
        }
        let lines: Vec<&str> = lines::split_inclusive(text).collect();
        let mut out = String::with_capacity(text.len());
        lines.chunk_by(|one, next| is_same_meter(one, next)).for_each(|run| write(run, &mut out));
        (out.len() < text.len()).then_some(Edit { text: out, loss: Loss::Detail, note: String::new() })
    }
}

/// A run with fewer lines is shown unchanged.
const MIN_RUN_LINES: usize = 5;

fn write(run: &[&str], out: &mut String) {
    match run {
        [first, middle @ .., last] if run.len() >= MIN_RUN_LINES => {
            let marker = omit::lines(middle.len(), "progress");
            out.extend([first, &*marker, "\n", last]);
        }
        _ => out.extend(run.iter().copied()),
    }
}

/// True when both lines belong to one meter. Table rows contain figures too, but no word of motion.
fn is_same_meter(one: &str, next: &str) -> bool {
    shows_progress(one)
        && shows_progress(next)
        && letters(one).eq(letters(next))
        && moves(one)
        && !is_trouble(one)
        && !is_trouble(next)
}

/// True when a text may report progress: `12%`, `3 of 10`.
fn shows_progress(text: &str) -> bool {
    text.contains('%') || text.contains(" of ")
}

/// The part of a line that does not change while a meter runs: its words, without figures, progress bars and units.
fn letters(line: &str) -> impl Iterator<Item = char> {
    line.split(|c: char| !c.is_alphabetic())
        .filter(|word| {
            !matches!(
                *word,
                "k" | "M"
                    | "G"
                    | "K"
                    | "B"
                    | "s"
                    | "m"
                    | "h"
                    | "x"
                    | "kB"
                    | "KB"
                    | "MB"
                    | "GB"
                    | "KiB"
                    | "MiB"
                    | "GiB"
            )
        })
        .flat_map(str::chars)
}

/// Parts of words that describe motion.
const MOTION: [&str; 17] = [
    "ownload",
    "pload",
    "eceiv",
    "esolving",
    "rogress",
    "xtract",
    "etching",
    "opying",
    "ompress",
    "npack",
    "riting",
    "oading",
    "B/s",
    "eta ",
    "ETA",
    "nstalling",
    "aiting for",
];

fn moves(line: &str) -> bool {
    MOTION.iter().any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::family::proof::{apply, check};

    #[test]
    fn a_meter_shows_its_ends() {
        check(
            &Progress,
            "start\nDownloading model:  1% [>    ] 1.0 MB/s\nDownloading model: 10% [=>   ] 900 kB/s\nDownloading model: 50% [==>  ] 1.0 MB/s\n\
             Downloading model: 70% [===> ] 1.1 MB/s\nDownloading model: 100% [=====] 1.1 MB/s\ndone\n",
            "start\nDownloading model:  1% [>    ] 1.0 MB/s\n[3 lines left out: progress]\nDownloading model: 100% [=====] 1.1 MB/s\ndone\n",
        );
    }

    #[test]
    fn so_many_of_so_many_is_a_meter() {
        let line = |at: usize| {
            format!(
                "Waiting for deployment \"shop\" rollout to finish: {at} of 9 updated replicas are available...\n"
            )
        };
        let text: String = (0..9).map(line).collect();
        check(&Progress, &text, &format!("{}[7 lines left out: progress]\n{}", line(0), line(8)));
    }

    /// Behaviour 3.15.
    #[test]
    fn trouble_and_figures_stay() {
        let meter = |at: usize| format!("Uploading {at}%\n");
        let text: String = (0..3)
            .map(meter)
            .chain(["Uploading failed at 3%\n".to_owned()])
            .chain((3..6).map(meter))
            .collect();
        assert_eq!(apply(&Progress, &text), None);
        assert_eq!(apply(&Progress, "10% 20%\n11% 21%\n12% 22%\n13% 23%\n14% 24%\n15% 25%\n"), None);
        assert_eq!(apply(&Progress, "é%\n%\n"), None);
    }
}
