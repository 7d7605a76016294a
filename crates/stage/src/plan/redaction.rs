//! Which texts are searched for secrets.

/// Where secrets are masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Redaction {
    /// Nowhere.
    Off,
    /// In all but what an agent may edit: it would write the masks into its files.
    #[default]
    Usual,
    /// Everywhere.
    All,
}

impl Redaction {
    /// Its name in settings and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "false",
            Self::Usual => "usual",
            Self::All => "true",
        }
    }
}
