//! Any text, in the general form and read as it.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tersely_testing::fuzz::run("general", bytes));
