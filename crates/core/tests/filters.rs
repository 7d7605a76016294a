//! Users' own filters obey the same laws as our stages.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use tersely_core::{
    Call, FieldRules, Filter, FilterScope, LinePattern, LineRules, Loss, Mode, O200k, Outcome, Plan,
    Redaction, compress, compress_filtered, lost_errors, restore,
};
use tersely_testing::corpus;

/// A filter for every command, which keeps only lines that match.
fn keeping(pattern: &str) -> Filter {
    Filter {
        left_out: "what I never read",
        scopes: vec![FilterScope { tools: vec!["*".to_owned()], commands: Vec::new() }],
        lines: LineRules {
            keep: vec![LinePattern::parse(pattern).expect("an expression")],
            ..LineRules::default()
        },
        fields: FieldRules::default(),
    }
}

fn run<'t>(plan: &Plan, filter: &Filter, call: Call<'_>, text: &'t str) -> Outcome<'t> {
    compress_filtered(plan, std::slice::from_ref(filter), call, text)
}

fn lines() -> String {
    (1..=200)
        .map(|n| format!("step {n} of the build took {} ms on worker {}\n", n * 37 % 91, n % 7))
        .collect::<Vec<_>>()
        .concat()
}

const BASH: Call<'_> = Call { id: "", tool: "bash", command: Some("build all"), is_part: false };

/// Behaviour 3.19: what a filter leaves out is counted, and the whole text can be fetched back.
#[test]
fn what_a_filter_leaves_out_is_behind_a_reference() {
    let text = lines();
    let outcome = run(&Plan::default(), &keeping("took 9. ms"), BASH, &text);
    let original = outcome.original.as_ref().expect("an original");
    assert_eq!(original.text, text);
    assert!(outcome.text.starts_with(&format!("<<<SHADOW:{}>>>\n", original.id)), "{}", outcome.text);
    assert!(outcome.text.contains(" lines left out: what I never read"), "{}", outcome.text);
    assert!(outcome.ledger.steps.iter().any(|step| step.stage == Filter::STAGE));
}

/// Behaviour 3.19: nothing is left out where it could not be fetched back, of a file that may be edited, or by request.
#[test]
fn a_filter_leaves_out_only_what_may_be() {
    let (text, filter) = (lines(), keeping("nothing"));
    let read = Call { command: Some("cat build.txt"), ..BASH };
    for (plan, call) in [
        (Plan { loss: Loss::Form, ..Plan::default() }, BASH),
        (Plan { loss: Loss::None, ..Plan::default() }, BASH),
        (Plan { mode: Mode::Safe, ..Plan::default() }, BASH),
        (Plan { mode: Mode::Disabled, ..Plan::default() }, BASH),
        (Plan::default(), read),
    ] {
        let outcome = run(&plan, &filter, call, &text);
        assert!(outcome.ledger.steps.iter().all(|step| step.stage != Filter::STAGE), "{plan:?} {call:?}");
    }
}

/// Behaviour 3.20: whatever a filter says, over everything that there is: errors stay, tokens do not grow, the original
/// is the text.
#[test]
fn the_laws_hold_for_the_worst_filter() {
    let filter = keeping("no line has this");
    // An original is what stays once secrets are masked.
    let plan = Plan { redact: Redaction::Off, ..Plan::default() };
    let mut used = 0;
    for corpus::ToolOutput { name, text, .. } in corpus::outputs() {
        let call = Call { tool: "bash", ..Call::default() };
        let outcome = run(&plan, &filter, call, &text);
        assert!(O200k.count(&outcome.text) <= O200k.count(&text), "{name}");
        if outcome.ledger.steps.iter().any(|step| step.stage == Filter::STAGE) {
            used += 1;
            let clean = compress(&Plan { mode: Mode::Safe, ..plan }, call, &text);
            let shown = restore(&outcome.text).unwrap_or_default();
            // Lines in a wrapping of JSON are its lines only once it is off.
            let lost = lost_errors(&clean.text, &shown).next().filter(|_| !text.starts_with('{'));
            assert_eq!(lost, None, "{name}");
            assert_eq!(outcome.original.expect("an original").text, text, "{name}");
        }
    }
    assert!(used > 10, "{used} texts were filtered");
}
