//! Stream formats that several providers use: server-sent events and AWS event streams.

pub(crate) mod aws_event;
pub(crate) mod event_format;
pub(crate) mod failure;
pub(crate) mod framing;
pub(crate) mod sse;
