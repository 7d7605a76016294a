//! The log of a gateway: where it goes, how it looks, how much of it there is.
//!
//! Only lines of our own are written. Crates below us would write of what they carry.

use std::io::{self, IsTerminal};

use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// How much is written.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// Requests that failed by our fault or an upstream's.
    Warn,
    /// Every request.
    #[default]
    Info,
}

/// How it looks.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum LogFormat {
    /// Text on a terminal, JSON elsewhere.
    #[default]
    Auto,
    /// A line of text for each.
    Text,
    /// A line of JSON for each.
    Json,
}

/// What a log is told.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct LogSettings {
    /// How much is written.
    pub level: LogLevel,
    /// How it looks.
    pub format: LogFormat,
}

/// Lines that wait to be written; those beyond are dropped.
const LINES: usize = 8192;

/// Keeps a log going: what was logged before it is dropped is written.
#[must_use]
pub struct LogGuard(#[expect(dead_code, reason = "writes the last lines when dropped")] Option<WorkerGuard>);

/// Begins to write the log to stderr. Whoever logs never waits for it.
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
    // A second log of one process is the first.
    LogGuard(begun.ok().map(|()| guard))
}
