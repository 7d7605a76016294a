//! Formats below every provider: JSON, server-sent events and AWS event streams.

pub(crate) mod aws_event;
pub(crate) mod event_format;
pub(crate) mod failure;
pub(crate) mod framing;
pub(crate) mod json;
pub(crate) mod sse;
