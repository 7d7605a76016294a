//! The result of compressing one tool result.

use std::borrow::Cow;

use crate::pipeline::ledger::Ledger;
use crate::pipeline::reference::Original;
use crate::tokens::O200k;

/// A tool result after compression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome<'a> {
    /// The text to send.
    pub text: Cow<'a, str>,
    /// The number of secrets that were masked before the first change. No restored or stored text contains them.
    pub redacted: usize,
    /// The account: tokens before and after, and the changes in between.
    pub ledger: Ledger,
    /// The text before detail was cut from it, needed to answer `expand_context`; `None` if nothing was cut.
    pub original: Option<Original<'a>>,
}

impl<'a> Outcome<'a> {
    /// The outcome for a text that is sent unchanged.
    #[must_use]
    pub fn same(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), redacted: 0, ledger: Ledger::of(O200k.count(text)), original: None }
    }
}

impl Outcome<'_> {
    /// Converts this outcome into one that owns all its data.
    #[must_use]
    pub fn into_owned(self) -> Outcome<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let original = self.original.map(|original| Original { id: original.id, text: own(original.text) });
        Outcome { text: own(self.text), redacted: self.redacted, ledger: self.ledger, original }
    }
}
