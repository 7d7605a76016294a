//! Measures what it costs to watch a prompt, beside a request with nothing to change:
//! `cargo test --release -p tersely-engine --test cache_cost -- --ignored --nocapture`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tersely_engine::{Engine, Memo, Recall, Request};
use tersely_testing::corpus::conversations;
use tersely_wire::{PromptContext, prompt_marks};

/// How often each step is repeated.
const ROUNDS: u32 = 200;

fn measure(mut step: impl FnMut()) -> Duration {
    let mut times: Vec<_> = (0..ROUNDS)
        .map(|_| {
            let since = Instant::now();
            step();
            since.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

#[test]
#[ignore = "a measurement"]
fn watching_costs_little_of_a_known_request() {
    let engine = Engine::default();
    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    for transcript in conversations() {
        let (memo, body) = (Memo::default(), Bytes::from(transcript.body.clone()));
        let path = match transcript.provider.name() {
            "anthropic" => "/v1/messages",
            "responses" => "/v1/responses",
            "gemini" => "/v1beta/models/m:generateContent",
            _ => "/v1/chat/completions",
        };
        let recall = Recall { memo: &memo, whose: b"one" };
        let request =
            Request { memo: Some(recall), shared: Some(&body), ..Request::new(transcript.provider, path) };
        let pass = || drop(engine.pass_reading(&request, &transcript.provider.read(&body)));
        pass();
        let whole = measure(pass);
        let context = PromptContext::default();
        let reading = transcript.provider.read(&body);
        let Some(marks) = prompt_marks(&context, &reading, &[]) else { continue };
        let known = [Arc::new(marks)];
        let watch = measure(|| drop(prompt_marks(&context, &reading, &known)));
        println!("{:>9} bytes: {whole:>10.1?} and {watch:>10.1?}  {}", body.len(), transcript.name);
        ours += watch;
        theirs += whole;
    }
    let percent = 100.0 * ours.as_secs_f64() / theirs.as_secs_f64();
    println!("watching adds {percent:.1} % to reading and rewriting a request that is known");
}
