//! Errors: what went wrong, and who caused it.

use std::error::Error as Source;
use std::{fmt, io};

use http::StatusCode;

/// A request that could not be answered.
///
/// The message may contain host names and limits, but never a header's value or text from a body.
#[derive(Debug)]
pub struct Error {
    /// Who caused the error.
    pub side: Side,
    /// The status that the client gets.
    pub status: StatusCode,
    /// What went wrong, for the person who reads the client's log.
    pub message: String,
    source: Option<Box<dyn Source + Send + Sync>>,
}

/// Who caused an error.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Side {
    /// The client: its request is wrong.
    Client,
    /// The upstream, or the network on the way to it.
    Upstream,
    /// The gateway: a setting, a limit or a bug.
    Us,
}

impl Error {
    /// An error that the client caused.
    pub(crate) fn client(status: StatusCode, message: impl Into<String>) -> Self {
        Self { side: Side::Client, status, message: message.into(), source: None }
    }

    /// An error for an upstream that answered with an error or in an unexpected format.
    pub(crate) fn of_upstream(status: StatusCode, message: impl Into<String>) -> Self {
        Self { side: Side::Upstream, status, message: message.into(), source: None }
    }

    /// An error of the gateway: a limit was reached, or a setting is invalid.
    pub(crate) fn us(status: StatusCode, message: impl Into<String>) -> Self {
        Self { side: Side::Us, status, message: message.into(), source: None }
    }

    /// An error for an invalid setting.
    pub(crate) fn setting(message: impl Into<String>) -> Self {
        Self::us(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// An error for a side that sent nothing for too long.
    pub(crate) fn late(side: Side) -> Self {
        let (status, who) = match side {
            Side::Client => (StatusCode::REQUEST_TIMEOUT, "client"),
            Side::Upstream | Side::Us => (StatusCode::GATEWAY_TIMEOUT, "upstream"),
        };
        Self { side, status, message: format!("timed out waiting for the {who}"), source: None }
    }

    /// An error for a side that sent its data too slowly.
    pub(crate) fn slow(side: Side) -> Self {
        Self { message: "the body is arriving too slowly".to_owned(), ..Self::late(side) }
    }

    /// An error for a body that ended early.
    pub(crate) fn incomplete_body(side: Side, source: impl Source + Send + Sync + 'static) -> Self {
        let status = if side == Side::Client { StatusCode::BAD_REQUEST } else { StatusCode::BAD_GATEWAY };
        Self { side, status, message: "the body ended early".to_owned(), source: Some(Box::new(source)) }
    }

    /// An error for an upstream that switched protocols although no upgrade was requested.
    pub(crate) fn unexpected_upgrade(host: &impl fmt::Display) -> Self {
        let message = format!("the upstream {host} switched protocols without being asked");
        Self { side: Side::Upstream, status: StatusCode::BAD_GATEWAY, message, source: None }
    }

    /// An error for a failed request to `host`: caused by the client if its body ended early, otherwise by the
    /// upstream.
    pub(crate) fn upstream(host: &impl fmt::Display, source: impl Source + Send + Sync + 'static) -> Self {
        if let Some(ours) = cause::<Self>(&source) {
            return Self {
                side: ours.side,
                status: ours.status,
                message: ours.message.clone(),
                source: None,
            };
        }
        let late = cause::<io::Error>(&source).is_some_and(|error| error.kind() == io::ErrorKind::TimedOut);
        let (status, what) = if late {
            (StatusCode::GATEWAY_TIMEOUT, format!("timed out connecting to the upstream {host}"))
        } else {
            (StatusCode::BAD_GATEWAY, format!("the upstream {host} is unreachable or closed the connection"))
        };
        let message = format!("{what}: {}", innermost(&source));
        Self { side: Side::Upstream, status, message, source: Some(Box::new(source)) }
    }

    /// Adds the underlying error.
    pub(crate) fn because(mut self, source: impl Source + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Source for Error {
    fn source(&self) -> Option<&(dyn Source + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// The first error of type `E` in a chain of causes.
fn cause<'a, E: Source + 'static>(error: &'a (dyn Source + 'static)) -> Option<&'a E> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

fn innermost<'a>(error: &'a (dyn Source + 'static)) -> &'a (dyn Source + 'static) {
    causes(error).last().unwrap_or(error)
}

fn causes<'a>(error: &'a (dyn Source + 'static)) -> impl Iterator<Item = &'a (dyn Source + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}
