//! What is told of one request.

use std::time::{Duration, SystemTime};

use tersely_proof::Arm;

use crate::bill::{BilledCost, BilledTokens};
use crate::result::{GroupSum, ResultEvent};
use crate::shown::ShownName;
use crate::tokens::TokenChange;
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
    /// Words of the client's own, for its records: few, short, and without secrets.
    pub words: Vec<(String, String)>,
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
    /// Whether what was made of it was sent.
    pub arm: Arm,
    /// What would have become of it, where it was sent as it came. All other numbers tell of what was sent.
    pub would: Option<WouldHave>,
    /// Its tool results.
    pub results: usize,
    /// How many of them were changed.
    pub changed: usize,
    /// The same, by kind of tool and of text.
    pub groups: Vec<GroupSum>,
    /// Those of its results that its conversation had not shown before.
    pub fresh: Vec<ResultEvent>,
    /// Tokens of its tool results.
    pub result_tokens: TokenChange,
    /// Tokens of all of it, with our own tool.
    pub request_tokens: TokenChange,
    /// Tokens of our own tool.
    pub tool_tokens: usize,
    /// Tokens that each stage saved; less than none where one made room for another.
    pub stages: Vec<(&'static str, i64)>,
    /// Secrets that were masked.
    pub redacted: usize,
    /// Results of which it was remembered what they become.
    pub reused: usize,
    /// Results of a named session whose text or settings are not what they were before.
    pub renewed: usize,
    /// What we could not do.
    pub faults: usize,
    /// What models fetched back of what was left out, by the stage that had left it out.
    pub fetched: Vec<FetchSum>,
    /// What the provider counted, over all rounds; nothing where its answer does not say.
    pub billed: Option<BilledTokens>,
    /// The part of it that further rounds caused, which are ours.
    pub rounds: BilledTokens,
    /// What that costs; nothing where the model has no known price.
    pub cost: Option<BilledCost>,
}

/// What would have become of a request that was sent as it came: nothing of it was saved.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct WouldHave {
    /// Tool results that would have been changed.
    pub changed: usize,
    /// Tokens of its tool results.
    pub result_tokens: TokenChange,
    /// Tokens of all of it, with our own tool.
    pub request_tokens: TokenChange,
    /// Tokens of our own tool.
    pub tool_tokens: usize,
    /// Tokens that each stage would have saved.
    pub stages: Vec<(&'static str, i64)>,
    /// About what it would have cost, in billionths of a dollar, had the model answered the same; nothing where the price is
    /// not known.
    pub paid: Option<u64>,
}

/// What was fetched back of what one stage had left out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FetchSum {
    /// The stage.
    pub stage: &'static str,
    /// How often it was asked for.
    pub calls: u64,
    /// Tokens of what was given.
    pub tokens: u64,
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
            words: Vec::new(),
            trace: None,
            status: 0,
            end: RequestEnd::Left,
            missed: None,
            took: Duration::ZERO,
            upstream: None,
            ours: None,
            arm: Arm::Applied,
            would: None,
            results: 0,
            changed: 0,
            groups: Vec::new(),
            fresh: Vec::new(),
            result_tokens: TokenChange::default(),
            request_tokens: TokenChange::default(),
            tool_tokens: 0,
            stages: Vec::new(),
            redacted: 0,
            reused: 0,
            renewed: 0,
            faults: 0,
            fetched: Vec::new(),
            billed: None,
            rounds: BilledTokens::default(),
            cost: None,
        }
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
