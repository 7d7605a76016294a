//! Sessions that are held out are sent as they came, always the same ones, and their record says what was not saved.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use std::sync::Arc;

use serde_json::{Value, json};
use tersely_account::{Arm, Holdout, HoldoutShare, RequestRecord};
use tersely_core::{Mode, Plan, Redaction};
use tersely_engine::{Engine, EngineSettings, ForwardBody, Memo, PlanOverride, Recall, Request};
use tersely_wire::{PROVIDERS, Provider};

/// The number of sessions of a trial.
const SESSIONS: usize = 400;

fn engine(percent: u32, salt: &str) -> Engine {
    let holdout = Holdout { share: HoldoutShare::millionths(percent * 10_000), salt: salt.to_owned() };
    Engine::new(EngineSettings { holdout, ..EngineSettings::default() })
}

fn secret() -> String {
    ["AKIA", "Q3EGRIZ7", "HVLXTNWK"].concat()
}

/// The request of a session after so many turns.
fn body(session: usize, turns: usize) -> String {
    let rows: Vec<Value> = (0..30).map(|n| json!({"id": n, "kind": "fruit", "ripe": null})).collect();
    let text = format!("{}\nAWS_ACCESS_KEY_ID={}\n", Value::from(rows), secret());
    let mut messages = vec![json!({"role": "user", "content": format!("session {session}")})];
    for turn in 0..turns {
        let call = json!({"type": "tool_use", "id": turn.to_string(), "name": "sh", "input": {}});
        let result = json!({"type": "tool_result", "tool_use_id": turn.to_string(), "content": text});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages.push(json!({"role": "user", "content": [result]}));
    }
    json!({"model": "m", "messages": messages}).to_string()
}

fn request() -> Request<'static> {
    Request::new(PROVIDERS[0], "/v1/messages")
}

fn pass<'b>(engine: &Engine, request: &Request<'_>, body: &'b str) -> ForwardBody<'b> {
    engine.pass(request, body.as_bytes()).expect("nothing to refuse")
}

fn arm(engine: &Engine, body: &str) -> Arm {
    pass(engine, &request(), body).report.record.arm
}

fn is_held_out(arm: Arm) -> bool {
    matches!(arm, Arm::HeldOut(_))
}

/// A session that the engine holds out, and one that it treats.
fn one_of_each(engine: &Engine) -> (usize, usize) {
    let find = |is: bool| (0..SESSIONS).find(|at| is_held_out(arm(engine, &body(*at, 1))) == is);
    (find(true).expect("a session that is held out"), find(false).expect("a session that is not"))
}

#[test]
fn a_session_is_on_one_side_in_all_of_its_requests_and_on_every_gateway() {
    let (one, two) = (engine(30, "s"), engine(30, "s"));
    for session in 0..20 {
        let first = arm(&one, &body(session, 0));
        for turns in 1..4 {
            assert_eq!(arm(&two, &body(session, turns)), first, "session {session}");
        }
        let other = body(session, 2).replace(r#""model":"m""#, r#""model":"n","system":"new""#);
        assert_eq!(arm(&one, &other), first, "session {session}: another model is no other session");
    }
}

#[test]
fn the_share_of_sessions_is_about_the_one_that_was_set() {
    let held = |engine: &Engine| (0..SESSIONS).filter(|at| is_held_out(arm(engine, &body(*at, 0)))).count();
    assert_eq!(held(&engine(0, "s")), 0);
    let quarter = held(&engine(25, "s"));
    assert!((SESSIONS / 6..SESSIONS / 3).contains(&quarter), "{quarter} of {SESSIONS}");
    let other = (0..SESSIONS)
        .filter(|at| arm(&engine(25, "s"), &body(*at, 0)) != arm(&engine(25, "t"), &body(*at, 0)))
        .count();
    assert!(other > SESSIONS / 6, "another salt chooses other sessions: {other}");
}

#[test]
fn a_larger_share_keeps_the_sessions_of_a_smaller_one() {
    for session in 0..100 {
        let held = [5, 20, 60].map(|percent| is_held_out(arm(&engine(percent, "s"), &body(session, 0))));
        assert!(held.is_sorted(), "session {session}: {held:?}");
    }
}

#[test]
fn what_is_held_out_is_sent_as_it_came_and_the_rest_as_ever() {
    let (trial, usual) = (engine(50, "s"), Engine::default());
    let (held, treated) = one_of_each(&trial);
    let came = body(held, 2);
    let passed = pass(&trial, &request(), &came);
    assert!(*passed.body == *came.as_bytes() && passed.hidden.is_none());
    let record = &passed.report.record;
    let tokens = record.request_tokens.expect("a count");
    assert_eq!((tokens.before, record.changed), (tokens.after, 0), "nothing is saved");
    let would = pass(&usual, &request(), &came).report.record;
    assert_eq!(record.session, would.session);
    assert!(record.results.iter().all(|result| result.would.is_some()), "the record says what was not saved");
    let came = body(treated, 2);
    let (passed, expected) = (pass(&trial, &request(), &came), pass(&usual, &request(), &came));
    assert!(*passed.body == *expected.body && *passed.body != *came.as_bytes());
    assert_eq!(passed.report.record.request_tokens, expected.report.record.request_tokens);
}

#[test]
fn a_memo_moves_no_session_to_the_other_side() {
    let (trial, memo) = (engine(50, "s"), Memo::default());
    let (held, treated) = one_of_each(&trial);
    for session in [held, treated, held, treated] {
        for turns in [1, 2, 2, 1] {
            let came = body(session, turns);
            let known = Request { memo: Some(Recall { memo: &memo, whose: b"me" }), ..request() };
            let (known, fresh) = (pass(&trial, &known, &came), pass(&trial, &request(), &came));
            assert!(*known.body == *fresh.body);
            let [known, fresh] = [known, fresh].map(|passed| {
                let record = RequestRecord { reused: 0, ..passed.report.record };
                let would =
                    record.would.map(|would| Arc::new(RequestRecord { reused: 0, ..(*would).clone() }));
                RequestRecord { would, ..record }
            });
            assert_eq!(known, fresh, "session {session} after {turns}");
        }
    }
}

/// Options are meant for us on both sides of a trial, and are not sent on.
#[test]
fn options_are_taken_out_of_what_is_held_out() {
    let trial = engine(50, "s");
    let (held, _) = one_of_each(&trial);
    let came = body(held, 1);
    let asks = came.replacen('{', r#"{"_tersely":{"mode":"aggressive"},"#, 1);
    let passed = pass(&trial, &request(), &asks);
    assert!(is_held_out(passed.report.record.arm) && *passed.body == *came.as_bytes());
}

/// A mask that was asked for by name is no compression: no trial and no lack of time goes before it.
#[test]
fn secrets_that_are_to_be_masked_by_name_are_masked_on_both_sides() {
    let trial = engine(50, "s");
    let (held, treated) = one_of_each(&trial);
    let mut named = request();
    let all = Plan { redact: Redaction::All, ..Plan::default() };
    named.asked.change = PlanOverride::of(&["redact_secrets"], all);
    for session in [held, treated] {
        let came = body(session, 1);
        let sent = pass(&trial, &named, &came).body.into_owned();
        assert!(!String::from_utf8_lossy(&sent).contains(&secret()), "session {session}");
        let masked = trial.mask(&named, came.as_bytes()).expect("a mask");
        assert!(!String::from_utf8_lossy(&masked).contains(&secret()), "session {session}");
    }
    // Without that, a session that is held out is sent as it came, with and without time to compress it.
    assert_eq!(trial.mask(&request(), body(held, 1).as_bytes()), None);
    assert!(trial.mask(&request(), body(treated, 1).as_bytes()).is_some());
}

/// A conversation whose beginning is at the provider has no hash that all of its requests share.
#[test]
fn what_cannot_be_told_apart_is_in_no_trial_unless_it_has_a_name() {
    let trial = engine(99, "s");
    let responses: &'static Provider =
        PROVIDERS.into_iter().find(|it| it.name() == "responses").expect("a provider");
    let plain = Request::new(responses, "/v1/responses");
    for body in [r#"{"previous_response_id":"r","input":"go on"}"#, r#"{"input":"go on","store":true}"#] {
        assert_eq!(pass(&trial, &plain, body).report.record.arm, Arm::Applied, "{body}");
        let named = Request { named: Some(1), ..plain.clone() };
        assert_ne!(pass(&trial, &named, body).report.record.arm, Arm::Applied, "{body}");
    }
}

/// Observing is for a whole gateway or route, so it goes before a trial.
#[test]
fn what_is_only_observed_is_in_no_trial() {
    let plan = Plan { mode: Mode::Observe, ..Plan::default() };
    let settings = EngineSettings { plan, ..engine(50, "s").settings().clone() };
    let observer = Engine::new(settings);
    for session in 0..20 {
        let came = body(session, 1);
        let passed = pass(&observer, &request(), &came);
        assert!(passed.report.record.arm == Arm::Observed && *passed.body == *came.as_bytes());
    }
}
