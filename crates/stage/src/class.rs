//! What a cut takes away: noise, or something that was asked for.

/// The classes of what may be left out, the one that is missed least first.
///
/// Noise is what no later call ever names: progress, downloads, advice, passing lines beside a verdict, repeats of what
/// is shown. Content is what the command was asked for: hits, rows, diffs, listings, warnings, help, the text of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CutClass {
    /// Left out whenever the words that stand for it cost less.
    Noise,
    /// Content of which one example tells most: bodies of commits, and further examples of one warning. It is shown
    /// whole up to a length of its own.
    Further,
    /// Shown whole up to a length, and beyond it left out in whole records.
    Content,
}

impl CutClass {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::Noise, Self::Further, Self::Content];

    /// Its name, in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Noise => "noise",
            Self::Further => "further examples",
            Self::Content => "content",
        }
    }
}

/// What a stage leaves out of one class, in the words that stand for it.
pub type Left = (CutClass, &'static [&'static str]);
