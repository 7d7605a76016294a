//! Settings of log, events, history and prices.

use std::path::PathBuf;

use tersely_telemetry::JournalSettings;
use tersely_telemetry::log::{LogFormat, LogLevel, LogSettings};

/// Log levels.
pub(crate) const LEVELS: &[&str] = &["info", "warn", "off"];

/// Log formats.
pub(crate) const FORMATS: &[&str] = &["auto", "text", "json"];

/// When a history is recorded.
pub(crate) const RECORDS: &[&str] = &["auto", "on", "off"];

/// These settings while they are read.
#[derive(Debug, Clone)]
pub(crate) struct SeenSettings {
    pub level: &'static str,
    pub format: &'static str,
    /// The file for events; empty: none.
    pub events: String,
    pub event_bytes: usize,
    pub event_files: usize,
    /// The history.
    pub history: HistoryChoice,
    /// The file of prices; empty: none.
    pub prices: String,
}

/// Settings of the history.
#[derive(Debug, Clone)]
pub struct HistoryChoice {
    /// Whether there is one, of [`RECORDS`].
    pub record: &'static str,
    /// Its file; empty: the usual one.
    pub file: String,
    /// For how many days single requests are kept.
    pub days: usize,
    /// Whether the name of the folder is kept.
    pub project: bool,
}

impl Default for HistoryChoice {
    fn default() -> Self {
        Self { record: RECORDS[0], file: String::new(), days: 14, project: true }
    }
}

/// Settings of log, events, history and prices.
#[derive(Debug, Clone, Default)]
pub struct SeenParts {
    /// What is logged, and how.
    pub log: LogSettings,
    /// The file of events, if one is written.
    pub events: Option<JournalSettings>,
    /// The history.
    pub history: HistoryChoice,
    /// A file of prices.
    pub prices: Option<PathBuf>,
}

impl Default for SeenSettings {
    fn default() -> Self {
        Self {
            level: LEVELS[0],
            format: FORMATS[0],
            events: String::new(),
            event_bytes: 16 << 20,
            event_files: 5,
            history: HistoryChoice::default(),
            prices: String::new(),
        }
    }
}

impl SeenSettings {
    /// The finished settings.
    pub(crate) fn finish(&self) -> SeenParts {
        let level = match self.level {
            "off" => LogLevel::Off,
            "warn" => LogLevel::Warn,
            _ => LogLevel::Info,
        };
        let format = match self.format {
            "text" => LogFormat::Text,
            "json" => LogFormat::Json,
            _ => LogFormat::Auto,
        };
        let events = (!self.events.is_empty()).then(|| JournalSettings {
            path: PathBuf::from(&self.events),
            bytes: self.event_bytes as u64,
            files: self.event_files,
        });
        let prices = (!self.prices.is_empty()).then(|| PathBuf::from(&self.prices));
        SeenParts { log: LogSettings { level, format }, events, history: self.history.clone(), prices }
    }
}
