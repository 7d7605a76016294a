//! Any bytes, read as STC.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tersely_testing::fuzz::run("decode_stc", bytes));
