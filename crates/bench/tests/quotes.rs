//! Checks that edits find what they quote: old text that was contiguous in the latest read of its file still is, there
//! or in the earlier read that the latest one refers to.

#![expect(clippy::expect_used, reason = "a test fails loudly, and says how much it saw")]

use tersely_bench::{Quotes, quotes};
use tersely_core::{Loss, Mode, Plan};
use tersely_engine::{Engine, EngineSettings, Request};
use tersely_testing::corpus::{conversations, larger};

/// The quotes of all conversations.
fn all(mode: Mode, loss: Loss) -> Quotes {
    let plan = Plan { mode, loss, ..Plan::default() };
    let engine = Engine::new(EngineSettings { plan, ..EngineSettings::default() });
    let json = |body: &[u8]| serde_json::from_slice(body).expect("JSON");
    let each = conversations().into_iter().map(|conversation| {
        assert!(!conversation.name.is_empty());
        let request = Request::new(conversation.provider, "/");
        let passed = engine.pass(&request, &conversation.body).expect("nothing to refuse");
        quotes(&json(&conversation.body), &json(&passed.body))
    });
    each.fold(Quotes::default(), Quotes::and)
}

#[test]
fn edits_find_what_they_quote() {
    for loss in [Loss::None, Loss::Detail] {
        let quotes = all(Mode::Standard, loss);
        println!("{loss:?}: {quotes:?}");
        assert!(
            quotes.stood > if larger().is_some() { 200 } else { 0 },
            "{loss:?}: {quotes:?}: edits are not found as they were"
        );
        assert!(quotes.is_lawful(), "{loss:?}: {quotes:?}");
    }
}
