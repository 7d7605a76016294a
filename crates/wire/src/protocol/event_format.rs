//! How events are dressed on their way: as lines of text, or as messages of AWS.

use std::borrow::Cow;

use crate::protocol::failure::RoundFailure;
use crate::protocol::{aws_event, sse};

/// What stands around the data of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum EventDress {
    /// Server-sent events.
    #[default]
    Lines,
    /// Messages of AWS that say what they are called.
    Named,
    /// Messages of AWS that wrap another provider's events.
    Wrapped,
}

impl EventDress {
    /// What an event says.
    pub(crate) fn data(self, raw: &[u8]) -> Option<Cow<'_, [u8]>> {
        match self {
            Self::Lines => sse::data(raw),
            Self::Named => aws_event::payload(raw).map(Cow::Borrowed),
            Self::Wrapped => aws_event::wrapped(raw),
        }
    }

    /// What an event is called.
    pub(crate) fn name(self, raw: &[u8]) -> Option<&str> {
        match self {
            Self::Lines => sse::name(raw),
            Self::Named | Self::Wrapped => aws_event::name(raw),
        }
    }

    /// Appends an event with other data; all else stays.
    pub(crate) fn change(self, raw: &[u8], data: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Lines => sse::change(raw, data, out),
            Self::Named => aws_event::change(raw, data, out),
            Self::Wrapped => aws_event::rewrap(raw, data, out),
        }
    }

    /// Appends an event of our own.
    pub(crate) fn write(self, name: &str, data: &str, out: &mut Vec<u8>) {
        match self {
            Self::Lines => sse::write(name, data, out),
            Self::Named => aws_event::write(name, data, out),
            Self::Wrapped => aws_event::write("chunk", &aws_event::wrap(data.as_bytes()), out),
        }
    }

    /// Appends the error that ends a stream; `error` is the provider's own, where it has one.
    pub(crate) fn write_error(self, why: RoundFailure<'_>, error: &str, out: &mut Vec<u8>) {
        match self {
            Self::Lines => sse::write("error", error, out),
            Self::Named | Self::Wrapped => aws_event::write_exception(why, out),
        }
    }
}
