//! Guesses the provider of a body from its tool results, when the path does not show the provider.

use crate::provider::Provider;
use crate::providers::PROVIDERS;
use crate::request::slot::Slot;

/// The provider whose tool results are in `body`. `None` when there are none, or when providers find different ones.
///
/// If several providers find the same results, as Chat Completions and Ollama do, the first of these providers is
/// returned.
#[must_use]
pub fn guess_provider(body: &[u8]) -> Option<&'static Provider> {
    let found = PROVIDERS.into_iter().map(|provider| (provider, provider.slots(body).unwrap_or_default()));
    let mut found = found.filter(|(_, slots)| !slots.is_empty());
    let (provider, slots) = found.next()?;
    found.all(|(_, others)| places(&others).eq(places(&slots))).then_some(provider)
}

fn places<'s>(slots: &'s [Slot<'_>]) -> impl Iterator<Item = (usize, usize)> + 's {
    slots.iter().map(|slot| (slot.span.start, slot.span.end))
}
