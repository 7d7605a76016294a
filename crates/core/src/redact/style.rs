//! How a name and its value stand together.

/// How a name and its value are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairStyle {
    /// `NAME=value`, alone on its line.
    Setting,
    /// `name=value`.
    Tight,
    /// Anything else.
    Loose,
}
