//! Watches a response that Gemini sends at once.

use serde::de::IgnoredAny;
use tersely_json::{BytePatch, string};

use super::chunk::{CallSignature, GeminiChunk, PartKind};
use super::turn::TurnParts;
use super::words;
use crate::hidden::names::HiddenNames;
use crate::hidden::tally::UsageTally;
use crate::hidden::turn::HiddenTurn;
use crate::hidden::watch::CloseReason;
use crate::hidden::whole::BodyMeaning;
use crate::hidden::words::SILENCE;

pub(super) struct GeminiWhole {
    names: HiddenNames,
    tally: UsageTally,
    /// How many rounds there were.
    rounds: usize,
    /// The id of the first response, as it is written.
    id: Option<Vec<u8>>,
    /// The parts that the client will see.
    shown: Vec<Vec<u8>>,
    /// Among them is something to read or to do.
    has_words: bool,
    /// The latest response.
    latest: Vec<u8>,
}

impl BodyMeaning for GeminiWhole {
    fn body(&mut self, body: Vec<u8>, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let Some(chunk) = self.read(&body) else {
            out.extend_from_slice(&body);
            return None;
        };
        self.count(&chunk);
        if self.rounds == 1 && !chunk.has(PartKind::Hidden) {
            out.extend_from_slice(&body);
            return None;
        }
        self.show(&chunk);
        let turn = turn(&chunk);
        self.latest = body;
        if turn.is_none() {
            self.write(out);
        }
        turn
    }

    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>) {
        match why {
            CloseReason::Enough => self.write(out),
            CloseReason::Failed(why) => out.extend_from_slice(words::error(why).as_bytes()),
        }
    }
}

/// The turn, if the model waits for nothing but the hidden tool.
fn turn(chunk: &GeminiChunk<'_>) -> Option<HiddenTurn> {
    let mut parts = TurnParts::default();
    for (kind, part) in &chunk.parts {
        parts.take(*kind, part);
    }
    parts.turn().filter(|_| chunk.is_stopped() && !chunk.has(PartKind::Call))
}

impl GeminiWhole {
    pub(super) fn new(names: HiddenNames) -> Self {
        let (shown, latest) = (Vec::new(), Vec::new());
        Self { names, tally: words::no_tokens(), rounds: 0, id: None, shown, has_words: false, latest }
    }

    /// A response that says something, or any once others came before it.
    fn read<'a>(&self, body: &'a [u8]) -> Option<GeminiChunk<'a>> {
        serde_json::from_slice::<IgnoredAny>(body).ok()?;
        let is_later = self.rounds > 0;
        GeminiChunk::read(body, self.names)
            .filter(|it| !it.parts.is_empty() || (is_later && it.finish.is_some()))
    }

    fn count(&mut self, chunk: &GeminiChunk<'_>) {
        if let Some(counted) = chunk.top.get("usageMetadata") {
            self.tally.hear(&counted);
        }
        self.tally.end_round();
        self.rounds += 1;
        let id = chunk.top.get("responseId").map(|id| id.bytes().to_vec());
        self.id = self.id.take().or(id);
    }

    fn show(&mut self, chunk: &GeminiChunk<'_>) {
        let mut signature = CallSignature::default();
        for (kind, part) in &chunk.parts {
            signature.keep(*kind, part);
            if !matches!(kind, PartKind::Hidden | PartKind::Blank) {
                self.has_words |= matches!(kind, PartKind::Call | PartKind::Words);
                self.shown.push(signature.sign(*kind, part));
            }
        }
    }

    /// The latest response with all that the client may see.
    fn write(&mut self, out: &mut Vec<u8>) {
        if !self.has_words {
            self.shown.push(format!(r#"{{"text":{}}}"#, string::quote(SILENCE)).into_bytes());
        }
        let Some(chunk) = GeminiChunk::read(&self.latest, self.names) else { return };
        let mut patch = BytePatch::default();
        chunk.say(&self.shown, &mut patch);
        if let Some((old, first)) = chunk.top.get("responseId").zip(self.id.as_ref()) {
            patch.put(old.span, first.clone());
        }
        if self.rounds > 1 {
            self.tally.write("usageMetadata", &chunk.top, &mut patch);
        }
        out.extend_from_slice(&patch.apply(&self.latest));
    }
}
