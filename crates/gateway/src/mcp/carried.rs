//! HTTP for a server that speaks over its input and output: a session is a process.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use tersely_store::random_name;
use tersely_wire::mcp::{RpcKind, rpc_kind};

use crate::error::Error;
use crate::llm::{Gate, Read, arriving, read};
use crate::mcp::door::McpDoor;
use crate::mcp::servers::StartedServer;
use crate::mcp::spawned::{SpawnedSession, SpawnedSessions};
use crate::mcp::stream::{SESSION, fault, json_reply, written};
use crate::reply::Reply;

/// A server that is started for each session.
pub(super) struct CarriedServer {
    server: StartedServer,
    sessions: SpawnedSessions,
}

impl CarriedServer {
    /// A server that nobody has asked yet.
    pub(super) fn new(server: StartedServer) -> Self {
        Self { server, sessions: SpawnedSessions::default() }
    }

    /// The answer to a request; `door` makes one for the session of a name.
    pub(super) async fn answer(
        &self,
        gate: &Gate,
        door: impl Fn(&str) -> McpDoor + Send,
        request: Request<Incoming>,
    ) -> Result<Response<Reply>, Error> {
        let (parts, body) = request.into_parts();
        let body = arriving(gate, body);
        let id = parts.headers.get(SESSION).and_then(|id| id.to_str().ok());
        if parts.method != Method::POST {
            body.linger();
            return Ok(match parts.method {
                Method::GET => self.stream(id, &parts.headers).await,
                Method::DELETE => self.delete(id).await,
                _ => not_allowed(),
            });
        }
        let Read::Whole(whole) = read(gate, body).await? else {
            let message = "no memory for this message right now; try again";
            return Ok(fault(StatusCode::SERVICE_UNAVAILABLE, message));
        };
        let kind = rpc_kind(&whole.bytes);
        let is_first = matches!(&kind, RpcKind::Request { method, .. } if method == "initialize");
        match id {
            None if is_first => self.begin(door, kind, &parts.headers, &whole.bytes).await,
            // A client of a revision without sessions goes back to one that has them.
            None => Ok(fault(StatusCode::BAD_REQUEST, "this server has sessions; send initialize first")),
            Some(id) => match self.sessions.get(id) {
                Some(session) => Ok(post(&session, kind, &parts.headers, &whole.bytes).await),
                None => Ok(gone()),
            },
        }
    }

    /// Starts a server for a client that begins a session.
    async fn begin(
        &self,
        door: impl Fn(&str) -> McpDoor,
        kind: RpcKind,
        headers: &HeaderMap,
        message: &Bytes,
    ) -> Result<Response<Reply>, Error> {
        let id =
            random_name().map_err(|error| Error::us(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
        let session = SpawnedSession::start(&self.server, door(&id)).map_err(|error| {
            let message = format!("cannot start {}: {error}", self.server.program);
            Error::of_upstream(StatusCode::BAD_GATEWAY, message)
        })?;
        if !self.sessions.add(id.clone(), Arc::clone(&session)) {
            let message = "too many sessions; end one, or try again later";
            return Ok(fault(StatusCode::SERVICE_UNAVAILABLE, message));
        }
        let mut response = post(&session, kind, headers, message).await;
        response.headers_mut().extend(HeaderValue::try_from(id).ok().map(|id| (SESSION, id)));
        Ok(response)
    }

    /// The client's own stream.
    async fn stream(&self, id: Option<&str>, headers: &HeaderMap) -> Response<Reply> {
        let Some(session) = id.and_then(|id| self.sessions.get(id)) else { return gone() };
        if !accepts_events(headers) {
            return fault(StatusCode::NOT_ACCEPTABLE, "accept text/event-stream");
        }
        let (to, reply) = written();
        session.open(to).await;
        events(reply)
    }

    async fn delete(&self, id: Option<&str>) -> Response<Reply> {
        let Some(session) = id.and_then(|id| self.sessions.remove(id)) else { return gone() };
        session.end().await;
        empty(StatusCode::OK)
    }
}

/// Tells a server something; its answer comes as an event, after what it says before.
async fn post(
    session: &SpawnedSession,
    kind: RpcKind,
    headers: &HeaderMap,
    message: &Bytes,
) -> Response<Reply> {
    if !accepts_events(headers) {
        return fault(StatusCode::NOT_ACCEPTABLE, "accept application/json and text/event-stream");
    }
    if let Some(answer) = session.own(message).await {
        return json_reply(StatusCode::OK, answer);
    }
    let RpcKind::Request { id, progress, .. } = kind else {
        return if session.tell(message).await { empty(StatusCode::ACCEPTED) } else { gone() };
    };
    let (to, reply) = written();
    session.wait(id, progress, to);
    if session.tell(message).await { events(reply) } else { gone() }
}

fn accepts_events(headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(ACCEPT).into_iter().filter_map(|value| value.to_str().ok());
    accepts.into_iter().any(|value| value.contains("text/event-stream") || value.contains("*/*"))
}

/// Clients that hear this begin anew.
fn gone() -> Response<Reply> {
    fault(StatusCode::NOT_FOUND, "Session not found")
}

fn events(reply: Reply) -> Response<Reply> {
    let mut response = Response::new(reply);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

fn empty(status: StatusCode) -> Response<Reply> {
    let mut response = Response::new(Reply::Ours(None));
    *response.status_mut() = status;
    response
}

fn not_allowed() -> Response<Reply> {
    let mut response = fault(StatusCode::METHOD_NOT_ALLOWED, "method not allowed");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, POST, DELETE"));
    response
}
