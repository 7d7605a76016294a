//! Runs a rewrite so that nothing it does can hold up or bring down a request.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::llm::rewrite::Missed;
use crate::settings::Settings;

/// Places for work off the threads that serve.
pub(crate) struct Bench {
    places: Arc<Semaphore>,
    count: isize,
    deadline: Duration,
    /// Runs that no one waits for any more.
    abandoned: Arc<AtomicIsize>,
}

impl Bench {
    /// As many places as the settings grant.
    pub(crate) fn new(settings: &Settings) -> Self {
        let count = settings.limits.rewrites.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            places: Arc::new(Semaphore::new(count)),
            count: isize::try_from(count).unwrap_or(isize::MAX),
            deadline: settings.timeouts.rewrite,
            abandoned: Arc::default(),
        }
    }

    /// Does `work` on another thread, for as long as the deadline allows. A run cannot be stopped: one that is late
    /// keeps its place until it ends. When all places are lost that way, nobody waits for one.
    pub(crate) async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Missed> {
        if self.abandoned.load(Ordering::Relaxed) >= self.count {
            return Err(Missed::Late);
        }
        let done = timeout(self.deadline, async {
            let place = Arc::clone(&self.places).acquire_owned().await;
            let (waiting, working) = Half::pair(&self.abandoned);
            let done = spawn_blocking(move || {
                let (_place, _working) = (place, working);
                guarded(work)
            });
            let done = done.await;
            drop(waiting);
            done
        });
        done.await.map_err(|_| Missed::Late)?.unwrap_or(Err(Missed::Panicked))
    }
}

/// Does `work` here and now.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Missed> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Missed::Panicked)
}

/// One of the two sides of a run: the one that works and the one that waits. If the waiting side goes first, the run
/// counts as abandoned until the working side goes.
struct Half {
    side: isize,
    gone: Arc<AtomicBool>,
    abandoned: Arc<AtomicIsize>,
}

impl Half {
    fn pair(abandoned: &Arc<AtomicIsize>) -> (Self, Self) {
        let gone = Arc::new(AtomicBool::new(false));
        let half = |side| Self { side, gone: Arc::clone(&gone), abandoned: Arc::clone(abandoned) };
        (half(1), half(-1))
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        let other = self.gone.swap(true, Ordering::AcqRel);
        // Waiting goes first: one more. Working goes second, after waiting: one less.
        if other == (self.side < 0) {
            self.abandoned.fetch_add(self.side, Ordering::Relaxed);
        }
    }
}
