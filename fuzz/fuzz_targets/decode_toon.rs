//! Any bytes, read as TOON.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tersely_testing::fuzz::run("decode_toon", bytes));
