//! What became of a tool result, and how.

use std::borrow::Cow;

use crate::pipeline::ledger::Ledger;
use crate::pipeline::reference::Original;
use crate::tokens::O200k;

/// A tool result after compression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome<'a> {
    /// What to send.
    pub text: Cow<'a, str>,
    /// How many secrets were masked before the first change; they are in nothing that is restored or kept.
    pub redacted: usize,
    /// What it cost and costs, and what changed that.
    pub ledger: Ledger,
    /// What the text was before detail was left out of it, for whoever answers the model's question for more.
    pub original: Option<Original<'a>>,
}

impl<'a> Outcome<'a> {
    /// A text that goes on as it came.
    #[must_use]
    pub fn unchanged(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), redacted: 0, ledger: Ledger::of(O200k.count(text)), original: None }
    }
}

impl Outcome<'_> {
    /// The outcome on its own feet.
    #[must_use]
    pub fn into_owned(self) -> Outcome<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let original = self.original.map(|original| Original { id: original.id, text: own(original.text) });
        Outcome { text: own(self.text), redacted: self.redacted, ledger: self.ledger, original }
    }
}
