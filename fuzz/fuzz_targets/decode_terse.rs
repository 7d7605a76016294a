//! Any bytes, read as the terse form.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tersely_testing::fuzz::run("decode_terse", bytes));
