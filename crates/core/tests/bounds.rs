//! The bytes and tokens that are sent of a result are bounded.

use tersely_core::{Call, Loss, Mode, O200k, Plan, Redaction, compress};

/// Bytes that a capped text may have above its limit: two marks, and the line that names the original.
const SLACK_BYTES: usize = 256;

/// Error lines may exceed the limit, by this factor.
const ERROR_FACTOR: usize = 3;

fn plan(mode: Mode, max_bytes: usize) -> Plan {
    Plan { mode, max_bytes, redact: Redaction::Off, ..Plan::default() }
}

/// Generated texts of many shapes: lines long and short, with errors and without, JSON, wrapped texts.
fn texts(seed: u64) -> Vec<String> {
    let mut state = seed;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let words = ["alpha", "beta", "x", "12345", "error: it broke", "é語", "done", "FAILED", "a/b/c.rs:12:"];
    let calm = ["alpha", "beta", "x", "12345", "é語", "done", "a/b/c.rs:12:"];
    let mut lines = |words: &[&str], count: u64, length: u64| -> String {
        let line = |next: &mut dyn FnMut(u64) -> u64| -> String {
            let count = next(length) + 1;
            let word = |_| words[usize::try_from(next(words.len() as u64)).unwrap_or_default()];
            (0..count).map(word).collect::<Vec<_>>().join(" ") + "\n"
        };
        (0..count).map(|_| line(&mut next)).collect()
    };
    let plain = lines(&calm, 300, 6);
    let tiny = lines(&["error", "x", "y", "z", "w", "v", "u", "t"], 3_000, 1);
    let rare = lines(&calm, 200, 4) + "error: once\n" + &lines(&calm, 200, 4);
    let errors = lines(&words, 300, 4);
    let long = lines(&calm, 2, 900);
    let quoted = plain.replace('\n', "\\n");
    let wrapped = format!(r#"{{"meta":"{}","text":"{quoted}"}}"#, "m".repeat(plain.len() / 3));
    vec![plain, tiny, rare, errors, long, wrapped]
}

/// Behaviour 3.5, 3.6: where detail may be cut, no more is sent than the limit and the marks, or with errors four times
/// the limit. A cut that saves no token is not made.
#[test]
fn the_cap_bounds_what_is_sent() {
    for seed in 0..40 {
        for text in texts(seed) {
            for max_bytes in [400, 700, 1_000, 2_000, 4_096] {
                for mode in [Mode::Standard, Mode::Aggressive] {
                    let plan = plan(mode, max_bytes);
                    let outcome = compress(&plan, Call::default(), &text);
                    let quiet = !text.contains("error") && !text.contains("FAILED");
                    let most = if quiet { max_bytes } else { max_bytes * (1 + ERROR_FACTOR) } + SLACK_BYTES;
                    let sent = outcome.text.len();
                    assert!(sent <= most, "{mode:?} {max_bytes}: {sent} of {}\n{}", text.len(), outcome.text);
                }
            }
        }
    }
}

/// Behaviour 3.10: neither tokens nor bytes grow; `laws.rs` checks the same for real texts.
#[test]
fn bytes_never_grow() {
    for text in (0..10).flat_map(texts) {
        for mode in [Mode::Safe, Mode::Standard, Mode::Aggressive] {
            for loss in [Loss::None, Loss::Form, Loss::Detail] {
                let plan = Plan { loss, ..plan(mode, 65_536) };
                let sent = compress(&plan, Call::default(), &text).text;
                assert!(sent.len() <= text.len(), "{mode:?} {loss:?}\n{sent}");
                assert!(O200k.count(&sent) <= O200k.count(&text), "{mode:?} {loss:?}\n{sent}");
            }
        }
    }
}
