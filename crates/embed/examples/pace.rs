//! Times the engine alone over request bodies, one a line, for packages/speed.py to compare with.

use std::io::{BufRead as _, Write as _, stdin, stdout};
use std::time::{Duration, Instant};

use tersely_core::{Loss, Plan, Redaction};
use tersely_engine::{Engine, EngineSettings, ExpandOffer, Request};
use tersely_wire::guess_provider;

fn main() -> std::io::Result<()> {
    let plan = Plan { loss: Loss::Form, redact: Redaction::Off, ..Plan::default() };
    let settings = EngineSettings { plan, expand: ExpandOffer::Never, ..EngineSettings::default() };
    let engine = Engine::new(settings);
    let (mut time, mut bytes) = (Duration::ZERO, 0);
    for (at, line) in stdin().lock().lines().enumerate() {
        let body = line?;
        let Some(provider) = guess_provider(body.as_bytes()) else { continue };
        let since = Instant::now();
        let sent = engine.pass(&Request::new(provider, ""), body.as_bytes());
        // The first loads the tokenizer.
        if at > 0 && sent.is_ok() {
            time += since.elapsed();
            bytes += body.len();
        }
    }
    writeln!(stdout(), "{} {bytes}", time.as_secs_f64())
}
