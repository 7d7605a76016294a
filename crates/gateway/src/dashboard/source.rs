//! The data that the dashboard shows.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::StatusCode;
use serde_json::{Map, Value, json};
use tersely_history::{HistoryError, HistoryReader, HistoryView};
use tersely_telemetry::EventSink;

use crate::display::{Display, HistorySource};
use crate::error::Error;

/// The data that the dashboard shows.
pub(crate) struct DashboardData {
    display: Display,
    /// The reader of the history, once the history has been opened.
    reader: Mutex<Option<HistoryReader>>,
    /// The latest figures, and the number of the last request that they include.
    last: Mutex<Option<(u64, Bytes)>>,
}

impl DashboardData {
    pub(crate) fn new(display: Display) -> Self {
        Self { display, reader: Mutex::default(), last: Mutex::default() }
    }

    /// All figures, as JSON.
    pub(crate) async fn stats(self: &Arc<Self>) -> Result<Bytes, Error> {
        self.off_thread(Self::render).await
    }

    /// The number of the latest request.
    pub(crate) async fn latest(self: &Arc<Self>) -> Result<u64, Error> {
        self.off_thread(|data| data.reader()?.look(HistoryView::latest)).await
    }

    /// The turns of one conversation, as JSON.
    pub(crate) async fn session(self: &Arc<Self>, session: u64) -> Result<Bytes, Error> {
        self.off_thread(move |data| {
            let turns = data.reader()?.look(|view| view.conversation(session))?;
            Ok(turns.to_string().into())
        })
        .await
    }

    async fn off_thread<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Self) -> Result<T, HistoryError> + Send + 'static,
    ) -> Result<T, Error> {
        let data = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || {
            let read = read(&data);
            if read.is_err() {
                // The file may have been replaced, so it is opened again.
                *data.reader.lock().unwrap_or_else(PoisonError::into_inner) = None;
            }
            read
        });
        let fault = |why: String| {
            Error::us(StatusCode::SERVICE_UNAVAILABLE, format!("the history cannot be read: {why}"))
        };
        done.await.map_err(|error| fault(error.to_string()))?.map_err(|error| fault(error.to_string()))
    }

    fn reader(&self) -> Result<HistoryReader, HistoryError> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reader) = &*reader {
            return Ok(reader.clone());
        }
        let opened = match self.display.history.as_ref().map(open) {
            None | Some(Err(HistoryError::Missing)) => return HistoryReader::empty(),
            Some(opened) => opened?,
        };
        *reader = Some(opened.clone());
        Ok(opened)
    }

    /// Renders the figures, or reuses the last result if nothing has been recorded since.
    fn render(&self) -> Result<Bytes, HistoryError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        self.reader()?.look(|view| {
            let latest = view.latest()?;
            if let Some((_, text)) = last.as_ref().filter(|(at, _)| *at == latest && latest > 0) {
                return Ok(text.clone());
            }
            let mut all = view.summary()?;
            all.extend(view.activity()?);
            all.extend(self.now());
            let text = Bytes::from(Value::from(all).to_string());
            *last = Some((latest, text.clone()));
            Ok(text)
        })
    }

    /// The gateway's current state.
    fn now(&self) -> Map<String, Value> {
        let mode = self.display.engine.as_ref().map(|engine| engine.get().settings().plan.mode.name());
        let store = self.display.store.as_ref().map(|store| {
            let counts = store.counts();
            json!({
                "place": if store.deadline().is_some() { "shared" } else { "memory" },
                "hits": counts.hits, "misses": counts.misses, "kept": counts.kept,
                "failures": counts.failures, "spoiled": counts.spoiled,
            })
        });
        Map::from_iter([
            ("tersely".to_owned(), json!(env!("CARGO_PKG_VERSION"))),
            ("mode".to_owned(), json!(mode)),
            ("store".to_owned(), json!(store)),
            ("history".to_owned(), json!(self.display.history.as_ref().map(recording))),
        ])
    }
}

fn open(history: &HistorySource) -> Result<HistoryReader, HistoryError> {
    match history {
        HistorySource::Sink(sink) => sink.reader(),
        HistorySource::File(path) => HistoryReader::open(path),
    }
}

/// How many events were not recorded and why, as far as this is known.
fn recording(history: &HistorySource) -> Value {
    match history {
        HistorySource::Sink(sink) => json!({ "dropped": sink.dropped(), "fault": sink.fault() }),
        HistorySource::File(_) => json!({ "dropped": 0, "fault": null }),
    }
}
