//! The forms that a client can request, and their names.

use http::HeaderValue;
use tersely_core::Form;

/// A form that a client can request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum RequestedForm {
    /// STC as a content coding.
    StcCoding,
    /// STC as a media type.
    Stc,
    /// TOON.
    Toon,
    /// The terse form.
    Terse,
}

impl RequestedForm {
    /// All forms that can be requested.
    pub(super) const ALL: [Self; 4] = [Self::StcCoding, Self::Stc, Self::Toon, Self::Terse];

    /// The encoder's form for this requested form.
    pub(crate) fn form(self) -> Form {
        match self {
            Self::StcCoding | Self::Stc => Form::Stc,
            Self::Toon => Form::Toon,
            Self::Terse => Form::Terse,
        }
    }

    /// The form's name in headers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::StcCoding => "stc-coding",
            Self::Stc => "stc",
            Self::Toon => "toon",
            Self::Terse => "terse",
        }
    }

    /// The media type of a response in this form.
    pub(super) fn media_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::StcCoding | Self::Stc => "application/stc+json",
            Self::Toon => "text/toon; charset=utf-8",
            Self::Terse => "text/terse; charset=utf-8",
        })
    }
}
