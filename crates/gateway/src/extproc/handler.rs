//! Serves Envoy's gRPC streams, and gRPC health checks.

use std::sync::Arc;
use std::time::Duration;

use http::header::{CONTENT_TYPE, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, Version};
use hyper::body::Incoming;
use prost::Message as _;
use tokio::net::TcpListener;

use crate::admission::{Admission, Handler, Listener, Reach};
use crate::error::Error;
use crate::extproc::frame::{Messages, Next, StreamEnd, encode_frame};
use crate::extproc::message::{HealthRequest, HealthResponse};
use crate::extproc::request_only::RequestOnly;
use crate::extproc::stream::{ProcessorStream, StreamBody};
use crate::http::request_slots::RequestSlot;
use crate::http::response::Reply;
use crate::llm::{GatewayState, Rewrite, error_body};
use crate::request_log::know;
use crate::serve::listen;
use crate::settings::GatewaySettings;
use crate::shutdown::Shutdown;

/// The path of the method that Envoy calls for its streams.
const PROCESS_PATH: &str = "/envoy.service.ext_proc.v3.ExternalProcessor/Process";

/// The path of the method for gRPC health checks.
const HEALTH_PATH: &str = "/grpc.health.v1.Health/Check";

/// The service names whose health can be checked: the empty name, which means the whole server, and the only service.
const SERVICES: [&[u8]; 2] = [b"", b"envoy.service.ext_proc.v3.ExternalProcessor"];

/// Serves Envoy in the way that [`crate::serve`] serves agents.
///
/// # Errors
/// Fails if a setting is invalid.
pub async fn serve_processor(
    settings: GatewaySettings,
    rewrite: Arc<dyn Rewrite>,
    listener: TcpListener,
    stop: impl Future<Output = Duration>,
) -> Result<(), Error> {
    let reach = Reach::of(&listener);
    let gate =
        Arc::new(GatewayState::new(settings, Arc::new(RequestOnly(rewrite)), (Listener::Extproc, reach))?);
    listen(Arc::new(ExtprocHandler { gate }), listener, stop).await
}

struct ExtprocHandler {
    gate: Arc<GatewayState>,
}

impl Handler for ExtprocHandler {
    fn settings(&self) -> &GatewaySettings {
        &self.gate.settings
    }

    fn shutdown(&self) -> &Shutdown {
        &self.gate.shutdown
    }

    /// Envoy opens one connection per thread, and forwards a request unchanged if the connection has no free stream.
    fn streams(&self) -> u32 {
        u32::try_from(self.gate.settings.limits.requests).unwrap_or(u32::MAX)
    }

    fn admission(&self) -> &Admission {
        &self.gate.admission
    }

    fn refuse(&self, _: &Parts, error: &Error) -> Response<Reply> {
        hide_from_log(error_body::answer(None, error))
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>, _: RequestSlot) -> Response<Reply> {
        hide_from_log(answer(&self.gate, request).await)
    }
}

/// Excludes a stream from the log, because the log already records the request that the stream carries.
fn hide_from_log(mut response: Response<Reply>) -> Response<Reply> {
    know(response.extensions_mut(), |known| known.is_probe = true);
    response
}

async fn answer(gate: &Arc<GatewayState>, request: Request<Incoming>) -> Response<Reply> {
    if request.version() != Version::HTTP_2 || request.method() != Method::POST {
        let message = "this is an external processor for Envoy; it speaks gRPC, and answers GET /readyz";
        return error_body::answer(None, &Error::client(StatusCode::NOT_FOUND, message));
    }
    match request.uri().path() {
        PROCESS_PATH => process(gate, request.into_body()).await,
        HEALTH_PATH => health(gate, request.into_body()).await,
        _ => empty_stream(StreamEnd::Unimplemented),
    }
}

async fn process(gate: &Arc<GatewayState>, body: Incoming) -> Response<Reply> {
    // If no slot is free, the request is forwarded unchanged, unless it must be searched for secrets.
    let Ok(slot) = gate.admission.slot() else { return empty_stream(StreamEnd::end_unprocessed(gate)) };
    let messages = Messages::of(gate, body);
    stream_response(ProcessorStream::new(Arc::clone(gate), messages, slot).start().await)
}

async fn health(gate: &GatewayState, body: Incoming) -> Response<Reply> {
    let Next::Message(bytes, _) = Messages::of(gate, body).next(gate).await else {
        return empty_stream(StreamEnd::Unimplemented);
    };
    let service = HealthRequest::decode(bytes).unwrap_or_default().service;
    if !SERVICES.contains(&&*service) {
        return empty_stream(StreamEnd::NotFound);
    }
    let leaves = gate.shutdown.notice.is_cancelled();
    let status = if leaves { HealthResponse::NOT_SERVING } else { HealthResponse::SERVING };
    stream_response(StreamBody::once(encode_frame(&HealthResponse { status })))
}

/// A response that streams messages.
fn stream_response(body: StreamBody) -> Response<Reply> {
    let mut response = Response::new(Reply::Watched(Box::pin(body)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}

/// A response that ends without a message.
fn empty_stream(end: StreamEnd) -> Response<Reply> {
    let mut response = Response::new(Reply::Ours(None));
    *response.headers_mut() = end.headers();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}
