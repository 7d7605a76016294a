//! An MCP server that listens on HTTP: requests are forwarded unchanged, and results in the responses are compressed.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::header::{ACCEPT_ENCODING, CONTENT_LENGTH, HeaderMap, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, Version};
use hyper::body::Incoming;
use tersely_wire::hidden::ResponseFraming;
use tersely_wire::mcp::ToolKnowledge;

use crate::api;
use crate::error::{Error, Side};
use crate::http::client::HttpVersions;
use crate::http::content_encoding::Coding;
use crate::http::hop_by_hop;
use crate::http::idle_timeout::TimedBody;
use crate::http::request_body::OutgoingBody;
use crate::http::request_slots::RequestSlot;
use crate::http::response::Reply;
use crate::http::response_body::{UpstreamBody, declared_framing, remove_coding};
use crate::llm::{BodyRead, GatewayState, WholeBody, read, send};
use crate::mcp::client_session::McpClientSession;
use crate::mcp::servers::ListeningServer;
use crate::mcp::stream::{self, SESSION, json_reply};
use crate::request_log::know;

/// The maximum number of sessions to remember. Clients of forgotten sessions get a result both as text and as
/// structured content.
const MAX_SESSIONS: usize = 10_000;

/// An MCP server that listens on HTTP.
pub(super) struct RemoteServer {
    server: ListeningServer,
    known: Arc<Mutex<ToolKnowledge>>,
    /// Sessions of clients that show their model structured content instead of text.
    structured: Mutex<HashSet<String>>,
}

impl RemoteServer {
    /// Creates a server that has not received a request yet.
    pub(super) fn new(server: ListeningServer) -> Self {
        let (known, structured) = (Arc::new(Mutex::new(ToolKnowledge::with_offer())), Mutex::default());
        Self { server, known, structured }
    }

    /// What the server's tool lists have shown so far, regardless of which client requested them.
    pub(super) fn tool_knowledge(&self) -> ToolKnowledge {
        lock(&self.known).clone()
    }

    /// Answers a request with the server's response, changed for the client of this session.
    pub(super) async fn answer(
        &self,
        gate: &GatewayState,
        client_session: McpClientSession,
        request: Request<Incoming>,
        slot: RequestSlot,
    ) -> Result<Response<Reply>, Error> {
        let (parts, body) = request.into_parts();
        let body = gate.client_body(body);
        if parts.method != Method::POST {
            return self.forward(gate, parts, OutgoingBody::stream(body), slot).await;
        }
        let WholeBody { bytes, trailers, held } = match read(gate, body).await? {
            BodyRead::Whole(whole) => whole,
            BodyRead::Begun(outgoing) => return self.forward(gate, parts, outgoing, slot).await,
        };
        if session(&parts.headers).is_some_and(|id| lock(&self.structured).contains(id)) {
            client_session.read_structured();
        }
        if let Some(answer) = client_session.on_client_message(&bytes).await {
            return Ok(json_reply(StatusCode::OK, answer));
        }
        let response = self.forward(gate, parts, OutgoingBody::whole(bytes, trailers, held), slot).await?;
        self.meet(&client_session, response.headers());
        if !client_session.is_waiting() {
            return Ok(response);
        }
        let record = client_session.record().clone();
        let mut response = self.change(gate, Arc::new(client_session), response).await?;
        know(response.extensions_mut(), |known| known.answer = Some(record));
        Ok(response)
    }

    /// Compresses the results in a response.
    async fn change(
        &self,
        gate: &GatewayState,
        client_session: Arc<McpClientSession>,
        response: Response<Reply>,
    ) -> Result<Response<Reply>, Error> {
        let (mut parts, body) = response.into_parts();
        let (mut arrival, slot) = match body {
            Reply::Theirs { body, _slot: slot } if parts.status.is_success() => (body, slot),
            other => return Ok(Response::from_parts(parts, other)),
        };
        let framing = declared_framing(&parts.headers);
        if framing == Some(ResponseFraming::Events) {
            parts.headers.remove(CONTENT_LENGTH);
            let known = Arc::clone(&self.known);
            let learn = move |client_session: &McpClientSession| learn(&known, client_session);
            return Ok(Response::from_parts(
                parts,
                stream::rewrite_events(client_session, arrival, (gate.space.clone(), slot), learn),
            ));
        }
        let whole = match framing {
            Some(_) => arrival.whole(&gate.space, gate.settings.limits.body).await?,
            None => None,
        };
        let Some(whole) = whole else {
            return Ok(Response::from_parts(parts, Reply::Theirs { body: arrival, _slot: slot }));
        };
        let sent = client_session.on_server_message(&whole).await.map_or(whole, |sent| gate.space.hold(sent));
        learn(&self.known, &client_session);
        parts.headers.remove(CONTENT_LENGTH);
        Ok(Response::from_parts(parts, Reply::Ours(Some(sent))))
    }

    /// Remembers whether the client of a new session reads structured content.
    fn meet(&self, client_session: &McpClientSession, headers: &HeaderMap) {
        if let Some(id) = session(headers).filter(|_| client_session.reads_structured()) {
            let mut structured = lock(&self.structured);
            if structured.len() >= MAX_SESSIONS {
                structured.clear();
            }
            structured.insert(id.to_owned());
        }
    }

    /// Forwards a request, and returns the response unchanged. The client's credentials are sent to this server only.
    async fn forward(
        &self,
        gate: &GatewayState,
        mut parts: Parts,
        outgoing: OutgoingBody,
        slot: RequestSlot,
    ) -> Result<Response<Reply>, Error> {
        let ListeningServer { upstream, query, headers } = &self.server;
        parts.uri = upstream.endpoint(parts.uri.query().or(query.as_deref()))?;
        hop_by_hop::from_request(&mut parts.headers);
        api::strip(&mut parts.headers);
        for (name, value) in headers {
            parts.headers.insert(name, value.clone());
        }
        parts.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        parts.version = Version::HTTP_11;
        parts.extensions.clear();
        let versions = if upstream.is_secure() { HttpVersions::Any } else { HttpVersions::One };
        let request = Request::from_parts(parts, outgoing);
        let (response, permit) = send(gate, upstream, versions, request).await?;
        let (mut parts, body) = response.into_parts();
        let coding = coding(&parts.headers);
        hop_by_hop::from_response(&mut parts.headers);
        remove_coding(coding, &mut parts.headers);
        parts.version = Version::HTTP_11;
        parts.extensions.clear();
        let body = TimedBody::new(gate.settings.timeouts.idle, Side::Upstream, body);
        let mut body = UpstreamBody::new(coding, body, permit);
        body.begin().await?;
        Ok(Response::from_parts(parts, Reply::Theirs { body, _slot: slot }))
    }
}

fn learn(known: &Mutex<ToolKnowledge>, client_session: &McpClientSession) {
    if let Some(learned) = client_session.learned_tools() {
        *lock(known) = learned;
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn session(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION)?.to_str().ok()
}

/// The coding of a response. An unknown coding is not decoded, so the response is forwarded unchanged.
fn coding(headers: &HeaderMap) -> Coding {
    match Coding::of(headers) {
        Coding::Other => Coding::Identity,
        coding => coding,
    }
}
