//! Puts requests to models through an engine that can be exchanged while it runs.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use tersely_core::Loss;
use tersely_engine::{Asked, Engine, Passed, Refused, Report, Request};
use tersely_wire::{Provider, claimed};

use crate::llm::rewrite::{Head, Missed, Refusal, Replacement, Rewrite, Verdict};

/// What a request can say to us in its headers.
const MODE: &str = "x-tersely-mode";
const BYPASS: &str = "x-tersely-bypass";

/// What a response says of its request.
const BEFORE: HeaderName = HeaderName::from_static("x-tersely-tokens-before");
const AFTER: HeaderName = HeaderName::from_static("x-tersely-tokens-after");
const STAGES: HeaderName = HeaderName::from_static("x-tersely-stages");

/// How many stages a response names.
const NAMED: usize = 8;

/// Paths that only ask what a request would cost: nothing is saved by them.
const COUNTS: [&str; 3] = ["/count_tokens", ":countTokens", "/input_tokens"];

/// A rewriter that compresses tool results.
#[derive(Debug, Default)]
pub struct Live {
    engine: RwLock<Arc<Engine>>,
    sums: Sums,
}

/// What all requests so far came to.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Totals {
    /// Requests that were looked at.
    pub requests: u64,
    /// Tokens of their tool results as they came.
    pub before: u64,
    /// Tokens of their tool results as they were sent.
    pub after: u64,
    /// Results or whole requests that went on as they came because we could not do better.
    pub faults: u64,
}

#[derive(Debug, Default)]
struct Sums {
    requests: AtomicU64,
    before: AtomicU64,
    after: AtomicU64,
    faults: AtomicU64,
}

impl Live {
    /// A rewriter that begins with this engine.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        Self { engine: RwLock::new(Arc::new(engine)), sums: Sums::default() }
    }

    /// Goes on with another engine; a request that is under way is finished with the one it began with.
    pub fn swap(&self, engine: Engine) {
        *self.engine.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(engine);
    }

    /// The engine that the next request gets.
    #[must_use]
    pub fn engine(&self) -> Arc<Engine> {
        Arc::clone(&self.engine.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What all requests so far came to.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let [requests, before, after, faults] = self.sums.all().map(|sum| sum.load(Ordering::Relaxed));
        Totals { requests, before, after, faults }
    }
}

impl Rewrite for Live {
    fn wants(&self, head: &Head<'_>) -> bool {
        *head.method == Method::POST && claimed(head.uri.path()).is_some()
    }

    fn rewrite(&self, head: &Head<'_>, body: &[u8]) -> Verdict {
        let Some(provider) = claimed(head.uri.path()) else { return Verdict::Keep };
        match asked(head.headers).and_then(|asked| pass(&self.engine(), provider, head, (asked, body))) {
            Ok(passed) => {
                self.sums.add(head.uri.path(), &passed.report);
                verdict(passed)
            }
            Err(refused) => refuse(refused),
        }
    }

    fn missed(&self, _head: &Head<'_>, _why: Missed) {
        self.sums.requests.fetch_add(1, Ordering::Relaxed);
        self.sums.faults.fetch_add(1, Ordering::Relaxed);
    }
}

impl Sums {
    fn all(&self) -> [&AtomicU64; 4] {
        [&self.requests, &self.before, &self.after, &self.faults]
    }

    fn add(&self, path: &str, report: &Report) {
        if COUNTS.iter().any(|end| path.ends_with(end)) {
            return;
        }
        let sizes = [1, report.before, report.after, report.faults];
        for (sum, size) in self.all().into_iter().zip(sizes) {
            sum.fetch_add(u64::try_from(size).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
    }
}

/// What the headers ask for. No door of ours can give back what is left out, so nothing is, whatever the settings say.
fn asked(headers: &HeaderMap) -> Result<Asked, Refused> {
    let mut asked = Asked::by_header(word(headers, MODE)?, word(headers, BYPASS)?)?;
    asked.change.loss = Some(Loss::Form);
    Ok(asked)
}

fn word<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, Refused> {
    let word = headers.get(name).map(HeaderValue::to_str).transpose();
    word.map_err(|_| Refused { message: format!("{name}: this should be plain text") })
}

fn pass<'b>(
    engine: &Engine,
    provider: &'static dyn Provider,
    head: &Head<'_>,
    (asked, body): (Asked, &'b [u8]),
) -> Result<Passed<'b>, Refused> {
    engine.pass(&Request { provider, path: head.uri.path(), asked }, body)
}

fn refuse(refused: Refused) -> Verdict {
    Verdict::Refuse(Refusal { status: StatusCode::BAD_REQUEST, message: refused.message })
}

fn verdict(passed: Passed<'_>) -> Verdict {
    let headers = told(&passed.report);
    match passed.body {
        Cow::Owned(body) => Verdict::Replace(Replacement { body, headers }),
        Cow::Borrowed(_) if headers.is_empty() => Verdict::Keep,
        Cow::Borrowed(_) => Verdict::Note(headers),
    }
}

/// Headers that tell what became of the results; none where there were none.
fn told(report: &Report) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if report.slots == 0 {
        return headers;
    }
    headers.insert(BEFORE, HeaderValue::from(report.before));
    headers.insert(AFTER, HeaderValue::from(report.after));
    let named = report.stages.iter().take(NAMED).map(|it| format!("{}={}", it.stage, it.saved));
    let stages = named.collect::<Vec<_>>().join(", ");
    if let Some(stages) = HeaderValue::try_from(stages).ok().filter(|stages| !stages.is_empty()) {
        headers.insert(STAGES, stages);
    }
    headers
}
