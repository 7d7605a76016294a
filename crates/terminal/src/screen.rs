//! The size of the terminal that stdout is connected to.

use std::io::{self, IsTerminal};

use terminal_size::{Height, Width, terminal_size};

/// A size in characters and lines.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ScreenRoom {
    /// The number of characters in a line.
    pub width: usize,
    /// The number of lines; `None` for no limit.
    pub height: Option<usize>,
}

/// The size of the terminal. If stdout is not a terminal, 80 characters and no limit on lines.
#[must_use]
pub fn room() -> ScreenRoom {
    if !io::stdout().is_terminal() {
        return ScreenRoom { width: 80, height: None };
    }
    let (width, height) =
        terminal_size().map_or((80, 24), |(Width(width), Height(height))| (width.into(), height.into()));
    ScreenRoom { width, height: Some(height) }
}
