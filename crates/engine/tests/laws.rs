//! Holds the laws of the engine for every conversation of the corpus.

#![expect(clippy::expect_used, reason = "a test fails loudly, and says how much it saw")]

use std::sync::LazyLock;

use serde_json::Value;
use tersely_account::{RequestRecord, TokenChange};
use tersely_core::{Loss, Mode, O200k, Plan};
use tersely_engine::{
    Answers, Engine, EngineSettings, ForwardBody, Memo, MemoLimits, PlanOverride, Recall, Report, Request,
    RequestOptions, SentBody, TOOL,
};
use tersely_testing::corpus::{SampleTranscript, conversations, larger};
use tersely_wire::Slot;
use tersely_wire::hidden::HiddenAsk;

/// A conversation, and what became of it.
struct Done {
    conversation: SampleTranscript,
    body: Vec<u8>,
    report: Report,
}

/// Every conversation as the default settings send it.
static DONE: LazyLock<Vec<Done>> = LazyLock::new(|| {
    let done = |conversation: SampleTranscript| {
        let ForwardBody { body, report, .. } = pass(Plan::default(), &conversation);
        Done { body: body.into_owned(), report, conversation }
    };
    conversations().into_iter().map(done).collect()
});

fn pass(plan: Plan, conversation: &SampleTranscript) -> ForwardBody<'_> {
    let engine = Engine::new(EngineSettings { plan, ..EngineSettings::default() });
    engine.pass(&request(conversation), &conversation.body).expect("nothing to refuse")
}

fn request(conversation: &SampleTranscript) -> Request<'static> {
    Request::new(conversation.provider, "/")
}

fn slots<'b>(conversation: &SampleTranscript, body: &'b [u8]) -> Vec<Slot<'b>> {
    conversation.provider.slots(body).expect("slots")
}

fn json(body: &[u8]) -> Value {
    serde_json::from_slice(body).expect("JSON")
}

/// Behaviour 2.4.
#[test]
fn bytes_outside_the_slots_are_the_same() {
    for Done { conversation, body, .. } in DONE.iter() {
        let offered = offered(conversation);
        let (before, after) = (slots(conversation, &offered), slots(conversation, body));
        assert_eq!(before.len(), after.len(), "{}", conversation.name);
        let outside = rest(&offered, &before) == rest(body, &after);
        assert!(outside, "{}: bytes outside the slots differ", conversation.name);
    }
}

/// The client's body with the tool behind the client's own, and no other byte changed.
fn offered(SampleTranscript { provider, body, name, .. }: &SampleTranscript) -> Vec<u8> {
    let hides = provider.hides("/").expect("a shape that hides");
    let Some(tool) = hides.offer(&TOOL, &provider.read(body)).expect("a body") else { return body.clone() };
    let offered = tool.apply(body);
    let start = offered.iter().zip(body).take_while(|(one, two)| one == two).count();
    let added = &offered[start..start + offered.len() - body.len()];
    assert_eq!([&offered[..start], &offered[start + added.len()..]].concat(), *body, "{name}");
    // Gemini lists the tools of one kind within one tool.
    let listed =
        |tool: &Value| tool["functionDeclarations"].as_array().cloned().unwrap_or_else(|| vec![tool.clone()]);
    let tools = |body: &[u8]| {
        json(body)["tools"].as_array().expect("tools").iter().flat_map(listed).collect::<Vec<_>>()
    };
    let (all, own) = (tools(&offered), tools(body));
    assert!(all.starts_with(&own) && all.len() == own.len() + 1, "{name}");
    offered
}

/// Law 3 from end to end, without a store: whatever was left out comes back byte for byte.
#[test]
fn what_is_left_out_is_fetched_back_from_the_request() {
    let mut fetched = 0;
    for conversation in conversations() {
        let passed = pass(Plan::default(), &conversation);
        let mut answers = Answers::new(passed.hidden.map(|hidden| hidden.kept).unwrap_or_default());
        let (before, after) = (slots(&conversation, &conversation.body), slots(&conversation, &passed.body));
        for (was, is) in before.iter().zip(&after) {
            let (was, is) = (was.text().expect("a text"), is.text().expect("a text"));
            let Some(id) = tersely_core::original_of(&is) else { continue };
            let ask = HiddenAsk {
                id: String::new(),
                tool: TOOL.name.to_owned(),
                input: format!(r#"{{"id":"{id}"}}"#),
            };
            let answer = answers.answer(usize::MAX, &[ask]).remove(0);
            let again = answer == tersely_core::expand::REPEATED;
            assert!(again || answer == was, "{}: {id}", conversation.name);
            fetched += usize::from(!again);
        }
    }
    assert!(fetched > if larger().is_some() { 20 } else { 2 }, "{fetched}");
}

/// What is remembered changes nothing but the time that is taken.
#[test]
fn a_memo_changes_no_byte() {
    let own = ["claude-ledger", "opencode-survey"];
    let more = ["cc-ts-eval-04", "tau-airline-007", "codex-ts-05", "cc-go-prompt-07"];
    let more = more.into_iter().filter(|_| larger().is_some());
    for name in own.into_iter().chain(more) {
        let done = DONE.iter().find(|done| done.conversation.name.starts_with(name)).expect(name);
        let memo = Memo::new(MemoLimits { conversations: 3, bytes: 8 << 20 });
        let whole = json(&done.conversation.body);
        let count = whole["messages"].as_array().expect("messages").len();
        let mut reused = 0;
        for many in (1..=count).chain([count, count / 2, count]) {
            let mut short = whole.clone();
            short["messages"].as_array_mut().expect("messages").truncate(many);
            let body = short.to_string().into_bytes();
            let (plain, engine) = (request(&done.conversation), Engine::default());
            let fresh = engine.pass(&plain, &body).expect("nothing to refuse");
            let memo = Some(Recall { memo: &memo, whose: b"me" });
            let known = engine.pass(&Request { memo, ..plain }, &body).expect("nothing to refuse");
            assert!(known.body == fresh.body, "{name} at {many}");
            reused += known.report.record.reused;
            assert_eq!(
                Report { record: RequestRecord { reused: 0, ..known.report.record }, ..known.report },
                fresh.report,
                "{name} at {many}"
            );
        }
        assert!(reused > count, "{name}: {reused}");
    }
}

/// Behaviour 5.9: one client's conversation is not there for another.
#[test]
fn a_memo_is_one_clients_own() {
    let conversation = &DONE[0].conversation;
    let memo = Memo::default();
    let reused = |whose: &[u8]| {
        let memo = Some(Recall { memo: &memo, whose });
        let passed = Engine::default().pass(&Request { memo, ..request(conversation) }, &conversation.body);
        passed.expect("nothing to refuse").report.record.reused
    };
    assert_eq!((reused(b"one"), reused(b"two")), (0, 0));
    assert!(reused(b"one") > 0 && reused(b"two") > 0);
}

/// What stands between the slots, in pieces.
fn rest<'b>(body: &'b [u8], slots: &[Slot<'_>]) -> Vec<&'b [u8]> {
    let starts = std::iter::once(0).chain(slots.iter().map(|slot| slot.span.end));
    let ends = slots.iter().map(|slot| slot.span.start).chain([body.len()]);
    starts.zip(ends).map(|(start, end)| &body[start..end]).collect()
}

/// Behaviour 2.3, 2.6.
#[test]
fn calls_results_and_messages_stay_what_they_were() {
    for Done { conversation, body, .. } in DONE.iter() {
        let (before, after) = (json(&conversation.body), json(body));
        let count = |body: &Value| body["messages"].as_array().map(Vec::len);
        assert_eq!(count(&before), count(&after), "{}", conversation.name);
        let pairs = |body| slots(conversation, body).into_iter().map(|slot| (*slot.call).clone());
        assert!(
            pairs(&conversation.body).eq(pairs(body)),
            "{}: a result answers another call",
            conversation.name
        );
    }
}

#[test]
fn the_same_body_gives_the_same_bytes() {
    for Done { conversation, body, report } in DONE.iter() {
        let again = pass(Plan::default(), conversation);
        assert!(*again.body == *body && again.report == *report, "{}", conversation.name);
    }
}

/// Behaviour 3.2.
#[test]
fn disabled_is_the_same_bytes() {
    for Done { conversation, .. } in DONE.iter() {
        let passed = pass(Plan { mode: Mode::Disabled, ..Plan::default() }, conversation);
        let same = matches!(passed.body, SentBody::Came(body) if body == conversation.body);
        assert!(same, "{}", conversation.name);
        assert_eq!(passed.report.record, RequestRecord::default(), "a body that nobody reads has no account");
    }
}

#[test]
fn no_text_costs_more_and_the_account_is_true() {
    for Done { conversation, body, report } in DONE.iter() {
        let name = &conversation.name;
        let counts = |body| -> Vec<usize> {
            let texts = slots(conversation, body).into_iter().map(|slot| slot.text().expect("a text"));
            texts.map(|text| O200k.count(&text)).collect()
        };
        let (before, after) = (counts(&conversation.body), counts(body));
        assert!(before.iter().zip(&after).all(|(before, after)| after <= before), "{name}");
        assert_eq!(report.record.slots, before.len(), "{name}");
        assert_eq!(
            (report.record.result_tokens.before, report.record.result_tokens.after),
            (before.iter().sum(), after.iter().sum()),
            "{name}"
        );
        assert_eq!((report.record.faults, report.unread), (0, None), "{name}");
        let saved: i64 = report.record.stages.iter().map(|stage| stage.saved).sum();
        assert_eq!(
            i64::try_from(report.record.result_tokens.before - report.record.result_tokens.after),
            Ok(saved),
            "{name}: {report:?}"
        );
        let [whole, offered, sent] = [&conversation.body, &offered(conversation), body]
            .map(|body| O200k.count(&String::from_utf8_lossy(body)));
        assert_eq!(report.record.request_tokens, Some(TokenChange { before: whole, after: sent }), "{name}");
        assert_eq!(report.record.tool_tokens, offered - whole, "{name}");
    }
}

#[test]
fn exact_forms_come_back_byte_for_byte() {
    let plan = Plan { loss: Loss::None, ..Plan::default() };
    let (mut before, mut after) = (0, 0);
    for conversation in conversations() {
        let passed = pass(plan, &conversation);
        before += passed.report.record.result_tokens.before;
        after += passed.report.record.result_tokens.after;
        assert_eq!(passed.report.record.redacted, 0, "{}", conversation.name);
        let restored = tersely_engine::restore(conversation.provider, &passed.body);
        assert!(restored.as_ref() == Ok(&conversation.body), "{}: {:?}", conversation.name, restored.err());
    }
    println!("exact: {before} tokens of tool results become {after}");
    // Our own conversations are short: less of them was said before.
    let share = if larger().is_some() { 83 } else { 88 };
    assert!(
        after * 100 < before * share,
        "forms and references are not found as they were: {before} to {after}"
    );
}

/// What stands for a message is a function of it and the ones before it, so a provider's cache keeps hitting.
#[test]
fn a_shorter_conversation_is_the_beginning_of_a_longer_one() {
    for done in DONE.iter() {
        let (whole, list) = (json(&done.body), done.conversation.list);
        let messages = whole[list].as_array().expect("messages");
        for count in [messages.len() / 3, messages.len() / 2, messages.len() - 1] {
            let mut short = json(&done.conversation.body);
            short[list].as_array_mut().expect("messages").truncate(count);
            let body = short.to_string().into_bytes();
            let passed =
                Engine::default().pass(&request(&done.conversation), &body).expect("nothing to refuse");
            let name = &done.conversation.name;
            assert_eq!(
                json(&passed.body)[list].as_array().expect("messages")[..],
                messages[..count],
                "{name}"
            );
        }
    }
}

#[test]
fn what_is_said_to_us_changes_nothing_but_what_it_says() {
    for Done { conversation, body, .. } in DONE.iter().take(12) {
        let said = br#"{ "_tersely" : {"debug":{"a":1}} ,"#;
        let open = conversation.body.iter().position(|&byte| byte == b'{').expect("an object");
        let with = [&conversation.body[..open], said, &conversation.body[open + 1..]].concat();
        let passed = Engine::default().pass(&request(conversation), &with).expect("nothing to refuse");
        // White space behind the bracket is all that can differ.
        let inked = |body: &[u8]| [&body[..=open], body[open + 1..].trim_ascii_start()].concat();
        assert!(inked(&passed.body) == inked(body), "{}", conversation.name);
    }
}

#[test]
fn a_loss_that_a_request_forbids_does_not_happen() {
    let change = PlanOverride::of(&["loss"], Plan { loss: Loss::None, ..Plan::default() });
    for Done { conversation, .. } in DONE.iter().take(6) {
        let asked = RequestOptions { change: change.clone(), ..RequestOptions::default() };
        let passed = Engine::default().pass(&Request { asked, ..request(conversation) }, &conversation.body);
        let plan = Plan { loss: Loss::None, ..Plan::default() };
        assert!(passed.expect("nothing to refuse").body == pass(plan, conversation).body);
    }
}
