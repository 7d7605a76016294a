//! What decides about a prompt besides its body.

/// What decides about a prompt besides its body.
#[derive(Clone, Copy, Debug, Default)]
pub struct PromptContext<'c> {
    /// The model.
    pub model: Option<&'c str>,
    /// A hash of the names of beta features.
    pub betas: u64,
}
