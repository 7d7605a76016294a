//! Counts the answers that are under way on a connection, so that one on which nothing happens can be closed.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

/// How many answers of a connection are under way.
#[derive(Clone, Default)]
pub(crate) struct ConnectionActivity(watch::Sender<usize>);

/// An answer under way.
pub(crate) struct Beat(ConnectionActivity);

impl ConnectionActivity {
    /// One more.
    pub(crate) fn beat(&self) -> Beat {
        self.0.send_modify(|count| *count += 1);
        Beat(self.clone())
    }

    /// Waits until nothing has been under way for so long.
    pub(crate) async fn rest(&self, limit: Duration) {
        let mut count = self.0.subscribe();
        loop {
            // There is always one who sends: this one.
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
