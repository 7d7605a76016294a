//! The formats of an event stream: server-sent events, or AWS messages.

use std::borrow::Cow;

use crate::protocol::failure::RoundFailure;
use crate::protocol::{aws_event, sse};

/// The format of an event stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum EventFormat {
    /// Server-sent events.
    #[default]
    Sse,
    /// AWS messages whose headers contain the name of the event.
    Aws,
    /// AWS messages that wrap another provider's events.
    AwsWrapped,
}

impl EventFormat {
    /// The data of an event.
    pub(crate) fn data(self, raw: &[u8]) -> Option<Cow<'_, [u8]>> {
        match self {
            Self::Sse => sse::data(raw),
            Self::Aws => aws_event::payload(raw).map(Cow::Borrowed),
            Self::AwsWrapped => aws_event::unwrap_payload(raw),
        }
    }

    /// The name of an event.
    pub(crate) fn name(self, raw: &[u8]) -> Option<&str> {
        match self {
            Self::Sse => sse::name(raw),
            Self::Aws | Self::AwsWrapped => aws_event::name(raw),
        }
    }

    /// Appends the event with this data instead of its own; the rest of the event stays unchanged.
    pub(crate) fn change(self, raw: &[u8], data: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Sse => sse::change(raw, data, out),
            Self::Aws => aws_event::change(raw, data, out),
            Self::AwsWrapped => aws_event::rewrap(raw, data, out),
        }
    }

    /// Appends an event with this name and data.
    pub(crate) fn write(self, name: &str, data: &str, out: &mut Vec<u8>) {
        match self {
            Self::Sse => sse::write(name, data, out),
            Self::Aws => aws_event::write(name, data, out),
            Self::AwsWrapped => aws_event::write("chunk", &aws_event::wrap(data.as_bytes()), out),
        }
    }

    /// Appends the error that ends a stream. `error` is the provider's error object, for the formats that can contain
    /// it.
    pub(crate) fn write_error(self, why: RoundFailure<'_>, error: &str, out: &mut Vec<u8>) {
        match self {
            Self::Sse => sse::write("error", error, out),
            Self::Aws | Self::AwsWrapped => aws_event::write_exception(why, out),
        }
    }
}
