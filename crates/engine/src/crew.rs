//! Does independent work on several threads where there is enough of it, and gives the results in order.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tersely_wire::Slot;

/// Bytes of results that are worth a second thread.
const WORTH: usize = 64 << 10;

/// More threads than these serve one request at the cost of others.
const MOST: usize = 4;

/// What `work` gives for each slot.
pub(crate) fn each<'s, T: Send>(slots: &[Slot<'s>], work: impl Fn(&Slot<'s>) -> T + Sync) -> Vec<T> {
    let bytes: usize = slots.iter().map(|slot| slot.token.len()).sum();
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST).min(bytes / WORTH);
    if threads < 2 {
        return slots.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        while let Some((at, slot)) = pick(&next, slots) {
            done.push((at, work(slot)));
        }
        done
    };
    let mut all = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut all = run();
        all.extend(others.into_iter().filter_map(|other| other.join().ok()).flatten());
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, done)| done).collect()
}

/// The next slot that nobody has taken.
fn pick<'l, 's>(next: &AtomicUsize, slots: &'l [Slot<'s>]) -> Option<(usize, &'l Slot<'s>)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    slots.get(at).map(|slot| (at, slot))
}
