//! Receives request events and queues them for the history without blocking.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{io, thread};

use tersely_account::RequestRecord;
use tersely_telemetry::{EventSink, RequestEnd, RequestEvent, Verb};

use crate::error::HistoryError;
use crate::read::{HistoryReader, HistoryView};
use crate::schema;
use crate::state::{HistorySettings, SinkState};
use crate::writer::Scribe;

/// Maximum number of queued events; further events are dropped.
const QUEUE: usize = 1024;

/// Receives request events and records them in a history. Clones share one queue.
#[derive(Clone)]
pub struct HistorySink {
    events: SyncSender<Arc<RequestEvent>>,
    file: Option<PathBuf>,
    state: Arc<SinkState>,
}

impl HistorySink {
    /// Starts recording. The writer thread opens the file later.
    ///
    /// # Errors
    /// When the thread or the in-memory database cannot be created.
    pub fn start(settings: HistorySettings) -> io::Result<Self> {
        let memory = match settings.file {
            Some(_) => None,
            None => Some(Arc::new(Mutex::new(HistoryView(schema::in_memory().map_err(io::Error::other)?)))),
        };
        let (events, queue) = sync_channel(QUEUE);
        let state = Arc::new(SinkState { memory, ..SinkState::default() });
        let file = settings.file.clone();
        let mut scribe = Scribe::new(settings, Arc::clone(&state));
        thread::Builder::new().name("tersely-history".to_owned()).spawn(move || scribe.run(&queue))?;
        Ok(Self { events, file, state })
    }

    /// Waits until every event received is written or dropped, or until the timeout. Returns the number of events still
    /// queued.
    #[must_use]
    pub fn finish(&self, patience: Duration) -> u64 {
        let until = Instant::now() + patience;
        let count = |counter: &AtomicU64| counter.load(Ordering::Acquire);
        let waiting = || count(&self.state.heard).saturating_sub(count(&self.state.settled));
        while waiting() > 0 && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        waiting()
    }

    /// Records an answer that no request was reported for, such as one of an MCP server behind standard input and
    /// output. An answer without results is not recorded.
    pub fn hear_answer(&self, record: RequestRecord, took: Duration) {
        if record.slots == 0 && record.would.is_none() {
            return;
        }
        self.hear(&Arc::new(RequestEvent {
            provider: Some("mcp"),
            status: 200,
            end: RequestEnd::Answered,
            took,
            ours: Some(took),
            record,
            ..RequestEvent::new(0, Verb::of("POST"))
        }));
    }

    /// The first error, if there was one.
    #[must_use]
    pub fn fault(&self) -> Option<&str> {
        self.state.fault.get().map(String::as_str)
    }

    /// Opens a reader of this history.
    ///
    /// # Errors
    /// When the file does not exist yet or cannot be read.
    pub fn reader(&self) -> Result<HistoryReader, HistoryError> {
        match (&self.state.memory, &self.file) {
            (Some(memory), _) => Ok(HistoryReader::sharing(Arc::clone(memory))),
            (None, Some(file)) => HistoryReader::open(file),
            (None, None) => Err(HistoryError::Missing),
        }
    }
}

impl EventSink for HistorySink {
    fn name(&self) -> &'static str {
        "history"
    }

    fn hear(&self, event: &Arc<RequestEvent>) {
        // Only a POST can call a model; other requests, such as probes, are not recorded.
        if event.verb.name() != "POST" {
            return;
        }
        self.state.heard.fetch_add(1, Ordering::Release);
        if self.events.try_send(Arc::clone(event)).is_err() {
            self.state.lose(1);
        }
    }

    fn dropped(&self) -> u64 {
        self.state.lost.load(Ordering::Relaxed)
    }
}
