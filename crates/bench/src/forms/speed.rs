//! Times encoding and decoding on one thread.
//!
//! The tasks take turns in short slices, and the median slice is reported. This way, other load on the machine affects
//! all tasks equally.

use std::hint::black_box;
use std::time::{Duration, Instant};

use jiter::JsonValue;
use tersely_codec::{decode, json};
use tersely_terminal::progress;

use super::sample::{JsonSample, choose};

const SLICES: u32 = 5;

/// A task to time: the operation on a sample, and the bytes that count for its speed.
struct Task {
    name: &'static str,
    run: fn(&JsonSample),
    bytes: fn(&JsonSample) -> usize,
}

const TASKS: [Task; 5] = [
    Task { name: "auto", run: |it| drop(black_box(choose(&it.sent))), bytes: sent },
    Task { name: "decode", run: |it| drop(black_box(decode(it.form, &it.text))), bytes: written },
    Task { name: "parse", run: |it| drop(black_box(json::decode(&it.sent))), bytes: sent },
    Task { name: "serde_json", run: |it| drop(black_box(serde(&it.sent))), bytes: sent },
    Task {
        name: "jiter",
        run: |it| drop(black_box(JsonValue::parse(it.sent.as_bytes(), false))),
        bytes: sent,
    },
];

/// The speed of a task.
#[derive(Debug)]
pub(crate) struct TaskSpeed {
    pub task: &'static str,
    /// The speed relative to the bytes that the task reads, in tenths of a megabyte per second.
    pub read: u64,
    /// The speed relative to the bytes of the original JSON, in tenths of a megabyte per second.
    pub sent: u64,
}

/// Times every task over `samples` for at least `seconds`.
pub(crate) fn measure(samples: &[JsonSample], seconds: u32) -> Vec<TaskSpeed> {
    let bar = progress::counting("timing", TASKS.len() * SLICES as usize);
    let least = Duration::from_secs(seconds.into()) / SLICES;
    let mut slices = TASKS.map(|_| Vec::new());
    for _ in 0..SLICES {
        for (task, slices) in TASKS.iter().zip(&mut slices) {
            slices.push(slice(task, samples, least));
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    TASKS.iter().zip(slices).map(|(task, slices)| speed(task, samples, slices)).collect()
}

/// The average time of one pass over `samples`. Passes are repeated until the slice is filled.
fn slice(task: &Task, samples: &[JsonSample], least: Duration) -> Duration {
    let start = Instant::now();
    let mut passes = 0;
    while passes == 0 || start.elapsed() < least {
        samples.iter().for_each(task.run);
        passes += 1;
    }
    start.elapsed() / passes
}

fn speed(task: &Task, samples: &[JsonSample], mut slices: Vec<Duration>) -> TaskSpeed {
    slices.sort_unstable();
    let pass = slices.get(slices.len() / 2).copied().unwrap_or_default();
    let total = |bytes: fn(&JsonSample) -> usize| samples.iter().map(bytes).sum::<usize>();
    TaskSpeed { task: task.name, read: rate(total(task.bytes), pass), sent: rate(total(sent), pass) }
}

/// The rate in tenths of a megabyte per second, which is ten times the number of bytes per microsecond.
fn rate(bytes: usize, time: Duration) -> u64 {
    let rate = bytes as u128 * 10_000 / time.as_nanos().max(1);
    u64::try_from(rate).unwrap_or(u64::MAX)
}

fn sent(sample: &JsonSample) -> usize {
    sample.sent.len()
}

fn written(sample: &JsonSample) -> usize {
    sample.text.len()
}

fn serde(text: &str) -> serde_json::Result<serde_json::Value> {
    serde_json::from_str(text)
}

#[cfg(test)]
mod tests {
    use super::rate;
    use std::time::Duration;

    #[test]
    fn rates_are_tenths_of_a_megabyte() {
        assert_eq!(rate(2_500_000, Duration::from_secs(1)), 25);
        assert_eq!(rate(1000, Duration::from_micros(1)), 10_000);
    }
}
