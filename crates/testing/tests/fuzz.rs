//! Runs every fuzz target over its past findings, its seeds, and mutated seeds for a while.
//!
//! `TERSELY_FUZZ_SECONDS` says how long; `just fuzz TARGET` continues with coverage guidance.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use std::{env, fs};

use tersely_testing::corpus::project;
use tersely_testing::generate::Choices;
use tersely_testing::seeds::seeds;
use tersely_testing::{fuzz, mutate};

/// How long mutated seeds are tried by default.
const SECONDS: u64 = 2;

/// Bytes of the longest input. Longer ones find little more and are slow.
const MAX_INPUT_BYTES: usize = 8_000;

macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        #[test]
        fn every_target_is_run() {
            assert_eq!([$(stringify!($name)),*], fuzz::TARGETS);
        }
    };
}

targets! {
    decode_json decode_stc decode_terse decode_toon round_trip compress restore general slots
    watch_anthropic watch_chat watch_responses watch_gemini watch_converse watch_invoke
}

fn check(target: &str) {
    let seeds: Vec<_> =
        seeds(target).into_iter().filter(|(_, bytes)| bytes.len() <= MAX_INPUT_BYTES).collect();
    assert!(!seeds.is_empty(), "no seeds for {target}");
    for (name, bytes) in &seeds {
        run(target, name, bytes);
    }
    let seconds = env::var("TERSELY_FUZZ_SECONDS").map_or(SECONDS, |words| words.parse().expect("seconds"));
    let (end, mut seed) = (Instant::now() + Duration::from_secs(seconds), 1_u64);
    while Instant::now() < end {
        let (name, bytes) = &seeds[seed.pick(seeds.len())];
        let before = seed;
        run(target, &format!("{name}, broken by {before}"), &mutate(&mut seed, bytes));
    }
}

fn run(target: &str, name: &str, bytes: &[u8]) {
    let ran = catch_unwind(AssertUnwindSafe(|| fuzz::run(target, bytes)));
    assert!(ran.is_ok(), "{target} broke on {name}: {:?}", String::from_utf8_lossy(bytes));
}

/// Writes the seeds where `cargo fuzz` looks for them.
#[test]
#[ignore = "writes the seeds that just fuzz needs"]
fn seeds_are_written() {
    for target in fuzz::TARGETS {
        let folder = project().join("fuzz/corpus").join(target);
        fs::create_dir_all(&folder).expect("a folder");
        for (name, bytes) in seeds(target) {
            fs::write(folder.join(name), bytes).expect("a file");
        }
    }
}
