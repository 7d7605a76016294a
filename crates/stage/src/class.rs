//! Classifies what a cut removes: noise, further examples or content.

/// The classes of text that may be omitted, least missed first.
///
/// Noise is text that no later call ever refers to: progress, downloads, advice, passing lines next to a verdict,
/// repeats of shown text. Content is what the command was run for: hits, rows, diffs, listings, warnings, help, file
/// contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CutClass {
    /// Omitted whenever the marker costs less.
    Noise,
    /// Content of which one example says most: commit bodies, and further examples of one warning. Shown whole up to
    /// a length of its own.
    Further,
    /// Shown whole up to a length; beyond it, whole records are omitted.
    Content,
}

impl CutClass {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::Noise, Self::Further, Self::Content];

    /// The name used in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Noise => "noise",
            Self::Further => "further examples",
            Self::Content => "content",
        }
    }
}

/// The descriptions, as markers show them, of what a stage omits in one class.
pub type Omission = (CutClass, &'static [&'static str]);
