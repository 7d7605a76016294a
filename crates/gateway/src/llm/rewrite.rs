//! The interface between the gateway and the rewriter of requests.

use std::fmt;
use std::pin::Pin;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, Uri};
use tersely_core::Loss;
use tersely_engine::KeptOriginal;

use crate::access::KnownTenant;
use crate::access::TenantId;
use crate::bypass::BypassReason;
use crate::llm::compress::message::LoneAnswer;
use crate::llm::compress::question::CompressQuestion;
use crate::llm::entry::RequestEntry;
use crate::llm::expansion::Expansion;
use crate::upstream::Upstream;

/// Rewrites requests. The methods that receive a body are synchronous; they run on a worker thread if the body is large
/// or encoded.
///
/// If a method fails in any way, including a panic, the request is forwarded unchanged.
pub trait Rewrite: Send + Sync {
    /// True if the body of this request should be buffered and passed to the rewriter.
    fn wants(&self, head: &Head<'_>) -> bool;

    /// The verdict on a request with this decoded body.
    fn rewrite(&self, head: &Head<'_>, body: &Bytes) -> Verdict;

    /// The verdict on a request, if it takes little time because most of the body is known; `None` otherwise.
    fn rewrite_known(&self, _head: &Head<'_>, _body: &Bytes) -> Option<Verdict> {
        None
    }

    /// The record of a request whose body is streamed unread, because the rewriter does not want it.
    fn unread(&self, _head: &Head<'_>) -> Option<RequestEntry> {
        None
    }

    /// The verdict on a request whose response we do not see: nothing is omitted or hidden, and no secret is masked.
    fn rewrite_unwatched(&self, _head: &Head<'_>, _body: &Bytes) -> Verdict {
        Verdict::Keep
    }

    /// True if no request may be forwarded before its body has been passed to [`Rewrite::seal`].
    fn seals(&self) -> bool {
        false
    }

    /// The body with its secrets masked; `None` if it contains no secrets.
    ///
    /// # Errors
    /// Fails if the body cannot be searched; the request is then refused.
    fn seal(&self, _body: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
        Ok(None)
    }

    /// The text with this id that was left out of an earlier request of the same tenant.
    fn original<'a>(&'a self, _head: &Head<'_>, _id: String) -> Pending<'a, RetrievalAnswer> {
        Box::pin(async { RetrievalAnswer::Nowhere })
    }

    /// Compresses messages that are not forwarded, with at most the given loss.
    ///
    /// # Errors
    /// Fails if an option is invalid, or if this rewriter does not compress messages.
    fn compress(
        &self,
        _head: &Head<'_>,
        _question: &CompressQuestion,
        _most: Loss,
    ) -> Result<LoneAnswer, Refusal> {
        let message = "this gateway does not compress messages".to_owned();
        Err(Refusal { status: StatusCode::NOT_FOUND, message })
    }

    /// Stores texts left out of messages for the caller; returns false if one of them could not be stored.
    fn keep<'a>(&'a self, _head: &Head<'_>, _kept: Vec<KeptOriginal>) -> Pending<'a, bool> {
        Box::pin(async { false })
    }

    /// Identifies the sender of a request, if possible. The result contains credentials.
    fn tenant(&self, head: &Head<'_>) -> Option<Vec<u8>> {
        TenantId::of(None, head.uri, head.headers, head.tenant_name()).ok()?.tenant().map(<[u8]>::to_vec)
    }

    /// The body with the same secrets masked as by [`Rewrite::rewrite`] and otherwise unchanged, for a request that
    /// could not be rewritten in time; `None` if there is nothing to mask. The time is limited by the length of the
    /// body.
    fn mask(&self, _head: &Head<'_>, _body: &Bytes) -> Option<Vec<u8>> {
        None
    }

    /// Called when a request was forwarded unchanged although the rewriter wanted it.
    fn on_bypass(&self, _head: &Head<'_>, _why: BypassReason) {}

    /// Called on a worker thread with a body that was forwarded unchanged because the rewrite was late.
    fn sent_plain(&self, _head: &Head<'_>, _body: &Bytes) {}
}

/// The result of a request for a stored text.
pub enum RetrievalAnswer {
    /// The text.
    Text(String),
    /// The text is not stored, or no longer stored.
    Nothing,
    /// This gateway does not store texts.
    Nowhere,
    /// The request does not identify its sender.
    Nobodys,
    /// The request is invalid, for this reason.
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

/// A request without its body. It contains credentials, so do not log it.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    /// The method.
    pub method: &'a Method,
    /// The path and query, unchanged.
    pub uri: &'a Uri,
    /// The headers, unchanged.
    pub headers: &'a HeaderMap,
    /// The server that the request is forwarded to, with its credentials.
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

/// The decision about a request.
#[derive(Debug)]
pub enum Verdict {
    /// Forward the request unchanged, byte for byte.
    Keep,
    /// Forward the request unchanged, and record it with its response.
    Count(RequestEntry),
    /// Forward the request with another body.
    Replace(Replacement),
    /// Do not forward the request, because one of its options is invalid.
    Refuse(Refusal),
    /// Wait for remote compressors, then decide on a worker thread.
    Wait(WaitingVerdict),
}

impl Verdict {
    /// The record of a request that is forwarded, if there is one.
    pub(crate) fn entry(&self) -> Option<&RequestEntry> {
        match self {
            Self::Count(entry) => Some(entry),
            Self::Replace(new) => new.entry.as_ref(),
            Self::Keep | Self::Refuse(_) | Self::Wait(_) => None,
        }
    }
}

/// A verdict that depends on remote compressors: the future resolves to a closure that computes the verdict.
pub struct WaitingVerdict(pub Pending<'static, Box<dyn FnOnce() -> Verdict + Send>>);

impl fmt::Debug for WaitingVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WaitingVerdict")
    }
}

/// A new body for a request.
#[derive(Debug, Default)]
pub struct Replacement {
    /// The body to forward, without a content coding.
    pub body: Bytes,
    /// Headers to add to the response.
    pub headers: HeaderMap,
    /// The request's record.
    pub entry: Option<RequestEntry>,
    /// The texts left out of the body.
    pub kept: Vec<KeptOriginal>,
    /// The expansion that processes the response, if one is needed.
    pub follow: Option<Box<Expansion>>,
}

/// A boxed future.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The reason why a request is not forwarded.
#[derive(Debug)]
pub struct Refusal {
    /// The status of the response.
    pub status: StatusCode,
    /// What is wrong, as a message for the client.
    pub message: String,
}
