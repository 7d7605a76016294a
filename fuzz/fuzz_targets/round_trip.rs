//! Any bytes, as the choices that make a JSON document, put through every form.

#![no_main]

#[path = "../target.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run("round_trip", bytes));
