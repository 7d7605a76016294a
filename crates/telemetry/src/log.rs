//! Sets up the log: its destination, format and level.
//!
//! Only our own lines are logged. Log lines from dependencies could contain request data.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
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

/// How long the last lines may take at exit. It is longer than the writer's own limit, which it exceeds only if nobody
/// reads stdout either.
const EXIT_TIMEOUT: Duration = Duration::from_millis(1500);

/// Keeps the log running; dropping it writes the buffered lines, if stderr is read.
#[must_use]
pub struct LogGuard {
    writer: NonBlocking,
    worker: Option<WorkerGuard>,
}

impl LogGuard {
    /// Writes text between the lines of the log, and never waits for stderr.
    pub fn notes(&self) -> impl Fn(&str) + Send + Sync + 'static {
        let writer = self.writer.clone();
        // Like a line of the log, a note is dropped if the buffer is full.
        move |text| drop(writer.clone().write_all(text.as_bytes()))
    }
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        let (tell, ended) = mpsc::channel();
        let worker = self.worker.take();
        // If there is no thread to be had, the lines are not awaited.
        let _ = thread::Builder::new().spawn(move || {
            drop(worker);
            tell.send(())
        });
        // After the timeout, the process ends without its last lines.
        let _ = ended.recv_timeout(EXIT_TIMEOUT);
    }
}

/// Starts logging to stderr. Logging never blocks the caller.
pub fn start(settings: LogSettings) -> LogGuard {
    let terminal = io::stderr().is_terminal();
    let (writer, worker) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(LINES)
        .thread_name("tersely-log")
        .finish(io::stderr());
    let guard = LogGuard { writer: writer.clone(), worker: Some(worker) };
    let level = match settings.level {
        LogLevel::Off => return guard,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
    };
    let ours = Targets::new().with_target("tersely", level);
    let lines = tracing_subscriber::fmt::layer().with_writer(writer).with_ansi(false).with_target(false);
    let json = match settings.format {
        LogFormat::Auto => !terminal,
        LogFormat::Text => false,
        LogFormat::Json => true,
    };
    let registry = tracing_subscriber::registry();
    // If a logger is already set in this process, it stays.
    let _ = if json {
        let lines = lines.json().flatten_event(true).with_current_span(false).with_span_list(false);
        registry.with(lines.with_filter(ours)).try_init()
    } else {
        registry.with(lines.with_filter(ours)).try_init()
    };
    guard
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// The test below runs this in a separate process, because a process has one stderr and one logger.
    #[test]
    #[ignore = "writes to stderr"]
    fn writes_notes_and_lines() {
        for level in [LogLevel::Off, LogLevel::Info] {
            let log = start(LogSettings { level, format: LogFormat::Text });
            let note = log.notes();
            note("first\n");
            tracing::info!(target: "tersely", "between");
            note("last\n");
        }
    }

    #[test]
    fn notes_and_lines_keep_their_order_and_the_last_one_is_written_at_exit() {
        let mut test = Command::new(std::env::current_exe().unwrap());
        let name = "log::tests::writes_notes_and_lines";
        let output = test.args(["--exact", name, "--ignored", "--nocapture"]).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let lines: Vec<_> = stderr.lines().map(|line| line.rsplit(' ').next().unwrap_or_default()).collect();
        assert_eq!(lines, ["first", "last", "first", "between", "last"], "{stderr}");
    }
}
