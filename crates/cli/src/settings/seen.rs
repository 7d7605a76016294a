//! What is seen of a gateway: its log and its events.

use std::path::PathBuf;

use tersely_telemetry::JournalSettings;
use tersely_telemetry::log::{LogFormat, LogLevel, LogSettings};

/// How much the log says.
pub(crate) const LEVELS: &[&str] = &["info", "warn", "off"];

/// How it looks.
pub(crate) const FORMATS: &[&str] = &["auto", "text", "json"];

/// What is seen, as it was typed.
#[derive(Debug, Clone)]
pub(crate) struct SeenSettings {
    pub level: &'static str,
    pub format: &'static str,
    /// The file for events; empty: none.
    pub events: String,
    pub event_bytes: usize,
    pub event_files: usize,
}

/// What is seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct SeenParts {
    pub log: LogSettings,
    pub events: Option<JournalSettings>,
}

impl Default for SeenSettings {
    fn default() -> Self {
        Self {
            level: LEVELS[0],
            format: FORMATS[0],
            events: String::new(),
            event_bytes: 16 << 20,
            event_files: 5,
        }
    }
}

impl SeenSettings {
    /// What is meant by it.
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
        SeenParts { log: LogSettings { level, format }, events }
    }
}
