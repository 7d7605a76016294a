//! Selects the texts that are searched for secrets.

/// Where secrets are masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Redaction {
    /// Nowhere.
    Off,
    /// Everywhere except in text that an agent may edit: it would write the masks into its files.
    #[default]
    Usual,
    /// Everywhere.
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
