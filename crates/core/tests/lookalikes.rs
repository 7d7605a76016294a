//! Texts that imitate our marks are restored unchanged, and cost no more than before.

use tersely_core::{Call, Loss, Mode, O200k, Plan, Redaction, compress, restore};

/// Marks that a text may imitate, around a number.
const NUMBERED_MARKS: [(&str, &str); 6] = [
    ("{a:1}\n[layout", " json: indent 2]\n"),
    ("a\n[layout", " a]"),
    ("[\"(below)\"]\nx\n[layout", " wrapped: compact]"),
    ("\n[layout", " numbered: 1, width 6, arrow]\n"),
    ("<<<TEXT", ":shadow_0123456789abcdef0123456789abcdef>>>\nplain"),
    ("<<<TEXT", ":"),
];

/// Marks without a number.
const BARE_MARKS: [&str; 8] = [
    "<<<SHADOW:shadow_0123456789abcdef0123456789abcdef>>>\n",
    "<<<SHADOW:shadow_0123456789abcdef0123456789abcdef>>>\na\n[layout1 a]\n",
    "<<<SHADOW:",
    "<<<SHADOW:\n\nx",
    "<<<<SHADOW:shadow_0123456789abcdef0123456789abcdef>>>\n",
    "[Duplicate of call_1 (bash); see earlier result]",
    "[terse1 json]\n",
    "x\n[layout x]\n",
];

fn numbers() -> Vec<String> {
    let small = (0..1200).map(|number| number.to_string());
    let padded = (0..1000).step_by(7).flat_map(|number| [format!("{number:02}"), format!("{number:03}")]);
    let long = (1..40).flat_map(|length| ["9", "0", "1", "10", "901"].map(|digits| digits.repeat(length)));
    small.chain(padded).chain(long).filter(|digits| !is_last(digits)).collect()
}

/// True for the one number in a thousand whose next number costs a token more.
fn is_last(digits: &str) -> bool {
    let nines = digits.strip_prefix('0').filter(|rest| rest.bytes().all(|digit| digit == b'9'));
    nines.is_some_and(|nines| nines.len() % 3 == 2)
}

fn sent(mode: Mode, text: &str) -> String {
    let plan = Plan { mode, loss: Loss::None, redact: Redaction::Off, ..Plan::default() };
    let outcome = compress(&plan, Call::default(), text);
    assert_eq!(restore(&outcome.text).as_deref(), Some(text), "{}", outcome.text);
    outcome.text.into_owned()
}

#[test]
fn look_alikes_come_back_and_cost_no_more() {
    let numbers = numbers();
    let numbered = NUMBERED_MARKS
        .iter()
        .flat_map(|(open, rest)| numbers.iter().map(move |n| format!("{open}{n}{rest}")));
    for text in numbered.chain(BARE_MARKS.map(str::to_owned)) {
        for mode in [Mode::Safe, Mode::Standard] {
            let sent = sent(mode, &text);
            assert!(O200k.count(&sent) <= O200k.count(&text), "{text}\n{sent}");
        }
    }
}

/// Texts with marks in their middle: plain, in a log, in JSON, in a wrapping, in a listing.
fn middles() -> Vec<String> {
    let mark = "<<<SHADOW:shadow_0123456789abcdef0123456789abcdef>>>";
    let each = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<Vec<_>>();
    let lines = each(60, &|n| format!("2026-01-01T00:00:{n:02}Z INFO said {mark} to {n}\n")).concat();
    let rows = each(30, &|n| format!(r#"{{"id": {n}, "said": "{mark}", "n": "<<<TEXT7:"}}"#));
    let long = format!("a line before it\\n{mark}\\nand \\\"more\\\" lines\\n").repeat(20);
    let hits = each(30, &|n| format!("src/{mark}.rs:{n}:let x = \"<<<TEXT1:{n}\";\n")).concat();
    vec![
        format!("a page says\n{mark}\nand goes on"),
        format!("x<{mark} <<<TEXT1:x <<<TEXT99:\n\n{mark}"),
        format!("<<<TEXT2:a\n{mark}\n[layout1 a]\n"),
        lines,
        format!("[{}]", rows.join(", ")),
        format!(r#"{{"content": [{{"type": "text", "text": "{long}"}}]}}"#),
        hits,
    ]
}

/// Behaviour 6.3, 14.7: no text of a tool, anywhere, passes for a reference.
#[test]
fn marks_in_the_middle_come_back_and_are_told_from_ours() {
    for text in middles() {
        for mode in [Mode::Safe, Mode::Standard, Mode::Aggressive] {
            let sent = sent(mode, &text);
            assert!(!sent.contains("<<<SHADOW:"), "{sent}");
            assert!(O200k.count(&sent) <= O200k.count(&text), "{text}\n{sent}");
            let plan = Plan { mode, max_bytes: 700, redact: Redaction::Off, ..Plan::default() };
            let outcome = compress(&plan, Call::default(), &text);
            let shown = outcome.original.map_or(0, |_| outcome.text.find('\n').unwrap_or_default());
            assert!(!outcome.text[shown..].contains("<<<SHADOW:"), "{}", outcome.text);
        }
    }
}

/// Behaviour 6.3: text that an agent may edit is shown unchanged, and restored.
#[test]
fn files_keep_their_marks() {
    let read = Call { id: "a", tool: "Read", command: Some("src/reference.rs"), ..Call::default() };
    let source = "//! Marks.\nconst OPEN: &str = \"<<<SHADOW:\";\nconst FOREIGN: &str = \"<<<TEXT1:\";\n";
    let plan = Plan { redact: Redaction::Off, ..Plan::default() };
    let outcome = compress(&plan, read, source);
    assert_eq!(outcome.text, source);
    assert_eq!(restore(&outcome.text).as_deref(), Some(source));
    for text in middles() {
        let plan = Plan { loss: Loss::None, redact: Redaction::Off, ..Plan::default() };
        let outcome = compress(&plan, read, &text);
        assert_eq!(restore(&outcome.text).as_deref(), Some(&*text), "{}", outcome.text);
    }
}

/// A compressed text may be compressed again, any number of times.
#[test]
fn look_alikes_of_look_alikes_come_back() {
    let played = NUMBERED_MARKS.map(|(open, rest)| format!("{open}1{rest}"));
    for text in BARE_MARKS.map(str::to_owned).into_iter().chain(played).chain(middles()) {
        let mut all = vec![text];
        for _ in 0..20 {
            let next = sent(Mode::Standard, &all[all.len() - 1]);
            assert!(O200k.count(&next) <= O200k.count(&all[0]), "{next}");
            all.push(next);
        }
    }
}

/// There are finitely many texts of a given cost, so some imitation must cost one token more.
#[test]
fn the_last_number_of_a_cost_is_followed_by_a_dearer_one() {
    for digits in ["099", "099999"] {
        let text = format!("x\n[layout{digits} a]\n");
        assert_eq!(O200k.count(&sent(Mode::Standard, &text)), O200k.count(&text) + 1);
    }
}
