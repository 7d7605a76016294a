//! Content is shown whole up to a length, below which only noise is cut.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::collections::BTreeSet;
use std::{env, fs};

use tersely_core::{Call, CutClass, Loss, Mode, O200k, Plan, compress, max_whole_tokens, restore};
use tersely_stage::Stage;
use tersely_stage::cut::{CAPS, CUTS, FAMILIES, REST};
use tersely_testing::corpus::{conversations, outputs, project, recorded_calls};

/// Every stage that leaves something out.
fn cuts() -> impl Iterator<Item = &'static dyn Stage> {
    [CUTS, FAMILIES, REST, CAPS].into_iter().flatten().copied()
}

/// The words that stand for what is of a class.
fn words_of(class: CutClass) -> BTreeSet<&'static str> {
    let left = cuts().flat_map(Stage::leaves);
    left.filter(|(of, _)| *of == class).flat_map(|(_, words)| words.iter().copied()).collect()
}

#[test]
fn every_cut_says_what_it_leaves_out_class_by_class() {
    for stage in cuts() {
        let classes: Vec<CutClass> = stage.leaves().iter().map(|(class, _)| *class).collect();
        assert!(!classes.is_empty() && classes.is_sorted(), "{}: {classes:?}", stage.name());
    }
}

/// Behaviour 0.19: the page lists every cut; with `TERSELY_BLESS=1` its table is written anew.
#[test]
fn the_page_lists_every_cut() {
    let rows = cuts().flat_map(|stage| {
        stage.leaves().iter().map(|(class, words)| {
            format!("| `{}` | {} | {} |\n", stage.name(), class.name(), words.join("; "))
        })
    });
    let table: String = rows.collect();
    let place = project().join("docs/concepts.md");
    let page = fs::read_to_string(&place).expect("a page");
    let (above, below) = page.rsplit_once("|---|---|---|\n").expect("a table");
    if env::var_os("TERSELY_BLESS").is_some() {
        fs::write(&place, format!("{above}|---|---|---|\n{table}")).expect("written");
    } else {
        assert_eq!(below, table, "TERSELY_BLESS=1 cargo test --test whole writes it");
    }
}

/// What a text says of what is missing from it, but for what it said itself.
fn said<'t>(text: &str, shown: &'t str) -> Vec<&'t str> {
    // A subject of a commit may say so as well, on a line that is ours.
    let tells = |line: &&str| line.contains(" left out") && line.contains('[');
    shown.lines().filter(tells).filter(|line| !text.contains(line.trim())).collect()
}

/// What of that is neither noise nor one of the two exceptions, where those apply.
fn is_content(line: &str, allowed: &BTreeSet<&str>) -> bool {
    let Some((_, rest)) = line.split_once(" left out: ") else { return true };
    let words = rest.split(']').next().unwrap_or(rest).trim_end_matches(", here and below");
    let is_known = |part: &str| {
        let bare = part.rsplit_once(" (").map_or(part, |(bare, _)| bare);
        allowed.contains(bare)
    };
    !allowed.contains(words) && !words.split(", ").all(is_known)
}

fn check(name: &str, call: Call<'_>, text: &str) -> Option<String> {
    let exact = compress(&Plan { loss: Loss::Form, ..Plan::default() }, call, text);
    let cost = O200k.count(&exact.text);
    if cost > max_whole_tokens(Mode::Standard, CutClass::Content) {
        return None;
    }
    let mut allowed = words_of(CutClass::Noise);
    if cost > max_whole_tokens(Mode::Standard, CutClass::Further) {
        allowed.extend(words_of(CutClass::Further));
    }
    let brief = compress(&Plan::default(), call, text);
    brief.original.as_ref()?;
    let shown = restore(&brief.text).expect("ours").replace("\\n", "\n");
    let said = said(text, &shown);
    let wrong: Vec<_> = said.into_iter().filter(|line| is_content(line, &allowed)).collect();
    (!wrong.is_empty()).then(|| format!("{name} ({cost} tokens): {wrong:?}"))
}

/// Behaviour 0.19 and 17.5: below the length nothing but noise is left out of any output, whatever is known of its call.
#[test]
fn content_below_the_length_is_whole() {
    let calls = recorded_calls();
    let mut broken = Vec::new();
    for output in outputs() {
        broken.extend(check(&output.name, Call::default(), &output.text));
        if let Some((tool, command)) = calls.get(&output.name) {
            let call = Call { tool, command: command.as_deref(), ..Call::default() };
            broken.extend(check(&output.name, call, &output.text));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// The same of every result in a conversation.
#[test]
fn content_of_conversations_is_whole_below_the_length() {
    let mut broken = Vec::new();
    for sample in conversations() {
        let slots = sample.provider.slots(&sample.body).expect("slots");
        for (at, slot) in slots.iter().enumerate() {
            let call =
                Call { tool: &slot.call.tool, command: slot.call.command.as_deref(), ..Call::default() };
            let Some(text) = slot.text() else { continue };
            broken.extend(check(&format!("{} {at}", sample.name), call, &text));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}
