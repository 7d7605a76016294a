//! What lines alike are made of.

use crate::form::general::span::Span;

/// A part of lines that are alike.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// The same in all of them, as it stands in the first.
    Same(Span),
    /// Another in each.
    Cells(Vec<Span>, Option<Pad>),
}

/// How a cell is filled up with blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pad {
    pub(super) is_right: bool,
    pub(super) width: usize,
}
