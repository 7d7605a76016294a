//! `/v1/compress`: compresses messages for a gateway that forwards them to a model itself.
//!
//! The response depends only on the request: not on the replica, and not on earlier requests. If anything fails, the
//! messages are returned unchanged.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::header::{HeaderName, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use tersely_account::ShownName;
use tersely_core::Loss;
use tersely_engine::OptionError;
use tokio::task::spawn_blocking;

use crate::admission::Reach;
use crate::bypass::BypassReason;
use crate::error::Error;
use crate::http::content_encoding::{Coding, CodingFault};
use crate::http::response::Reply;
use crate::llm::compress::message::{LoneAnswer, write, write_unchanged};
use crate::llm::compress::question::CompressQuestion;
use crate::llm::compress::reply::json;
use crate::llm::compress::retrieve;
use crate::llm::mask;
use crate::llm::offer::tenant;
use crate::llm::read_body::{BodyRead, WholeBody, decoded_too_long, read};
use crate::llm::rewrite::{Head, Refusal, Rewrite};
use crate::llm::state::GatewayState;
use crate::request_log::Known;
use crate::settings::CompressApi;
use crate::worker_pool::catch_panic;

/// The provider name of these requests in logs and metrics.
pub(crate) const NAME: &str = "compress";

/// The path for messages.
const COMPRESS_PATH: &str = "/v1/compress";

/// The path at which other servers record how a turn continued. This gateway records nothing.
const TURN_PATH: &str = "/v1/compress/response";

/// Response header: why the messages are returned unchanged although they should have been compressed.
const BYPASS_HEADER: HeaderName = HeaderName::from_static("x-tersely-missed");

/// A request to one of our own paths.
pub(crate) enum CompressRoute {
    /// A request to compress messages.
    Compress,
    /// A request for the text with this id.
    Retrieve(String),
    /// A request to record a turn.
    Remember,
}

impl CompressRoute {
    /// The route of a request; `None` if these paths are disabled or the path is another one.
    pub(crate) fn of(gate: &GatewayState, method: &Method, path: &str) -> Option<Self> {
        let asked = match (method, path) {
            (&Method::POST, COMPRESS_PATH) => Self::Compress,
            (&Method::POST, TURN_PATH) => Self::Remember,
            (&Method::GET, path) => Self::Retrieve(retrieve::id(path)?),
            _ => return None,
        };
        let is_open = match gate.settings.compress_api {
            CompressApi::Auto => gate.admission.reach() == Reach::Loopback,
            CompressApi::On => true,
            CompressApi::Off => false,
        };
        is_open.then_some(asked)
    }
}

/// Answers a request to one of these routes. `known` records what was found out, even if the request fails.
pub(crate) async fn answer(
    gate: &GatewayState,
    known: &mut Known,
    ask: CompressRoute,
    request: Request<Incoming>,
) -> Result<Response<Reply>, Error> {
    known.provider = Some(NAME);
    match ask {
        CompressRoute::Compress => compress(gate, known, request).await,
        CompressRoute::Retrieve(id) => retrieve::retrieve(gate, id, request).await,
        CompressRoute::Remember => {
            gate.client_body(request.into_body()).linger();
            let message = "this gateway keeps no state between turns; call POST /v1/compress with every request, and \
                           GET /v1/retrieve for omitted text";
            Err(Error::client(StatusCode::NOT_FOUND, message))
        }
    }
}

async fn compress(
    gate: &GatewayState,
    known: &mut Known,
    request: Request<Incoming>,
) -> Result<Response<Reply>, Error> {
    let (mut parts, body) = request.into_parts();
    let full = || {
        Error::us(
            StatusCode::SERVICE_UNAVAILABLE,
            "not enough memory for these messages right now; try again",
        )
    };
    let BodyRead::Whole(whole) = read(gate, gate.client_body(body)).await? else { return Err(full()) };
    let masks = gate.rewrite.seals() && !whole.bytes.is_empty();
    let whole = if masks { mask::seal(gate, &mut parts, whole).await? } else { whole };
    let WholeBody { bytes, held, .. } = whole;
    let job = CompressJob::of(gate, parts, bytes);
    let since = Instant::now();
    let done = settle(gate, &job).await;
    known.ours = Some(since.elapsed());
    drop(held);
    match done {
        Ok(Ok((question, answer))) => {
            known.model = model(&question);
            let mut response = json(gate, write(&question, &answer));
            known.session = answer.entry.session();
            answer.entry.sent().answer(known, &mut response);
            Ok(response)
        }
        Ok(Err(refusal)) => Err(Error::client(refusal.status, refusal.message)),
        Err(why) => answer_unchanged(gate, known, job, why).await,
    }
}

/// A question and its answer, or the reason why it was refused.
type CompressResult = Result<(CompressQuestion, LoneAnswer), Refusal>;

/// Answers a question; text is omitted only if it could be stored.
async fn settle(gate: &GatewayState, job: &Arc<CompressJob>) -> Result<CompressResult, BypassReason> {
    let (question, answer) = match job.work(gate, Loss::Detail).await? {
        Ok(done) => done,
        refused => return Ok(refused),
    };
    if answer.kept.is_empty() || gate.rewrite.keep(&job.head(), answer.kept.clone()).await {
        return Ok(Ok((question, answer)));
    }
    job.work(gate, Loss::Form).await
}

/// Returns the messages unchanged, because compression failed.
async fn answer_unchanged(
    gate: &GatewayState,
    known: &mut Known,
    job: Arc<CompressJob>,
    why: BypassReason,
) -> Result<Response<Reply>, Error> {
    known.missed = Some(why);
    // The rewriter may just have panicked, and could panic again.
    let _ = catch_panic(|| gate.rewrite.on_bypass(&job.head(), why));
    let failed = || Error::us(StatusCode::INTERNAL_SERVER_ERROR, "Tersely cannot parse these messages");
    let question = spawn_blocking(move || catch_panic(|| job.question())).await;
    let Ok(Ok(question)) = question else { return Err(failed()) };
    let question = question.map_err(|refusal| Error::client(refusal.status, refusal.message))?;
    known.model = model(&question);
    let mut response = json(gate, write_unchanged(&question));
    response.headers_mut().insert(BYPASS_HEADER, HeaderValue::from_static(why.name()));
    Ok(response)
}

/// A compression job that another thread can run.
struct CompressJob {
    rewrite: Arc<dyn Rewrite>,
    parts: Parts,
    body: Bytes,
    limit: usize,
}

impl CompressJob {
    fn of(gate: &GatewayState, parts: Parts, body: Bytes) -> Arc<Self> {
        let (rewrite, limit) = (Arc::clone(&gate.rewrite), gate.settings.limits.body);
        Arc::new(Self { rewrite, parts, body, limit })
    }

    /// Answers the question with at most the loss `most`: inline if the body is short and not encoded, otherwise on
    /// another thread.
    async fn work(self: &Arc<Self>, gate: &GatewayState, most: Loss) -> Result<CompressResult, BypassReason> {
        let (job, coding) = (Arc::clone(self), Coding::of(&self.parts.headers));
        let weight = coding.weight(self.limit, self.body.len());
        let work = move || job.answer(most);
        match coding {
            Coding::Identity => gate.workers.run(weight, work).await,
            _ => gate.workers.offload(weight, work).await,
        }
    }

    fn answer(&self, most: Loss) -> CompressResult {
        let question = self.question()?;
        let answer = self.rewrite.compress(&self.head(), &question, most)?;
        Ok((question, answer))
    }

    fn question(&self) -> Result<CompressQuestion, Refusal> {
        let coding = Coding::of(&self.parts.headers);
        if coding == Coding::Identity {
            return CompressQuestion::read(&self.body).map_err(bad);
        }
        let plain = coding.decode(self.limit, &self.body).map_err(|fault| match fault {
            CodingFault::TooLong => decoded_too_long(self.limit),
            CodingFault::Garbled => {
                let message =
                    "the body does not match its content encoding; send it uncompressed or with gzip";
                Refusal { status: StatusCode::UNSUPPORTED_MEDIA_TYPE, message: message.to_owned() }
            }
        })?;
        CompressQuestion::read(&Bytes::from(plain)).map_err(bad)
    }

    fn head(&self) -> Head<'_> {
        let Parts { method, uri, headers, .. } = &self.parts;
        Head { method, uri, headers, upstream: None, tenant: tenant(&self.parts).map(|tenant| &**tenant) }
    }
}

fn bad(refused: OptionError) -> Refusal {
    Refusal { status: StatusCode::BAD_REQUEST, message: refused.message }
}

/// The name of the model in a question, if it can be shown.
fn model(question: &CompressQuestion) -> Option<ShownName> {
    let name: String = serde_json::from_slice(question.as_sent().model?).ok()?;
    ShownName::of(&name)
}

#[cfg(test)]
mod tests {
    use tersely_wire::claimed_provider;

    use super::*;

    /// Behaviour 21.8.
    #[test]
    fn no_provider_has_these_paths() {
        for path in [COMPRESS_PATH, TURN_PATH, "/v1/retrieve/shadow_00112233445566778899aabbccddeeff"] {
            assert!(claimed_provider(path).is_none(), "{path}");
        }
    }
}
