//! Any response of Bedrock's Converse, watched.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tersely_testing::fuzz::run("watch_converse", bytes));
