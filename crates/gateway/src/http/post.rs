//! Posts JSON to an upstream and reads the whole response, through the same proxy and with the same trusted
//! certificates as forwarded requests.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use tokio::time::timeout;

use crate::error::{Error, Side};
use crate::http::client::{HttpVersions, Pools};
use crate::http::memory_budget::MemoryBudget;
use crate::http::request_body::OutgoingBody;
use crate::settings::GatewaySettings;
use crate::upstream::Upstream;

/// The maximum size of a response.
const MAX_RESPONSE_BYTES: usize = 8 << 20;

/// Sends POST requests to one upstream.
pub struct Poster {
    pools: Pools,
    upstream: Upstream,
    patience: Duration,
}

/// An upstream's response.
#[derive(Debug)]
pub struct PostedAnswer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl Poster {
    /// Creates a poster for `upstream`, with the timeout `patience` for each whole response.
    ///
    /// # Errors
    /// Fails if a setting is invalid.
    pub fn new(settings: &GatewaySettings, upstream: Upstream, patience: Duration) -> Result<Self, Error> {
        Ok(Self { pools: Pools::new(settings)?, upstream, patience })
    }

    /// The upstream that requests are sent to.
    #[must_use]
    pub fn upstream(&self) -> &Upstream {
        &self.upstream
    }

    /// Posts a body to a path below the upstream's base path.
    ///
    /// # Errors
    /// Fails if the whole response does not arrive in time, or is too long.
    pub async fn post(&self, path: &str, headers: HeaderMap, body: String) -> Result<PostedAnswer, Error> {
        let posting = timeout(self.patience, self.exchange(path, headers, body));
        posting.await.map_err(|_| Error::late(Side::Upstream))?
    }

    async fn exchange(&self, path: &str, headers: HeaderMap, body: String) -> Result<PostedAnswer, Error> {
        let asked: Uri = path.parse().map_err(|error| Error::setting("invalid path").because(error))?;
        let mut request = Request::new(OutgoingBody::whole(Bytes::from(body), None, MemoryBudget::default()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.upstream.address(&asked)?;
        *request.headers_mut() = headers;
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(CONTENT_TYPE, json.clone());
        request.headers_mut().insert(ACCEPT, json);
        let versions = if self.upstream.is_secure() { HttpVersions::Any } else { HttpVersions::One };
        let (response, _permit) = self.pools.send(versions, request).await;
        let (parts, body) = response.map_err(|error| Error::upstream(&self.upstream, error))?.into_parts();
        let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await.map_err(|_| {
            let message =
                format!("the response ended early or is longer than {} MB", MAX_RESPONSE_BYTES >> 20);
            Error::of_upstream(StatusCode::BAD_GATEWAY, message)
        })?;
        Ok(PostedAnswer { status: parts.status, headers: parts.headers, body: body.to_bytes().to_vec() })
    }
}
