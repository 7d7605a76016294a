//! Takes events from a queue and writes them, some at a time; what cannot be written is lost and counted.

use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tersely_telemetry::RequestEvent;

use crate::error::HistoryError;
use crate::insert::BatchWriter;
use crate::purge::forget;
use crate::read::HistoryView;
use crate::schema;
use crate::state::{HistorySettings, SinkState};

/// How long events wait for others to be written with.
const GATHER: Duration = Duration::from_millis(150);

/// The most events that are written at once.
const BATCH: usize = 256;

/// How often old requests are forgotten.
const TIDY: Duration = Duration::from_hours(1);

/// How long a file that could not be opened is left alone.
const PAUSE: Duration = Duration::from_secs(10);

/// Single requests that are kept where there is no file.
const ROWS: usize = 10_000;

/// How often their number is looked at, in requests.
const LOOK: usize = 1_000;

/// Whoever writes.
pub(crate) struct Scribe {
    settings: HistorySettings,
    state: Arc<SinkState>,
    writer: BatchWriter,
    connection: Option<Arc<Mutex<HistoryView>>>,
    /// When the file was last tried in vain.
    tried: Option<Instant>,
    /// When old requests were last forgotten, and how many have come since.
    tidied: Option<(Instant, usize)>,
}

impl Scribe {
    pub(crate) fn new(settings: HistorySettings, state: Arc<SinkState>) -> Self {
        let writer = BatchWriter::new(settings.project.clone());
        let connection = state.memory.clone();
        Self { settings, state, writer, connection, tried: None, tidied: None }
    }

    /// Writes until nobody can say anything any more.
    pub(crate) fn run(&mut self, queue: &Receiver<Arc<RequestEvent>>) {
        while let Ok(first) = queue.recv() {
            let mut batch = vec![first];
            let until = Instant::now() + GATHER;
            while batch.len() < BATCH {
                match queue.recv_timeout(until.saturating_duration_since(Instant::now())) {
                    Ok(event) => batch.push(event),
                    Err(_) => break,
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
            // What is not forgotten now is forgotten later.
            let _ = forget(&mut connection.0, self.settings.days, rows);
        }
        Ok(())
    }

    /// The database; where it could not be had, it is tried again after a while.
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

    /// Says what is wrong, once: it will be wrong for the next events too.
    fn fail(&mut self, events: usize, error: &HistoryError) {
        self.state.lose(events);
        if self.state.fault.set(error.to_string()).is_ok() {
            tracing::warn!(target: "tersely", why = %error, "history: requests are not recorded");
        }
        // A file that broke, or was replaced, is opened afresh.
        if self.settings.file.is_some() {
            self.connection = None;
        }
    }
}
