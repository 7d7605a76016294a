//! Makes messages smaller for a gateway that takes them on to a model itself.
//!
//! The answer is a function of the question: whatever replica is asked, and whatever it was asked before. Whatever goes
//! wrong here, the messages go back as they came.

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

use crate::bypass::BypassReason;
use crate::error::Error;
use crate::http::content_encoding::{Coding, CodingFault};
use crate::http::host_check::Reach;
use crate::http::response::Reply;
use crate::llm::compress::message::{LoneAnswer, write, write_unchanged};
use crate::llm::compress::question::CompressQuestion;
use crate::llm::compress::reply::json;
use crate::llm::compress::retrieve;
use crate::llm::gate::{GatewayState, arriving};
use crate::llm::mask;
use crate::llm::offer::tenant;
use crate::llm::read_body::{Read, Whole, bomb, read};
use crate::llm::rewrite::{Head, Refusal, Rewrite};
use crate::request_log::Known;
use crate::settings::CompressApi;
use crate::worker_pool::guarded;

/// What requests at this door are called where providers have names.
pub(super) const NAME: &str = "compress";

/// Where messages are brought.
const PATH: &str = "/v1/compress";

/// Where other servers hear how a turn went on, and keep that in mind. Nothing is kept in mind here.
const TURNS: &str = "/v1/compress/response";

/// What an answer says when the messages in it are as they came, though they should not be.
const MISSED: HeaderName = HeaderName::from_static("x-tersely-missed");

/// What is asked at this door.
pub(crate) enum CompressAsk {
    /// Messages are to be made smaller.
    Compress,
    /// The text of this name is to be given back.
    Retrieve(String),
    /// A turn is to be kept in mind.
    Remember,
}

impl CompressAsk {
    /// What a request asks at this door, where it is open: these paths alone, so that no other goes elsewhere than it did.
    pub(crate) fn of<B>(gate: &GatewayState, request: &Request<B>) -> Option<Self> {
        let asked = match (request.method(), request.uri().path()) {
            (&Method::POST, PATH) => Self::Compress,
            (&Method::POST, TURNS) => Self::Remember,
            (&Method::GET, path) => Self::Retrieve(retrieve::id(path)?),
            _ => return None,
        };
        let is_open = match gate.settings.compress_api {
            CompressApi::Auto => gate.reach == Reach::Loopback,
            CompressApi::On => true,
            CompressApi::Off => false,
        };
        is_open.then_some(asked)
    }
}

/// The answer to what is asked at this door; what is known of that is added, whatever comes of it.
pub(crate) async fn answer(
    gate: &GatewayState,
    known: &mut Known,
    ask: CompressAsk,
    request: Request<Incoming>,
) -> Result<Response<Reply>, Error> {
    known.provider = Some(NAME);
    let _running = match gate.enroll(&request) {
        Ok(running) => running,
        Err(error) => {
            arriving(gate, request.into_body()).linger();
            return Err(error);
        }
    };
    match ask {
        CompressAsk::Compress => compress(gate, known, request).await,
        CompressAsk::Retrieve(id) => retrieve::retrieve(gate, id, request).await,
        CompressAsk::Remember => {
            arriving(gate, request.into_body()).linger();
            let message = "nothing is remembered between turns here; ask POST /v1/compress with every request, and \
                           GET /v1/retrieve for what was left out";
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
    let full = || Error::us(StatusCode::SERVICE_UNAVAILABLE, "no memory for these messages now; try again");
    let Read::Whole(whole) = read(gate, arriving(gate, body)).await? else { return Err(full()) };
    let masks = gate.rewrite.seals() && !whole.bytes.is_empty();
    let whole = if masks { mask::seal(gate, &mut parts, whole).await? } else { whole };
    let Whole { bytes, held, .. } = whole;
    let desk = CompressDesk::of(gate, parts, bytes);
    let since = Instant::now();
    let done = settled(gate, &desk).await;
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
        Err(why) => unchanged(gate, known, desk, why).await,
    }
}

/// A question and its answer, or why it has none.
type Answered = Result<(CompressQuestion, LoneAnswer), Refusal>;

/// The answer to a question, from which nothing is left out that could not be kept.
async fn settled(gate: &GatewayState, desk: &Arc<CompressDesk>) -> Result<Answered, BypassReason> {
    let (question, answer) = match desk.work(gate, Loss::Detail).await? {
        Ok(done) => done,
        refused => return Ok(refused),
    };
    if answer.kept.is_empty() || gate.rewrite.keep(&desk.head(), answer.kept.clone()).await {
        return Ok(Ok((question, answer)));
    }
    desk.work(gate, Loss::Form).await
}

/// The messages as they came, because we could not do better.
async fn unchanged(
    gate: &GatewayState,
    known: &mut Known,
    desk: Arc<CompressDesk>,
    why: BypassReason,
) -> Result<Response<Reply>, Error> {
    known.missed = Some(why);
    // The one who is told may be the one who just panicked.
    let _ = guarded(|| gate.rewrite.missed(&desk.head(), why));
    let failed = || Error::us(StatusCode::INTERNAL_SERVER_ERROR, "these messages cannot be read here");
    let question = spawn_blocking(move || guarded(|| desk.question())).await;
    let Ok(Ok(question)) = question else { return Err(failed()) };
    let question = question.map_err(|refusal| Error::client(refusal.status, refusal.message))?;
    known.model = model(&question);
    let mut response = json(gate, write_unchanged(&question));
    response.headers_mut().insert(MISSED, HeaderValue::from_static(why.name()));
    Ok(response)
}

/// A question that another thread may look at.
struct CompressDesk {
    rewrite: Arc<dyn Rewrite>,
    parts: Parts,
    body: Bytes,
    limit: usize,
}

impl CompressDesk {
    fn of(gate: &GatewayState, parts: Parts, body: Bytes) -> Arc<Self> {
        let (rewrite, limit) = (Arc::clone(&gate.rewrite), gate.settings.limits.body);
        Arc::new(Self { rewrite, parts, body, limit })
    }

    /// The question and its answer with at most this loss: at once if it is short and plain, else from another thread.
    async fn work(self: &Arc<Self>, gate: &GatewayState, most: Loss) -> Result<Answered, BypassReason> {
        let (desk, coding) = (Arc::clone(self), Coding::of(&self.parts.headers));
        let weight = coding.weight(self.limit, self.body.len());
        let work = move || desk.answer(most);
        match coding {
            Coding::Identity => gate.bench.run(weight, work).await,
            _ => gate.bench.aside(weight, work).await,
        }
    }

    fn answer(&self, most: Loss) -> Answered {
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
            CodingFault::TooLong => bomb(self.limit),
            CodingFault::Garbled => {
                let message =
                    "the body is not in the content encoding that it names; send it plain or with gzip";
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

/// The model that a question names, if that can be shown.
fn model(question: &CompressQuestion) -> Option<ShownName> {
    let name: String = serde_json::from_slice(question.came().model?).ok()?;
    ShownName::of(&name)
}

#[cfg(test)]
mod tests {
    use tersely_wire::claimed_provider;

    use super::*;

    /// Behaviour 21.8.
    #[test]
    fn no_provider_has_these_paths() {
        for path in [PATH, TURNS, "/v1/retrieve/shadow_00112233445566778899aabbccddeeff"] {
            assert!(claimed_provider(path).is_none(), "{path}");
        }
    }
}
