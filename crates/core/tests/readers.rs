//! No stage sends a small model a form that it does not read well.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use tersely_core::{Call, FAMILIES, Mode, Plan, Reader, compress};
use tersely_stage::Stage;
use tersely_stage::clean::CLEAN;
use tersely_stage::cut::{CAPS, CUTS, REST};
use tersely_stage::form::FORMS;
use tersely_testing::corpus::{files, outputs, project};

/// Bytes of the longest text that is tried. Longer ones show nothing new.
const MAX_TEXT_BYTES: usize = 20_000;

/// Behaviour 19.1.
#[test]
fn a_small_reader_is_given_nothing_that_only_a_strong_one_reads() {
    let tables: [&[&dyn Stage]; 6] = [CLEAN, FORMS, CUTS, REST, FAMILIES, CAPS];
    let stages = tables.concat();
    let strong = stages.iter().filter(|stage| stage.reader() > Reader::Small);
    let strong: BTreeSet<&str> = strong.map(|stage| stage.name()).collect();
    assert!(!strong.is_empty() && strong.len() < stages.len());
    let texts = texts();
    let small: Vec<_> = texts.iter().flat_map(|text| used(Reader::Small, text)).collect();
    let shown: Vec<_> = small.iter().filter(|stage| strong.contains(*stage)).collect();
    assert!(shown.is_empty(), "{shown:?}");
    let all: BTreeSet<_> = texts.iter().flat_map(|text| used(Reader::Strong, text)).collect();
    assert!(all.iter().any(|stage| strong.contains(stage)), "nothing at hand makes one of {strong:?} speak");
    assert!(small.len() > texts.len() / 4, "a small reader is still given the rest");
}

/// Behaviour 19.1: keys beside values, however many records there are.
#[test]
fn a_small_reader_is_given_no_cells_under_a_header() {
    let record =
        |n: usize| format!(r#"{{"id":{n},"name":"item {n}","state":"open","size":{}}}"#, n * 31 % 97);
    let rows = |many: usize| (0..many).map(record).collect::<Vec<_>>().join(",");
    for text in [
        format!("[{}]", rows(40)),
        format!(r#"{{"items":[{}],"next":null}}"#, rows(20)),
        rows(30).replace("},{", "}\n{"),
    ] {
        let [small, strong] =
            [Reader::Small, Reader::Strong].map(|reader| sent(Mode::Standard, reader, &text).0);
        assert!(small.contains(" records\n") && small.contains("{id:7,size:23}"), "{small}");
        assert!(
            strong.contains(" rows\n") && strong.len() < small.len() && small.len() < text.len(),
            "{strong}"
        );
        assert_eq!(tersely_core::restore(&small).as_deref(), Some(&*text));
    }
}

/// Behaviour 19.1: an unnamed reader counts as strong.
#[test]
fn an_unknown_reader_is_given_everything() {
    for text in texts().iter().take(100) {
        for mode in [Mode::Standard, Mode::Aggressive] {
            let [auto, strong] = [Reader::Auto, Reader::Strong].map(|reader| sent(mode, reader, text).0);
            assert_eq!(auto, strong);
        }
    }
}

fn used(reader: Reader, text: &str) -> Vec<&'static str> {
    [Mode::Standard, Mode::Aggressive].into_iter().flat_map(|mode| sent(mode, reader, text).1).collect()
}

fn sent(mode: Mode, reader: Reader, text: &str) -> (String, Vec<&'static str>) {
    let plan = Plan { mode, reader, max_bytes: 4_000, ..Plan::default() };
    let outcome = compress(&plan, Call { tool: "bash", ..Call::default() }, text);
    let stages = outcome.ledger.steps.iter().map(|step| step.stage).collect();
    (outcome.text.into_owned(), stages)
}

/// Every text at hand that is not long: fixtures, and the corpus where it is.
fn texts() -> Vec<String> {
    let read = |file: &PathBuf| String::from_utf8_lossy(&fs::read(file).expect("a file")).into_owned();
    // The first line of these names the tool and the command.
    let said = |text: String| text.split_once('\n').map(|(_, text)| text.to_owned()).unwrap_or_default();
    let shared =
        files(&project().join("crates/core/fixtures")).iter().map(read).map(said).collect::<Vec<_>>();
    let own = files(&project().join("crates/stage/fixtures")).iter().map(read).collect::<Vec<_>>();
    let corpus = outputs().into_iter().map(|output| output.text);
    shared.into_iter().chain(own).chain(corpus).filter(|text| text.len() <= MAX_TEXT_BYTES).collect()
}
