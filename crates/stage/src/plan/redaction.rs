//! Selects the texts in which secrets are masked.

/// The texts in which secrets are masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Redaction {
    /// No text.
    Off,
    /// All texts except those that an agent may edit, because the agent would write the masks into its files.
    #[default]
    Usual,
    /// All texts.
    All,
}

impl Redaction {
    /// The name used in settings and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "false",
            Self::Usual => "usual",
            Self::All => "true",
        }
    }
}
