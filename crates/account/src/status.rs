//! The status of a tool result: what was done with it, or why nothing was.

/// What was done with a tool result, or why nothing was.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum ResultStatus {
    /// A shorter text is sent.
    Compressed,
    /// A stored answer of a remote compressor is sent.
    CacheHit,
    /// The result has no more than `min_bytes` bytes.
    PassthroughSmall,
    /// The result has more than `skip_above` bytes.
    PassthroughLarge,
    /// The settings exclude the result.
    SkippedByConfig,
    /// The result looks like our own output.
    AlreadyCompressed,
    /// We failed to compress it, could not read it, or ran out of time for its conversation.
    Passthrough,
    /// No shorter text was found, or none that saves enough.
    #[default]
    RatioExceeded,
    /// A shorter text was found but not sent: the request is only observed.
    Observed,
}

impl ResultStatus {
    /// The name of the status in events and metrics.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Compressed => "compressed",
            Self::CacheHit => "cache_hit",
            Self::PassthroughSmall => "passthrough_small",
            Self::PassthroughLarge => "passthrough_large",
            Self::SkippedByConfig => "skipped_by_config",
            Self::AlreadyCompressed => "already_compressed",
            Self::Passthrough => "passthrough",
            Self::RatioExceeded => "ratio_exceeded",
            Self::Observed => "observed",
        }
    }
}
