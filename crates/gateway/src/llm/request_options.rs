//! Reads the options in the headers of a request.

use http::header::{HeaderMap, HeaderName, HeaderValue};
use tersely_account::session_name;
use tersely_engine::{OptionError, RequestOptions};

use crate::http::hop_by_hop::THRESHOLD;

static MODE: HeaderName = HeaderName::from_static("x-tersely-mode");
static BYPASS: HeaderName = HeaderName::from_static("x-tersely-bypass");
static READER: HeaderName = HeaderName::from_static("x-tersely-reader");

/// Headers in which clients send a name for the session.
static SESSIONS: [HeaderName; 5] = [
    HeaderName::from_static("x-claude-code-session-id"),
    HeaderName::from_static("x-opencode-session"),
    HeaderName::from_static("x-session-id"),
    HeaderName::from_static("session-id"),
    HeaderName::from_static("session_id"),
];

/// A hash of the name that the client sends for the session.
pub(super) fn session(headers: &HeaderMap) -> Option<u64> {
    let names = SESSIONS.iter().filter_map(|name| headers.get(name));
    names.map(HeaderValue::as_bytes).find(|name| !name.is_empty()).map(session_name)
}

/// The options in the headers.
pub(super) fn read_options(headers: &HeaderMap) -> Result<RequestOptions, OptionError> {
    RequestOptions::by_header(word(headers, &MODE)?, word(headers, &BYPASS)?)?
        .above(word(headers, &THRESHOLD)?)?
        .read_by(word(headers, &READER)?)
}

fn word<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, OptionError> {
    let word = headers.get(name).map(HeaderValue::to_str).transpose();
    word.map_err(|_| OptionError { message: format!("{name}: must be plain ASCII text") })
}
