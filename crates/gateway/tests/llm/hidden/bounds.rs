//! What a model may ask for is limited: no question costs the response, and none makes a request many times as long.

use std::time::{Duration, Instant};

use tersely_testing::pace::at_most;

use super::*;
use crate::scene::get;

/// Four megabytes of lines that are mostly noise.
fn long_log() -> String {
    let line = |n: usize| format!("INFO worker {} finished batch {n} after {} ms\n", n % 7, n * 37 % 911);
    (0..90_000).map(line).collect::<String>() + "error: disk full\n"
}

/// A call for the lines from each of these on.
fn ranges(id: &str, count: usize) -> Vec<Say> {
    (1..=count).map(|n| Say::Call(TOOL, json!({"id": id, "lines": format!("{n}-")}))).collect()
}

fn length(stage: &Stage, round: usize) -> usize {
    stage.seen.lock().unwrap()[round].body.len()
}

/// Behaviour 0.17.
#[tokio::test]
async fn many_calls_show_an_original_once() {
    let stage = Stage::new(Shape::Anthropic, true, |round, id| match round {
        0 => ranges(id, 300),
        _ => vec![Say::Text("Disk full.")],
    })
    .await;
    let log = long_log();
    assert!(log.len() > 4_000_000);
    let answer = stage.ask(&live(), &log).await;
    assert_eq!(stage.got(&answer).0, "Disk full.");
    assert!(length(&stage, 1) < 2 * length(&stage, 0) + log.len() + log.len() / 10, "{}", length(&stage, 1));
    let results = Shape::Anthropic.results(&stage.bodies()[1]);
    assert_eq!((results.len(), &results[1]), (301, &log));
    assert!(results[2].starts_with("That is more than is left to show"), "{}", results[2]);
    assert!(results[300].starts_with("These are too many calls"), "{}", results[300]);
}

#[tokio::test]
async fn without_room_the_model_is_told_so() {
    for (shape, streams) in every() {
        let stage = Stage::new(shape, streams, |round, id| match round {
            0 => vec![expand(id)],
            _ => vec![Say::Text("So be it.")],
        })
        .await;
        let body = shape.request(streams, &log()).to_string();
        let mut settings = settings(stage.address);
        settings.limits.memory = 3 * body.len() + 1000;
        let gateway = gateway(settings, live() as _).await;
        let answer = soon(post(&gateway.url(shape.path(streams)), body)).await;
        assert_eq!(stage.got(&answer).0, "So be it.", "{shape:?}");
        let results = shape.results(&stage.bodies()[1]);
        assert!(results[1].starts_with("There is no room to show this now"), "{shape:?} {results:?}");
    }
}

/// An id that begins with a multi-byte character, and other unexpected arguments.
#[tokio::test]
async fn odd_arguments_get_an_answer() {
    for (shape, streams) in every() {
        let stage = Stage::new(shape, streams, |round, id| match round {
            0 => ["é", "日本", "😀.x", "\u{301}", "[é", "$é", ".é", "é["]
                .map(|path| Say::Call(TOOL, json!({"id": id, "path": path})))
                .into_iter()
                .chain([Say::Call(TOOL, json!({"id": "é"})), Say::Call(TOOL, json!({"lines": "é-é"}))])
                .collect(),
            _ => vec![Say::Text("So be it.")],
        })
        .await;
        let answer = stage.ask(&live(), &log()).await;
        assert_eq!(stage.got(&answer).0, "So be it.", "{shape:?} {answer:?}");
        assert_eq!(shape.results(&stage.bodies()[1]).len(), 11, "{shape:?}");
    }
}

/// Answers are cut and counted off the serving threads: other requests are served meanwhile.
#[tokio::test(flavor = "current_thread")]
async fn others_are_served_while_answers_are_made() {
    let stage = Stage::new(Shape::Anthropic, true, |round, id| match round {
        0 => ranges(id, 16),
        _ => vec![Say::Text("Disk full.")],
    })
    .await;
    let gateway = gateway(settings(stage.address), live() as _).await;
    let body = Shape::Anthropic.request(true, &long_log()).to_string();
    let (url, health) = (gateway.url("/v1/messages"), gateway.url("/healthz"));
    let asked = tokio::spawn(async move { post(&url, body).await });
    let mut worst = Duration::ZERO;
    while !asked.is_finished() {
        let begun = Instant::now();
        assert_eq!(soon(get(&health)).await.status, StatusCode::OK);
        worst = worst.max(begun.elapsed());
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(stage.got(&asked.await.unwrap()).0, "Disk full.");
    assert!(worst < at_most(Duration::from_millis(500)), "{worst:?}");
}
