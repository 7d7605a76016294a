//! Measures how fast every output of the corpora is compressed in standard mode, on one thread.
//!
//!     cargo run --release --package tersely-core --example speed [ROUNDS] [FOLDER]
//!
//! Prints megabytes per second, the slowest text, and a digest of all that was sent: a change that only makes this
//! faster leaves the digest as it is. Each text counts with its fastest round. Names one folder to measure its files
//! instead of the corpora.

#![expect(clippy::print_stdout, clippy::expect_used, reason = "a measurement prints, and fails loudly")]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use tersely_core::{Call, Plan, compress};
use tersely_testing::corpus::{files, outputs, recorded_calls};

struct Sample {
    name: String,
    text: String,
    time: Duration,
}

fn main() {
    let mut args = env::args().skip(1);
    let rounds = args.next().map_or(3, |rounds| rounds.parse().expect("a number of rounds"));
    let mut samples = args.next().map_or_else(corpora, |folder| folder_samples(Path::new(&folder)));
    let calls = recorded_calls();
    let mut digest = DefaultHasher::new();
    for round in 0..rounds {
        for Sample { name, text, time } in &mut samples {
            let (tool, command) =
                calls.get(name).map_or(("", None), |(tool, line)| (&**tool, line.as_deref()));
            let start = Instant::now();
            let outcome = compress(&Plan::USUAL, Call { tool, command, ..Call::default() }, text);
            *time = start.elapsed().min(*time);
            if round == 0 {
                (outcome.text, outcome.redacted, format!("{:?}", outcome.ledger)).hash(&mut digest);
            }
        }
    }
    let bytes: usize = samples.iter().map(|sample| sample.text.len()).sum();
    let time: Duration = samples.iter().map(|sample| sample.time).sum();
    let pace = u32::try_from(bytes).map_or(0.0, f64::from) / time.as_secs_f64() / 1e6;
    println!(
        "{} texts, {bytes} bytes, {time:.1?}: {pace:.1} MB/s, digest {:016x}",
        samples.len(),
        digest.finish()
    );
    samples.sort_by_key(|sample| sample.time);
    for Sample { name, text, time } in samples.iter().rev().take(3) {
        println!("{time:.1?} for {} bytes: {name}", text.len());
    }
}

fn corpora() -> Vec<Sample> {
    outputs().into_iter().map(|output| sample(output.name, output.text)).collect()
}

fn folder_samples(folder: &Path) -> Vec<Sample> {
    let read = |file| fs::read_to_string(file).expect("a text");
    files(folder).iter().map(|file| sample(file.display().to_string(), read(file))).collect()
}

fn sample(name: String, text: String) -> Sample {
    Sample { name, text, time: Duration::MAX }
}
