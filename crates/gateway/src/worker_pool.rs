//! Runs work on bodies in such a way that it can neither block nor crash a request.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::bypass::BypassReason;
use crate::settings::GatewaySettings;

/// Body sizes are counted in units of this many bytes, because a semaphore cannot have one permit for each byte of
/// memory.
const UNIT_BYTES: usize = 1 << 10;

/// Capacity for work on worker threads: the number of concurrent runs, and the total size of their bodies.
pub(crate) struct WorkerPool {
    places: Arc<Semaphore>,
    room: Arc<Semaphore>,
    most: Load,
    deadline: Duration,
    /// The maximum size in bytes of a body that is processed inline, on the serving thread.
    inline: usize,
    /// Capacity used by runs that timed out and have not finished yet.
    lost: Arc<LostCapacity>,
}

/// A number of runs, and the total size of their bodies in units.
#[derive(Clone, Copy)]
struct Load {
    runs: u32,
    units: u32,
}

#[derive(Default)]
struct LostCapacity {
    runs: AtomicU32,
    units: AtomicU32,
}

impl WorkerPool {
    /// Creates a pool with the capacity from the settings.
    pub(crate) fn new(settings: &GatewaySettings) -> Self {
        let limits = &settings.limits;
        let most = Load { runs: permits(limits.rewrites), units: permits(limits.rewriting / UNIT_BYTES) };
        Self {
            places: Arc::new(Semaphore::new(most.runs as usize)),
            room: Arc::new(Semaphore::new(most.units as usize)),
            most,
            deadline: settings.timeouts.rewrite,
            inline: limits.inline,
            lost: Arc::default(),
        }
    }

    /// Runs `work` on a body of this many bytes: inline if the body is small, otherwise on another thread.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, BypassReason> {
        if bytes <= self.inline { catch_panic(work) } else { self.offload(bytes, work).await }
    }

    /// Runs `work` on another thread, within the deadline. Waits for capacity; a body larger than the whole capacity
    /// waits until no other work runs. A run cannot be stopped: if it exceeds the deadline, it keeps its capacity until
    /// it finishes, and new runs that would need that capacity fail at once instead of waiting for it.
    pub(crate) async fn offload<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, BypassReason> {
        let load = Load { runs: 1, units: permits(bytes / UNIT_BYTES).min(self.most.units) };
        if !self.lost.leaves(self.most, load) {
            return Err(BypassReason::Late);
        }
        let done = timeout(self.deadline, async {
            let room = Arc::clone(&self.room).acquire_many_owned(load.units).await;
            let place = Arc::clone(&self.places).acquire_owned().await;
            let (waiting, working) = Half::pair(load, &self.lost);
            let done = spawn_blocking(move || {
                let _held = (room, place, working);
                catch_panic(work)
            });
            let done = done.await;
            drop(waiting);
            done
        });
        done.await.map_err(|_| BypassReason::Late)?.unwrap_or(Err(BypassReason::Panicked))
    }
}

/// Converts a count to a number of permits, which is at least one.
fn permits(count: usize) -> u32 {
    u32::try_from(count.min(Semaphore::MAX_PERMITS)).unwrap_or(u32::MAX).max(1)
}

/// Runs `work` inline, and converts a panic to an error.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, BypassReason> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| BypassReason::Panicked)
}

impl LostCapacity {
    /// True if `load` fits into the capacity that is not lost.
    fn leaves(&self, most: Load, load: Load) -> bool {
        let fits = |lost: &AtomicU32, most: u32, load: u32| {
            lost.load(Ordering::Relaxed).saturating_add(load) <= most
        };
        fits(&self.runs, most.runs, load.runs) && fits(&self.units, most.units, load.units)
    }

    fn add(&self, load: Load) {
        self.runs.fetch_add(load.runs, Ordering::Relaxed);
        self.units.fetch_add(load.units, Ordering::Relaxed);
    }

    fn take(&self, load: Load) {
        self.runs.fetch_sub(load.runs, Ordering::Relaxed);
        self.units.fetch_sub(load.units, Ordering::Relaxed);
    }
}

/// One of the two sides of a run. If the waiting side is dropped first, the run's capacity counts as lost until the
/// working side is dropped too.
struct Half {
    side: Side,
    load: Load,
    gone: Arc<AtomicBool>,
    lost: Arc<LostCapacity>,
}

enum Side {
    Waiting,
    Working,
}

impl Half {
    /// Creates the waiting side and the working side of a run.
    fn pair(load: Load, lost: &Arc<LostCapacity>) -> (Self, Self) {
        let gone = Arc::new(AtomicBool::new(false));
        let half = |side| Self { side, load, gone: Arc::clone(&gone), lost: Arc::clone(lost) };
        (half(Side::Waiting), half(Side::Working))
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        match (&self.side, self.gone.swap(true, Ordering::AcqRel)) {
            (Side::Waiting, false) => self.lost.add(self.load),
            (Side::Working, true) => self.lost.take(self.load),
            (Side::Waiting, true) | (Side::Working, false) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::mpsc;
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// A run that hangs keeps its capacity: a body that does not fit into the rest is late at once, and a body that
    /// fits is processed.
    #[tokio::test]
    async fn room_that_is_lost_is_not_waited_for() {
        let mut settings = GatewaySettings::default();
        settings.limits.rewriting = 3 * UNIT_BYTES;
        settings.timeouts.rewrite = Duration::from_millis(50);
        let mut workers = WorkerPool::new(&settings);
        let (release, hung) = mpsc::channel::<()>();
        assert_eq!(workers.offload(2 * UNIT_BYTES, move || hung.recv()).await, Err(BypassReason::Late));
        workers.deadline = Duration::from_secs(20);
        let now = |future| Future::poll(future, &mut Context::from_waker(Waker::noop()));
        assert_eq!(now(pin!(workers.offload(2 * UNIT_BYTES, || 1))), Poll::Ready(Err(BypassReason::Late)));
        assert_eq!(workers.offload(UNIT_BYTES, || 1).await, Ok(1));
        drop(release);
        while workers.lost.units.load(Ordering::Relaxed) > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(workers.offload(2 * UNIT_BYTES, || 2).await, Ok(2));
    }
}
