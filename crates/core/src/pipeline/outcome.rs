//! What became of a tool result, and how.

use std::borrow::Cow;

use tersely_stage::Loss;

use crate::pipeline::footer;
use crate::pipeline::reference::Original;
use crate::session;

/// One accepted change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The stage that proposed it.
    pub stage: &'static str,
    /// Tokens before.
    pub before: usize,
    /// Tokens after.
    pub after: usize,
    /// What it lost.
    pub loss: Loss,
}

/// A tool result after compression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome<'a> {
    /// What to send.
    pub text: Cow<'a, str>,
    /// How many secrets were masked before the first change; they are in nothing that is restored or kept.
    pub redacted: usize,
    /// The changes, in order.
    pub steps: Vec<Step>,
    /// What the text was before detail was left out of it, for whoever answers the model's question for more.
    pub original: Option<Original<'a>>,
}

impl<'a> Outcome<'a> {
    /// A text that goes on as it came.
    #[must_use]
    pub fn unchanged(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), redacted: 0, steps: Vec::new(), original: None }
    }
}

impl Outcome<'_> {
    /// The worst loss of all changes.
    #[must_use]
    pub fn loss(&self) -> Loss {
        self.steps.iter().map(|step| step.loss).max().unwrap_or(Loss::None)
    }

    /// What the text cost before the first change and after the last, where the changes say it.
    ///
    /// That of a wrapping counts in those within what was wrapped, which come after it.
    #[must_use]
    pub fn tokens(&self) -> Option<(usize, usize)> {
        let (first, last) = (self.steps.first()?, self.steps.last()?);
        let referred = [session::EARLIER, session::DUPLICATE].contains(&last.stage);
        let wrapped = first.stage == footer::WRAPPED && !referred;
        let after = if wrapped { first.after } else { last.after };
        (!wrapped || self.original.is_none()).then_some((first.before, after))
    }

    /// The outcome on its own feet.
    #[must_use]
    pub fn into_owned(self) -> Outcome<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let original = self.original.map(|original| Original { id: original.id, text: own(original.text) });
        Outcome { text: own(self.text), redacted: self.redacted, steps: self.steps, original }
    }
}
