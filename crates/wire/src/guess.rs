//! Tells whose body it is when no path does: the provider's whose tool results stand in it.

use crate::provider::Provider;
use crate::providers::PROVIDERS;
use crate::request::slot::Slot;

/// The provider whose tool results stand in `body`; `None` when there are none, or when two would find others.
///
/// Those that find the same places, as Ollama does in Chat Completions, come to the same: the first of them is taken.
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
