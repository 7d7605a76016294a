//! The writer thread: takes events from the queue and writes them in batches. Events that cannot be written are dropped
//! and counted.

use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tersely_telemetry::RequestEvent;

use crate::error::HistoryError;
use crate::insert::BatchWriter;
use crate::purge::forget;
use crate::read::HistoryView;
use crate::schema;
use crate::state::{HistorySettings, SinkState};

/// How long a batch waits for more events, and how often it takes those that have come.
const GATHER_STEP: Duration = Duration::from_millis(15);
const GATHER_STEPS: usize = 10;

/// Maximum number of events in a batch.
const BATCH: usize = 256;

/// How often old requests are deleted.
const TIDY: Duration = Duration::from_hours(1);

/// How long to wait before reopening a file that could not be opened.
const PAUSE: Duration = Duration::from_secs(10);

/// Maximum number of single requests in an in-memory history.
const ROWS: usize = 10_000;

/// Number of new requests after which an in-memory history is trimmed.
const LOOK: usize = 1_000;

/// The writer thread's state.
pub(crate) struct Scribe {
    settings: HistorySettings,
    state: Arc<SinkState>,
    writer: BatchWriter,
    connection: Option<Arc<Mutex<HistoryView>>>,
    /// When opening the file was last attempted.
    tried: Option<Instant>,
    /// When old requests were last deleted, and the number of requests since.
    tidied: Option<(Instant, usize)>,
}

impl Scribe {
    pub(crate) fn new(settings: HistorySettings, state: Arc<SinkState>) -> Self {
        let writer = BatchWriter::new(settings.project.clone());
        let connection = state.memory.clone();
        Self { settings, state, writer, connection, tried: None, tidied: None }
    }

    /// Writes batches until the queue closes.
    pub(crate) fn run(&mut self, queue: &Receiver<Arc<RequestEvent>>) {
        while let Ok(first) = queue.recv() {
            let mut batch = vec![first];
            // A thread that waited for each event would be woken by each request.
            for _ in 0..GATHER_STEPS {
                thread::sleep(GATHER_STEP);
                batch.extend(queue.try_iter().take(BATCH - batch.len()));
                if batch.len() == BATCH {
                    break;
                }
            }
            match self.write(&batch) {
                Ok(()) => {
                    self.state.settled.fetch_add(batch.len() as u64, Ordering::Release);
                }
                Err(error) => self.fail(batch.len(), &error),
            }
        }
    }

    fn write(&mut self, batch: &[Arc<RequestEvent>]) -> Result<(), HistoryError> {
        let connection = self.connection()?;
        let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
        self.writer.write(&mut connection.0, batch)?;
        let (since, count) = self.tidied.unwrap_or((Instant::now(), 0));
        let is_due = self.tidied.is_none() || since.elapsed() > TIDY;
        let is_full = self.settings.file.is_none() && count > LOOK;
        self.tidied = Some((since, count + batch.len()));
        if is_due || is_full {
            self.tidied = Some((Instant::now(), 0));
            let rows = self.settings.file.is_none().then_some(ROWS);
            // If this fails, the next run deletes the old requests.
            let _ = forget(&mut connection.0, self.settings.days, rows);
        }
        Ok(())
    }

    /// The connection. After a failure, waits [`PAUSE`] before opening the file again.
    fn connection(&mut self) -> Result<Arc<Mutex<HistoryView>>, HistoryError> {
        if let Some(connection) = &self.connection {
            return Ok(Arc::clone(connection));
        }
        let Some(file) = &self.settings.file else { return Err(HistoryError::Missing) };
        if self.tried.is_some_and(|at| at.elapsed() < PAUSE) {
            return Err(HistoryError::Missing);
        }
        self.tried = Some(Instant::now());
        let connection = Arc::new(Mutex::new(HistoryView(schema::create(file)?)));
        self.connection = Some(Arc::clone(&connection));
        Ok(connection)
    }

    /// Logs only the first error, because the next events will fail in the same way.
    fn fail(&mut self, events: usize, error: &HistoryError) {
        self.state.lose(events);
        if self.state.fault.set(error.to_string()).is_ok() {
            tracing::warn!(target: "tersely", why = %error, "history: requests are not recorded");
        }
        // Reopens a file that was damaged or replaced.
        if self.settings.file.is_some() {
            self.connection = None;
        }
    }
}
