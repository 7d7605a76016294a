//! A conversation that the gateway knows is rewritten on the serving thread: the answer says the same as if a worker
//! had done it, and as if nothing were known.

use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use tersely_core::{Mode, Plan};
use tersely_engine::{Engine, EngineSettings, MemoLimits};
use tersely_gateway::{EngineRewriter, GatewayLimits, GatewaySettings};

use crate::scene::{Answer, Conversation, gateway, log, recorder, send, settings};

fn live(memo: Option<MemoLimits>) -> Arc<EngineRewriter> {
    let live = EngineRewriter::new(Engine::new(EngineSettings::default()));
    Arc::new(match memo {
        Some(memo) => live.remembering(memo),
        None => live,
    })
}

/// What the upstream saw and what the client was told, without what depends on the memo.
#[derive(Debug, PartialEq)]
struct Exchange {
    sent: Bytes,
    told: Vec<(String, String)>,
}

/// Sends requests one after the other through one gateway.
async fn exchanges(
    live: Arc<EngineRewriter>,
    inline: usize,
    requests: &[(Vec<(&str, &str)>, String)],
) -> (Vec<Exchange>, Vec<Answer>) {
    let (address, log) = recorder().await;
    let limits = GatewayLimits { inline, ..GatewayLimits::default() };
    let gateway = gateway(GatewaySettings { limits, ..settings(address) }, live).await;
    let (mut exchanges, mut answers) = (Vec::new(), Vec::new());
    for (headers, body) in requests {
        let post = Request::post(gateway.url("/v1/messages"));
        let post = headers.iter().fold(post, |post, (name, value)| post.header(*name, *value));
        let answer = send(post.body(Full::new(Bytes::from(body.clone()))).unwrap()).await;
        let sent = log.lock().unwrap().pop().map(|seen| seen.body).unwrap_or_default();
        let ours = answer.headers.iter().filter(|(name, _)| name.as_str().starts_with("x-tersely-"));
        let told = ours.filter(|(name, _)| name.as_str() != "x-tersely-memo");
        let told = told.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect();
        exchanges.push(Exchange { sent, told });
        answers.push(answer);
    }
    (exchanges, answers)
}

/// A conversation of this many results.
fn talk(results: usize, first: usize) -> Conversation {
    let mut talk = Conversation::new();
    for at in 0..results {
        talk.result(&format!("make {at}"), &log(first + at * 200));
    }
    talk
}

/// Requests of an agent: its conversation grows, is resent, is cut short, is branched, and stands beside another one.
fn requests() -> Vec<(Vec<(&'static str, &'static str)>, String)> {
    let plain = |talk: &Conversation| (Vec::new(), talk.body());
    let (six, other) = (talk(6, 1), talk(7, 77));
    let mut short = six.clone();
    short.result("ls", "a few words");
    let mut branch = six.clone();
    branch.messages.truncate(11);
    branch.result("ls", "other words");
    vec![
        plain(&six),
        plain(&six),
        plain(&other),
        plain(&short),
        plain(&branch),
        plain(&talk(7, 1)),
        (vec![("x-tersely-mode", "aggressive")], six.body()),
        (vec![("x-tersely-bypass", "1")], six.body()),
        (vec![("x-tersely-mode", "nonsense")], six.body()),
        (Vec::new(), six.body().replacen('{', r#"{"_tersely":{"mode":"safe"},"#, 1)),
        (Vec::new(), six.body().replacen('{', r#"{"_tersely":{"mode":"what"},"#, 1)),
        (vec![("x-api-key", "another")], short.body()),
        plain(&short),
        (Vec::new(), six.body() + "]"),
    ]
}

#[tokio::test]
async fn who_rewrites_a_request_shows_in_nothing() {
    let requests = requests();
    assert!(requests.iter().all(|(_, body)| body.len() > 16 << 10), "too short to be looked up");
    let (fresh, _) = exchanges(live(None), 0, &requests).await;
    let (inline, _) = exchanges(live(None), usize::MAX, &requests).await;
    let (known, answers) = exchanges(live(Some(MemoLimits::default())), 0, &requests).await;
    let few = MemoLimits { conversations: 1, ..MemoLimits::default() };
    let (forgetful, _) = exchanges(live(Some(few)), 0, &requests).await;
    for (at, fresh) in fresh.iter().enumerate() {
        assert_eq!(&inline[at], fresh, "request {at} inline");
        assert_eq!(&known[at], fresh, "request {at} with a memo");
        assert_eq!(&forgetful[at], fresh, "request {at} with a memo of one conversation");
    }
    let is_known =
        |answer: &&Answer| matches!(answer.header("x-tersely-memo").get(..8), Some("reused=6" | "reused=7"));
    let reused = answers.iter().filter(is_known).count();
    assert!(reused >= 3, "the memo was of use: {reused}");
}

/// Settings that are loaded again apply to conversations that are known, too.
#[tokio::test]
async fn a_known_conversation_hears_of_new_settings() {
    let (rewriter, six) = (live(Some(MemoLimits::default())), talk(6, 1));
    let one = vec![(Vec::new(), six.body())];
    let (before, _) = exchanges(Arc::clone(&rewriter), 0, &one).await;
    let plan = Plan { mode: Mode::Safe, ..Plan::default() };
    let mild = EngineSettings { plan, ..EngineSettings::default() };
    rewriter.swap(Engine::new(mild.clone()));
    let (after, _) = exchanges(Arc::clone(&rewriter), 0, &one).await;
    let fresh = Arc::new(EngineRewriter::new(Engine::new(mild)));
    assert_eq!(after, exchanges(fresh, 0, &one).await.0);
    assert_ne!(before, after);
    rewriter.swap(Engine::new(EngineSettings::default()));
    assert_eq!(exchanges(rewriter, 0, &one).await.0, before);
}

/// A body longer than what is read on the serving thread is left to a worker, and says the same.
#[tokio::test]
async fn a_long_conversation_is_left_to_a_worker_and_says_the_same() {
    let long = talk(70, 1);
    assert!(long.body().len() > 256 << 10);
    let requests: Vec<_> = (0..2).map(|_| (Vec::new(), long.body())).collect();
    let (fresh, _) = exchanges(live(None), 0, &requests).await;
    let (known, answers) = exchanges(live(Some(MemoLimits::default())), 0, &requests).await;
    assert_eq!(known, fresh);
    assert!(answers[1].header("x-tersely-memo").contains("reused=70"), "{:?}", answers[1].headers);
}
