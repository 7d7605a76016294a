//! Sets up the log: its destination, format and level.
//!
//! Only our own lines are logged. Log lines from dependencies could contain request data.

use std::io::{self, IsTerminal};

use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// The log level.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// Requests that failed because of us or the upstream.
    Warn,
    /// Every request.
    #[default]
    Info,
}

/// The log format.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum LogFormat {
    /// Text on a terminal, JSON elsewhere.
    #[default]
    Auto,
    /// One line of text per entry.
    Text,
    /// One line of JSON per entry.
    Json,
}

/// Log settings.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct LogSettings {
    /// The level.
    pub level: LogLevel,
    /// The format.
    pub format: LogFormat,
}

/// Maximum number of buffered lines; further lines are dropped.
const LINES: usize = 8192;

/// Keeps the log running; dropping it writes the buffered lines.
#[must_use]
pub struct LogGuard(#[expect(dead_code, reason = "writes the last lines when dropped")] Option<WorkerGuard>);

/// Starts logging to stderr. Logging never blocks the caller.
pub fn start(settings: LogSettings) -> LogGuard {
    let level = match settings.level {
        LogLevel::Off => return LogGuard(None),
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
    };
    let terminal = io::stderr().is_terminal();
    let (writer, guard) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(LINES)
        .thread_name("tersely-log")
        .finish(io::stderr());
    let ours = Targets::new().with_target("tersely", level);
    let lines = tracing_subscriber::fmt::layer().with_writer(writer).with_ansi(false).with_target(false);
    let json = match settings.format {
        LogFormat::Auto => !terminal,
        LogFormat::Text => false,
        LogFormat::Json => true,
    };
    let begun = if json {
        let lines = lines.json().flatten_event(true).with_current_span(false).with_span_list(false);
        tracing_subscriber::registry().with(lines.with_filter(ours)).try_init()
    } else {
        tracing_subscriber::registry().with(lines.with_filter(ours)).try_init()
    };
    // If a logger is already set in this process, it stays.
    LogGuard(begun.ok().map(|()| guard))
}
