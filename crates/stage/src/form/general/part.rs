//! The parts of similar lines.

use crate::form::general::span::Span;

/// A part of lines that are alike.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// The same in all lines, located in the first.
    Same(Span),
    /// Different in each line.
    Cells(Vec<Span>, Option<Pad>),
}

/// How a cell is padded with blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pad {
    pub(super) is_right: bool,
    pub(super) width: usize,
}
