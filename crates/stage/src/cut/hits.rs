//! Shortens the results of long searches to the files with hits, the number of hits in each, and the first of them.
//!
//! A wide search helps a reader decide where to read on: it shows which files have hits, and what these look like. A
//! search in one file is a way to read that file, so its results are kept whole.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use crate::call::Origin;
use crate::class::{CutClass, Omission};
use crate::lines;
use crate::omit;
use crate::plan::{Loss, Mode, Reader};
use crate::read::hit::{self, Hit};
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// The cut for searches with more hits than anyone reads.
pub(crate) struct Hits;

/// A hit is short, and a reader may need any of them, so hits get this many times the room of other texts.
const ROOM_FACTOR: usize = 2;

/// Minimum number of files with hits. With fewer files, the search is a way to read them.
const MIN_FILES: usize = 3;

/// The number of hits shown per file. The values are tried in this order until the hits fit.
const HITS_PER_FILE: [usize; 12] = [300, 150, 80, 40, 20, 12, 8, 5, 4, 3, 2, 1];

/// At most one line in this many may be something other than a hit, such as a heading that the tool prints.
const LINES_PER_OTHER: usize = 12;

/// Maximum number of bytes shown of a hit.
const MAX_HIT_BYTES: usize = 400;

impl Stage for Hits {
    fn name(&self) -> &'static str {
        "hits"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn reader(&self) -> Reader {
        Reader::Strong
    }

    /// A hit that mentions an error is a line of a file, not a failure, so it may be cut.
    fn cuts_lines(&self) -> bool {
        false
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Content, &["hits behind the first of each file"])]
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if text.len() <= scene.room || scene.call.origin(text) != Origin::Search {
            return None;
        }
        let search = SearchFiles::of(text)?;
        let room = scene.room.saturating_mul(ROOM_FACTOR);
        let per_file =
            HITS_PER_FILE.into_iter().find(|per_file| search.weigh(*per_file) <= room).unwrap_or(1);
        let short = search.write(per_file, room)?;
        (short.len() < text.len()).then_some(Edit { text: short, loss: Loss::Detail, note: String::new() })
    }
}

/// The files with hits, in the order of their first hits.
#[derive(Default)]
struct SearchFiles<'a> {
    files: Vec<FileHits<'a>>,
    /// Lines in front of the first hit.
    lead: Vec<&'a str>,
    others: Vec<&'a str>,
}

struct FileHits<'a> {
    path: &'a str,
    /// The lines with hits and context, without the path.
    rows: Vec<&'a str>,
    hits: usize,
}

impl<'a> SearchFiles<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let lines: Vec<&str> = lines::lines(text).collect();
        let located = |line: &&'a str| hit::parse_numbered(line).map(|hit| hit.path);
        let paths: BTreeSet<&str> = lines.iter().filter_map(located).collect();
        let root = lines.iter().find_map(|line| hit::root(line, &paths)).unwrap_or_default();
        let context = |line: &'a str| hit::context(line.strip_prefix(root).unwrap_or(line), &paths);
        let (mut all, mut known) = (Self::default(), HashMap::new());
        for line in &lines {
            let found = match hit::parse_numbered(line) {
                Some(hit) => Some((hit, 1)),
                None if paths.is_empty() => hit::plain(line).map(|hit| (hit, 1)),
                None => context(line).map(|hit| (hit, 0)),
            };
            match found {
                Some((hit, hits)) => all.add(&mut known, hit, hits),
                None if all.files.is_empty() => all.lead.push(line),
                None if line.trim().is_empty() || *line == "--" => {}
                None => all.others.push(line),
            }
        }
        let odd = all.others.len() + all.lead.iter().filter(|line| !line.is_empty()).count();
        (all.files.len() >= MIN_FILES && odd * LINES_PER_OTHER <= lines.len()).then_some(all)
    }

    fn add(&mut self, known: &mut HashMap<&'a str, usize>, hit: Hit<'a>, hits: usize) {
        let next = self.files.len();
        let at = *known.entry(hit.path).or_insert(next);
        if at == next {
            self.files.push(FileHits { path: hit.path, rows: Vec::new(), hits: 0 });
        }
        self.files[at].rows.push(hit.rest);
        self.files[at].hits += hits;
    }

    /// The approximate size of the hits in bytes, if up to `per_file` lines of each file are shown.
    fn weigh(&self, per_file: usize) -> usize {
        let row = |row: &&str| row.len().min(MAX_HIT_BYTES) + 1;
        self.files.iter().flat_map(|file| file.rows.iter().take(per_file)).map(row).sum()
    }

    /// Writes all files, with up to `per_file` lines of each while there is room. `None` if nothing is omitted.
    fn write(&self, per_file: usize, mut room: usize) -> Option<String> {
        let mut body = String::new();
        let (mut seen, mut is_whole) = (0, true);
        for file in &self.files {
            let shown = if room > 0 { per_file.min(file.rows.len()) } else { 0 };
            seen += file.hits_shown(shown);
            is_whole &= shown == file.rows.len();
            body.extend(["\n", &file.head(shown), "\n"]);
            for row in &file.rows[..shown] {
                let shown = omit::clip(row, MAX_HIT_BYTES);
                is_whole &= shown.len() == row.len();
                room = room.saturating_sub(shown.len() + 1);
                body.extend([&*shown, "\n"]);
            }
        }
        if is_whole {
            return None;
        }
        let mut out: String = self.lead.iter().flat_map(|line| [*line, "\n"]).collect();
        let all: usize = self.files.iter().map(|file| file.hits).sum();
        let _ =
            writeln!(out, "[{seen} of {all} hits, every one of {} files named; {REST}]", self.files.len());
        out.push_str(&body);
        out.extend(self.others.iter().flat_map(|line| [*line, "\n"]));
        Some(out)
    }
}

/// Explains how to fetch the other hits.
const REST: &str = "a path as part of expand_context shows the rest of its hits";

impl FileHits<'_> {
    /// The number of hits among the first `shown` lines.
    fn hits_shown(&self, shown: usize) -> usize {
        self.rows[..shown].iter().filter(|row| hit::sign(row) != Some("-")).count()
    }

    /// The path, and the number of hits in this file that are not shown.
    fn head(&self, shown: usize) -> String {
        let mut head = self.path.to_owned();
        let (hits, lines) = (self.hits.saturating_sub(self.hits_shown(shown)), self.rows.len() - shown);
        // If all hits are shown, the missing lines are context.
        let (rest, unit) = if hits > 0 { (hits, "hit") } else { (lines, "line") };
        if lines > 0 {
            let more = if shown == 0 { "" } else { "more " };
            let plural = if rest == 1 { "" } else { "s" };
            let _ = write!(head, " [{rest} {more}{unit}{plural} left out]");
        }
        head
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;

    fn cut(tool: &str, command: &str, text: &str) -> Option<String> {
        let call = Call { tool, command: Some(command), ..Call::default() };
        Hits.apply(Scene { room: 1_800, ..Scene::of(&Plan::default(), call) }, &TextView::new(text))
            .map(|edit| edit.text)
    }

    /// The result of a search with hits in this many files. Each file has more hits than the one before.
    fn search(files: usize) -> String {
        let hit = |file: usize, at: usize| {
            format!("src/shop/stall{file}.rs:{}:    let timeout = config.timeout({at});\n", at * 7 + 1)
        };
        (0..files).flat_map(|file| (0..=file * 3).map(move |at| hit(file, at))).collect()
    }

    /// Behaviour 3.22.
    #[test]
    fn every_file_is_named_with_its_first_hits() {
        let out = cut("bash", "rg -n timeout", &search(14)).expect("a long search");
        assert!(out.contains(" of 287 hits, every one of 14 files named; "), "{out}");
        for file in 0..14 {
            assert!(out.contains(&format!("\nsrc/shop/stall{file}.rs")), "{file}\n{out}");
        }
        let last = out.split("\n\n").last().expect("a file");
        let shown = last.lines().count() - 1;
        assert!(
            last.starts_with(&format!("src/shop/stall13.rs [{} more hits left out]\n1:", 40 - shown)),
            "{last}"
        );
        assert!(out.len() < 6_000, "{}", out.len());
    }

    /// Each hit is shorter without its path, so all hits may fit.
    #[test]
    fn a_search_that_there_is_room_for_is_whole() {
        let hit = |at: usize| format!("src/a/long/path/to/the/stall{}.rs:{at}:timeout\n", at % 3);
        let text: String = (1..60).map(hit).collect();
        assert!(text.len() > 1_800);
        assert_eq!(cut("Grep", "timeout", &text), None);
    }

    #[test]
    fn lines_around_hits_are_counted_too() {
        let file = |file: usize| {
            let context =
                |at: usize| format!("src/stall{file}.rs-{at}-a line of the file that is near the hit\n");
            format!("src/stall{file}.rs:1:hit\n") + &(2..60).map(context).collect::<Vec<_>>().concat()
        };
        let out = cut("Grep", "hit", &(0..4).map(file).collect::<Vec<_>>().concat()).expect("a long search");
        assert!(out.starts_with("[4 of 4 hits, ") && out.contains(" more lines left out]\n1:hit\n"), "{out}");
    }

    #[test]
    fn files_beyond_the_room_are_counted() {
        let out = cut("Grep", "timeout", &search(40)).expect("a long search");
        assert!(out.contains("\nsrc/shop/stall39.rs [11"), "{out}");
        let many = (0..400).map(|at| format!("src/stall{at}.rs:1:{}\n", "word ".repeat(20)));
        let many = many.collect::<Vec<_>>().concat();
        let out = cut("Grep", "word", &many).expect("a long search");
        assert!(out.ends_with("\nsrc/stall399.rs [1 hit left out]\n"), "{out}");
    }

    #[test]
    fn context_belongs_to_its_file() {
        let block = |file: usize, at: usize| {
            let line = at * 9;
            let path = format!("src/stall{file}.rs");
            let words = "and some more words of the file";
            format!(
                "{path}-{}-before {words}\n{path}:{}:hit {words}\n{path}-{}-behind\n--\n",
                line + 1,
                line + 2,
                line + 3
            )
        };
        let text: String = (0..8).flat_map(|file| (0..12).map(move |at| block(file, at))).collect();
        let out = cut("Grep", "hit", &text).expect("a long search");
        assert!(out.contains(" of 96 hits, every one of 8 files named; "), "{out}");
        assert!(out.contains("\n1-before and some more"), "{out}");
    }

    #[test]
    fn what_a_tool_says_above_stays() {
        let text = format!("Chunk ID: 1\nOutput:\n{}", search(14));
        let out = cut("exec_command", "rg -n timeout", &text).expect("a long search");
        assert!(out.starts_with("Chunk ID: 1\nOutput:\n["), "{out}");
    }

    #[test]
    fn what_is_no_wide_search_is_left_alone() {
        let wide = search(14);
        let one =
            wide.lines().filter(|line| line.contains("stall13")).collect::<Vec<_>>().join("\n").repeat(9);
        for (tool, command, text) in [
            ("bash", "rg -n timeout", &search(4)),
            ("bash", "rg -n timeout src/shop/stall13.rs", &one),
            ("bash", "make lint", &wide),
            ("Read", "hits.txt", &wide),
            ("", "", &wide),
            ("Grep", "x", &"a line of prose: and so on\n".repeat(400)),
        ] {
            assert_eq!(cut(tool, command, text), None, "{tool} {command}");
        }
    }
}
