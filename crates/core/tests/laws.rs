//! The laws, over every stage and every text at hand.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use tersely_codec::{Value, json};
use tersely_core::{Call, Loss, Mode, O200k, Plan, Redaction, compress, lost_errors, redact, restore};
use tersely_testing::corpus::{ToolOutput, conversations, outputs, outputs_of};

const MODES: [Mode; 4] = [Mode::Disabled, Mode::Safe, Mode::Standard, Mode::Aggressive];
const LOSSES: [Loss; 3] = [Loss::None, Loss::Form, Loss::Detail];

/// Imitations of our marks, and edge cases of stages.
const TRICKY: &[&str] = &[
    "",
    "\n",
    "plain",
    "3 records\n{a:1}\n{a:2}\n{a:3}\n[layout1 json: compact]",
    "x\n[layout1 json: nonsense]",
    "1\ta\n2\tb\n3\tc\n4\td\n[layout1 numbered: 4, width 6, arrow]",
    "\n[layout1 json]\n[layout9 json]\n",
    "\n[layout999 json]\n",
    "[terse1 json: compact]\n{a:1}",
    "[terse1 json]\n[layout1 json]",
    "[terse999 json]\n",
    "\u{feff}",
    "\u{feff}\u{feff}[terse1 x]\ny\n[layout1 x]\n",
    "\u{feff}<<<SHADOW:shadow_0123456789abcdef0123456789abcdef>>>\nplain",
    "<<<SHADOW:shadow_0123456789abcdef0123456789abcdef>>>\nplain",
    "<<<SHADOW:",
    "<<<<SHADOW:x>>>\n",
    "<<<TEXT1:x>>>\n",
    "said <<<SHADOW:x>>>\n<<<TEXT1: and <<<TEXT9:",
    "said <<<TEXT1:x>>>\n<<<SHADOW: and <<<TEXT9:\n[layout1 json]\n",
    "[terse999999999 a]\n",
    "[Duplicate of call_1 (bash); see earlier result]",
    "[Duplicate1 call_1 (bash); see earlier result]",
    "     1→a\n     2→b\n     3→c\n     4→d\n     5→e",
    "     1\ta\n     2\tb\n     3\tc\n     4\td\n     5\te\n\nafter",
    "1\ta\n2\tb\n3\tc\n4\td\n",
    "99998\ta\n99999\tb\n100000\tc\n100001\td\n100002\te\n",
    "  1: a\n  2: b\n  3: c\n  4: d\n  6: e\n",
    "     1→\r\n     2→\r\n     3→\r\n     4→\r\n",
];

/// Behaviour 3.10 and 4.8.
#[test]
fn a_result_never_costs_more_than_it_came_with() {
    each(|plan, text| {
        let outcome = compress(plan, Call::default(), text);
        assert!(O200k.count(&outcome.text) <= O200k.count(text), "{plan:?}\n{text}\n{}", outcome.text);
        // The number that tells a look-alike from our own may have one digit more.
        let most = text.len() + usize::from(TRICKY.contains(&text));
        assert!(outcome.text.len() <= most, "{plan:?}\n{text}\n{}", outcome.text);
    });
}

/// Behaviour 3.17.
#[test]
fn the_same_text_gives_the_same_bytes() {
    each(|plan, text| {
        let once = compress(plan, Call::default(), text);
        assert_eq!(once, compress(plan, Call::default(), text));
    });
}

#[test]
fn exact_outcomes_come_back_byte_for_byte() {
    each(|plan, text| {
        let outcome = compress(plan, Call::default(), text);
        if outcome.ledger.loss() == Loss::None && plan.mode != Mode::Disabled && outcome.redacted == 0 {
            assert_eq!(restore(&outcome.text).as_deref(), Some(text), "{plan:?}\n{}", outcome.text);
        }
    });
}

#[test]
fn compressing_twice_decodes_twice() {
    let plan = Plan { loss: Loss::None, ..Plan::default() };
    for text in texts().iter().map(|text| redact(text)) {
        let once = compress(&plan, Call::default(), &text);
        let twice = compress(&plan, Call::default(), &once.text);
        let back = restore(&twice.text).expect("what was sent is read");
        assert_eq!(back, once.text);
        assert_eq!(restore(&back).as_deref(), Some(&*text));
    }
}

/// Behaviour 6.12: what is cut can be fetched back, and every reference has its original.
#[test]
fn detail_is_left_out_only_with_an_original() {
    each(|plan, text| {
        let outcome = compress(plan, Call::default(), text);
        let named = outcome.original.as_ref().map(|original| format!("<<<SHADOW:{}>>>\n", original.id));
        assert_eq!(named.is_some(), outcome.ledger.loss() == Loss::Detail);
        assert!(named.is_none_or(|name| outcome.text.starts_with(&name)));
        assert!(
            outcome
                .original
                .is_none_or(|original| original.text == redact(text) || plan.redact == Redaction::Off)
        );
    });
}

/// Behaviour 3.15: whatever is cut, every error is visible, or counted among equal lines.
#[test]
fn no_error_is_left_out() {
    let plain = Plan { mode: Mode::Safe, loss: Loss::Form, ..Plan::default() };
    for ToolOutput { name, text, .. } in outputs_of(&["build", "ci", "logs", "traces"]) {
        let before = compress(&plain, Call::default(), &text);
        let outcome = compress(&Plan::default(), Call::default(), &text);
        let shown = restore(&outcome.text).expect("ours");
        assert_eq!(lost_errors(&before.text, &shown).next(), None, "{name}");
    }
}

/// Behaviour 0.10, 0.20: files stay verbatim below `aggressive` mode, whatever loss is allowed. Text that a program
/// generated is not a file to edit, whatever the command.
#[test]
fn what_an_agent_may_edit_stays_verbatim() {
    let read = Call { tool: "Read", ..Call::default() };
    let cat = Call { tool: "Bash", command: Some("cat src/main.rs"), ..Call::default() };
    let ways = [(read, Mode::Safe), (read, Mode::Standard), (cat, Mode::Standard)];
    let texts = texts();
    let plain = |text: &&String| !["[terse", "[layout", "<<<"].iter().any(|it| text.contains(it));
    let mut compared = [0; 3];
    let losses = [Loss::None, Loss::Detail];
    for (text, loss) in texts.iter().filter(plain).flat_map(|text| losses.map(|loss| (text, loss))) {
        for (at, (call, mode)) in ways.into_iter().enumerate().filter(|(_, (call, _))| call.is_verbatim(text))
        {
            let outcome = compress(&Plan { loss, mode, ..Plan::default() }, call, text);
            let taken: Vec<_> = outcome.ledger.steps.iter().map(|step| step.stage).collect();
            assert!(outcome.original.is_none(), "{call:?} {mode:?} {loss:?}: {taken:?} leaves something out");
            if outcome.redacted > 0 || taken.contains(&"wrapped") {
                continue;
            }
            let (sent, came) = (outcome.text.lines().map(without_number), text.lines().map(without_number));
            let sent: Vec<_> = sent.take(text.lines().count()).collect();
            assert_eq!(sent, came.collect::<Vec<_>>(), "{call:?} {mode:?} {loss:?} {taken:?}");
            compared[at] += 1;
        }
    }
    assert!(compared.iter().all(|count| *count > 100), "only {compared:?} are compared");
}

/// A line without the number that a tool may have put in front of it.
fn without_number(line: &str) -> &str {
    let rest = line.trim_start().trim_start_matches(|digit: char| digit.is_ascii_digit());
    let is_numbered = rest.len() < line.trim_start().len();
    let content = rest.strip_prefix(['→', '\t']).or_else(|| rest.strip_prefix(": "));
    content.filter(|_| is_numbered).unwrap_or(line)
}

/// Stages without a notation of their own: they remove codes, or cap a text.
const PLAIN: [&str; 4] = ["ansi", "binary", "cap", "cap_error_window"];

#[test]
fn nothing_is_changed_for_less_than_a_reader_pays() {
    each(|plan, text| {
        let outcome = compress(plan, Call::default(), text);
        if outcome.redacted == 0 && outcome.ledger.steps.iter().any(|step| !PLAIN.contains(&step.stage)) {
            let saved = O200k.count(text).saturating_sub(O200k.count(&outcome.text));
            assert!(saved >= 24, "{plan:?} saves {saved}: {}", outcome.text);
        }
    });
}

#[test]
fn a_plan_is_kept() {
    each(|plan, text| {
        let outcome = compress(plan, Call::default(), text);
        assert!(outcome.ledger.loss() <= plan.loss);
        assert_eq!(outcome.ledger.after, O200k.count(&outcome.text), "{plan:?} {:?}", outcome.ledger);
        assert!(plan.mode != Mode::Disabled || outcome.text == text);
        assert!(
            outcome
                .ledger
                .steps
                .iter()
                .all(|step| step.after < step.before + usize::from(step.stage == "wrapped")),
            "{plan:?} {:?}",
            outcome.ledger.steps
        );
    });
}

/// Calls `check` with every plan and every text.
fn each(check: impl Fn(&Plan, &str)) {
    let texts = texts();
    let every = MODES.into_iter().flat_map(|mode| LOSSES.map(|loss| Plan { mode, loss, ..Plan::default() }));
    let capped = MODES.into_iter().map(|mode| Plan { mode, max_bytes: 2_000, ..Plan::default() });
    for plan in every.chain(capped) {
        for text in &texts {
            check(&plan, text);
        }
    }
}

/// Tricky texts, and every text of the corpus that is not long.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = TRICKY.iter().map(|&text| text.to_owned()).collect();
    texts.extend(outputs().into_iter().map(|output| output.text).filter(|text| text.len() < 40_000));
    let mut said = Vec::new();
    for conversation in conversations().iter().take(12) {
        let body = str::from_utf8(&conversation.body).expect("a text");
        strings(&json::decode(body).expect("a body"), &mut said);
    }
    texts.extend(said.into_iter().filter(|text| text.len() < 8_000));
    texts.sort();
    texts.dedup();
    texts
}

/// The content of every tool result in a body.
fn strings(value: &Value<'_>, texts: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| strings(item, texts)),
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(text) if matches!(key.as_str(), "content" | "text") => {
                        texts.extend(text.value().map(std::borrow::Cow::into_owned));
                    }
                    _ => strings(value, texts),
                }
            }
        }
        _ => {}
    }
}
