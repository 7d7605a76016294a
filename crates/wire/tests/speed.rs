//! Measures how long a body takes: `cargo test --release -p tersely-wire --test speed -- --ignored --nocapture`.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails loudly, and a measurement is read"
)]

use std::time::Instant;

use serde_json::{Value, json};
use tersely_core::prompt::shorten;
use tersely_core::schema::minify;
use tersely_testing::corpus::{SampleTranscript, conversations};
use tersely_wire::{Slot, rewrite, splice};

/// Smaller bodies measure the clock rather than the code.
const MIN_BODY_BYTES: usize = 500_000;

const ROUNDS: usize = 60;

#[test]
#[ignore = "a measurement, to be read by a person"]
fn milliseconds_a_megabyte() {
    println!("| body | MB | slots | text MB | found and spliced | with all texts | serde_json | jiter |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for conversation in conversations().iter().filter(|it| it.body.len() >= MIN_BODY_BYTES) {
        measure(conversation);
    }
}

/// A body of about 1 MB, of which the tools are 64 KB.
#[test]
#[ignore = "a measurement, to be read by a person"]
fn milliseconds_for_what_is_no_result() {
    println!(
        "| body | MB | descriptions | changed | found | minified and spliced | prompts | found | shortened |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for mut conversation in conversations().into_iter().filter(|it| it.body.len() >= MIN_BODY_BYTES) {
        let mut value: Value = serde_json::from_slice(&conversation.body).expect("a value");
        value["tools"] = tools(conversation.provider.name());
        conversation.body = serde_json::to_vec(&value).expect("a body");
        measure_rest(&conversation);
    }
    let rows: Vec<_> =
        (0..1500).map(|n| json!({"id": n, "name": format!("user {n}"), "ok": n % 3 == 0})).collect();
    let text = serde_json::to_string_pretty(&json!({"users": rows})).expect("a text");
    let once = best(1_000_000, || shorten(4096, &text).0.map_or(0, |short| short.len()));
    println!("a prompt of {} KB of JSON: {once:.1} ms", text.len() / 1000);
}

fn measure_rest(SampleTranscript { name, body, provider, .. }: &SampleTranscript) {
    let descriptions = provider.descriptions(body).expect("descriptions").len();
    let prompts = provider.read(body).prompts().len();
    let changed = rewrite::descriptions(provider, body, minify).expect("edits").len();
    let found = best(1_000_000, || provider.descriptions(body).expect("descriptions").len());
    let spliced = best(1_000_000, || {
        splice(body, &rewrite::descriptions(provider, body, minify).expect("edits")).len()
    });
    let said = best(1_000_000, || provider.read(body).prompts().len());
    let short =
        best(1_000_000, || rewrite::prompts(&provider.read(body), |text| shorten(4096, text).0).len());
    let size = megabytes(body.len());
    println!(
        "| {name} | {size:.2} | {descriptions} | {changed} | {found:.3} | {spliced:.3} | {prompts} | {said:.3} | {short:.3} |"
    );
}

/// 64 KB of tools, each described at the length that agents do.
fn tools(provider: &str) -> Value {
    let described = "Does  one thing well.   \n\n\nUsage:\n  - give it a path\n".repeat(20);
    let property = json!({"type": "string", "description": "What  it is given, in a sentence or two. "});
    let schema =
        json!({"type": "object", "properties": {"a": property, "b": property, "description": property}});
    let tool = |n: usize| match provider {
        "anthropic" => json!({"name": format!("t{n}"), "description": described, "input_schema": schema}),
        _ => {
            json!({"type": "function", "function": {"name": format!("t{n}"), "description": described, "parameters": schema}})
        }
    };
    Value::Array((0..40).map(tool).collect())
}

fn measure(SampleTranscript { name, body, provider, .. }: &SampleTranscript) {
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
