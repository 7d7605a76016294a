//! Watches a Gemini response that arrives as one body.

use serde::de::IgnoredAny;
use tersely_json::{BytePatch, string};

use super::chunk::{CallSignature, GeminiChunk, PartKind};
use super::turn::TurnParts;
use super::words;
use crate::hidden::merged_body::MergedBody;
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::HiddenTurn;
use crate::hidden::watch::CloseReason;
use crate::hidden::whole::BodyMeaning;
use crate::hidden::words::SILENCE;

pub(super) struct GeminiWhole {
    names: HiddenNames,
    merged: MergedBody,
}

impl BodyMeaning for GeminiWhole {
    fn body(&mut self, body: Vec<u8>, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let Some(chunk) = self.read(&body) else {
            out.extend_from_slice(&body);
            return None;
        };
        let [usage, id] = ["usageMetadata", "responseId"].map(|name| chunk.top.get(name));
        self.merged.count(usage.as_ref(), id.as_ref());
        if self.merged.rounds == 1 && !chunk.has(PartKind::Hidden) {
            out.extend_from_slice(&body);
            return None;
        }
        self.show(&chunk);
        let turn = turn(&chunk);
        self.merged.latest = body;
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

/// The turn, if the model waits only for the hidden tool.
fn turn(chunk: &GeminiChunk<'_>) -> Option<HiddenTurn> {
    let mut parts = TurnParts::default();
    for (kind, part) in &chunk.parts {
        parts.take(*kind, part);
    }
    parts.turn().filter(|_| chunk.is_stopped() && !chunk.has(PartKind::Call))
}

impl GeminiWhole {
    pub(super) fn new(names: HiddenNames) -> Self {
        Self { names, merged: MergedBody::new(words::no_tokens()) }
    }

    /// Reads a response that has parts. In later rounds, a response with only a stop reason is accepted too.
    fn read<'a>(&self, body: &'a [u8]) -> Option<GeminiChunk<'a>> {
        serde_json::from_slice::<IgnoredAny>(body).ok()?;
        let is_later = self.merged.rounds > 0;
        GeminiChunk::read(body, self.names)
            .filter(|it| !it.parts.is_empty() || (is_later && it.finish.is_some()))
    }

    fn show(&mut self, chunk: &GeminiChunk<'_>) {
        let mut signature = CallSignature::default();
        for (kind, part) in &chunk.parts {
            signature.keep(*kind, part);
            if !matches!(kind, PartKind::Hidden | PartKind::Blank) {
                self.merged.has_words |= matches!(kind, PartKind::Call | PartKind::Words);
                self.merged.shown.push(signature.sign(*kind, part));
            }
        }
    }

    /// Writes the latest response with everything that the client may see.
    fn write(&mut self, out: &mut Vec<u8>) {
        if !self.merged.has_words {
            self.merged.shown.push(format!(r#"{{"text":{}}}"#, string::quote(SILENCE)).into_bytes());
        }
        let Some(chunk) = GeminiChunk::read(&self.merged.latest, self.names) else { return };
        let mut patch = BytePatch::default();
        chunk.say(&self.merged.shown, &mut patch);
        if let Some((old, first)) = chunk.top.get("responseId").zip(self.merged.id.as_ref()) {
            patch.put(old.span, first.clone());
        }
        if self.merged.rounds > 1 {
            self.merged.tally.write("usageMetadata", &chunk.top, &mut patch);
        }
        out.extend_from_slice(&patch.apply(&self.merged.latest));
    }
}
