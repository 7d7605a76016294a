//! Any bytes, searched for tool results.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tersely_testing::fuzz::run("slots", bytes));
