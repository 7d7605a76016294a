//! Reads the calls that produced the outputs in a corpus: the tool and its arguments.
//!
//! What may be left out of a result depends on its call. So measuring an output without its call does not show what
//! agents get.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use tersely_core::Call;

/// The calls of the repository's corpus, and of a larger corpus of the same kind.
const KNOWN: &str = include_str!("../../../../corpus/commands.jsonl");

/// The call that printed a file, as far as it is known.
#[derive(Debug, Deserialize)]
pub(super) struct RecordedCall {
    path: String,
    tool: String,
    command: Option<String>,
}

impl RecordedCall {
    pub(super) fn call(&self) -> Call<'_> {
        Call { tool: &self.tool, command: self.command.as_deref(), ..Call::default() }
    }
}

/// The calls by path: those of the corpus in `dir`, or else the built-in ones.
pub(super) fn recorded(dir: &Path) -> BTreeMap<String, RecordedCall> {
    let own = fs::read_to_string(dir.join("commands.jsonl")).ok();
    let calls = own.as_deref().unwrap_or(KNOWN).lines().filter_map(|line| serde_json::from_str(line).ok());
    calls.map(|call: RecordedCall| (call.path.clone(), call)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{files, folders, name};

    #[test]
    fn every_output_of_the_corpus_has_its_call() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
        let calls = recorded(&corpus);
        for folder in folders(&corpus.join("outputs")) {
            for file in files(&folder) {
                let path = format!("outputs/{}/{}", name(&folder), name(&file));
                let call = calls.get(&path).unwrap_or_else(|| panic!("{path}: no line in commands.jsonl"));
                assert!(!call.tool.is_empty(), "{path}: no tool");
            }
        }
    }

    #[test]
    fn every_line_is_read() {
        for line in KNOWN.lines() {
            let call: RecordedCall = serde_json::from_str(line).expect(line);
            assert!(call.path.starts_with("outputs/"), "{line}");
        }
    }
}
