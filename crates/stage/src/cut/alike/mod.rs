//! Shortens logs by omitting lines that repeat the content of lines above them.
//!
//! Two lines are similar when they differ only in numbers, times and identifiers. The first lines of each kind are
//! kept. Also kept are the first line with a new name, whether in a path, in quotes or after `=`; the first line with
//! a rare value, such as a single status 500 among thousands of 200s; and every line with an outlying number.

mod bytes;
mod field;
mod group;
mod range;
mod template;
mod time;

use std::borrow::Cow;

use self::group::Groups;
use crate::class::{CutClass, Omission};
use crate::form::ROWS;
use crate::lines;
use crate::plan::{Loss, Mode};
use crate::read::event::is_log;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;
use crate::{omit, signal};

/// The cut for texts with one event per line.
pub(crate) struct Alike;

/// Texts of fewer bytes are kept whole, because any of their lines may be the one that the reader needs.
const MIN_BYTES: usize = 24_000;

/// Texts of fewer lines are kept whole too.
const MIN_LINES: usize = 60;

/// The number of lines that are kept at the beginning and at the end.
const END_LINES: usize = 10;

/// A run of lines with fewer bytes costs no more than its marker.
const MIN_RUN_BYTES: usize = 80;

/// The number of lines inspected to classify a text.
const SAMPLE_LINES: usize = 100;

/// Describes the omitted lines, and gives the longest duration in them.
fn what(lines: &[&str]) -> Cow<'static, str> {
    time::longest(lines)
        .map_or(DESCRIPTION.into(), |time| format!("{DESCRIPTION}, times up to {time}").into())
}

const DESCRIPTION: &str = "like those shown, with other numbers";

impl Stage for Alike {
    fn name(&self) -> &'static str {
        "alike"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Content, &[DESCRIPTION])]
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if text.len() < MIN_BYTES || !is_log(text) || is_data(scene, text) {
            return None;
        }
        let lines: Vec<&str> = lines::split_inclusive(text).collect();
        if lines.len() < MIN_LINES {
            return None;
        }
        let kept = lines_to_keep(&lines);
        let short = omit::gaps(&lines, &kept, MIN_RUN_BYTES, what);
        (short.len() < text.len()).then_some(Edit { text: short, loss: Loss::Detail, note: String::new() })
    }
}

/// True when the lines are data, such as source code or table rows, of which a reader may need any single one.
pub(super) fn is_data(scene: Scene<'_>, text: &TextView<'_>) -> bool {
    let end = text.match_indices('\n').nth(SAMPLE_LINES).map_or(text.len(), |(at, _)| at + 1);
    let sample = TextView::new(&text[..end]);
    text.is_source(scene.call) || ROWS.iter().any(|stage| stage.apply(scene, &sample).is_some())
}

/// For each line, whether it is kept.
fn lines_to_keep(lines: &[&str]) -> Vec<bool> {
    let mut groups = Groups::of(lines);
    let mut kept: Vec<bool> = Vec::with_capacity(lines.len());
    let mut beside = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let fresh = groups.is_new(at);
        let error = signal::find(line.trim_end()).is_some();
        if error && fresh {
            beside.push(at);
        }
        let blank = line.trim().is_empty();
        let above = kept.last().copied().unwrap_or(true);
        let end = at < END_LINES || at + END_LINES >= lines.len();
        kept.push(end || error || omit::is_marker(line) || if blank { above } else { fresh });
    }
    for at in beside {
        kept[at.saturating_sub(1)..(at + 2).min(lines.len())].fill(true);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;

    /// A log with a hundred lines of one kind and `odd` in the middle.
    fn log(odd: &str) -> String {
        let line = |n: usize| {
            let (minute, second, story) = (n / 60, n % 60, "and waited for the others ".repeat(8));
            format!(
                "2024-05-01 10:{minute:02}:{second:02} INFO worker {n} took {n} ms for /job/{n} {story}and went to sleep again\n"
            )
        };
        let half = |range: std::ops::Range<usize>| range.map(line).collect::<String>();
        format!("{}{odd}{}", half(0..50), half(50..100))
    }

    fn short(text: &str) -> Option<String> {
        proof::apply(&Alike, text).map(|edit| edit.text)
    }

    /// The number of lines shown, and the number that markers report as omitted.
    fn account(text: &str) -> (usize, usize) {
        let missing = |line: &str| -> Option<usize> {
            line.strip_prefix('[')?
                .split_once(" left out: like those shown, with other numbers")?
                .0
                .split(' ')
                .next()?
                .parse()
                .ok()
        };
        let (said, kept): (Vec<_>, Vec<_>) = text.lines().partition(|line| missing(line).is_some());
        (kept.len(), said.into_iter().filter_map(missing).sum())
    }

    #[test]
    fn lines_alike_are_counted() {
        let text = log("");
        let out = short(&text).unwrap();
        assert_eq!(account(&out), (20, 80));
        assert!(
            out.contains("worker 9 took")
                && out.contains(
                    "\n[80 lines left out: like those shown, with other numbers, times up to 89 ms]\n"
                )
        );
        assert!(out.ends_with(&text[text.len() - 50..]));
    }

    /// A log of similar requests, some of which contain something unusual.
    fn requests(odd: &[(usize, &str)]) -> String {
        let line = |n: usize| {
            let usual = format!("GET /api/orders/{} 200 {}ms", 17_000 + n * 7, n * 37 % 90);
            let said = odd.iter().find(|(at, _)| *at == n).map_or(usual, |(_, said)| (*said).to_owned());
            format!("2026-03-02T10:{:02}:{:02}Z INFO shop-7d9f router: answered {said}\n", n / 60, n % 60)
        };
        (0..400).map(line).collect()
    }

    #[test]
    fn what_is_left_out_is_like_what_is_shown() {
        let odd = [
            (120, "GET /admin/delete-all 200 12ms"),
            (200, "GET /api/orders/17999 200 30412ms"),
            (250, "GET /api/orders/18000 418 12ms"),
            (300, "DELETE /api/orders/18001 200 12ms"),
            (333, "GET /api/orders/18002 200 12s"),
        ];
        let out = short(&requests(&odd)).unwrap();
        for (_, said) in odd {
            assert!(out.contains(said), "{said}\n{out}");
        }
        assert!(out.lines().count() < 40, "{out}");
    }

    #[test]
    fn rows_of_data_are_no_log() {
        let row = |n: usize| {
            let street = [
                "Elm Road",
                "Oak Lane",
                "High Street",
                "Mill Walk",
                "Church End",
                "Park Way",
                "Station Hill",
            ][n % 7];
            let town = [
                "Leeds", "York", "Bath", "Derby", "Truro", "Wells", "Ely", "Ripon", "Hull", "Oxford", "Dover",
            ][n % 11];
            format!(
                "INV-{n} 2026-03-{:02} 14:{:02}:09 customer {} {street} {n} {town} owes {}.{:02} EUR since the day of the order and by the terms\n",
                n % 28 + 1,
                n % 60,
                n * 31,
                n * 17,
                n % 100
            )
        };
        let text: String = (0..220).map(row).collect();
        let out = short(&text).unwrap_or_else(|| text.clone());
        assert!(out.lines().filter(|line| line.starts_with("INV-")).count() > 77, "{out}");
    }

    /// Behaviour 3.15: rare lines and errors are kept.
    #[test]
    fn what_is_rare_or_wrong_stays() {
        for odd in [
            "2024-05-01 10:00:50 ERROR worker 50 took 50 ms for /job/50 and went to sleep again\n",
            "2024-05-01 10:00:50 WARN disk nearly full\n",
            "2024-05-01 10:00:50 INFO configuration read again\n",
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nValueError: no\n",
            "[12 lines left out: like those shown, with other numbers]\n",
        ] {
            let out = short(&log(odd)).unwrap();
            assert!(out.contains(odd), "{out}");
        }
    }

    #[test]
    fn errors_keep_their_neighbours() {
        let out = short(&log("10:00:50 ERROR broken\n")).unwrap();
        assert!(out.contains("worker 49 ") && out.contains("worker 50 "));
        assert_eq!(account(&out), (23, 78));
    }

    #[test]
    fn line_ends_stay() {
        let text = log("").replace('\n', "\r\n");
        let out = short(text.trim_end()).unwrap();
        assert!(out.starts_with("2024-05-01 10:00:00") && out.ends_with("sleep again"));
    }

    #[test]
    fn what_is_no_log_is_left_alone() {
        let rows = |row: &str| format!("{row}\n").repeat(200);
        for text in [
            String::new(),
            log("")[..5_000].to_owned(),
            rows("{\"time\":\"10:00:00\",\"level\":\"INFO\",\"message\":\"up\"}"),
            rows("src/a.rs:12: let at = \"10:00:00\"; // a hit of a search in a file"),
            rows("10:00:00,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"),
            rows("a line of prose that says nothing about the time of the day"),
            rows("    at com.example.Thing.run(Thing.java:36)"),
            log("diff --git a/x b/x\n"),
        ] {
            assert_eq!(short(&text), None, "{}", text.lines().next().unwrap_or_default());
        }
    }
}
