//! Any bytes, as the choices that make a JSON document, put through every form.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tersely_testing::fuzz::run("round_trip", bytes));
