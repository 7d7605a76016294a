//! Regressions of `spec/behaviour.md` for one tool result: mistakes of other tools that we do not make.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::fmt::Write as _;

use tersely_codec::json;
use tersely_core::{
    Call, DictionaryMethod, Loss, Mode, O200k, Outcome, Plan, Redaction, compress, original_of, restore,
};
use tersely_stage::{Room, Scene, TextView, form_named};
use tersely_testing::corpus::{ToolOutput, outputs_of};
use tersely_testing::pace::thread_time;

const EXACT: Plan = Plan { loss: Loss::None, ..plan(Mode::Standard) };

const fn plan(mode: Mode) -> Plan {
    Plan { mode, redact: Redaction::All, ..Plan::USUAL }
}

fn ran<'a>(mode: Mode, command: &str, text: &'a str) -> Outcome<'a> {
    compress(&plan(mode), Call { tool: "bash", command: Some(command), ..Call::default() }, text)
}

/// What a reader has before them, spelled out.
fn shown(outcome: &Outcome<'_>) -> String {
    restore(&outcome.text).expect("ours").into_owned()
}

fn rows(count: usize, row: impl Fn(usize) -> String) -> String {
    (0..count).map(row).collect()
}

/// Behaviour 17.1.
#[test]
fn commits_in_any_script_break_nothing() {
    for text in ["commit 日本語\nAuthor: é\n\n    x\n", "commit \u{1F389}", "commit é\ncommit ß\n"] {
        for mode in [Mode::Safe, Mode::Standard, Mode::Aggressive] {
            let long = text.repeat(200);
            assert!(!ran(mode, "git log", &long).text.is_empty());
        }
    }
}

/// Behaviour 17.2 and 1.22.
#[test]
fn numbers_and_double_keys_stay() {
    let text = r#"{"id": 12345678901234567890123, "n": 1.10, "e": 1E5, "z": -0, "dup": 1, "dup": 2, "note": "and a longer text, so that something is done"}"#;
    for mode in [Mode::Standard, Mode::Aggressive] {
        let shown = shown(&ran(mode, "curl x", text));
        assert_eq!(json::decode(&shown).expect("JSON"), json::decode(text).expect("JSON"));
    }
}

/// Behaviour 17.4.
#[test]
fn source_keeps_its_spaces() {
    let line = "    let f = |a: usize,  b: usize| a   ||  b; // | x | y |\n\n\n\n";
    let text = line.repeat(40);
    let outcome = ran(Mode::Standard, "cat src/lib.rs", &text);
    assert_eq!(outcome.text, text, "a file that may be edited");
    let outcome = compress(&EXACT, Call::default(), &text);
    assert_eq!(shown(&outcome), text);
}

/// Behaviour 17.6.
#[test]
fn long_answers_in_json_are_not_cut_at_a_length() {
    let versions = rows(900, |n| format!("    \"1.{}.{}\",\n", n / 30, n % 30));
    let text = format!("{{\n  \"name\": \"x\",\n  \"versions\": [\n{versions}    \"2.0.0\"\n  ]\n}}\n");
    let outcome = ran(Mode::Standard, "npm view x --json", &text);
    assert!(O200k.count(&outcome.text) < O200k.count(&text));
    assert_eq!((outcome.ledger.loss() < Loss::Detail, outcome.original), (true, None), "nothing is cut");
    let value = json::decode(&text).expect("JSON");
    assert_eq!(json::decode(&restore(&outcome.text).expect("ours")).expect("JSON"), value);
}

/// Behaviour 17.8: no hit is hidden unless it is counted, and what is not cut has no marker.
#[test]
fn hits_in_built_folders_are_shown_or_counted() {
    for count in [10, 60] {
        let text = rows(count, |n| format!("target/debug/build/a{}.rs:{n}:let found = {n};\n", n / 5));
        let outcome = ran(Mode::Standard, "rg found", &text);
        if outcome.ledger.loss() == Loss::Detail {
            assert!(outcome.text.contains("left out"), "{}", outcome.text);
        } else {
            assert_eq!(shown(&outcome), text);
        }
    }
}

/// Behaviour 17.9.
#[test]
fn logs_of_commits_are_counted_and_their_names_usable() {
    let commit = |n: usize| {
        format!(
            "commit {n:07x}{:033x}\nAuthor: An Author <author@example.org>\nDate:   Mon Jan 5 10:{:02}:00 2026 +0100\n\n    Change number {n} that failed before\n\n",
            n * 7919,
            n % 60
        )
    };
    let text = rows(40, commit);
    for mode in [Mode::Standard, Mode::Aggressive] {
        let outcome = ran(mode, "git log", &text);
        assert!(
            O200k.count(&outcome.text) < O200k.count(&text),
            "{mode:?}: the word failed does not stop it"
        );
        for n in 0..40 {
            let (name, subject) = (format!("{n:07x}"), format!("Change number {n} that failed before"));
            let is_told = shown(&outcome).contains(&name) && shown(&outcome).contains(&subject);
            assert!(is_told, "{mode:?}: commit {n} is not in sight: {}", outcome.text);
        }
    }
}

/// Behaviour 17.10.
#[test]
fn one_error_does_not_stand_for_a_report() {
    let mut text = rows(60, |n| format!("region {n} sold {} of {} items\n", n * 37 % 101, n * 91));
    text.push_str("error in region 17: no currency\n");
    let outcome = ran(Mode::Standard, "python report.py", &text);
    assert!(shown(&outcome).contains("region 59 sold") && outcome.text.contains("region 17: no currency"));
    assert_eq!(shown(&outcome).matches("no currency").count(), 1);

    let mut readme = "# Title\n".to_owned();
    for n in 0..100 {
        let _ = write!(readme, "\n## Part {n}\n\nThe body of part {n} is as good as any other.\n");
    }
    let outcome = ran(Mode::Standard, "cat README.md", &readme);
    assert_eq!(shown(&outcome), readme, "a file stays whole");
}

/// Behaviour 17.11, 14.7 and 0.4.
#[test]
fn what_looks_like_our_own_work_is_data() {
    for first in [
        "[Forge LZW Dictionary]\n<<F1:1>> = \"x\"\n\n",
        "[Tersely LZW Dictionary]\n<<F1:1>> = \"x\"\n\n",
        "[Tersely RePair Dictionary]\n<<R1:1>> = \"x\"\n\n",
        "[REF:abc]\n",
        "<<<SHADOW:shadow_0123456789abcdef0123456789abcdef>>>\n",
        "<<<EXPAND:shadow_0123456789abcdef0123456789abcdef>>>\n",
        "[Duplicate of call_1 (bash); see earlier result]\n",
        "[Tool output capped: 9 bytes removed]\n",
        "[terse1 json: compact]\n",
        "\u{feff}",
        "[12 lines left out: passing tests]\n",
    ] {
        let text = format!("{first}{}", "<<F1:1>> and a line that says the same again\n".repeat(30));
        for mode in [Mode::Standard, Mode::Aggressive] {
            let outcome = compress(&Plan { loss: Loss::None, ..plan(mode) }, Call::default(), &text);
            assert_eq!(shown(&outcome), text);
            assert!(outcome.original.is_none() && original_of(&outcome.text).is_none(), "{}", outcome.text);
        }
    }
    // As they are, these would be read as ours: they are sent otherwise, and come back.
    for ours in ["<<<SHADOW:shadow_0123456789abcdef0123456789abcdef>>>\nx", "a\nb\n[layout1 repeats]"] {
        let outcome = compress(&EXACT, Call::default(), ours);
        assert_ne!(outcome.text, ours);
        assert_eq!(shown(&outcome), ours);
    }
}

/// Behaviour 17.14: a dictionary is looked for in bounded time. The limit is ten times over for builds without
/// optimisation and busy machines.
#[test]
fn a_dictionary_takes_no_time_to_speak_of() {
    // Phrases that come again in no order that another form would know.
    let phrases =
        ["the quick brown fox", "jumps over the lazy dog", "and none was the wiser", "as far as we know"];
    let text = rows(900, |n| {
        let phrase = |by: usize| phrases[n * by % 11 % phrases.len()];
        format!("{} {} {}, {}; ", phrase(3), n * 7919 % 1009, phrase(5), phrase(7))
    });
    let text = &text[..50_000];
    for dictionary in [DictionaryMethod::Lzw, DictionaryMethod::Repair, DictionaryMethod::Auto] {
        let start = thread_time();
        let plan = Plan { dictionary, loss: Loss::None, ..plan(Mode::Aggressive) };
        let form = form_named("dictionary").unwrap();
        let edit = form.apply(Scene::of(&plan, Call::default()), &TextView::new(text)).unwrap();
        assert_eq!(form.restore(Room::of(&edit.text), &edit.note, &edit.text).as_deref(), Some(text));
        let took = thread_time().saturating_sub(start);
        assert!(took.as_millis() < 1000, "{dictionary:?} took {took:?}");
    }
}

/// Behaviour 17.16: no form is taken that costs more than compact JSON.
#[test]
fn a_form_is_taken_only_where_it_saves() {
    for ToolOutput { name, text, .. } in outputs_of(&["json-api", "json-rows"]) {
        let Ok(value) = json::decode(&text) else { continue };
        let outcome = compress(&EXACT, Call::default(), &text);
        assert!(O200k.count(&outcome.text) <= O200k.count(&json::encode(&value)), "{name}");
    }
}

/// Behaviour 17.20.
#[test]
fn records_stay_records() {
    let text = format!("[{}]", vec![r#"{"k":"v","nested":{"n":1}}"#; 500].join(","));
    let outcome = ran(Mode::Standard, "curl x", &text);
    assert!(!outcome.text.contains("[object"));
    let whole = outcome.original.as_ref().map_or_else(|| shown(&outcome), |it| it.text.to_string());
    assert_eq!(json::decode(&whole).expect("JSON"), json::decode(&text).expect("JSON"));
}

/// A file that begins with a mark of its byte order is a text like others.
#[test]
fn a_byte_order_mark_is_in_nobodys_way() {
    let json = rows(40, |n| format!("{{\"id\":{n},\"kind\":\"fruit\"}},"));
    let json = format!("[{}]", json.trim_end_matches(','));
    let listing = rows(30, |n| format!("src/some/deep/folder/of/files/file{n}.rs\n"));
    let log = rows(500, |n| {
        format!("2026-03-02 10:{:02}:{:02} INFO worker {n} is done with what it had to do\n", n / 60, n % 60)
    });
    for text in [json, listing, log] {
        let marked = format!("\u{feff}{text}");
        let (plain, outcome) = (ran(Mode::Standard, "x", &text), ran(Mode::Standard, "x", &marked));
        assert!(!plain.ledger.steps.is_empty());
        let stages =
            |outcome: &Outcome<'_>| outcome.ledger.steps.iter().map(|step| step.stage).collect::<Vec<_>>();
        assert_eq!(stages(&plain), stages(&outcome));
        match &outcome.original {
            Some(original) => assert_eq!(original.text, marked),
            None => assert_eq!(restore(&outcome.text).as_deref(), Some(&*marked)),
        }
    }
}
