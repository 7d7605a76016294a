//! The stream of one request: the head is passed on at once, and the body is rewritten.
//!
//! When nothing more has to be sent, after the head or after the body, the stream ends with success: Envoy then
//! forwards the request without sending us the rest, regardless of its failure mode.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame};
use prost::Message as _;

use crate::bypass::BypassReason;
use crate::error::{Error, Side};
use crate::extproc::body::{ExtprocRequest, wants};
use crate::extproc::frame::{Messages, Next, StreamEnd, encode_frame};
use crate::extproc::head::{pass_piece, replace_body, request, strip_our_headers};
use crate::extproc::message::{
    BodyMode, EnvoyRequest, EnvoyResponse, HttpBody, HttpHeaders, HttpTrailers, PartResponse,
    ProcessingRequest, ProcessingResponse, Protocols,
};
use crate::http::request_slots::RequestSlot;
use crate::llm::{GatewayState, Pending, WholeBody};

/// The error message for a request whose body is sent in chunks.
const STREAMED_BODY_MESSAGE: &str = "Envoy sends bodies in chunks; set request_body_mode to BUFFERED";

/// The error message for a message that should have contained a body.
const INVALID_BODY_MESSAGE: &str = "Envoy sent another message where a body was expected";

/// The error message for a chunk that could not be returned.
const LOST_PIECE_MESSAGE: &str = "a chunk of this body could not be read; set request_body_mode to BUFFERED";

/// A stream in progress.
pub(super) struct ProcessorStream {
    gate: Arc<GatewayState>,
    messages: Messages,
    stage: Stage,
    slot: RequestSlot,
}

enum Stage {
    /// Nothing has been received yet.
    Opened,
    /// The head has been answered, and the body has not been received yet.
    Headed(Box<ExtprocRequest>),
    /// Chunks of a body are returned unchanged, because Envoy forwards only what we return.
    Returning,
    /// Only the status remains to be sent.
    Over(StreamEnd),
}

impl ProcessorStream {
    /// Creates a stream that has just been opened.
    pub(super) fn new(gate: Arc<GatewayState>, messages: Messages, slot: RequestSlot) -> Self {
        Self { gate, messages, stage: Stage::Opened, slot }
    }

    /// Waits for the first message, and returns the body of the response: this way its head and first message are sent
    /// together.
    pub(super) async fn start(self) -> StreamBody {
        let (first, rest) = self.step().await;
        StreamBody { first: Some(first), next: rest.map(Self::into_step) }
    }

    fn into_step(self) -> Step {
        Box::pin(self.step())
    }

    /// Produces the next frame, and returns it with the rest of the stream.
    async fn step(self) -> (Frame<Bytes>, Option<Self>) {
        let Self { gate, mut messages, stage, slot } = self;
        let (told, stage) = match stage {
            Stage::Opened => answer_head(&gate, &mut messages).await,
            Stage::Headed(headed) => {
                let (told, end) = answer_body(&gate, &mut messages, *headed).await;
                (told.map(EnvoyResponse::Body), Stage::Over(end))
            }
            Stage::Returning => return_piece(&gate, &mut messages).await,
            Stage::Over(end) => (None, Stage::Over(end)),
        };
        match (told, stage) {
            (None, Stage::Over(end)) => (end.trailers(), None),
            (told, stage) => {
                let message = encode_frame(&ProcessingResponse { told });
                (Frame::data(message), Some(Self { gate, messages, stage, slot }))
            }
        }
    }
}

/// Answers the head of a request, and returns the next stage.
async fn answer_head(gate: &GatewayState, messages: &mut Messages) -> (Option<EnvoyResponse>, Stage) {
    let unheard = (None, Stage::Over(StreamEnd::end_unprocessed(gate)));
    let Next::Message(bytes, _) = messages.next(gate).await else { return unheard };
    let Ok(message) = ProcessingRequest::decode(bytes) else { return unheard };
    let ProcessingRequest { said: Some(EnvoyRequest::Head(said)), only_observes, protocol } = message else {
        return unheard;
    };
    let HttpHeaders { map, is_all } = said;
    let Some(request) = map.and_then(request) else { return unheard };
    let told = Some(EnvoyResponse::Head(strip_our_headers(request.headers())));
    if is_all || only_observes {
        return (told, Stage::Over(StreamEnd::Fine));
    }
    let (parts, ()) = request.into_parts();
    let way = protocol.map_or(BodyMode::Whole, Protocols::way);
    let let_go = match way {
        BodyMode::HandedOver => Stage::Returning,
        BodyMode::Elsewhere | BodyMode::Whole => Stage::Over(StreamEnd::Fine),
    };
    let wants = if gate.rewrite.seals() { Ok(true) } else { wants(gate, &parts) };
    match wants {
        Ok(true) if way == BodyMode::Whole => {
            (told, Stage::Headed(Box::new(ExtprocRequest::new(gate, parts))))
        }
        Ok(true) => {
            ExtprocRequest::new(gate, parts).fail(Side::Us, STREAMED_BODY_MESSAGE);
            match StreamEnd::end_unprocessed(gate) {
                StreamEnd::Fine => (told, let_go),
                end => (None, Stage::Over(end)),
            }
        }
        Ok(false) => (told, let_go),
        Err(why) => {
            ExtprocRequest::new(gate, parts).bypass(gate, why);
            (told, let_go)
        }
    }
}

/// Answers the body of a request, and returns how the stream ends.
async fn answer_body(
    gate: &GatewayState,
    messages: &mut Messages,
    headed: ExtprocRequest,
) -> (Option<PartResponse>, StreamEnd) {
    let (bytes, held) = match messages.next(gate).await {
        Next::Message(bytes, held) => (bytes, held),
        Next::Unread => {
            headed.bypass(gate, BypassReason::Full);
            return (None, StreamEnd::end_unprocessed(gate));
        }
        // The client has disconnected.
        Next::End => return (None, StreamEnd::Fine),
    };
    let Ok(ProcessingRequest { said: Some(EnvoyRequest::Body(body)), .. }) = ProcessingRequest::decode(bytes)
    else {
        headed.fail(Side::Client, INVALID_BODY_MESSAGE);
        return (None, StreamEnd::end_unprocessed(gate));
    };
    let HttpBody { bytes, is_last, .. } = body;
    if !is_last || bytes.len() > gate.settings.limits.body {
        headed.bypass(gate, BypassReason::Full);
        return (None, StreamEnd::end_unprocessed(gate));
    }
    match headed.process(gate, WholeBody { bytes, trailers: None, held }).await {
        Ok(body) => (Some(body.map(replace_body).unwrap_or_default()), StreamEnd::Fine),
        Err(_) => (None, StreamEnd::end_unprocessed(gate)),
    }
}

/// Returns a chunk of a body unchanged. If a chunk cannot be read, the rest of the body is lost, so the stream fails.
async fn return_piece(gate: &GatewayState, messages: &mut Messages) -> (Option<EnvoyResponse>, Stage) {
    let said = match messages.next(gate).await {
        Next::Message(bytes, _) => ProcessingRequest::decode(bytes).ok().and_then(|message| message.said),
        Next::Unread => None,
        Next::End => return (None, Stage::Over(StreamEnd::Fine)),
    };
    match said {
        Some(EnvoyRequest::Body(piece)) => {
            let stage = if piece.is_end() { Stage::Over(StreamEnd::Fine) } else { Stage::Returning };
            (Some(EnvoyResponse::Body(pass_piece(piece))), stage)
        }
        Some(EnvoyRequest::Trailers(_)) => {
            (Some(EnvoyResponse::Trailers(HttpTrailers::default())), Stage::Over(StreamEnd::Fine))
        }
        Some(EnvoyRequest::Head(_)) | None => (None, Stage::Over(StreamEnd::Failed(LOST_PIECE_MESSAGE))),
    }
}

/// A future that resolves to the next frame.
type Step = Pending<'static, (Frame<Bytes>, Option<ProcessorStream>)>;

/// The body of a stream's response, produced frame by frame.
pub(super) struct StreamBody {
    first: Option<Frame<Bytes>>,
    next: Option<Step>,
}

impl StreamBody {
    /// A body with a single message.
    pub(super) fn once(message: Bytes) -> Self {
        let end = async { (StreamEnd::Fine.trailers(), None) };
        Self { first: Some(Frame::data(message)), next: Some(Box::pin(end)) }
    }
}

impl Body for StreamBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(first)));
        }
        let Some(step) = &mut self.next else { return Poll::Ready(None) };
        let (frame, rest) = ready!(step.as_mut().poll(cx));
        self.next = rest.map(ProcessorStream::into_step);
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && self.next.is_none()
    }
}
