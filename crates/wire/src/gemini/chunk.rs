//! Reads a Gemini response or one of its chunks, and rewrites its parts.

use tersely_json::{BytePatch, JsonNode};

use crate::hidden::names::HiddenNames;

/// A response with no candidate or one candidate.
pub(super) struct GeminiChunk<'a> {
    /// The response, without its wrapper.
    pub(super) top: JsonNode<'a>,
    candidate: Option<JsonNode<'a>>,
    pub(super) parts: Vec<(PartKind, JsonNode<'a>)>,
    /// The stop reason, if there is one.
    pub(super) finish: Option<JsonNode<'a>>,
}

/// The kind of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    /// A call of the hidden tool.
    Hidden,
    /// A call that the client must answer.
    Call,
    /// Reasoning.
    Thought,
    /// An empty text.
    Blank,
    /// Anything else: text or media.
    Words,
}

impl PartKind {
    fn of(part: &JsonNode<'_>, hidden: HiddenNames) -> Option<Self> {
        let names = ["functionCall", "text", "thought", "thoughtSignature"];
        let [call, text, thought, signature] = part.get_all(names)?;
        let is_blank = text.is_some_and(|text| text.inside().is_empty());
        Some(match call {
            Some(call) if call.get("name").is_some_and(|name| hidden.fit(&name)) => Self::Hidden,
            Some(_) => Self::Call,
            None if thought.is_some_and(|thought| thought.bytes() == b"true") => Self::Thought,
            None if is_blank && signature.is_some() => Self::Thought,
            None if is_blank => Self::Blank,
            None => Self::Words,
        })
    }
}

impl<'a> GeminiChunk<'a> {
    pub(super) fn read(body: &'a [u8], hidden: HiddenNames) -> Option<Self> {
        let outer = JsonNode::object(body)?;
        let [wrapped, bare] = outer.get_all(["response", "candidates"])?;
        let top = wrapped.filter(|it| bare.is_none() && it.is_object()).unwrap_or(outer);
        let mut candidates = top.get("candidates").map(|it| it.items()).unwrap_or_default();
        let candidate = candidates.pop();
        let [content, finish] = match &candidate {
            Some(candidate) => candidate.get_all(["content", "finishReason"])?,
            None => [None, None],
        };
        let parts = content.and_then(|content| content.get("parts")).map(|it| it.items()).unwrap_or_default();
        let parts: Option<Vec<_>> =
            parts.into_iter().map(|it| Some((PartKind::of(&it, hidden)?, it))).collect();
        candidates.is_empty().then_some(Self { top, candidate, parts: parts?, finish })
    }

    pub(super) fn has(&self, kind: PartKind) -> bool {
        self.parts.iter().any(|(it, _)| *it == kind)
    }

    /// True for the stop reason `STOP`. The model also gives this reason when it waits for the results of calls.
    pub(super) fn is_stopped(&self) -> bool {
        self.finish.as_ref().is_some_and(|finish| finish.is_str("STOP"))
    }

    /// Replaces the candidate's parts.
    pub(super) fn say(&self, parts: &[Vec<u8>], patch: &mut BytePatch) {
        let Some(candidate) = &self.candidate else { return };
        let parts = [b"[", parts.join(b",".as_slice()).as_slice(), b"]"].concat();
        let content = candidate.get("content").filter(JsonNode::is_object);
        match (content.as_ref().and_then(|it| it.get("parts")), content) {
            (Some(old), _) => patch.put(old.span, parts),
            (None, Some(content)) => patch.add(&content, &[b"\"parts\":", parts.as_slice()].concat()),
            (None, None) => {
                let content =
                    [b"\"content\":{\"parts\":", parts.as_slice(), b",\"role\":\"model\"}"].concat();
                patch.add(candidate, &content);
            }
        }
    }

    /// Removes the stop reason.
    pub(super) fn unfinish(&self, patch: &mut BytePatch) {
        if let Some(candidate) = &self.candidate {
            patch.cut(candidate, "finishReason");
        }
    }
}

/// The signature of a turn's calls. Only the first of several calls is signed. If that call is hidden, its signature
/// moves to the client's first call; otherwise the provider would refuse that call when the client sends it back.
#[derive(Debug, Default)]
pub(super) struct CallSignature {
    of_hidden: Option<Vec<u8>>,
    has_calls: bool,
}

impl CallSignature {
    /// Keeps the signature of a hidden call that precedes all of the client's calls.
    pub(super) fn keep(&mut self, kind: PartKind, part: &JsonNode<'_>) {
        self.has_calls |= kind == PartKind::Call;
        let signature = part.get("thoughtSignature").filter(|_| kind == PartKind::Hidden && !self.has_calls);
        self.of_hidden = self.of_hidden.take().or(signature.map(|it| it.bytes().to_vec()));
    }

    /// True when a signature is kept and no visible call has it yet.
    pub(super) fn is_kept(&self) -> bool {
        self.of_hidden.is_some()
    }

    /// Returns a visible part; the first call gets the kept signature.
    pub(super) fn sign(&mut self, kind: PartKind, part: &JsonNode<'_>) -> Vec<u8> {
        let bytes = part.bytes();
        let Some(signature) = (kind == PartKind::Call).then(|| self.of_hidden.take()).flatten() else {
            return bytes.to_vec();
        };
        if part.get("thoughtSignature").is_some() {
            return bytes.to_vec();
        }
        let end = bytes.len() - 1;
        [&bytes[..end], b",\"thoughtSignature\":", &signature, b"}"].concat()
    }
}
