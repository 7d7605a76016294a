//! Inputs that broke the codec once, or were written to, stay harmless.
//!
//! Each file in `fuzz/regressions/<target>` is run by the body of that fuzz target.

#![expect(clippy::panic, reason = "a test fails loudly")]

#[path = "../../../fuzz/target.rs"]
mod target;

use std::path::Path;
use std::{fs, panic};

#[test]
fn json_is_read_safely() {
    check("decode_json");
}

#[test]
fn stc_is_read_safely() {
    check("decode_stc");
}

#[test]
fn terse_is_read_safely() {
    check("decode_terse");
}

#[test]
fn toon_is_read_safely() {
    check("decode_toon");
}

#[test]
fn what_is_made_comes_back() {
    check("round_trip");
}

/// Runs a target over its files, and names those that break it.
fn check(target: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    assert!(!files.is_empty(), "no files in {}", folder.display());
    let broken: Vec<_> =
        files.iter().filter(|file| panic::catch_unwind(|| run(target, file)).is_err()).collect();
    assert!(broken.is_empty(), "{target} broke on {broken:#?}");
}

fn run(target: &str, file: &Path) {
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    target::run(target, &bytes);
}
