//! Counts the facts in later calls that earlier results showed, and how many of them the compressed results still show.

use std::collections::HashMap;

use serde_json::Value;
use tersely_engine::in_sight;
use tersely_wire::{Provider, WireError};

use super::facts::{CallFact, FactKind, calls, words};

/// The words in the results of a body, each with the index of the first result that contains it.
#[derive(Default)]
pub struct SeenBody {
    first: HashMap<String, usize>,
}

/// How many facts in the calls were visible to the model.
#[derive(Debug, Clone, Default)]
pub struct RecallScore {
    /// The number of calls with a fact that a result showed.
    pub calls: usize,
    /// For each kind: the number of facts shown in the original results, and how many of them the compressed results
    /// show.
    pub counts: [[usize; 2]; 3],
    /// The number of facts that no earlier compressed result shows, but that the user or the model wrote elsewhere.
    pub said: usize,
    /// The facts that were not visible anywhere: the number of the call, its tool, and the fact.
    pub misses: Vec<(usize, String, CallFact)>,
}

impl SeenBody {
    /// Collects the words in the results of a body.
    ///
    /// # Errors
    /// If the body is invalid.
    pub fn of(provider: &'static Provider, body: &[u8]) -> Result<Self, WireError> {
        let mut seen = Self::default();
        let slots = provider.slots(body)?;
        for (at, (slot, sight)) in slots.iter().zip(in_sight(provider, body)?).enumerate() {
            seen.add(at, &slot.text().unwrap_or_default());
            seen.add(at, &sight);
        }
        Ok(seen)
    }

    fn add(&mut self, at: usize, text: &str) {
        for word in words(text).filter(|word| !word.is_empty()) {
            if !self.first.contains_key(word) {
                self.first.insert(word.to_owned(), at);
            }
        }
    }

    /// Adds the words of a message that are outside of tool results.
    pub(crate) fn hear(&mut self, at: usize, message: &Value) {
        let is_result =
            message["role"] == "tool" || message["type"].as_str().is_some_and(|it| it.ends_with("_output"));
        if !is_result {
            self.gather(at, message);
        }
    }

    fn gather(&mut self, at: usize, value: &Value) {
        match value {
            Value::Object(members) if members.get("type").is_some_and(|it| it == "tool_result") => {}
            Value::Object(members) => {
                for (name, value) in members.iter().filter(|(name, _)| *name != "functionResponse") {
                    let inside = value.as_str().filter(|_| name == "arguments");
                    match inside.and_then(|text| serde_json::from_str::<Value>(text).ok()) {
                        Some(inside) => self.gather(at, &inside),
                        None => self.gather(at, value),
                    }
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.gather(at, item);
                }
            }
            Value::String(text) => self.add(at, text),
            Value::Number(number) => self.add(at, &number.to_string()),
            _ => {}
        }
    }

    /// True if a word is in one of the first `count` results.
    fn shows(&self, count: usize, word: &str) -> bool {
        self.first.get(word).is_some_and(|at| *at < count)
    }
}

/// A turn of the model: the number of results and messages before it, and its message.
pub(crate) struct RecallTurn {
    pub results: usize,
    pub messages: usize,
    pub said: Vec<Value>,
}

/// A conversation without its tool results.
#[derive(Default)]
pub(crate) struct RecallTalk {
    pub turns: Vec<RecallTurn>,
    /// The words outside of results, each with the index of the first message that contains it.
    pub beside: SeenBody,
}

/// Scores the calls of these turns against the original and the compressed results.
#[must_use]
pub(crate) fn score(talk: &RecallTalk, came: &SeenBody, sent: &SeenBody) -> RecallScore {
    let mut score = RecallScore::default();
    let mut number = 0;
    for turn in &talk.turns {
        score.take(talk, turn, (came, sent), &mut number);
    }
    score
}

/// Scores the calls of one turn.
#[must_use]
pub(crate) fn score_turn(talk: &RecallTalk, turn: usize, came: &SeenBody, sent: &SeenBody) -> RecallScore {
    let mut score = RecallScore::default();
    let calls_of = |turn: &RecallTurn| turn.said.iter().flat_map(calls).count();
    let mut number = talk.turns[..turn].iter().map(calls_of).sum();
    score.take(talk, &talk.turns[turn], (came, sent), &mut number);
    score
}

impl RecallScore {
    fn take(
        &mut self,
        talk: &RecallTalk,
        turn: &RecallTurn,
        (came, sent): (&SeenBody, &SeenBody),
        number: &mut usize,
    ) {
        let score = self;
        for (tool, facts) in turn.said.iter().flat_map(calls) {
            *number += 1;
            let shown: Vec<_> =
                facts.into_iter().filter(|fact| came.shows(turn.results, &fact.word)).collect();
            score.calls += usize::from(!shown.is_empty());
            for fact in shown {
                let counts = &mut score.counts[place(fact.kind)];
                counts[0] += 1;
                if sent.shows(turn.results, &fact.word) {
                    counts[1] += 1;
                } else if talk.beside.shows(turn.messages, &fact.word) {
                    score.said += 1;
                } else {
                    score.misses.push((*number, tool.clone(), fact));
                }
            }
        }
    }
}

fn place(kind: FactKind) -> usize {
    FactKind::ALL.iter().position(|(it, _)| *it == kind).unwrap_or_default()
}

impl RecallScore {
    /// The number of facts shown in total, and how many of them the compressed results show.
    #[must_use]
    pub fn all(&self) -> [usize; 2] {
        self.counts.iter().fold([0, 0], |[a, b], [c, d]| [a + c, b + d])
    }

    /// Adds another score.
    pub(crate) fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.said += other.said;
        self.misses.extend(other.misses.iter().cloned());
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts) {
            *mine = [mine[0] + theirs[0], mine[1] + theirs[1]];
        }
    }
}

/// Scores a Messages body, given in its original and its compressed form.
///
/// # Errors
/// If one of the bodies is invalid.
pub fn recall(provider: &'static Provider, came: &[u8], sent: &[u8]) -> Result<RecallScore, WireError> {
    let body: Value = serde_json::from_slice(came).unwrap_or_default();
    let mut talk = RecallTalk::default();
    let mut results = 0;
    for (at, message) in body["messages"].as_array().into_iter().flatten().enumerate() {
        let blocks = message["content"].as_array().into_iter().flatten();
        results += blocks.filter(|block| block["type"] == "tool_result").count();
        talk.turns.push(RecallTurn { results, messages: at, said: vec![message.clone()] });
        talk.beside.hear(at, message);
    }
    Ok(score(&talk, &SeenBody::of(provider, came)?, &SeenBody::of(provider, sent)?))
}
