//! Shows progress on stderr, if stderr is a terminal.

use std::io::{self, IsTerminal};
use std::time::Duration;

pub use indicatif::ProgressBar;
use indicatif::{ProgressDrawTarget, ProgressStyle};

/// The number of bytes from which reading and encoding show progress.
pub const MIN_SHOWN_BYTES: u64 = 10_000_000;

const TICK: Duration = Duration::from_millis(100);

/// A progress bar for reading large input, which begins at [`MIN_SHOWN_BYTES`]. `length` is the total size, if known.
#[must_use]
pub fn reading(length: Option<u64>) -> ProgressBar {
    let bar = match length {
        Some(length) => new_bar(length, "reading {wide_bar} {bytes} of {total_bytes}"),
        None => new_bar(0, "reading {spinner} {bytes}"),
    };
    bar.set_position(MIN_SHOWN_BYTES);
    bar
}

/// A spinner for work on `bytes` bytes; hidden when there are few.
#[must_use]
pub fn working(what: &'static str, bytes: usize) -> ProgressBar {
    if (bytes as u64) < MIN_SHOWN_BYTES {
        return ProgressBar::hidden();
    }
    let bar = new_bar(0, "{msg} {spinner} {elapsed}").with_message(what);
    bar.enable_steady_tick(TICK);
    bar
}

/// A progress bar that advances once for each of `count` things.
#[must_use]
pub fn counting(what: &'static str, count: usize) -> ProgressBar {
    new_bar(count as u64, "{msg} {wide_bar} {pos} of {len}").with_message(what)
}

/// A progress bar for work on files with a total of `bytes` bytes.
#[must_use]
pub fn bytes(what: &'static str, bytes: u64) -> ProgressBar {
    new_bar(bytes, "{msg} {wide_bar} {bytes} of {total_bytes}, {eta} left").with_message(what)
}

fn new_bar(length: u64, template: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr()).with_style(style)
}
