//! Any bytes, read as TOON.

#![no_main]

#[path = "../target.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run("decode_toon", bytes));
