//! Runs independent work on several threads if there is enough of it, and returns the results in order.

use std::num::NonZero;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tersely_wire::Slot;

use crate::panic_guard::catch_panic;

/// The number of bytes of work that justify one more thread.
const BYTES_PER_THREAD: usize = 64 << 10;

/// The maximum number of threads for one request. More would slow down other requests.
const MAX_THREADS: usize = 4;

/// The result of `work` for each slot, in order; `None` where `work` panicked.
pub(crate) fn each<'s, T: Send>(
    slots: &[(usize, &Slot<'s>)],
    work: impl Fn(&(usize, &Slot<'s>)) -> T + Sync,
) -> Vec<Option<T>> {
    spread(threads(slots.iter().map(|(_, slot)| slot.token.len()).sum()), slots, work)
}

/// The result of `work` for each text, in order; `None` where `work` panicked.
pub(crate) fn each_text<T: Send>(texts: &[&str], work: impl Fn(&str) -> T + Sync) -> Vec<Option<T>> {
    spread(threads(texts.iter().map(|text| text.len()).sum()), texts, |text| work(text))
}

/// The number of threads that this many bytes justify.
fn threads(bytes: usize) -> usize {
    (bytes / BYTES_PER_THREAD).min(*CORES)
}

/// The number of processor cores, limited to `MAX_THREADS`. Computed once, because finding it requires reading half a
/// dozen files, which takes longer than handling a small request.
static CORES: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS));

/// The result of `work` for each item, in order, computed on this many threads.
fn spread<I: Sync, T: Send>(threads: usize, items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<Option<T>> {
    if threads < 2 {
        return items.iter().map(|item| catch_panic(|| work(item))).collect();
    }
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        while let Some((at, item)) = pick(&next, items) {
            done.push((at, catch_panic(|| work(item))));
        }
        done
    };
    let done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut done = run();
        done.extend(others.into_iter().filter_map(|other| other.join().ok()).flatten());
        done
    });
    // Results are stored by index, not by order of completion: the work of a thread that died leaves gaps.
    let mut all: Vec<Option<T>> = items.iter().map(|_| None).collect();
    for (at, value) in done {
        all[at] = value;
    }
    all
}

/// The next item that no thread has taken.
fn pick<'l, I>(next: &AtomicUsize, items: &'l [I]) -> Option<(usize, &'l I)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    items.get(at).map(|item| (at, item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_panics_leaves_its_own_place_empty_and_no_other() {
        let items: Vec<usize> = (0..200).collect();
        for threads in [1, 2, 4] {
            let found = spread(threads, &items, |item| {
                assert!(item % 7 != 3, "a fault, as a test wants it");
                *item
            });
            let expected: Vec<_> =
                items.iter().map(|item| Some(*item).filter(|item| item % 7 != 3)).collect();
            assert_eq!(found, expected, "{threads} threads");
        }
    }
}
