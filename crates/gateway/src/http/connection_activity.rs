//! Counts the responses in progress on a connection, so that an idle connection can be closed.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

/// The number of responses in progress on a connection.
#[derive(Clone, Default)]
pub(crate) struct ConnectionActivity(watch::Sender<usize>);

/// A response in progress.
pub(crate) struct Beat(ConnectionActivity);

impl ConnectionActivity {
    /// Counts one more response.
    pub(crate) fn begin_response(&self) -> Beat {
        self.0.send_modify(|count| *count += 1);
        Beat(self.clone())
    }

    /// Waits until no response has been in progress for the duration `limit`.
    pub(crate) async fn wait_idle(&self, limit: Duration) {
        let mut count = self.0.subscribe();
        loop {
            // The sender is owned by `self`, so it cannot have been dropped.
            let _ = count.wait_for(|count| *count == 0).await;
            if timeout(limit, count.changed()).await.is_err() {
                return;
            }
        }
    }
}

impl Drop for Beat {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}
