//! Hears of requests and has them written into a history, without anyone waiting.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{io, thread};

use tersely_telemetry::{EventSink, RequestEvent};

use crate::error::HistoryError;
use crate::read::{HistoryReader, HistoryView};
use crate::schema;
use crate::state::{HistorySettings, SinkState};
use crate::writer::Scribe;

/// Events that wait to be written; beyond that they are lost.
const QUEUE: usize = 1024;

/// Hears of requests and has them written into a history. Clones are the same one.
#[derive(Clone)]
pub struct HistorySink {
    events: SyncSender<Arc<RequestEvent>>,
    file: Option<PathBuf>,
    state: Arc<SinkState>,
}

impl HistorySink {
    /// Begins to write a history. The file is opened later, by whoever writes it.
    ///
    /// # Errors
    /// When there can be no thread for it, or no memory.
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

    /// Waits until all that was heard is written or lost, or the time is over. Gives how many events still wait to be
    /// written then.
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

    /// What was wrong first, if anything was.
    #[must_use]
    pub fn fault(&self) -> Option<&str> {
        self.state.fault.get().map(String::as_str)
    }

    /// Reads what was written.
    ///
    /// # Errors
    /// When there is no file yet, or it cannot be read.
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
        // What asks no model, as a client that looks whether a server is there, is no request of a history.
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
