//! Writes every output of the corpus as `compress` sends it, for the packages to restore.
//!
//! `packages/check.sh` runs this with `TERSELY_SENT` naming the file to write: each line has an output's name, its text
//! and its compressed text.

use std::env;
use std::fs::File;
use std::io::{BufWriter, Write};

use tersely_core::{Call, Loss, Plan, Redaction, compress};
use tersely_testing::corpus;

/// Behaviour 1.15: the packages restore what is written here, or say who does.
#[test]
#[ignore = "writes the file that packages/check.sh needs"]
fn outputs_are_written_for_the_packages() {
    let path = env::var_os("TERSELY_SENT").expect("TERSELY_SENT names the file to write");
    let mut out = BufWriter::new(File::create(path).expect("a file"));
    let plan = Plan { loss: Loss::None, redact: Redaction::Off, ..Plan::default() };
    for output in corpus::outputs() {
        let sent = compress(&plan, Call::default(), &output.text).text;
        let line = serde_json::json!({ "name": output.name, "original": output.text, "sent": sent });
        writeln!(out, "{line}").expect("a disk with room");
    }
    out.flush().expect("a disk with room");
}
