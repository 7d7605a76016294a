//! Classifies the text that a cut removes: noise, further examples or content.

/// The classes of text that may be omitted, least important first.
///
/// Noise is text that no later call refers to: progress, downloads, advice, passing tests next to a verdict, repeats of
/// text already shown. Content is the text that the command was run for: hits, rows, diffs, listings, warnings, help,
/// file contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CutClass {
    /// Omitted whenever the marker costs less than the text.
    Noise,
    /// Content for which one example is mostly enough: commit bodies, and further examples of a warning. Shown in full
    /// up to a length limit of its own.
    Further,
    /// Shown in full up to a length limit; above that limit, whole records are omitted.
    Content,
}

impl CutClass {
    /// All classes, in order.
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

/// A class, and the descriptions that markers give of the text that a stage omits in that class.
pub type Omission = (CutClass, &'static [&'static str]);
