//! Defines the parts that similar lines consist of.

use crate::form::general::span::Span;

/// A part of similar lines.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// Text that is the same in all lines, located in the first line.
    Same(Span),
    /// Text that differs between lines: a cell for each line.
    Cells(Vec<Span>, Option<Pad>),
}

/// How cells are padded with blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pad {
    pub(super) is_right: bool,
    pub(super) width: usize,
}
