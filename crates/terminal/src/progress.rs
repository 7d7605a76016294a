//! Shows on stderr that something long is under way, when someone is there to see it.

use std::io::{self, IsTerminal};
use std::time::Duration;

pub use indicatif::ProgressBar;
use indicatif::{ProgressDrawTarget, ProgressStyle};

/// From this many bytes on, reading and encoding show a bar.
pub const LARGE: u64 = 10_000_000;

const TICK: Duration = Duration::from_millis(100);

/// A bar for reading on from [`LARGE`] bytes, to `length` where it is known.
#[must_use]
pub fn reading(length: Option<u64>) -> ProgressBar {
    let bar = match length {
        Some(length) => styled(length, "reading {wide_bar} {bytes} of {total_bytes}"),
        None => styled(0, "reading {spinner} {bytes}"),
    };
    bar.set_position(LARGE);
    bar
}

/// A spinner for work on `bytes` bytes; nothing to see when they are few.
#[must_use]
pub fn working(what: &'static str, bytes: usize) -> ProgressBar {
    if (bytes as u64) < LARGE {
        return ProgressBar::hidden();
    }
    let bar = styled(0, "{msg} {spinner} {elapsed}").with_message(what);
    bar.enable_steady_tick(TICK);
    bar
}

/// A bar that moves once for each of `count` things.
#[must_use]
pub fn counting(what: &'static str, count: usize) -> ProgressBar {
    styled(count as u64, "{msg} {wide_bar} {pos} of {len}").with_message(what)
}

/// A bar for work on `bytes` bytes of files.
#[must_use]
pub fn bytes(what: &'static str, bytes: u64) -> ProgressBar {
    styled(bytes, "{msg} {wide_bar} {bytes} of {total_bytes}, {eta} left").with_message(what)
}

fn styled(length: u64, template: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr()).with_style(style)
}
