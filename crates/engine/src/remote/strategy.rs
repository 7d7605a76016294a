//! The strategy for cutting detail from results: our own stages, simple truncation, or a remote compressor.

/// How detail is cut from results.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Strategy {
    /// Our own stages, which understand the text.
    #[default]
    Stages,
    /// Truncation to the first words and all errors.
    Simple,
    /// A remote compressor.
    Remote(RemotePlan),
}

/// How a remote compressor is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemotePlan {
    /// The name of the compressor in reports.
    pub stage: &'static str,
    /// Everything that determines the request to the compressor, as one string: an answer is reused only if this is the
    /// same.
    pub mark: String,
    /// Whether the compressor gets the user's question.
    pub tells_question: bool,
    /// What is sent if the compressor's answer cannot be used.
    pub fallback: Fallback,
}

/// What is sent for a result if the compressor's answer cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fallback {
    /// The whole result, unchanged or in an exact form.
    #[default]
    Whole,
    /// The first words of the result, and its errors.
    Simple,
}
