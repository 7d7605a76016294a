//! Settings of the log, the event file, the history and the prices.

use std::path::PathBuf;

use tersely_telemetry::JournalSettings;
use tersely_telemetry::log::{LogFormat, LogLevel, LogSettings};

/// Log levels.
pub(crate) const LEVELS: &[&str] = &["info", "warn", "off"];

/// Log formats.
pub(crate) const FORMATS: &[&str] = &["auto", "text", "json"];

/// When a history is recorded.
pub(crate) const RECORDS: &[&str] = &["auto", "on", "off"];

/// These settings while they are being read.
#[derive(Debug, Clone)]
pub(crate) struct SeenSettings {
    pub level: &'static str,
    pub format: &'static str,
    /// The file for events; empty if there is none.
    pub events: String,
    pub event_bytes: usize,
    pub event_files: usize,
    /// Settings of the history.
    pub history: HistoryChoice,
    /// The file of prices; empty if there is none.
    pub prices: String,
}

/// Settings of the history.
#[derive(Debug, Clone)]
pub struct HistoryChoice {
    /// Whether a history is recorded: one of [`RECORDS`].
    pub record: &'static str,
    /// The file of the history; empty for the default.
    pub file: String,
    /// The number of days for which single requests are kept.
    pub days: usize,
    /// Whether the name of the project folder is recorded.
    pub project: bool,
}

impl Default for HistoryChoice {
    fn default() -> Self {
        Self { record: RECORDS[0], file: String::new(), days: 14, project: true }
    }
}

/// The finished settings of the log, the event file, the history and the prices.
#[derive(Debug, Clone, Default)]
pub struct SeenParts {
    /// Settings of the log.
    pub log: LogSettings,
    /// The event file, if events are written.
    pub events: Option<JournalSettings>,
    /// Settings of the history.
    pub history: HistoryChoice,
    /// The file of prices, if there is one.
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
