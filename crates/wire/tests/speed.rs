//! Measures how long a body takes: `cargo test --release -p tersely-wire --test speed -- --ignored --nocapture`.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails loudly, and a measurement is read"
)]

mod corpus;

use std::time::Instant;

use corpus::{Conversation, conversations};
use tersely_wire::{Slot, splice};

/// Bodies under this size say more about the clock than about us.
const LEAST: usize = 500_000;

const ROUNDS: usize = 60;

#[test]
#[ignore = "a measurement, to be read by a person"]
fn milliseconds_a_megabyte() {
    println!("| body | MB | slots | text MB | found and spliced | with all texts | serde_json | jiter |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for conversation in conversations().iter().filter(|it| it.body.len() >= LEAST) {
        measure(conversation);
    }
}

fn measure(Conversation { name, body, provider }: &Conversation) {
    let slots = provider.slots(body).expect("slots");
    let text: usize = slots.iter().filter_map(Slot::text).map(|text| text.len()).sum();
    let ours = best(body.len(), || {
        let slots = provider.slots(body).expect("slots");
        slots.len() + splice(body, &[]).len()
    });
    let read = best(body.len(), || {
        let slots = provider.slots(body).expect("slots");
        slots.iter().filter_map(Slot::text).map(|text| text.len()).sum()
    });
    let serde = best(body.len(), || {
        let value: serde_json::Value = serde_json::from_slice(body).expect("a value");
        serde_json::to_vec(&value).expect("bytes").len()
    });
    let jiter = best(body.len(), || {
        let mut jiter = jiter::Jiter::new(body);
        jiter.next_skip().map_or(0, |()| jiter.current_index())
    });
    let (size, text) = (megabytes(body.len()), megabytes(text));
    let slots = slots.len();
    println!(
        "| {name} | {size:.2} | {slots} | {text:.2} | {ours:.3} | {read:.3} | {serde:.3} | {jiter:.3} |"
    );
}

/// The best time of many, in milliseconds for a megabyte.
fn best(bytes: usize, mut run: impl FnMut() -> usize) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        std::hint::black_box(run());
        start.elapsed().as_secs_f64() * 1000.0
    });
    times.fold(f64::MAX, f64::min) / megabytes(bytes)
}

#[expect(clippy::cast_precision_loss, reason = "bodies are far smaller than what a float can count")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1_000_000.0
}
