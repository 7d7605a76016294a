//! How a gateway ends: it says so first, takes no more requests then, and at last stops what still runs.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How a gateway ends.
#[derive(Clone, Default)]
pub(crate) struct Shutdown {
    /// Everything that runs.
    pub(crate) tasks: TaskTracker,
    /// No more requests soon.
    pub(crate) notice: CancellationToken,
    /// No more requests.
    pub(crate) drain: CancellationToken,
    /// No more anything.
    pub(crate) abort: CancellationToken,
}
