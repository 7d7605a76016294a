//! Event sinks, and a queue that delivers to them without blocking.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::event::RequestEvent;

/// Maximum number of queued events.
const QUEUE: usize = 256;

/// Receives an event for every request.
pub trait EventSink: Send + Sync {
    /// The name under which the sink's dropped events are counted.
    fn name(&self) -> &'static str;

    /// Receives an event. It must not block.
    fn hear(&self, event: &Arc<RequestEvent>);

    /// Number of events dropped so far.
    fn dropped(&self) -> u64;

    /// The id of the span that the sink creates for this request, if the sink creates spans.
    fn span(&self, _id: u64) -> Option<u64> {
        None
    }
}

/// A bounded queue in front of a dedicated thread. If the thread is slow, events are dropped and counted.
pub struct EventQueue {
    name: &'static str,
    events: SyncSender<Arc<RequestEvent>>,
    dropped: Arc<AtomicU64>,
}

/// The receiving end of a queue.
pub struct QueueEnd {
    /// The events.
    pub events: Receiver<Arc<RequestEvent>>,
    /// Number of events dropped.
    pub dropped: Arc<AtomicU64>,
}

impl EventQueue {
    /// Starts a thread that runs `work` on the events until the queue closes.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn start(name: &'static str, work: impl FnOnce(QueueEnd) + Send + 'static) -> io::Result<Self> {
        let (sender, events) = sync_channel(QUEUE);
        let dropped = Arc::new(AtomicU64::new(0));
        let end = QueueEnd { events, dropped: Arc::clone(&dropped) };
        thread::Builder::new().name(format!("tersely-{name}")).spawn(move || work(end))?;
        Ok(Self { name, events: sender, dropped })
    }
}

impl EventSink for EventQueue {
    fn name(&self) -> &'static str {
        self.name
    }

    fn hear(&self, event: &Arc<RequestEvent>) {
        if self.events.try_send(Arc::clone(event)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

impl QueueEnd {
    /// Passes every event to `take` until the queue closes; an event that fails counts as dropped.
    pub fn each(&self, mut take: impl FnMut(&RequestEvent) -> io::Result<()>) {
        while let Ok(event) = self.events.recv() {
            if take(&event).is_err() {
                self.dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}
