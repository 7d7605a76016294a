//! The same value gives the same bytes, on every machine and in every release.
//!
//! If a hash changes here, a form has changed: caches are lost, and pinned profiles break.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use tersely_codec::{Form, encode, json};
use tersely_testing::generate;

/// Made-up documents that are hashed together.
const DOCUMENTS: u64 = 3_000;

#[test]
fn json_keeps_its_bytes() {
    check(Form::Json, "7d3a60b3203c5fda08f0e2522df92f43a4259e8b451fe478d7c15546ac466162");
}

#[test]
fn stc_keeps_its_bytes() {
    check(Form::Stc, "cd0b56af47508710bb70b3f1b83c4a49c586087dc3c21917df2d67cccd57603f");
}

#[test]
fn toon_keeps_its_bytes() {
    check(Form::Toon, "14d6c0c34a576c12a39f56bf31d24ccf8ab04e2d8f207b8c255099bbafb3e54d");
}

#[test]
fn terse_keeps_its_bytes() {
    check(Form::Terse, "ccf113fbd1867e25298df44ca61917f0582e3085069a158f2fa5c62ea70867f8");
}

/// Hashes the same documents in `form`, one after the other.
fn check(form: Form, expected: &str) {
    let mut hash = Sha256::new();
    for seed in 0..DOCUMENTS {
        let text = generate::document(&mut seed.clone());
        let value = json::decode(&text).expect("made-up documents are JSON");
        hash.update(encode(form, &value).unwrap_or_default());
        hash.update([0]);
    }
    let found = hash.finalize().iter().fold(String::new(), |mut found, byte| {
        let _ = write!(found, "{byte:02x}");
        found
    });
    assert_eq!(found, expected, "{} writes other bytes than it did", form.name());
}
