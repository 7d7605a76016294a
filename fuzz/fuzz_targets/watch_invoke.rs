//! Any response of Bedrock's InvokeModel, watched.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tersely_testing::fuzz::run("watch_invoke", bytes));
