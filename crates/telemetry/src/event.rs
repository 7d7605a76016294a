//! What is told of one request.

use std::time::{Duration, SystemTime};

use tersely_account::{RequestRecord, RequestSums, ShownName};

use crate::trace::TraceContext;

/// What is told of one request, once its answer has been sent or nobody waits for it any more.
#[derive(Clone, Debug)]
pub struct RequestEvent {
    /// Its number, which its answer carries too.
    pub id: u64,
    /// When it came.
    pub at: SystemTime,
    /// What it asked to be done.
    pub verb: Verb,
    /// Whose API it used.
    pub provider: Option<&'static str>,
    /// The model that it named.
    pub model: Option<ShownName>,
    /// The program that sent it, of those that are known.
    pub client: Option<&'static str>,
    /// A hash of the conversation that it goes on with.
    pub session: Option<u64>,
    /// The trace that it is part of.
    pub trace: Option<TraceContext>,
    /// The status of its answer.
    pub status: u16,
    /// How it ended.
    pub end: RequestEnd,
    /// Why it went on as it came, where it should not have.
    pub missed: Option<&'static str>,
    /// From its first byte to the last of its answer.
    pub took: Duration,
    /// From when it was sent on to the head of the answer, if it was.
    pub upstream: Option<Duration>,
    /// What rewriting it took.
    pub ours: Option<Duration>,
    /// What was done with its body, and what it cost.
    pub record: RequestRecord,
}

/// The method of a request; those that nobody knows are one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Verb(&'static str);

/// The methods that are told apart.
const VERBS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// How a request ended.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum RequestEnd {
    /// Its answer has been sent.
    Answered,
    /// The client left before that.
    Left,
    /// The client was at fault.
    Client,
    /// The upstream was: it could not be reached, or broke off.
    Upstream,
    /// We were.
    Us,
}

impl RequestEvent {
    /// A request that came just now, and of which nothing else is known.
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

    /// What it adds to sums.
    #[must_use]
    pub fn sums(&self) -> RequestSums {
        if self.is_success() { RequestSums::of(&self.record) } else { RequestSums::failure() }
    }

    /// True when it came to what its client wanted; only then it can have saved anything.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl Verb {
    /// The verb of this method.
    #[must_use]
    pub fn of(method: &str) -> Self {
        Self(VERBS.into_iter().find(|verb| *verb == method).unwrap_or("other"))
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0
    }
}

impl RequestEnd {
    /// Its name in logs, events and metrics.
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
