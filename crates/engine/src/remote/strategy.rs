//! Who cuts detail from results: our own stages, a simple truncation, or a remote compressor.

/// Who cuts detail from results.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Strategy {
    /// Our own stages, which understand the text.
    #[default]
    Stages,
    /// Truncation to the first words and the errors.
    Simple,
    /// A remote compressor.
    Remote(RemotePlan),
}

/// How a remote compressor is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemotePlan {
    /// Its name in reports.
    pub stage: &'static str,
    /// Everything that decides what it is asked, as one string: answers to other questions are not reused.
    pub mark: String,
    /// Whether it gets the user's question.
    pub tells_question: bool,
    /// What is sent if its answer cannot be used.
    pub fallback: Fallback,
}

/// What is sent for a result if the compressor's answer cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fallback {
    /// The whole result, at most in an exact form.
    #[default]
    Whole,
    /// Its first words and its errors.
    Simple,
}
