//! How events are dressed on their way: as lines of text, or as messages of AWS.

use std::borrow::Cow;

use crate::protocol::failure::RoundFailure;
use crate::protocol::{aws_event, sse};

/// What stands around the data of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum EventFormat {
    /// Server-sent events.
    #[default]
    Sse,
    /// Messages of AWS that say what they are called.
    Aws,
    /// Messages of AWS that wrap another provider's events.
    AwsWrapped,
}

impl EventFormat {
    /// What an event says.
    pub(crate) fn data(self, raw: &[u8]) -> Option<Cow<'_, [u8]>> {
        match self {
            Self::Sse => sse::data(raw),
            Self::Aws => aws_event::payload(raw).map(Cow::Borrowed),
            Self::AwsWrapped => aws_event::unwrap_payload(raw),
        }
    }

    /// What an event is called.
    pub(crate) fn name(self, raw: &[u8]) -> Option<&str> {
        match self {
            Self::Sse => sse::name(raw),
            Self::Aws | Self::AwsWrapped => aws_event::name(raw),
        }
    }

    /// Appends an event with other data; all else stays.
    pub(crate) fn change(self, raw: &[u8], data: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Sse => sse::change(raw, data, out),
            Self::Aws => aws_event::change(raw, data, out),
            Self::AwsWrapped => aws_event::rewrap(raw, data, out),
        }
    }

    /// Appends an event of our own.
    pub(crate) fn write(self, name: &str, data: &str, out: &mut Vec<u8>) {
        match self {
            Self::Sse => sse::write(name, data, out),
            Self::Aws => aws_event::write(name, data, out),
            Self::AwsWrapped => aws_event::write("chunk", &aws_event::wrap(data.as_bytes()), out),
        }
    }

    /// Appends the error that ends a stream; `error` is the provider's own, where it has one.
    pub(crate) fn write_error(self, why: RoundFailure<'_>, error: &str, out: &mut Vec<u8>) {
        match self {
            Self::Sse => sse::write("error", error, out),
            Self::Aws | Self::AwsWrapped => aws_event::write_exception(why, out),
        }
    }
}
