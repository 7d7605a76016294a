//! What may be done to a request before it goes on.

use http::{HeaderMap, Method, StatusCode, Uri};

/// Rewrites requests. Pure and synchronous; run off the threads that serve when a body is big or coded.
///
/// Whatever goes wrong in here, a panic included, the request goes on as it came.
pub trait Rewrite: Send + Sync {
    /// True when the body of this request should be read whole and offered.
    fn wants(&self, head: &Head<'_>) -> bool;

    /// What to do with a request whose body, decoded, is `body`.
    fn rewrite(&self, head: &Head<'_>, body: &[u8]) -> Verdict;

    /// Hears that a wanted request went on as it came, so that nothing goes unnoticed.
    fn missed(&self, _head: &Head<'_>, _why: Missed) {}
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
}

/// What to do with a request.
#[derive(Debug)]
pub enum Verdict {
    /// Forward it as it came, byte for byte.
    Keep,
    /// Forward it as it came, and add headers to the response.
    Note(HeaderMap),
    /// Forward another body in its place.
    Replace(Replacement),
    /// Do not forward it: what it asks of us makes no sense.
    Refuse(Refusal),
}

/// A body for another.
#[derive(Debug, Default)]
pub struct Replacement {
    /// The body to forward, without a content coding.
    pub body: Vec<u8>,
    /// Headers to add to the response.
    pub headers: HeaderMap,
}

/// Why a request is not forwarded.
#[derive(Debug)]
pub struct Refusal {
    /// The status to answer with.
    pub status: StatusCode,
    /// What is wrong with it, for the client to read.
    pub message: String,
}

/// Why a wanted request went on as it came.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Missed {
    /// The rewrite panicked.
    Panicked,
    /// The rewrite took too long, or earlier ones still do.
    Late,
    /// Too many bytes of other bodies were held.
    Full,
    /// Its content coding is not known, or not what it says.
    Coded,
    /// Its headers sign the body, and another would be refused.
    Signed,
}
