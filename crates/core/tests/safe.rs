//! The safe stages in the pipeline, and how the plan limits them.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use tersely_core::{Call, Loss, Mode, Original, Outcome, Plan, Reader, Redaction, compress, restore};

/// What a small reader is sent: forms for strong ones would leave nothing to cap.
const SAFE: Plan = Plan { mode: Mode::Safe, redact: Redaction::All, reader: Reader::Small, ..Plan::USUAL };

fn run<'a>(plan: &Plan, text: &'a str) -> Outcome<'a> {
    compress(plan, Call::default(), text)
}

fn stages(outcome: &Outcome<'_>) -> Vec<&'static str> {
    outcome.ledger.steps.iter().map(|step| step.stage).collect()
}

fn original<'o>(outcome: &'o Outcome<'_>) -> &'o Original<'o> {
    outcome.original.as_ref().expect("an original")
}

/// Behaviour 3.3 and 3.4: codes go first, and nothing is left to do with what is binary.
#[test]
fn codes_go_before_binary_and_binary_before_the_rest() {
    let text = format!("\x1b[31m{}\0", "a line of bytes\n".repeat(10_000));
    let outcome = run(&SAFE, &text);
    assert_eq!(stages(&outcome), ["ansi", "binary"]);
    let shown = format!("<<<SHADOW:{}>>>\n[Binary output suppressed: 160001 bytes]", original(&outcome).id);
    assert_eq!(outcome.text, shown);
    let colours = "\x1b[32mok\x1b[0m 1\n".repeat(1000);
    assert_eq!(run(&SAFE, &colours).text, "ok 1\n".repeat(1000));
}

/// Behaviour 17.3.
#[test]
fn line_ends_are_kept() {
    let outcome = run(&SAFE, "a\r\nb\r\n");
    assert_eq!((&*outcome.text, outcome.ledger.steps.len()), ("a\r\nb\r\n", 0));
}

/// Behaviour 17.5 and 0.9: exact forms come before the cap, and what they hold is not cut, whoever printed it.
#[test]
fn long_json_is_not_cut() {
    let rows: Vec<String> = (0..700)
        .map(|id| {
            format!("{{\"id\": {id}, \"name\": \"user number {id}\", \"active\": true, \"score\": {}, \"team\": \"blue\", \"kind\": \"member\"}}", id * 37 % 101)
        })
        .collect();
    let text = format!("[{}]", rows.join(", "));
    assert!(text.len() > SAFE.max_bytes);
    for (tool, command) in [
        ("", None),
        ("Bash", Some("curl -s https://api.example.org/members")),
        ("Bash", Some("gh api repos/a/b/contributors --paginate")),
        ("bash", Some("psql -At -c 'select json_agg(m) from members m'")),
        ("mcp__db__query", None),
        ("WebFetch", None),
    ] {
        let call = Call { tool, command, ..Call::default() };
        let exact = compress(&Plan { loss: Loss::Form, ..Plan::default() }, call, &text);
        assert_eq!((stages(&exact), exact.ledger.loss()), (vec!["json"], Loss::None), "{call:?}");
        assert_eq!(restore(&exact.text).as_deref(), Some(&*text), "{call:?}");
        let brief = compress(&Plan::default(), call, &text);
        assert_eq!((brief.text, brief.original), (exact.text, None), "{call:?}");
    }
}

/// Behaviour 3.5, 3.6 and 3.16.
#[test]
fn long_texts_are_capped_with_a_count() {
    let rows: Vec<_> = (0..4000).map(|row| format!("row {row} is as good as the next\n")).collect();
    let fill = rows.concat();
    let outcome = run(&SAFE, &fill);
    assert_eq!(stages(&outcome), ["cap"]);
    let (shown, count) = outcome.text.split_once("\n[Tool output capped: ").expect("a marker");
    let (count, rest) = count.split_once(" bytes removed]\n").expect("a count");
    let name = shown.split_once('\n').expect("the name of the original").0;
    let kept = shown.len() - name.len() + rest.len();
    assert_eq!(kept + count.parse::<usize>().expect("a number"), fill.len(), "counts add up");
    assert!((65_000..=65_536).contains(&kept), "{kept} bytes are kept");
    let text = fill.clone() + "FAILED here\n" + &fill;
    let outcome = run(&SAFE, &text);
    assert_eq!(stages(&outcome), ["cap_error_window"]);
    assert!(outcome.text.contains("]\nFAILED here\n"));
    assert_eq!(stages(&run(&SAFE, &outcome.text)), [""; 0], "never twice");
}

#[test]
fn a_plan_without_loss_keeps_all() {
    let text = format!("\x1b[31mx\x1b[0m\0{}", "a line like the others\n".repeat(5000));
    for (loss, expected) in
        [(Loss::None, vec![]), (Loss::Form, vec!["ansi"]), (Loss::Detail, vec!["ansi", "binary"])]
    {
        assert_eq!(stages(&run(&Plan { loss, ..SAFE }, &text)), expected);
    }
}
