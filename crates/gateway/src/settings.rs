//! The gateway's settings: addresses, upstreams, limits and timeouts.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use tersely_telemetry::Telemetry;

use crate::access::{InboundTls, TenantList, is_loopback};
use crate::display::Display;
use crate::upstream::Upstreams;

/// The gateway's settings.
#[derive(Clone, Debug)]
pub struct GatewaySettings {
    /// The address to listen on; loopback by default.
    pub listen: SocketAddr,
    /// TLS for clients; `None` means plain text.
    pub tls: Option<InboundTls>,
    /// Tenants that may send requests; if empty, anyone who can reach the listener may.
    pub tenants: TenantList,
    /// The header in which a proxy in front of us names the tenant, for reports.
    pub tenant_header: Option<HeaderName>,
    /// Servers that requests are forwarded to. A request cannot choose a server that is not listed here.
    pub upstreams: Upstreams,
    /// Limits on sizes, counts and rates.
    pub limits: GatewayLimits,
    /// Timeouts.
    pub timeouts: Timeouts,
    /// The proxy through which upstreams are reached, if any.
    pub proxy: ProxyRoute,
    /// PEM files with certificates to trust in addition to the system's.
    pub authorities: Vec<PathBuf>,
    /// Web pages that may send requests.
    pub origins: Origins,
    /// Additional names of this machine that are allowed in the Host header, on a loopback listener.
    pub hosts: Vec<String>,
    /// How requests to open a websocket are handled.
    pub websockets: Websockets,
    /// Who may use `/v1/compress`.
    pub compress_api: CompressApi,
    /// The admin listener.
    pub admin: AdminSettings,
    /// Receives an event for each request.
    pub telemetry: Telemetry,
    /// The data that the dashboard can show.
    pub display: Display,
}

impl Default for GatewaySettings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8787)),
            tls: None,
            tenants: TenantList::default(),
            tenant_header: None,
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

/// Settings of the admin listener.
#[derive(Clone, Default)]
pub struct AdminSettings {
    /// The address to listen on; `None` means no admin listener.
    pub listen: Option<SocketAddr>,
    /// The token that callers must send; if empty, callers need no token.
    pub token: String,
}

/// Hides the token, which is a secret.
impl fmt::Debug for AdminSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = if self.token.is_empty() { "" } else { "(set)" };
        f.debug_struct("AdminSettings").field("listen", &self.listen).field("token", &token).finish()
    }
}

/// Limits on sizes, counts and rates.
#[derive(Clone, Debug)]
pub struct GatewayLimits {
    /// The maximum size in bytes of a buffered body, both as sent and decoded. Bodies that are only streamed through
    /// are not buffered and have no limit.
    pub body: usize,
    /// The maximum total size in bytes of all buffered bodies, of requests and responses; bodies beyond it are
    /// forwarded unread.
    pub memory: usize,
    /// The maximum number of requests in progress, including streams.
    pub requests: usize,
    /// The maximum number of requests per second from one client address; 0 means unlimited.
    pub client_rate: usize,
    /// The maximum number of requests per second of one tenant, identified by its credential; 0 means unlimited.
    pub tenant_rate: usize,
    /// The maximum number of open connections; further connections wait to be accepted.
    pub connections: usize,
    /// The maximum number of headers of a request.
    pub headers: usize,
    /// The maximum size in bytes of a request's head.
    pub head: usize,
    /// The maximum number of concurrent rewrites on worker threads; further rewrites wait.
    pub rewrites: usize,
    /// The maximum total size in bytes of the bodies in those rewrites. A rewrite needs a multiple of its body's size,
    /// so this limits the memory of all rewrites.
    pub rewriting: usize,
    /// The maximum size in bytes of a body that is rewritten inline, on the serving thread.
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

/// Timeouts. A whole response has no timeout, because a model may think for any length of time.
#[derive(Clone, Debug)]
pub struct Timeouts {
    /// For connecting to an upstream, including the proxy and handshakes.
    pub connect: Duration,
    /// For keeping an idle connection to an upstream open. It should be shorter than the upstream's own timeout:
    /// otherwise the next request could be sent on a closed connection.
    pub pooled: Duration,
    /// For the next byte from an upstream; `None` means no timeout.
    pub idle: Option<Duration>,
    /// For reading the head of a client's request, and for the time between two requests on a connection.
    pub head: Duration,
    /// For the next byte of a client's body.
    pub body: Duration,
    /// For reading a client's whole body, plus one second for each 4 KiB received; `None` means no timeout.
    pub upload: Option<Duration>,
    /// For a rewrite on a worker thread, including the wait for capacity; after that, the original is forwarded.
    pub rewrite: Duration,
    /// For an idle MCP session whose server was started for it; after that, the server is stopped.
    pub session: Duration,
    /// How long requests are still accepted after the signal to stop, while `/readyz` already reports draining.
    pub notice: Duration,
    /// How long requests in progress may take to finish, once no more requests are accepted.
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

/// The HTTP proxy through which upstreams are reached by `CONNECT`; it is used only for upstreams with TLS.
#[derive(Clone, Default)]
pub struct ProxyRoute {
    /// The proxy's URL, `http://[user:password@]host:port`; if empty, no proxy is used.
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

/// Web pages that may send requests. Without this check, any page could use a model that needs no key.
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

/// How requests to open a websocket are handled. Messages on a websocket are not rewritten.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Websockets {
    /// Websockets are relayed, except on paths where plain requests would be rewritten: there, clients are told to send
    /// plain requests.
    #[default]
    Fitting,
    /// All websockets are relayed.
    Relay,
    /// Clients are always told to send plain requests; a client that supports both then does so.
    Decline,
}

/// Who may use `/v1/compress`, which compresses messages without forwarding them.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum CompressApi {
    /// Callers on this machine, if the listener is on loopback.
    #[default]
    Auto,
    /// Anyone who can reach the listener.
    On,
    /// Nobody: requests to this path are forwarded to the upstream.
    Off,
}

impl Origins {
    /// True if a page with this origin may send requests.
    pub(crate) fn allow(&self, origin: &HeaderValue) -> bool {
        let Ok(origin) = origin.to_str() else { return false };
        match self {
            Self::Any => true,
            Self::Listed(list) => list.iter().any(|one| one == origin),
            Self::Loopback => origin.split_once("://").is_some_and(|(_, host)| is_loopback(host)),
        }
    }
}
