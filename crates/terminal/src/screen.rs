//! The size of the terminal that stdout goes to.

use std::io::{self, IsTerminal};

use terminal_size::{Height, Width, terminal_size};

/// A size in characters and lines.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ScreenRoom {
    /// Characters of a line.
    pub width: usize,
    /// Lines; `None` for no limit.
    pub height: Option<usize>,
}

/// The size of the terminal; 80 characters and no limit of lines if stdout is not a terminal.
#[must_use]
pub fn room() -> ScreenRoom {
    if !io::stdout().is_terminal() {
        return ScreenRoom { width: 80, height: None };
    }
    let (width, height) =
        terminal_size().map_or((80, 24), |(Width(width), Height(height))| (width.into(), height.into()));
    ScreenRoom { width, height: Some(height) }
}
