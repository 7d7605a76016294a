//! Graceful shutdown in three steps: notice, drain, abort.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The steps of a shutdown. Tasks can wait for each of them.
#[derive(Clone, Default)]
pub(crate) struct Shutdown {
    /// All tasks in progress.
    pub(crate) tasks: TaskTracker,
    /// Cancelled shortly before requests are refused; readiness checks then report draining.
    pub(crate) notice: CancellationToken,
    /// Cancelled when no more requests are accepted.
    pub(crate) drain: CancellationToken,
    /// Cancelled when tasks still in progress must stop.
    pub(crate) abort: CancellationToken,
}
