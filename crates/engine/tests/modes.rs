//! Over whole conversations too, a stronger mode never saves less than a milder one and never shows more.

#![expect(clippy::expect_used, reason = "a test fails loudly, and says how much it saw")]

use std::collections::HashSet;

use tersely_core::{Call, Mode, Plan, Redaction, Room, Session};
use tersely_engine::{Engine, EngineSettings, Request};
use tersely_testing::corpus::{SampleTranscript, conversations};
use tersely_wire::Slot;

/// Longer conversations take too long here; `tersely-bench conversations` weighs them all.
const MAX_BYTES: usize = 120_000;

#[test]
fn a_stronger_mode_never_saves_less_and_never_shows_more() {
    let conversations: Vec<_> = conversations().into_iter().filter(|it| it.body.len() < MAX_BYTES).collect();
    assert!(conversations.len() > 7, "{} conversations", conversations.len());
    for conversation in &conversations {
        let [safe, standard, aggressive] =
            [Mode::Safe, Mode::Standard, Mode::Aggressive].map(|mode| weigh(mode, conversation));
        let ordered = safe.0 >= standard.0 && standard.0 >= aggressive.0;
        let sighted = safe.1 >= standard.1 && standard.1 >= aggressive.1;
        let name = &conversation.name;
        assert!(ordered && sighted, "{name}: {safe:?} {standard:?} {aggressive:?} (tokens, lines)");
    }
}

/// What the results of a conversation cost, and how many of their lines can be read.
fn weigh(mode: Mode, SampleTranscript { body, provider, .. }: &SampleTranscript) -> (usize, usize) {
    let settings = EngineSettings {
        plan: Plan { mode, redact: Redaction::Off, ..Plan::default() },
        ..EngineSettings::default()
    };
    let passed = Engine::new(settings).pass(&Request::new(provider, "/"), body).expect("nothing to refuse");
    let (old, new) = (provider.slots(body).expect("slots"), provider.slots(&passed.body).expect("slots"));
    assert_eq!(old.len(), new.len());
    let mut history = Session::default();
    let lines = old.iter().zip(&new).map(|(old, new)| in_sight(&mut history, old, new)).sum();
    (passed.report.record.result_tokens.after, lines)
}

/// How many lines of a result can be read in what was sent for it, and in what that names.
fn in_sight(history: &mut Session, old: &Slot<'_>, new: &Slot<'_>) -> usize {
    let tersely_wire::SlotCall { id, tool, command, is_part } = &*new.call;
    let call = Call { id, tool, command: command.as_deref(), is_part: *is_part };
    let (Some(text), Some(sent)) = (old.text(), new.text()) else {
        history.skip(call);
        return 0;
    };
    let named = history.put_back(Room::behind(usize::MAX, 0), call, &sent).expect("what is named is there");
    let shown = tersely_core::restore(&named).expect("ours");
    let shown: HashSet<&str> = shown.lines().map(str::trim).collect();
    text.lines().map(str::trim).filter(|line| !line.is_empty() && shown.contains(line)).count()
}
