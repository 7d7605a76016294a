//! The laws of single stages: every entry of every table, called directly, over real texts and broken ones.
//!
//! A new entry is tested here automatically. An entry that changes none of the texts fails, so that no law holds
//! vacuously: it needs a fixture.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tersely_stage::clean::CLEAN;
use tersely_stage::cut::{CAPS, CUTS, FAMILIES, REST};
use tersely_stage::form::{ANY, FORMS};
use tersely_stage::{Call, Edit, Loss, Plan, Room, Scene, Stage, TextView};
use tersely_testing::corpus::{files, outputs, project};
use tersely_testing::mutate_text;

/// The tables, and the loss that their entries may cause.
static TABLES: [(&str, &[&dyn Stage], &[Loss]); 7] = [
    ("CLEAN", CLEAN, &[Loss::Form, Loss::Detail]),
    ("FORMS", FORMS, &[Loss::None, Loss::Form]),
    ("ANY", ANY, &[Loss::None]),
    ("CUTS", CUTS, &[Loss::Detail]),
    ("REST", REST, &[Loss::Detail]),
    ("FAMILIES", FAMILIES, &[Loss::Detail]),
    ("CAPS", CAPS, &[Loss::Detail]),
];

/// Mutations of each text.
const MUTANTS: u64 = 4;

/// Bytes to keep where content is omitted.
const ROOM: usize = 2_000;

/// Longer texts cover nothing that shorter ones do not.
const LONG: usize = 40_000;

/// A text, and the call that it is the result of, if known.
#[derive(Clone, Default)]
struct Sample {
    tool: String,
    command: String,
    text: String,
}

impl Sample {
    fn of(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    fn call(&self) -> Call<'_> {
        let command = Some(&*self.command).filter(|command| !command.is_empty());
        Call { tool: &self.tool, command, ..Call::default() }
    }
}

/// Every text, and its mutations.
fn texts() -> Vec<Sample> {
    let read = |file: &PathBuf| String::from_utf8_lossy(&fs::read(file).expect("a file")).into_owned();
    // The first line of these names the tool and the command.
    let said = |text: String| text.split_once('\n').map(|(_, text)| text.to_owned()).unwrap_or_default();
    let shared =
        files(&project().join("crates/core/fixtures")).iter().map(read).map(said).collect::<Vec<_>>();
    let own = files(&project().join("crates/stage/fixtures")).iter().map(read).collect::<Vec<_>>();
    let outputs = outputs().into_iter().map(|output| output.text);
    let unasked = shared.into_iter().chain(own).chain(outputs).map(Sample::of);
    let asked = examples();
    let by_themselves: Vec<_> = asked.iter().map(|sample| Sample::of(sample.text.clone())).collect();
    let short = unasked.chain(by_themselves).chain(asked).filter(|sample| sample.text.len() <= LONG);
    short
        .flat_map(|sample| {
            let broken = |seed: u64| mutate_text(&mut seed.clone(), &sample.text);
            let broken: Vec<_> =
                (0..MUTANTS).map(|seed| Sample { text: broken(seed), ..sample.clone() }).collect();
            std::iter::once(sample).chain(broken)
        })
        .collect()
}

/// The texts whose output the page on notation shows.
fn examples() -> Vec<Sample> {
    let file = project().join("benchmarks/reading/notation.json");
    let examples: Value = serde_json::from_slice(&fs::read(file).expect("examples")).expect("JSON");
    let sample = |example: &Value| {
        let [tool, command, text] =
            ["tool", "command", "input"].map(|name| example[name].as_str().unwrap_or_default().to_owned());
        Sample { tool, command, text }
    };
    examples.as_array().expect("a list").iter().map(sample).collect()
}

/// Calls `check` with every entry and its edit of every text, and fails with the faults found, a few for each entry.
/// Each entry must edit at least one text.
fn each_edit(check: impl Fn(&dyn Stage, &[Loss], &Sample, &Edit) -> Option<String>) {
    let plan = plan();
    let texts = texts();
    let mut silent: BTreeSet<&str> = TABLES.iter().flat_map(|(_, stages, _)| names(stages)).collect();
    let mut faults: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (_, stages, losses) in TABLES {
        for stage in stages {
            for sample in &texts {
                let text = &sample.text;
                let scene = Scene { room: ROOM, ..Scene::of(&plan, sample.call()) };
                let Some(edit) = stage.apply(scene, &TextView::new(text)) else { continue };
                silent.remove(stage.name());
                let fault = check(*stage, losses, sample, &edit);
                faults
                    .entry(stage.name())
                    .or_default()
                    .extend(fault.map(|words| format!("{words}\nof\n{text}")));
            }
        }
    }
    faults.retain(|_, faults| !faults.is_empty());
    let counts: Vec<_> = faults.iter().map(|(name, faults)| format!("{name}: {}", faults.len())).collect();
    let first: Vec<_> =
        faults.values().filter_map(|faults| faults.iter().min_by_key(|fault| fault.len())).collect();
    assert!(faults.is_empty(), "{counts:?}\n{first:#?}");
    assert!(silent.is_empty(), "nothing at hand makes these speak: {silent:?}");
}

/// A plan under which every entry may act.
fn plan() -> Plan {
    Plan { max_bytes: 2_000, ..Plan::default() }
}

fn names(stages: &[&dyn Stage]) -> Vec<&'static str> {
    stages.iter().map(|stage| stage.name()).collect()
}

#[test]
fn a_name_is_one_stages() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for name in TABLES.iter().flat_map(|(_, stages, _)| names(stages)) {
        *seen.entry(name).or_default() += 1;
    }
    let twice: Vec<_> = seen.into_iter().filter(|(_, times)| *times > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn an_entry_loses_what_its_table_says() {
    each_edit(|_, losses, sample, edit| {
        let text = &sample.text;
        let faults = [
            (!losses.contains(&edit.loss), "loses something else"),
            (edit.text == *text, "changes nothing"),
            (edit.loss != Loss::None && !edit.note.is_empty(), "has a note that nobody reads"),
            (edit.note.contains('\n'), "has a note of several lines"),
        ];
        faults.into_iter().find(|(is_fault, _)| *is_fault).map(|(_, words)| words.to_owned())
    });
}

#[test]
fn what_a_form_writes_exactly_comes_back() {
    each_edit(|stage, _, sample, edit| {
        let back = stage.restore(Room::of(&edit.text), &edit.note, &edit.text);
        let holds = edit.loss != Loss::None || back.as_deref() == Some(&*sample.text);
        (!holds).then(|| format!("{}: {}\nback as {back:?}", edit.note, edit.text))
    });
}

#[test]
fn what_leaves_detail_out_says_so() {
    let is_said = |line: &str| SAID.iter().any(|words| line.contains(words));
    each_edit(|_, _, sample, edit| {
        let came: BTreeSet<&str> = sample.text.lines().collect();
        let says = edit.text.lines().any(|line| is_said(line) && !came.contains(line));
        (edit.loss == Loss::Detail && !says).then(|| edit.text.clone())
    });
}

/// The words that tell a reader that something is missing. The header of a hunk counts the lines that it shows.
const SAID: [&str; 6] =
    ["left out", "[timestamp]", "[hash]", "[Tool output capped:", "[Binary output suppressed:", "@@ -"];

#[test]
fn the_same_text_gives_the_same_edit() {
    let plan = plan();
    each_edit(|stage, _, sample, edit| {
        let again = stage
            .apply(Scene { room: ROOM, ..Scene::of(&plan, sample.call()) }, &TextView::new(&sample.text));
        (again.as_ref() != Some(edit)).then(|| edit.text.clone())
    });
}

/// Notes that other stages write, and notes that no stage writes.
const NOTES: [&str; 16] = [
    "",
    "compact",
    "indent 2, newline",
    "4, width 6, arrow",
    "18446744073709551615, width 18446744073709551615, tab",
    "headed; all under /a/",
    "names to column 99999999, counts to 99999999",
    "no line numbers",
    "path once a file",
    "commas, 3 rows",
    "a; b; c",
    "é",
    ";",
    ", ",
    "-1",
    "lzw",
];

#[test]
fn foreign_notes_are_refused_or_read_within_bounds() {
    let texts = texts().into_iter().map(|sample| sample.text).filter(|text| text.len() < 4_000);
    let texts: Vec<String> = texts.collect();
    assert!(!texts.is_empty());
    for stage in FORMS.iter().chain(ANY) {
        for note in NOTES {
            for text in &texts {
                let room = Room::of(text);
                if let Some(back) = stage.restore(room, note, text) {
                    assert!(room.fits(back.len()).is_some(), "{} {note}: {} bytes", stage.name(), back.len());
                }
            }
        }
    }
}
