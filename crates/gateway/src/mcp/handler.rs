//! Serves several MCP servers at one address, each at its own path.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::header::{AUTHORIZATION, HeaderMap, HeaderValue, RETRY_AFTER};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use tersely_engine::Engine;
use tersely_wire::mcp::{StructuredCopies, ToolKnowledge};
use tokio::net::TcpListener;
use tokio::select;
use tokio::time::sleep;

use crate::access::KnownTenant;
use crate::admission::{Admission, Handler, Listener, Reach};
use crate::api::FormatPreference;
use crate::error::Error;
use crate::http::request_slots::RequestSlot;
use crate::http::response::Reply;
use crate::llm::{GatewayState, Keeper, PassThrough};
use crate::mcp::Originals;
use crate::mcp::client_session::{McpClientSession, McpSessionStart, warm};
use crate::mcp::http_server::RemoteServer;
use crate::mcp::servers::{McpServer, McpServers};
use crate::mcp::stdio_bridge::StdioBridge;
use crate::mcp::stream::{SESSION, error_response, fault};
use crate::serve::listen;
use crate::settings::GatewaySettings;
use crate::shutdown::Shutdown;

/// The interval at which unused sessions are searched for.
const SWEEP_INTERVAL: Duration = Duration::from_mins(1);

/// How long an idle connection to a server is kept. Servers run by Node or uvicorn close idle connections after five
/// seconds.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(3);

/// How the results of all servers are processed.
pub struct McpWork {
    /// Compresses the results.
    pub engine: Engine,
    /// What to do with structured content that repeats a text.
    pub copies: StructuredCopies,
    /// Stores the omitted texts.
    pub keeper: Arc<Keeper>,
}

/// Serves these servers until `stop` resolves, in the way that [`crate::serve`] does.
///
/// # Errors
/// Fails if a setting is invalid.
pub async fn serve_mcp(
    mut settings: GatewaySettings,
    work: McpWork,
    servers: McpServers,
    listener: TcpListener,
    stop: impl Future<Output = Duration>,
) -> Result<(), Error> {
    warm();
    settings.timeouts.pooled = POOL_IDLE_TIMEOUT;
    let reach = Reach::of(&listener);
    let gate = GatewayState::new(settings, Arc::new(PassThrough), (Listener::Mcp, reach))?;
    let routes = servers.into_iter().map(|(name, server)| (name, Route::new(server))).collect();
    let McpWork { engine, copies, keeper } = work;
    let handler = Arc::new(McpHandler { gate, routes, engine: Arc::new(engine), copies, keeper });
    let servers = RunningServers(Arc::clone(&handler));
    let served = select! {
        served = listen(handler, listener, stop) => served,
        never = servers.tend() => match never {},
    };
    servers.end().await;
    served
}

/// The servers that were started. Dropping this value kills them.
struct RunningServers(Arc<McpHandler>);

impl RunningServers {
    /// Ends unused sessions regularly. Once no more requests are accepted, closes the event streams.
    async fn tend(&self) -> Infallible {
        let (idle, drain) = (self.0.gate.settings.timeouts.session, &self.0.gate.shutdown.drain);
        loop {
            select! {
                () = sleep(SWEEP_INTERVAL.min(idle / 2)) => self.all().for_each(|server| server.sweep(idle)),
                () = drain.cancelled() => break,
            }
        }
        self.all().for_each(StdioBridge::close_streams);
        std::future::pending().await
    }

    async fn end(&self) {
        self.all().for_each(StdioBridge::end);
        for server in self.all() {
            server.wait_ended().await;
        }
    }

    fn all(&self) -> impl Iterator<Item = &StdioBridge> {
        self.0.routes.values().filter_map(|route| match route {
            Route::Carried(server) => Some(server),
            Route::Remote(_) => None,
        })
    }
}

impl Drop for RunningServers {
    fn drop(&mut self) {
        self.all().for_each(StdioBridge::kill);
    }
}

struct McpHandler {
    gate: GatewayState,
    routes: BTreeMap<String, Route>,
    engine: Arc<Engine>,
    copies: StructuredCopies,
    keeper: Arc<Keeper>,
}

enum Route {
    Remote(Box<RemoteServer>),
    Carried(StdioBridge),
}

impl Route {
    fn new(server: McpServer) -> Self {
        match server {
            McpServer::Remote(upstream) => Self::Remote(Box::new(RemoteServer::new(upstream))),
            McpServer::Started(server) => Self::Carried(StdioBridge::new(server)),
        }
    }
}

impl Handler for McpHandler {
    fn settings(&self) -> &GatewaySettings {
        &self.gate.settings
    }

    fn shutdown(&self) -> &Shutdown {
        &self.gate.shutdown
    }

    fn admission(&self) -> &Admission {
        &self.gate.admission
    }

    fn sender<B>(&self, request: &Request<B>) -> Option<Vec<u8>> {
        self.gate.sender(request)
    }

    fn refuse(&self, _: &Parts, error: &Error) -> Response<Reply> {
        let mut response = error_response(error);
        if error.status == StatusCode::TOO_MANY_REQUESTS {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>, slot: RequestSlot) -> Response<Reply> {
        let answered = match self.find(request.uri().path()) {
            Some((name, Route::Remote(server))) => {
                let caller = McpCaller::of(&request);
                let client_session =
                    self.client_session(server.tool_knowledge(), &caller, &self.identity(name, &caller));
                server.answer(&self.gate, client_session, request, slot).await
            }
            Some((name, Route::Carried(server))) => {
                let caller = McpCaller::of(&request);
                let client_session = |id: &str| {
                    self.client_session(ToolKnowledge::default(), &caller, format!("{name}\n{id}").as_bytes())
                };
                server.answer(&self.gate, client_session, request, slot).await
            }
            None => {
                self.gate.client_body(request.into_body()).linger();
                let known: Vec<_> = self.routes.keys().map(|name| format!("/mcp/{name}")).collect();
                Ok(fault(StatusCode::NOT_FOUND, &format!("unknown path; use one of: {}", known.join(", "))))
            }
        };
        answered.unwrap_or_else(|error| error_response(&error))
    }
}

impl McpHandler {
    fn find(&self, path: &str) -> Option<(&String, &Route)> {
        self.routes.get_key_value(path.strip_prefix("/mcp/")?.trim_end_matches('/'))
    }

    fn client_session(&self, known: ToolKnowledge, caller: &McpCaller, identity: &[u8]) -> McpClientSession {
        let form = FormatPreference::of(&caller.headers).form();
        let (engine, workers) = (Arc::clone(&self.engine), Arc::clone(&self.gate.workers));
        let tenant = caller.tenant.clone();
        let start = McpSessionStart { engine, workers, copies: self.copies, known, form, tenant };
        McpClientSession::begin(start, Originals::of(&self.keeper, identity))
    }

    /// The caller's identity: the authenticated tenant, if any, with the session id or, if there is none, the
    /// credential. On a loopback listener, all callers without any of these count as one user.
    fn identity(&self, name: &str, caller: &McpCaller) -> Vec<u8> {
        let said = caller.headers.get(SESSION).or_else(|| caller.headers.get(AUTHORIZATION));
        let said = said.map_or(&b""[..], HeaderValue::as_bytes);
        match (&caller.tenant, self.gate.admission.reach()) {
            (Some(tenant), _) => {
                [name.as_bytes(), b"\n:tenant ", tenant.name.as_bytes(), b"\n", said].concat()
            }
            (None, _) if !said.is_empty() => [name.as_bytes(), b"\n", said].concat(),
            (None, Reach::Loopback) => name.as_bytes().to_vec(),
            (None, Reach::Open) => Vec::new(),
        }
    }
}

/// The data about a caller that a session needs.
struct McpCaller {
    headers: HeaderMap,
    /// The authenticated tenant, if any.
    tenant: Option<Arc<KnownTenant>>,
}

impl McpCaller {
    fn of<B>(request: &Request<B>) -> Self {
        Self { headers: request.headers().clone(), tenant: request.extensions().get().cloned() }
    }
}
