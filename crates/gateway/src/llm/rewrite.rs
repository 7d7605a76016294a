//! What may be done to a request before it goes on.

use std::fmt;
use std::pin::Pin;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, Uri};
use tersely_account::TokenUsage;
use tersely_core::Loss;
use tersely_engine::{Fetched, KeptOriginal, Report};
use tersely_wire::hidden::{HiddenTurn, ResponseFraming, ResponseWatch};

use crate::access::KnownTenant;
use crate::bypass::BypassReason;
use crate::llm::compress::message::LoneAnswer;
use crate::llm::compress::question::CompressQuestion;
use crate::llm::entry::RequestEntry;
use crate::llm::tenant_id::Whose;
use crate::upstream::Upstream;

/// Rewrites requests. Pure and synchronous; run off the threads that serve when a body is big or coded.
///
/// Whatever goes wrong in here, a panic included, the request goes on as it came.
pub trait Rewrite: Send + Sync {
    /// True when the body of this request should be read whole and offered.
    fn wants(&self, head: &Head<'_>) -> bool;

    /// What to do with a request whose body, decoded, is `body`.
    fn rewrite(&self, head: &Head<'_>, body: &Bytes) -> Verdict;

    /// The same where the response is not seen here: nothing is left out then, nothing is hidden, and no secret is masked.
    fn rewrite_unwatched(&self, _head: &Head<'_>, _body: &Bytes) -> Verdict {
        Verdict::Keep
    }

    /// True when no request may go on before [`Rewrite::seal`] has seen its body.
    fn seals(&self) -> bool {
        false
    }

    /// The body without its secrets; `None` when there are none in it.
    ///
    /// # Errors
    /// When it cannot be searched for them: the request is refused then, for whatever reason.
    fn seal(&self, _body: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
        Ok(None)
    }

    /// The text that was left out of an earlier request of the same tenant, under this name.
    fn original<'a>(&'a self, _head: &Head<'_>, _id: String) -> Pending<'a, RetrievalAnswer> {
        Box::pin(async { RetrievalAnswer::Nowhere })
    }

    /// What becomes of messages that come alone, with at most this loss.
    ///
    /// # Errors
    /// When what is asked makes no sense, or nothing is done for messages here.
    fn compress(
        &self,
        _head: &Head<'_>,
        _question: &CompressQuestion,
        _most: Loss,
    ) -> Result<LoneAnswer, Refusal> {
        let message = "messages are not made smaller here".to_owned();
        Err(Refusal { status: StatusCode::NOT_FOUND, message })
    }

    /// Keeps what was left out of messages, for whoever brought them; false when not all of it could be.
    fn keep<'a>(&'a self, _head: &Head<'_>, _kept: Vec<KeptOriginal>) -> Pending<'a, bool> {
        Box::pin(async { false })
    }

    /// Who sent a request, as far as it says; it holds credentials.
    fn tenant(&self, head: &Head<'_>) -> Option<Vec<u8>> {
        Whose::of(None, head.uri, head.headers, head.tenant_name()).ok()?.tenant().map(<[u8]>::to_vec)
    }

    /// The body with its secrets masked as [`Rewrite::rewrite`] masks them and nothing else changed, for a request that there
    /// was no time to rewrite; `None` when nothing is to be masked. It takes a time that the length of the body bounds.
    fn mask(&self, _head: &Head<'_>, _body: &Bytes) -> Option<Vec<u8>> {
        None
    }

    /// Hears that a wanted request went on as it came, so that nothing goes unnoticed.
    fn missed(&self, _head: &Head<'_>, _why: BypassReason) {}

    /// Hears, off the threads that serve, which body it was that went on as it came because the rewrite was late.
    fn sent_plain(&self, _head: &Head<'_>, _body: &Bytes) {}
}

/// What becomes of a question for a text.
pub enum RetrievalAnswer {
    /// It is here.
    Text(String),
    /// It is not, or no longer.
    Nothing,
    /// No text is kept at all.
    Nowhere,
    /// The question does not say whose it is.
    Nobodys,
    /// The question makes no sense, and why.
    Refused(String),
}

/// Requests go on as they came.
pub(crate) struct PassThrough;

impl Rewrite for PassThrough {
    fn wants(&self, _: &Head<'_>) -> bool {
        false
    }

    fn rewrite(&self, _: &Head<'_>, _: &Bytes) -> Verdict {
        Verdict::Keep
    }
}

/// A request without its body. It holds credentials: not for logs.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    /// The method.
    pub method: &'a Method,
    /// The path and query, as the client wrote them.
    pub uri: &'a Uri,
    /// The headers, as they came.
    pub headers: &'a HeaderMap,
    /// The server that it goes to, and the credentials in it with it.
    pub upstream: Option<&'a Upstream>,
    /// The tenant who sent it, if that was checked.
    pub tenant: Option<&'a KnownTenant>,
}

impl<'a> Head<'a> {
    /// The name of the tenant who sent it, if that was checked.
    pub(crate) fn tenant_name(&self) -> Option<&'a str> {
        self.tenant.map(|tenant| tenant.name.as_str())
    }
}

/// What to do with a request.
#[derive(Debug)]
pub enum Verdict {
    /// Forward it as it came, byte for byte.
    Keep,
    /// Forward it as it came, and count it by its answer.
    Count(RequestEntry),
    /// Forward another body in its place.
    Replace(Replacement),
    /// Do not forward it: what it asks of us makes no sense.
    Refuse(Refusal),
    /// Wait for what others say of it, then ask again, off the threads that serve.
    Wait(WaitingVerdict),
}

/// A verdict that others have a say in: what is waited for gives what is to be done then.
pub struct WaitingVerdict(pub Pending<'static, Box<dyn FnOnce() -> Verdict + Send>>);

impl fmt::Debug for WaitingVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WaitingVerdict")
    }
}

/// A body for another.
#[derive(Debug, Default)]
pub struct Replacement {
    /// The body to forward, without a content coding.
    pub body: Vec<u8>,
    /// Headers to add to the response.
    pub headers: HeaderMap,
    /// Its account.
    pub entry: Option<RequestEntry>,
    /// What was left out of it.
    pub kept: Vec<KeptOriginal>,
    /// What goes on with its response; nothing unless said.
    pub follow: Option<Box<dyn Follow>>,
}

/// What goes on once a request was forwarded: the response is watched, and what the model asks of us is answered in
/// further rounds that the client does not see.
pub trait Follow: Send {
    /// Another body to forward instead, and the account of that, when what was left out of this one cannot be kept.
    fn settle(&mut self, kept: Vec<KeptOriginal>) -> Pending<'_, Option<(Vec<u8>, Report)>>;

    /// A watch over the response.
    fn watch(&self, framing: ResponseFraming) -> Box<dyn ResponseWatch>;

    /// The body of the next round: that of the one before, the turn, and the answers to it, which have `room` bytes over
    /// all rounds. Without one the response cannot go on.
    fn next(&mut self, turn: HiddenTurn, round: Round, room: usize) -> Pending<'_, Option<Bytes>>;

    /// Hears that the response is over, and what the rounds cost that followed the first.
    fn over(&mut self, further: TokenUsage) -> FollowEnd;
}

/// What is told once a response is over.
#[derive(Debug, Default)]
pub struct FollowEnd {
    /// Headers to add, should there be time for that.
    pub headers: HeaderMap,
    /// What the model fetched back.
    pub fetched: Fetched,
}

/// Whether another round may follow a round.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Round {
    /// One may.
    Open,
    /// Whatever the model asks then, it is not answered.
    Last,
}

/// Something that is waited for.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl fmt::Debug for dyn Follow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Follow")
    }
}

/// Why a request is not forwarded.
#[derive(Debug)]
pub struct Refusal {
    /// The status to answer with.
    pub status: StatusCode,
    /// What is wrong with it, for the client to read.
    pub message: String,
}
