//! A stronger mode never saves less than a milder one, and never shows more.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::collections::HashSet;
use std::thread;

use tersely_core::{Call, Loss, Mode, O200k, Outcome, Plan, compress, is_exceeded, restore};
use tersely_testing::corpus::outputs;

const MODES: [Mode; 3] = [Mode::Safe, Mode::Standard, Mode::Aggressive];

/// Behaviour 0.12.
#[test]
fn a_stronger_mode_never_saves_less_and_never_shows_more() {
    let broken: Vec<String> = over_all(|name, text| {
        let limits = if text.len() > 4_000 { vec![65_536, 4_000] } else { vec![65_536] };
        limits
            .into_iter()
            .filter_map(move |max_bytes| {
                let [safe, standard, aggressive] = MODES.map(|mode| {
                    let outcome = sent(Plan { mode, max_bytes, ..Plan::default() }, text);
                    (O200k.count(&outcome.text), lines_in_sight(text, &outcome))
                });
                let saves = safe.0 >= standard.0 && standard.0 >= aggressive.0;
                let shows = safe.1 >= standard.1 && standard.1 >= aggressive.1;
                (!saves || !shows).then(|| {
                    format!("{name} at {max_bytes}: {safe:?} {standard:?} {aggressive:?} (tokens, lines)")
                })
            })
            .collect()
    });
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn what_may_lose_detail_is_never_dearer_than_what_may_not() {
    let broken: Vec<String> = over_all(|name, text| {
        let cost = |loss| O200k.count(&sent(Plan { loss, ..Plan::default() }, text).text);
        let [none, form, detail] = [Loss::None, Loss::Form, Loss::Detail].map(cost);
        let dearer = form > none || detail > form;
        dearer.then(|| format!("{name}: none {none}, form {form}, detail {detail}")).into_iter().collect()
    });
    assert!(broken.is_empty(), "{broken:#?}");
}

/// `max_bytes` means the same in every mode: what may be left out does not go beyond it.
#[test]
fn what_may_be_left_out_keeps_to_the_limit() {
    let diff = (0..4_000)
        .map(|n| format!("+    let value_{n} = compute({});\n", n * 7919 % 1000))
        .collect::<Vec<_>>()
        .concat();
    let diff = format!("diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1,4000 @@\n{diff}");
    for mode in MODES {
        let plan = Plan { mode, ..Plan::default() };
        let outcome = sent(plan, &diff);
        assert!(!is_exceeded(&plan, &outcome.text), "{mode:?} sends {} bytes", outcome.text.len());
        let shown = restore(&outcome.text).expect("ours");
        let cut = shown.lines().filter(|line| !line.starts_with(['+', '-', '@', 'd', '<', '[']));
        assert_eq!(cut.count(), 0, "{mode:?} cuts between lines");
    }
    let file = Call { tool: "Read", ..Call::default() };
    for mode in [Mode::Safe, Mode::Standard] {
        let outcome = compress(&Plan { mode, ..Plan::default() }, file, &diff);
        assert_eq!(outcome.text, diff, "a file is what an edit quotes");
    }
}

fn sent(plan: Plan, text: &str) -> Outcome<'_> {
    compress(&plan, Call::default(), text)
}

/// How many lines of a text can be read in what is sent for it.
fn lines_in_sight(text: &str, outcome: &Outcome<'_>) -> usize {
    let shown = restore(&outcome.text).expect("ours");
    let shown: HashSet<&str> = shown.lines().map(str::trim).collect();
    text.lines().map(str::trim).filter(|line| !line.is_empty() && shown.contains(line)).count()
}

/// What `check` says of every text at hand, on two threads.
fn over_all(check: impl Fn(&str, &str) -> Vec<String> + Sync) -> Vec<String> {
    let texts: Vec<(String, String)> = own().into_iter().chain(corpus()).collect();
    let (even, odd): (Vec<_>, Vec<_>) = texts.iter().enumerate().partition(|(at, _)| at % 2 == 0);
    let run = |part: Vec<(usize, &(String, String))>| -> Vec<String> {
        part.into_iter().flat_map(|(_, (name, text))| check(name, text)).collect()
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| run(odd));
        let mut all = run(even);
        all.extend(other.join().expect("a thread"));
        all
    })
}

/// Texts on either side of the limit, of kinds that modes treat differently.
fn own() -> Vec<(String, String)> {
    let line = |n: usize| format!("{} is line number {n} of many, {}\n", n * 31 % 97, n * 7919 % 1009);
    let lines: String = (0..2_500).map(line).collect();
    let log = |n: usize| {
        let level = if n == 700 { "ERROR" } else { "INFO" };
        format!(
            "2026-03-02T10:{:02}:{:02}Z {level} worker {} took {} ms for the job\n",
            n / 60 % 60,
            n % 60,
            n % 7,
            n * 37 % 90
        )
    };
    let rows: Vec<String> =
        (0..900).map(|n| format!("{{\"id\": {n}, \"name\": \"user {n}\", \"active\": true}}")).collect();
    let ci = |n: usize| {
        format!("build\tTest\t2026-03-02T10:{:02}:{:02}.1234567Z step {n} went well\n", n / 60, n % 60)
    };
    let tsc =
        |n: usize| format!("src/file{}.ts({n},5): error TS2307: Cannot find module './part{n}'.\n", n / 9);
    [
        ("lines", lines.clone()),
        ("one long line", lines.replace('\n', " ")),
        ("log", (0..1_400).map(log).collect()),
        ("rows", format!("[{}]", rows.join(",\n"))),
        ("ci", (0..600).map(ci).collect()),
        ("errors", (0..1_200).map(tsc).collect()),
        ("colours", format!("\u{1b}[32m{}\u{1b}[0m", lines.replace('\n', "\u{1b}[0m\n\u{1b}[31m"))),
        ("blank lines", "a line\n\n\n\n\n   \n".repeat(3_000)),
        ("nothing", String::new()),
        ("a newline", "\n".to_owned()),
    ]
    .map(|(name, text)| (name.to_owned(), text))
    .to_vec()
}

fn corpus() -> Vec<(String, String)> {
    outputs().into_iter().map(|output| (output.name, output.text)).collect()
}
