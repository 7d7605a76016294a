//! How a name and its value are joined.

/// How a name and its value are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairStyle {
    /// `NAME=value`, alone on its line.
    Setting,
    /// `name=value`.
    Tight,
    /// Anything else.
    Loose,
}
