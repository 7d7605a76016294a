//! Measures what it costs to watch a prompt, beside a request with nothing to change:
//! `cargo test --release -p tersely-engine --test cache_cost -- --ignored --nocapture`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::Value;
use tersely_engine::{Engine, ForwardBody, Memo, Recall, Request, SentBody};
use tersely_testing::corpus::{SampleTranscript, conversations};
use tersely_wire::{PromptContext, prompt_marks, rewritten_marks};

/// How often each step is repeated.
const ROUNDS: u32 = 30;

/// The median time of `step`, each with what `prepare` makes.
fn measure<T>(prepare: impl Fn() -> T, step: impl Fn(&T)) -> Duration {
    let time = |_| {
        let prepared = prepare();
        let since = Instant::now();
        step(&prepared);
        since.elapsed()
    };
    let mut times: Vec<_> = (0..ROUNDS).map(time).collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// The body without its last two messages, and the body.
fn turns(transcript: &SampleTranscript) -> Option<[Bytes; 2]> {
    let mut body: Value = serde_json::from_slice(&transcript.body).ok()?;
    let now = body.to_string();
    let list = body[transcript.list].as_array_mut()?;
    list.truncate(list.len().checked_sub(2)?);
    Some([body.to_string(), now].map(Bytes::from))
}

#[test]
#[ignore = "a measurement"]
fn watching_costs_little_beside_rewriting() {
    let engine = Engine::default();
    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    let (mut read, mut derived) = (Duration::ZERO, Duration::ZERO);
    for transcript in conversations() {
        let Some([before, body]) = turns(&transcript) else { continue };
        let path = match transcript.provider.name() {
            "anthropic" => "/v1/messages",
            "responses" => "/v1/responses",
            "gemini" => "/v1beta/models/m:generateContent",
            _ => "/v1/chat/completions",
        };
        let pass = |memo: &Memo, body: &Bytes| {
            let memo = Some(Recall { memo, whose: b"one" });
            let request = Request { memo, shared: Some(body), ..Request::new(transcript.provider, path) };
            drop(engine.pass_reading(&request, &transcript.provider.read(body)));
        };
        let remember = || {
            let memo = Memo::default();
            pass(&memo, &before);
            memo
        };
        let whole = measure(remember, |memo| pass(memo, &body));
        let context = PromptContext::default();
        let Some(marks) = prompt_marks(&context, &transcript.provider.read(&before), &[]) else { continue };
        let (known, reading) = ([Arc::new(marks)], transcript.provider.read(&body));
        let watch = measure(|| (), |()| drop(prompt_marks(&context, &reading, &known)));
        println!("{:>9} bytes: {whole:>10.1?} and {watch:>10.1?}  {}", body.len(), transcript.name);
        let request = Request::new(transcript.provider, path);
        if let Ok(ForwardBody { body: SentBody::New(sent), .. }) = engine.pass_reading(&request, &reading) {
            let Some(came) = prompt_marks(&context, &reading, &known) else { continue };
            let Some(marks) = prompt_marks(&context, &transcript.provider.read(&sent), &[]) else { continue };
            let known = [Arc::new(marks)];
            read +=
                measure(|| (), |()| drop(prompt_marks(&context, &transcript.provider.read(&sent), &known)));
            derived += measure(|| (), |()| drop(rewritten_marks(&came, &reading, &sent, &known)));
        }
        ours += watch;
        theirs += whole;
    }
    println!("rewritten bodies: {read:.1?} to read and hash, {derived:.1?} to derive");
    let percent = 100.0 * ours.as_secs_f64() / theirs.as_secs_f64();
    println!("watching adds {percent:.1} % to reading and rewriting the next request of a conversation");
}
