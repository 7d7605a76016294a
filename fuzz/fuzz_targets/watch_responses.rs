//! Any response of the Responses API, watched.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tersely_testing::fuzz::run("watch_responses", bytes));
