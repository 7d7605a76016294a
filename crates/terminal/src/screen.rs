//! How much room there is on the terminal that stdout goes to.

use std::io::{self, IsTerminal};

use terminal_size::{Height, Width, terminal_size};

/// Room in characters and lines.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ScreenRoom {
    /// Characters of a line.
    pub width: usize,
    /// Lines; none: as many as one likes.
    pub height: Option<usize>,
}

/// The room there is; a file or another program takes lines of 80 characters, and any number of them.
#[must_use]
pub fn room() -> ScreenRoom {
    if !io::stdout().is_terminal() {
        return ScreenRoom { width: 80, height: None };
    }
    let (width, height) =
        terminal_size().map_or((80, 24), |(Width(width), Height(height))| (width.into(), height.into()));
    ScreenRoom { width, height: Some(height) }
}
