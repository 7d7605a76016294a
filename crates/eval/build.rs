//! Compresses the built-in questions, which are most of what the program carries for `tersely eval`.

#![expect(clippy::expect_used, reason = "a build that cannot be done had better say so")]

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// The questions, which `corpus/asked.py` writes.
const QUESTIONS: &str = "questions.json";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={QUESTIONS}");
    let folder = env::var("OUT_DIR").expect("cargo names a folder");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&fs::read(QUESTIONS).expect("the questions can be read")).expect("memory takes it");
    let written = encoder.finish().expect("memory takes it");
    fs::write(Path::new(&folder).join("questions.json.gz"), written).expect("the folder can be written");
}
