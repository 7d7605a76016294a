//! Calls of the hidden tool as no model should make them: none panics, and none costs the response.

use tersely_engine::{Answers, HiddenWay, KeptOriginal, Request as SentRequest};
use tersely_wire::hidden::ResponseFraming;
use tersely_wire::{HistoryPlace, claimed_provider};

use super::*;

/// A request with a hidden tool, and the texts left out of it.
struct Scene {
    shape: Shape,
    streams: bool,
    way: HiddenWay,
    body: Vec<u8>,
    kept: Vec<KeptOriginal>,
}

impl Scene {
    fn new(shape: Shape, streams: bool) -> Self {
        let path = shape.path(streams);
        let request = shape.request(streams, &log()).to_string();
        let passed = engine()
            .pass(&SentRequest::new(claimed_provider(path).unwrap(), path), request.as_bytes())
            .expect("a request");
        let hidden = passed.hidden.expect("a hidden tool");
        Self { shape, streams, way: hidden.way, body: passed.body.into_owned(), kept: hidden.kept }
    }

    /// Plays a response with one call with these arguments, and one that follows it.
    fn play(&self, arguments: &str) {
        let framing = if self.streams { ResponseFraming::Events } else { ResponseFraming::Whole };
        let mut watch = self.way.watch(framing, HistoryPlace::Here);
        let mut client = Vec::new();
        watch.see(self.said(arguments).as_bytes(), &mut client);
        let turn = watch.end(&mut client);
        let turn = turn.unwrap_or_else(|| {
            panic!("no turn: {:?} {arguments:?}\n{}", self.shape, String::from_utf8_lossy(&client))
        });
        let texts = Answers::new(self.kept.clone()).answer(usize::MAX, &turn.asks);
        assert!(texts.len() == 1 && !texts[0].is_empty(), "{arguments:?}");
        let next = self.way.hides.answer(&turn, &texts, &self.body).expect("a request that goes on");
        // Half a surrogate pair is forwarded as the model wrote it; this parser accepts whole ones only.
        let whole = |text: &str| text.replace("\\ud800", "\\ufffd");
        let next = whole(&String::from_utf8_lossy(&next));
        let next: Value = serde_json::from_str(&next).unwrap_or_else(|why| panic!("{why}: {arguments:?}"));
        let last = texts.last().map(|text| whole(text));
        assert_eq!(self.shape.results(&next).last(), last.as_ref(), "{arguments:?}");
        let answer = self.shape.answer(self.streams, 1, &[Say::Text("So be it.")]);
        watch.see(answer.as_bytes(), &mut client);
        assert_eq!(watch.end(&mut client), None);
        let client = String::from_utf8(client).unwrap();
        let (text, calls, _) = self.shape.got(self.streams, &client);
        assert_eq!((text.as_str(), calls), ("Let me see. So be it.", vec![]), "{arguments:?}");
    }

    /// A response with such a call. If arguments are a value and not a text, it is one.
    fn said(&self, arguments: &str) -> String {
        let spelled = |text: &str| {
            let token = json!(text).to_string();
            token[1..token.len() - 1].to_owned()
        };
        let placed = json!({"id": "here"});
        let says = [Say::Text("Let me see. "), Say::Call(TOOL, placed.clone())];
        let said = self.shape.answer(self.streams, 0, &says);
        if said.contains(&placed.to_string()) {
            let value = serde_json::from_str::<Value>(arguments).unwrap_or_else(|_| json!({"id": arguments}));
            return said.replace(&placed.to_string(), &value.to_string());
        }
        said.replace(&spelled(&placed.to_string()), &spelled(arguments))
    }
}

/// Arguments as models write them, to be mutated.
fn arguments(id: &str) -> Vec<String> {
    let parts = [
        "",
        r#","lines":"10-40""#,
        r#","lines":7"#,
        r#","search":"disk full""#,
        r#","path":"items[0].name""#,
        r#","path":"é.日本[\"x y\"]","lines":"1-","search":"Ü""#,
    ];
    parts.map(|part| format!(r#"{{"id":"{id}"{part}}}"#)).to_vec()
}

/// What arguments are mutated with.
const PIECES: [&str; 32] = [
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "\n",
    "\0",
    "é",
    "日",
    "😀",
    "\u{301}",
    "\\u00e9",
    "\\ud800",
    "null",
    "-1",
    "1e9",
    "99999999999999999999",
    "0",
    "-",
    "…",
    "$",
    ".",
    "[0]",
    "['",
    "<<<SHADOW:",
    ">>>",
    "\"lines\":[1],",
    "\"id\":7,",
];

fn broken(seed: &mut u64, text: &str) -> String {
    let mut signs: Vec<char> = text.chars().collect();
    for _ in 0..=pick(seed, 4) {
        let at = pick(seed, signs.len() + 1);
        let end = signs.len().min(at + pick(seed, 9));
        let piece = PIECES[pick(seed, PIECES.len())];
        match pick(seed, 5) {
            0 => signs.truncate(at),
            1 => drop(signs.drain(at..end)),
            2 => drop(signs.splice(at..end, piece.chars())),
            3 => {
                let copy = signs[at..end].to_vec();
                signs.splice(at..at, copy);
            }
            _ => drop(signs.splice(at..at, piece.chars())),
        }
    }
    signs.into_iter().collect()
}

/// A pseudo-random number below `n`.
fn pick(seed: &mut u64, n: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).unwrap() % n
}

fn play(count: usize) {
    let scenes: Vec<_> = every().map(|(shape, streams)| Scene::new(shape, streams)).collect();
    let mut seed = 7;
    for run in 0..count {
        let scene = &scenes[run % scenes.len()];
        let whole = arguments(&scene.kept[0].id);
        let at = pick(&mut seed, whole.len());
        scene.play(&broken(&mut seed, &whole[at]));
    }
}

#[test]
fn broken_calls_are_answered() {
    play(2_000);
}

#[test]
#[ignore = "a minute: just mutated"]
fn a_hundred_thousand_broken_calls_are_answered() {
    play(100_000);
}
