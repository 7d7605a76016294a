//! Time is linear in the length of a text, for a hundred shapes in two lengths each.

mod shapes;

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use shapes::{SHAPES, Shape};
use tersely_core::{Call, DictionaryMethod, Loss, Mode, Plan, Reader, Redaction, compress, restore};
use tersely_testing::pace::thread_time;

const AGGRESSIVE: Plan = plan(Mode::Aggressive);
const STANDARD: Plan = plan(Mode::Standard);

const fn plan(mode: Mode) -> Plan {
    Plan { mode, redact: Redaction::All, dictionary: DictionaryMethod::Auto, ..Plan::USUAL }
}

/// The time that a text takes: the least of several runs, for others use the machine too.
fn time(plan: &Plan, text: &str, runs: usize) -> Duration {
    let run = || {
        let begun = time_so_far();
        let outcome = compress(plan, Call::default(), text);
        assert!(outcome.text.len() <= text.len() + 64);
        time_so_far().saturating_sub(begun)
    };
    (0..runs).map(|_| run()).min().unwrap_or_default()
}

/// The time that this thread has run, to the microsecond: the system brings its account up to date when a thread
/// yields, and else only every few milliseconds.
fn time_so_far() -> Duration {
    thread::yield_now();
    thread_time()
}

#[test]
fn there_are_a_hundred_shapes() {
    assert!(SHAPES.len() >= 100, "{}", SHAPES.len());
    for (name, shape) in SHAPES {
        let length = shape.text(10_000).len();
        assert!((9_000..12_000).contains(&length), "{name}: {length}");
    }
}

/// Law 3: a text of which nothing is left out comes back, however short it became.
#[test]
fn every_shape_comes_back() {
    let usual = Plan { redact: Redaction::Off, ..Plan::USUAL };
    let whole = Plan { loss: Loss::None, ..usual };
    for plan in [
        usual,
        whole,
        Plan { reader: Reader::Small, ..whole },
        Plan { mode: Mode::Aggressive, dictionary: DictionaryMethod::Auto, ..whole },
    ] {
        for (name, shape) in SHAPES {
            let text = shape.text(100_000);
            let outcome = compress(&plan, Call::default(), &text);
            if outcome.ledger.loss() == Loss::None {
                let sent = &outcome.text;
                assert_eq!(restore(sent).as_deref(), Some(&*text), "{name}: {plan:?}: {sent:.300}");
            }
        }
    }
}

/// Ten times the text takes about ten times the time. Twice that is noise; five times that is the square.
#[test]
fn no_shape_takes_more_than_its_length() {
    let slow: Vec<_> = SHAPES.iter().filter_map(|(name, shape)| superlinear(name, shape)).collect();
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

fn superlinear(name: &str, shape: &Shape) -> Option<String> {
    let (short, long) = (shape.text(16 << 10), shape.text(160 << 10));
    let (first, second) = (time(&AGGRESSIVE, &short, 2), time(&AGGRESSIVE, &long, 1));
    let bound = 50 * first + Duration::from_millis(100);
    if second <= bound {
        return None;
    }
    // Once more: a machine that was busy is no square.
    let (first, second) = (time(&AGGRESSIVE, &short, 3), time(&AGGRESSIVE, &long, 2));
    (second > bound).then(|| format!("{name}: {first:?} for 16 KB, {second:?} for 160 KB"))
}

/// Writes every shape into a folder in three sizes, for those who send them to the program: `just doors`.
#[test]
#[ignore = "a gigabyte: just doors"]
fn shapes_are_written_for_others() {
    let folder = PathBuf::from(std::env::var_os("TERSELY_SHAPES").expect("TERSELY_SHAPES names a folder"));
    for bytes in [100_000, 1_000_000, 10_000_000] {
        let folder = folder.join(bytes.to_string());
        std::fs::create_dir_all(&folder).expect("a folder");
        for (name, shape) in SHAPES {
            std::fs::write(folder.join(name), shape.text(bytes)).expect("room for a shape");
        }
    }
}

/// The full measurement: milliseconds for 0.1, 1 and 10 MB, and how much longer a byte takes at 10 MB than at 1.
#[test]
#[ignore = "minutes: just hostile"]
fn ten_megabytes_take_ten_times_as_long_as_one() {
    let mut worst = Vec::new();
    for (mode, plan) in [("standard", &STANDARD), ("aggressive", &AGGRESSIVE)] {
        for (name, shape) in SHAPES {
            let [small, middle, large] = [(100_000, 5), (1_000_000, 3), (10_000_000, 2)]
                .map(|(bytes, runs)| time(plan, &shape.text(bytes), runs).as_secs_f64() * 1e3);
            let ratio = large / middle / 10.0;
            let line = format!("{ratio:5.2}  {small:8.1}  {middle:8.1}  {large:9.1}  {mode:10}  {name}");
            println!("{line}");
            worst.push((ratio, line));
        }
    }
    worst.sort_by(|one, two| two.0.total_cmp(&one.0));
    worst.truncate(10);
    let lines: Vec<_> = worst.iter().map(|(_, line)| line.as_str()).collect();
    println!("the worst:\n{}", lines.join("\n"));
    assert!(worst[0].0 <= 1.5, "{}", lines.join("\n"));
}
