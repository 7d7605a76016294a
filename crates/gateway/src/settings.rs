//! The gateway's settings: addresses, upstreams, limits and timeouts.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use http::HeaderValue;
use tersely_telemetry::Telemetry;

use crate::access::{InboundTls, TenantList, is_loopback};
use crate::display::Display;
use crate::upstream::Upstreams;

/// The gateway's settings.
#[derive(Clone, Debug)]
pub struct GatewaySettings {
    /// The address to listen on; loopback by default.
    pub listen: SocketAddr,
    /// TLS for clients; `None`: plain text.
    pub tls: Option<InboundTls>,
    /// Tenants that may call; none: anyone who can reach the listener.
    pub tenants: TenantList,
    /// Servers that requests are forwarded to. Nothing in a request can name another.
    pub upstreams: Upstreams,
    /// Limits on size and number.
    pub limits: GatewayLimits,
    /// Timeouts.
    pub timeouts: Timeouts,
    /// The proxy through which upstreams are reached, if any.
    pub proxy: ProxyRoute,
    /// PEM files with certificates to trust in addition to the system's.
    pub authorities: Vec<PathBuf>,
    /// Web pages that may call.
    pub origins: Origins,
    /// Further names of this machine that a Host header may have, on a loopback listener.
    pub hosts: Vec<String>,
    /// How requests for a websocket are treated.
    pub websockets: Websockets,
    /// Who may use `/v1/compress`.
    pub compress_api: CompressApi,
    /// The admin listener.
    pub admin: AdminSettings,
    /// Receives an event for each request.
    pub telemetry: Telemetry,
    /// What the dashboard can show.
    pub display: Display,
}

impl Default for GatewaySettings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8787)),
            tls: None,
            tenants: TenantList::default(),
            upstreams: Upstreams::default(),
            limits: GatewayLimits::default(),
            timeouts: Timeouts::default(),
            proxy: ProxyRoute::default(),
            authorities: Vec::new(),
            origins: Origins::default(),
            hosts: Vec::new(),
            websockets: Websockets::default(),
            compress_api: CompressApi::default(),
            admin: AdminSettings::default(),
            telemetry: Telemetry::default(),
            display: Display::default(),
        }
    }
}

/// The admin listener.
#[derive(Clone, Default)]
pub struct AdminSettings {
    /// The address to listen on; `None`: there is no admin listener.
    pub listen: Option<SocketAddr>,
    /// The token that callers must send; empty: none.
    pub token: String,
}

/// Hides the token, which is a secret.
impl fmt::Debug for AdminSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = if self.token.is_empty() { "" } else { "(set)" };
        f.debug_struct("AdminSettings").field("listen", &self.listen).field("token", &token).finish()
    }
}

/// Limits on size and number.
#[derive(Clone, Debug)]
pub struct GatewayLimits {
    /// Bytes of a buffered body, as sent and decoded. Bodies that are only streamed through use no memory and have no
    /// limit.
    pub body: usize,
    /// Bytes held by buffered bodies, across all requests and responses; bodies beyond that are forwarded unread.
    pub memory: usize,
    /// Requests in progress, streams included.
    pub requests: usize,
    /// Requests per second from one client address; 0: unlimited.
    pub client_rate: usize,
    /// Requests per second of one tenant, identified by its credential; 0: unlimited.
    pub tenant_rate: usize,
    /// Open connections; further ones wait to be accepted.
    pub connections: usize,
    /// Headers of a request.
    pub headers: usize,
    /// Bytes of a request's head.
    pub head: usize,
    /// Concurrent rewrites off the serving threads; further ones wait.
    pub rewrites: usize,
    /// Bytes of the bodies in those rewrites. A rewrite needs a multiple of its body, so this bounds the memory of all
    /// of them.
    pub rewriting: usize,
    /// Bodies up to this many bytes are rewritten inline, on the serving thread.
    pub inline: usize,
}

impl Default for GatewayLimits {
    fn default() -> Self {
        Self {
            body: 50 << 20,
            memory: 2 << 30,
            requests: 10_000,
            client_rate: 0,
            tenant_rate: 0,
            connections: 20_000,
            headers: 100,
            head: 64 << 10,
            rewrites: 10,
            rewriting: 64 << 20,
            inline: 16 << 10,
        }
    }
}

/// Timeouts. A whole response has none: a model may think for as long as it likes.
#[derive(Clone, Debug)]
pub struct Timeouts {
    /// Connecting to an upstream, proxy and handshakes included.
    pub connect: Duration,
    /// Keeping an idle connection to an upstream. One that outlives the upstream's own timeout would break the next
    /// request.
    pub pooled: Duration,
    /// Waiting for the next byte of an upstream; `None`: forever.
    pub idle: Option<Duration>,
    /// Reading the head of a client's request, and waiting between two requests of one connection.
    pub head: Duration,
    /// Waiting for the next byte of a client's body.
    pub body: Duration,
    /// Reading a client's whole body, plus a second for each 4 KiB received; `None`: forever.
    pub upload: Option<Duration>,
    /// A rewrite off the serving threads, including the wait for capacity; after that the original is forwarded.
    pub rewrite: Duration,
    /// Idle time of an MCP session whose server was started for it; after that the server is stopped.
    pub session: Duration,
    /// Taking further requests after the signal to stop, while `/readyz` already reports draining.
    pub notice: Duration,
    /// Finishing streams in progress, once no more requests are taken.
    pub drain: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            pooled: Duration::from_secs(90),
            idle: Some(Duration::from_mins(15)),
            head: Duration::from_secs(30),
            body: Duration::from_mins(1),
            upload: Some(Duration::from_mins(2)),
            rewrite: Duration::from_secs(30),
            session: Duration::from_hours(1),
            notice: Duration::from_secs(5),
            drain: Duration::from_mins(5),
        }
    }
}

/// An HTTP proxy through which upstreams are reached by `CONNECT`; only upstreams with TLS use it.
#[derive(Clone, Default)]
pub struct ProxyRoute {
    /// The proxy's URL, `http://[user:password@]host:port`; empty: none.
    pub url: String,
    /// Hosts that are reached directly, as in `NO_PROXY`.
    pub except: String,
}

/// Hides the URL, which may contain a password.
impl fmt::Debug for ProxyRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = if self.url.is_empty() { "" } else { "(set)" };
        f.debug_struct("Proxy").field("url", &url).field("except", &self.except).finish()
    }
}

/// Web pages that may call. Any page could otherwise use a model that needs no key.
#[derive(Clone, Debug, Default)]
pub enum Origins {
    /// Pages served by this machine.
    #[default]
    Loopback,
    /// All pages.
    Any,
    /// Pages of these origins, as browsers write them: `https://chat.example`.
    Listed(Vec<String>),
}

/// How requests for a websocket are treated. Messages over a websocket are not rewritten.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Websockets {
    /// Websockets are relayed, except on paths where plain requests would be rewritten: there clients are told to use
    /// those.
    #[default]
    Fitting,
    /// Websockets are relayed.
    Relay,
    /// Clients are told to use plain requests; clients that can do both then do.
    Decline,
}

/// Who may use `/v1/compress`, which compresses messages without forwarding them.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum CompressApi {
    /// This machine, if the listener is on loopback.
    #[default]
    Auto,
    /// Anyone who can reach the listener.
    On,
    /// Nobody: the path belongs to the upstream.
    Off,
}

impl Origins {
    /// True if a page of `origin` may call.
    pub(crate) fn allow(&self, origin: &HeaderValue) -> bool {
        let Ok(origin) = origin.to_str() else { return false };
        match self {
            Self::Any => true,
            Self::Listed(list) => list.iter().any(|one| one == origin),
            Self::Loopback => origin.split_once("://").is_some_and(|(_, host)| is_loopback(host)),
        }
    }
}
