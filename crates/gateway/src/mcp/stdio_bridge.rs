//! Serves an MCP server that uses standard input and output over HTTP, with one process per session.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::header::{ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use tersely_store::random_name;
use tersely_wire::mcp::{RpcKind, rpc_kind};
use tokio_util::task::TaskTracker;

use crate::access::KnownTenant;
use crate::error::Error;
use crate::http::request_slots::RequestSlot;
use crate::http::response::Reply;
use crate::llm::{BodyRead, GatewayState, WholeBody, read};
use crate::mcp::client_session::McpClientSession;
use crate::mcp::pending::WaitingRequest;
use crate::mcp::process::ProcessGroup;
use crate::mcp::servers::StartedServer;
use crate::mcp::sessions::StdioSessions;
use crate::mcp::stdio_server::StdioSession;
use crate::mcp::stream::{SESSION, channel_body, fault, json_reply};
use crate::record_cell::RecordCell;
use crate::request_log::know;

/// A server that is started for each session.
pub(super) struct StdioBridge {
    server: StartedServer,
    sessions: StdioSessions,
    /// The process groups that have not exited yet, and the tasks that wait for them.
    groups: Arc<Mutex<HashSet<ProcessGroup>>>,
    running: TaskTracker,
}

impl StdioBridge {
    /// Creates a server that has no sessions yet.
    pub(super) fn new(server: StartedServer) -> Self {
        let (sessions, groups) = (StdioSessions::default(), Arc::default());
        Self { server, sessions, groups, running: TaskTracker::new() }
    }

    /// Answers a request. `client_session` creates the client session for a session id.
    pub(super) async fn answer(
        &self,
        gate: &GatewayState,
        client_session: impl Fn(&str) -> McpClientSession + Send,
        request: Request<Incoming>,
        slot: RequestSlot,
    ) -> Result<Response<Reply>, Error> {
        let (parts, body) = request.into_parts();
        let body = gate.client_body(body);
        let id =
            parts.headers.get(SESSION).and_then(|id| id.to_str().ok()).map(|id| tenant_session(&parts, id));
        let id = id.as_deref();
        if parts.method != Method::POST {
            body.linger();
            return Ok(match parts.method {
                Method::GET => self.stream(id, &parts.headers, slot),
                Method::DELETE => self.delete(id),
                _ => not_allowed(),
            });
        }
        let BodyRead::Whole(whole) = read(gate, body).await? else {
            let message = "no memory for this message right now; try again";
            return Ok(fault(StatusCode::SERVICE_UNAVAILABLE, message));
        };
        let kind = rpc_kind(&whole.bytes);
        let is_first = matches!(&kind, RpcKind::Request { method, .. } if method == "initialize");
        match id {
            None if is_first => self.begin(gate, client_session, (kind, slot, &parts), whole).await,
            // A client that uses a protocol revision without sessions then falls back to a revision with sessions.
            None => Ok(fault(StatusCode::BAD_REQUEST, "this server has sessions; send initialize first")),
            Some(id) => match self.sessions.get(id) {
                Some(session) => Ok(post(&session, (kind, slot, &parts), whole).await),
                None => Ok(session_not_found()),
            },
        }
    }

    /// Starts a server process for a new session.
    async fn begin(
        &self,
        gate: &GatewayState,
        client_session: impl Fn(&str) -> McpClientSession,
        asked: PostContext<'_>,
        message: WholeBody,
    ) -> Result<Response<Reply>, Error> {
        if !accepts_events(&asked.2.headers) {
            return Ok(not_acceptable());
        }
        let id =
            random_name().map_err(|error| Error::us(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
        if !self.sessions.has_room() {
            let message = "too many sessions; end one, or try again later";
            return Ok(fault(StatusCode::SERVICE_UNAVAILABLE, message));
        }
        let (session, end) =
            StdioSession::start(&gate.space, &self.server, client_session(&id)).map_err(|error| {
                let message = format!("cannot start {}: {error}", self.server.program);
                Error::of_upstream(StatusCode::BAD_GATEWAY, message)
            })?;
        let (groups, group) = (Arc::clone(&self.groups), session.group());
        lock(&groups).insert(group);
        self.running.spawn(async move {
            end.await;
            lock(&groups).remove(&group);
        });
        self.sessions.add(tenant_session(asked.2, &id), Arc::clone(&session));
        let mut response = post(&session, asked, message).await;
        response.headers_mut().extend(HeaderValue::try_from(id).ok().map(|id| (SESSION, id)));
        Ok(response)
    }

    /// Opens the client's own stream, for messages that belong to no request.
    fn stream(&self, id: Option<&str>, headers: &HeaderMap, slot: RequestSlot) -> Response<Reply> {
        let Some(session) = id.and_then(|id| self.sessions.get(id)) else { return session_not_found() };
        if !accepts_events(headers) {
            return fault(StatusCode::NOT_ACCEPTABLE, "accept text/event-stream");
        }
        let (to, reply) = channel_body(slot);
        session.open(to);
        events(reply)
    }

    fn delete(&self, id: Option<&str>) -> Response<Reply> {
        let Some(session) = id.and_then(|id| self.sessions.remove(id)) else { return session_not_found() };
        session.end();
        empty(StatusCode::OK)
    }

    /// Ends the sessions that had no message for the duration `idle`.
    pub(super) fn sweep(&self, idle: Duration) {
        self.sessions.sweep(idle);
    }

    /// Closes the clients' own streams, because no more messages will be sent on them.
    pub(super) fn close_streams(&self) {
        self.sessions.each().iter().for_each(|session| session.close_stream());
    }

    /// Ends all sessions.
    pub(super) fn end(&self) {
        self.sessions.each().iter().for_each(|session| session.end());
        self.running.close();
    }

    /// Waits until the servers of all sessions have exited.
    pub(super) async fn wait_ended(&self) {
        self.running.wait().await;
    }

    /// Kills the server processes of all sessions.
    pub(super) fn kill(&self) {
        lock(&self.groups).iter().for_each(|group| group.kill());
    }
}

fn lock(groups: &Mutex<HashSet<ProcessGroup>>) -> MutexGuard<'_, HashSet<ProcessGroup>> {
    groups.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A message's kind, its request slot, and the head of the HTTP request.
type PostContext<'h> = (RpcKind, RequestSlot, &'h Parts);

/// The key of a session. It includes the tenant, so that no tenant can find another tenant's session, even with its id.
fn tenant_session(parts: &Parts, id: &str) -> String {
    let tenant = parts.extensions.get::<Arc<KnownTenant>>().map_or("", |tenant| &tenant.name);
    format!("{tenant}\n{id}")
}

fn not_acceptable() -> Response<Reply> {
    fault(StatusCode::NOT_ACCEPTABLE, "accept application/json and text/event-stream")
}

/// Sends a message to a server. The response is sent as an event, after the messages that precede it.
async fn post(
    session: &Arc<StdioSession>,
    (kind, slot, parts): PostContext<'_>,
    message: WholeBody,
) -> Response<Reply> {
    if !accepts_events(&parts.headers) {
        return not_acceptable();
    }
    if let Some(answer) = session.own(&message.bytes).await {
        return json_reply(StatusCode::OK, answer);
    }
    let asked = match kind {
        RpcKind::Request { id, progress, .. } => vec![(id, progress)],
        RpcKind::Requests(asked) => asked,
        _ => {
            return if session.send_message(message).await {
                empty(StatusCode::ACCEPTED)
            } else {
                session_not_found()
            };
        }
    };
    // The stream ends after the last response.
    let (to, reply) = channel_body(slot);
    let record = RecordCell::default();
    for (id, progress) in asked {
        session.wait(WaitingRequest { id, progress, to: to.clone(), record: record.clone() });
    }
    drop(to);
    if !session.send_message(message).await {
        return session_not_found();
    }
    let mut response = events(reply);
    know(response.extensions_mut(), |known| known.answer = Some(record));
    response
}

fn accepts_events(headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(ACCEPT).into_iter().filter_map(|value| value.to_str().ok());
    accepts.into_iter().any(|value| value.contains("text/event-stream") || value.contains("*/*"))
}

/// The response for an unknown session; clients then start a new session.
fn session_not_found() -> Response<Reply> {
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
