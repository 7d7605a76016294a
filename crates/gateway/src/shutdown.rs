//! Graceful shutdown: notice, drain, abort.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The steps of a shutdown, each of which a task can wait for.
#[derive(Clone, Default)]
pub(crate) struct Shutdown {
    /// Every task in progress.
    pub(crate) tasks: TaskTracker,
    /// Cancelled when requests are about to be refused; readiness checks report it.
    pub(crate) notice: CancellationToken,
    /// Cancelled when no more requests are taken.
    pub(crate) drain: CancellationToken,
    /// Cancelled when tasks still in progress must stop.
    pub(crate) abort: CancellationToken,
}
