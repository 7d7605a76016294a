//! The event of one request.

use std::time::{Duration, SystemTime};

use tersely_account::{Attribution, RequestRecord, RequestSums, ShownName};

use crate::trace::TraceContext;

/// The event of one request, recorded once its response has been sent or the client has disconnected.
#[derive(Clone, Debug)]
pub struct RequestEvent {
    /// The request's number, also sent with its response.
    pub id: u64,
    /// When the request arrived.
    pub at: SystemTime,
    /// Its HTTP method.
    pub verb: Verb,
    /// The provider whose API it used.
    pub provider: Option<&'static str>,
    /// The model that it named.
    pub model: Option<ShownName>,
    /// The client program, if it is a known one.
    pub client: Option<&'static str>,
    /// A hash that identifies its conversation.
    pub session: Option<u64>,
    /// A hash of the name that the client gave its conversation, whoever sent it.
    pub named: Option<u64>,
    /// A hash that identifies who sent it.
    pub sender: Option<u64>,
    /// Whom it is charged to.
    pub attribution: Attribution,
    /// The trace that it belongs to.
    pub trace: Option<TraceContext>,
    /// The status of its response.
    pub status: u16,
    /// How the request ended.
    pub end: RequestEnd,
    /// Why the request was forwarded unchanged although it should have been compressed.
    pub missed: Option<&'static str>,
    /// The time from the first byte of the request to the last byte of the response.
    pub took: Duration,
    /// The time from forwarding the request to receiving the head of the response; `None` if it was not forwarded.
    pub upstream: Option<Duration>,
    /// The time spent rewriting the request.
    pub ours: Option<Duration>,
    /// What was done with its body, and what it cost.
    pub record: RequestRecord,
}

/// An HTTP method; all unknown methods share one value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Verb(&'static str);

/// The known methods.
const VERBS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// How a request ended.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum RequestEnd {
    /// The response has been sent.
    Answered,
    /// The client disconnected before the response was sent.
    Left,
    /// The client was at fault.
    Client,
    /// The upstream was at fault: it was unreachable, or closed the connection early.
    Upstream,
    /// We were at fault.
    Us,
}

impl RequestEvent {
    /// An event for a request that has just arrived; every other field is empty.
    #[must_use]
    pub fn new(id: u64, verb: Verb) -> Self {
        Self {
            id,
            at: SystemTime::now(),
            verb,
            provider: None,
            model: None,
            client: None,
            session: None,
            named: None,
            sender: None,
            attribution: Attribution::default(),
            trace: None,
            status: 0,
            end: RequestEnd::Left,
            missed: None,
            took: Duration::ZERO,
            upstream: None,
            ours: None,
            record: RequestRecord::default(),
        }
    }

    /// What this request adds to the sums.
    #[must_use]
    pub fn sums(&self) -> RequestSums {
        if self.is_success() { RequestSums::of(&self.record) } else { RequestSums::failure() }
    }

    /// True when the request succeeded; only then can it have saved anything.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl Verb {
    /// The verb for an HTTP method.
    #[must_use]
    pub fn of(method: &str) -> Self {
        Self(VERBS.into_iter().find(|verb| *verb == method).unwrap_or("other"))
    }

    /// The name of the method.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0
    }
}

impl RequestEnd {
    /// The name of this ending in logs, events and metrics.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Left => "left",
            Self::Client => "client",
            Self::Upstream => "upstream",
            Self::Us => "us",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_that_nobody_knows_has_no_name() {
        assert_eq!(Verb::of("POST").name(), "POST");
        assert_eq!(Verb::of("SECRET").name(), "other");
    }

    #[test]
    fn a_request_is_a_success_by_its_status() {
        let with = |status| RequestEvent { status, ..RequestEvent::new(1, Verb::of("GET")) };
        assert!(with(200).is_success() && with(204).is_success());
        assert!(!with(0).is_success() && !with(199).is_success() && !with(429).is_success());
    }
}
