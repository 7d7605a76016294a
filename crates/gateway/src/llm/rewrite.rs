//! The interface between the gateway and what rewrites requests.

use std::fmt;
use std::pin::Pin;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, Uri};
use tersely_core::Loss;
use tersely_engine::KeptOriginal;

use crate::access::KnownTenant;
use crate::bypass::BypassReason;
use crate::llm::compress::message::LoneAnswer;
use crate::llm::compress::question::CompressQuestion;
use crate::llm::entry::RequestEntry;
use crate::llm::expansion::Expansion;
use crate::llm::tenant_id::TenantId;
use crate::upstream::Upstream;

/// Rewrites requests. The methods that see a body are synchronous; they run off the serving threads if the body is
/// large or encoded.
///
/// Whatever goes wrong here, a panic included, the request is forwarded unchanged.
pub trait Rewrite: Send + Sync {
    /// True if the body of this request should be buffered and offered.
    fn wants(&self, head: &Head<'_>) -> bool;

    /// The verdict on a request with this decoded body.
    fn rewrite(&self, head: &Head<'_>, body: &Bytes) -> Verdict;

    /// The same if we do not see the response: then nothing is omitted or hidden, and no secret is masked.
    fn rewrite_unwatched(&self, _head: &Head<'_>, _body: &Bytes) -> Verdict {
        Verdict::Keep
    }

    /// True if no request may be forwarded before [`Rewrite::seal`] has seen its body.
    fn seals(&self) -> bool {
        false
    }

    /// The body with its secrets masked; `None` if it has none.
    ///
    /// # Errors
    /// If it cannot be searched; the request is then refused.
    fn seal(&self, _body: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
        Ok(None)
    }

    /// The text with this id that was left out of an earlier request of the same tenant.
    fn original<'a>(&'a self, _head: &Head<'_>, _id: String) -> Pending<'a, RetrievalAnswer> {
        Box::pin(async { RetrievalAnswer::Nowhere })
    }

    /// Compresses messages that are not forwarded, with at most this loss.
    ///
    /// # Errors
    /// If an option is invalid, or messages are not compressed here.
    fn compress(
        &self,
        _head: &Head<'_>,
        _question: &CompressQuestion,
        _most: Loss,
    ) -> Result<LoneAnswer, Refusal> {
        let message = "messages are not made smaller here".to_owned();
        Err(Refusal { status: StatusCode::NOT_FOUND, message })
    }

    /// Stores texts left out of messages, for the caller; false if one of them could not be stored.
    fn keep<'a>(&'a self, _head: &Head<'_>, _kept: Vec<KeptOriginal>) -> Pending<'a, bool> {
        Box::pin(async { false })
    }

    /// Identifies the sender of a request, if it can be; contains credentials.
    fn tenant(&self, head: &Head<'_>) -> Option<Vec<u8>> {
        TenantId::of(None, head.uri, head.headers, head.tenant_name()).ok()?.tenant().map(<[u8]>::to_vec)
    }

    /// The body with its secrets masked as by [`Rewrite::rewrite`] and otherwise unchanged, for a request that could
    /// not be rewritten in time; `None` if nothing is to be masked. The length of the body bounds the time.
    fn mask(&self, _head: &Head<'_>, _body: &Bytes) -> Option<Vec<u8>> {
        None
    }

    /// Called when a wanted request was forwarded unchanged.
    fn on_bypass(&self, _head: &Head<'_>, _why: BypassReason) {}

    /// Called off the serving threads with a body that was forwarded unchanged because the rewrite was late.
    fn sent_plain(&self, _head: &Head<'_>, _body: &Bytes) {}
}

/// The result of asking for a stored text.
pub enum RetrievalAnswer {
    /// The text.
    Text(String),
    /// It is not stored, or no longer.
    Nothing,
    /// Texts are not stored here at all.
    Nowhere,
    /// The request does not identify its sender.
    Nobodys,
    /// The request is invalid, and why.
    Refused(String),
}

/// Forwards every request unchanged.
pub(crate) struct PassThrough;

impl Rewrite for PassThrough {
    fn wants(&self, _: &Head<'_>) -> bool {
        false
    }

    fn rewrite(&self, _: &Head<'_>, _: &Bytes) -> Verdict {
        Verdict::Keep
    }
}

/// A request without its body. Contains credentials: do not log it.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    /// The method.
    pub method: &'a Method,
    /// The path and query, as the client wrote them.
    pub uri: &'a Uri,
    /// The headers, as the client sent them.
    pub headers: &'a HeaderMap,
    /// The server that it is forwarded to, with its credentials.
    pub upstream: Option<&'a Upstream>,
    /// The authenticated tenant, if any.
    pub tenant: Option<&'a KnownTenant>,
}

impl<'a> Head<'a> {
    /// The name of the authenticated tenant, if any.
    pub(crate) fn tenant_name(&self) -> Option<&'a str> {
        self.tenant.map(|tenant| tenant.name.as_str())
    }
}

/// What to do with a request.
#[derive(Debug)]
pub enum Verdict {
    /// Forward it unchanged, byte for byte.
    Keep,
    /// Forward it unchanged, and record it with its response.
    Count(RequestEntry),
    /// Forward another body instead.
    Replace(Replacement),
    /// Do not forward it: an option in it is invalid.
    Refuse(Refusal),
    /// Wait for remote compressors, then decide, off the serving threads.
    Wait(WaitingVerdict),
}

/// A verdict that depends on remote compressors: the future resolves to the work that decides.
pub struct WaitingVerdict(pub Pending<'static, Box<dyn FnOnce() -> Verdict + Send>>);

impl fmt::Debug for WaitingVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WaitingVerdict")
    }
}

/// A new body for a request.
#[derive(Debug, Default)]
pub struct Replacement {
    /// The body to forward, not encoded.
    pub body: Vec<u8>,
    /// Headers to add to the response.
    pub headers: HeaderMap,
    /// Its record.
    pub entry: Option<RequestEntry>,
    /// Texts left out of it.
    pub kept: Vec<KeptOriginal>,
    /// What follows up the response, if anything does.
    pub follow: Option<Box<Expansion>>,
}

/// A boxed future.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Why a request is not forwarded.
#[derive(Debug)]
pub struct Refusal {
    /// The status of the response.
    pub status: StatusCode,
    /// What is wrong, for the client to read.
    pub message: String,
}
