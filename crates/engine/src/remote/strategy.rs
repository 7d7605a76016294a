//! Who leaves detail out of results: our own stages, nobody who looks, or a compressor elsewhere.

/// Who leaves detail out of results.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Strategy {
    /// Our own stages, which know what they leave out.
    #[default]
    Stages,
    /// Nobody: the first words stand for all of a text.
    Simple,
    /// A compressor elsewhere.
    Remote(RemotePlan),
}

/// How a compressor elsewhere is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemotePlan {
    /// What it is called in reports.
    pub stage: &'static str,
    /// All that decides what it is asked, in one spelling: who is told something else has said something else.
    pub mark: String,
    /// Whether it is told what the user asked for.
    pub tells_question: bool,
    /// What becomes of a result of which it says nothing of use.
    pub fallback: Fallback,
}

/// What becomes of a result of which a compressor says nothing of use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fallback {
    /// It goes on whole, at most in a form that decodes to it.
    #[default]
    Whole,
    /// Its first words stand for it.
    Simple,
}
