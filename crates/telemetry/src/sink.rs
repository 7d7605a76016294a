//! Where events go, without anyone waiting for them.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::event::RequestEvent;

/// Events that wait to be taken.
const QUEUE: usize = 256;

/// Something that hears of every request.
pub trait EventSink: Send + Sync {
    /// What it is called where its losses are counted.
    fn name(&self) -> &'static str;

    /// Hears of a request. It must not wait for anything.
    fn hear(&self, event: &Arc<RequestEvent>);

    /// How many events were lost so far.
    fn dropped(&self) -> u64;

    /// The span that it makes of the request of this number, if it makes any.
    fn span(&self, _id: u64) -> Option<u64> {
        None
    }
}

/// A short queue before a thread of its own. Where that is slow, events are dropped and counted.
pub struct EventQueue {
    name: &'static str,
    events: SyncSender<Arc<RequestEvent>>,
    dropped: Arc<AtomicU64>,
}

/// The end of a queue where events come out, and their losses are counted.
pub struct QueueEnd {
    /// The events.
    pub events: Receiver<Arc<RequestEvent>>,
    /// How many were lost.
    pub dropped: Arc<AtomicU64>,
}

impl EventQueue {
    /// A queue whose events `work` takes until there are no more.
    ///
    /// # Errors
    /// When there can be no thread for it.
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
    /// Takes every event until nobody can send any more; one that fails is lost.
    pub fn each(&self, mut take: impl FnMut(&RequestEvent) -> io::Result<()>) {
        while let Ok(event) = self.events.recv() {
            if take(&event).is_err() {
                self.dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}
