//! What was meant: where to listen, where to send, and how much of everything.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use http::HeaderValue;
use tersely_telemetry::Telemetry;

use crate::access::{InboundTls, TenantList};
use crate::display::Display;
use crate::server_names::is_loopback;
use crate::upstream::Upstreams;

/// Everything that a gateway can be told.
#[derive(Clone, Debug)]
pub struct GatewaySettings {
    /// Where to listen; loopback unless told otherwise.
    pub listen: SocketAddr,
    /// The TLS that is spoken there; none: plain text.
    pub tls: Option<InboundTls>,
    /// Who may come in; none: whoever can reach it.
    pub tenants: TenantList,
    /// Where requests go. Nothing in a request can name another place.
    pub upstreams: Upstreams,
    /// How much is taken on.
    pub limits: GatewayLimits,
    /// How long is waited.
    pub timeouts: Timeouts,
    /// The proxy that stands between us and the upstreams, if any.
    pub proxy: ProxyRoute,
    /// PEM files with certificates to trust beside the system's.
    pub authorities: Vec<PathBuf>,
    /// Web pages that may call.
    pub origins: Origins,
    /// Names by which this machine is called beside its own, where only it can reach the listener.
    pub hosts: Vec<String>,
    /// What becomes of a wish for a websocket.
    pub websockets: Websockets,
    /// Who may bring messages that it does not forward.
    pub compress_api: CompressApi,
    /// Where it is looked after.
    pub admin: AdminSettings,
    /// Where it is told what becomes of requests.
    pub telemetry: Telemetry,
    /// What whoever looks after it can be shown.
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

/// Where a gateway is looked after.
#[derive(Clone, Default)]
pub struct AdminSettings {
    /// Where to listen; none: nowhere.
    pub listen: Option<SocketAddr>,
    /// What whoever asks has to know; empty: nothing.
    pub token: String,
}

/// The token is a secret.
impl fmt::Debug for AdminSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = if self.token.is_empty() { "" } else { "(set)" };
        f.debug_struct("AdminSettings").field("listen", &self.listen).field("token", &token).finish()
    }
}

/// How much is taken on.
#[derive(Clone, Debug)]
pub struct GatewayLimits {
    /// Bytes of a body that is read whole, as sent and decoded. Bodies that are only passed on take no room and have
    /// no limit.
    pub body: usize,
    /// Bytes of all bodies held at one time, those of responses under way included; what comes beyond is passed on unread.
    pub memory: usize,
    /// Requests at one time, streams included.
    pub requests: usize,
    /// Requests in a second from one client, by its address; 0: as many as it likes.
    pub client_rate: usize,
    /// Requests in a second of one tenant, by its credential; 0: as many as it likes.
    pub tenant_rate: usize,
    /// Connections at one time; more wait to be accepted.
    pub connections: usize,
    /// Headers of a request.
    pub headers: usize,
    /// Bytes of a request's head.
    pub head: usize,
    /// Rewrites at one time, off the threads that serve; more wait.
    pub rewrites: usize,
    /// Bytes of the bodies in those rewrites. A rewrite takes a multiple of its body, so this bounds what all take.
    pub rewriting: usize,
    /// Bytes up to which a rewrite is done at once, on the thread that serves.
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

/// How long is waited. There is no limit on a whole answer: a model may think for as long as it likes.
#[derive(Clone, Debug)]
pub struct Timeouts {
    /// For a connection to an upstream: proxy and handshakes included.
    pub connect: Duration,
    /// For another request over a connection to an upstream: one that waits longer than the upstream does breaks the next
    /// request.
    pub pooled: Duration,
    /// For the next byte of an upstream; none: for ever.
    pub idle: Option<Duration>,
    /// For the head of a client's request, and between two requests of one connection.
    pub head: Duration,
    /// For the next byte of a client's body.
    pub body: Duration,
    /// For a client's whole body, and a second more for each 4 KiB of it that have come; none: for ever.
    pub upload: Option<Duration>,
    /// For a rewrite off the threads that serve, and for room to do it in; then the original goes on.
    pub rewrite: Duration,
    /// For a word in a session of an MCP server that was started for it; then that one is ended.
    pub session: Duration,
    /// For requests that still come once told to stop, while `/readyz` says so already.
    pub notice: Duration,
    /// For running streams, once no more requests are taken.
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

/// A proxy that upstreams are reached through, by `CONNECT`; only those that speak TLS are.
#[derive(Clone, Default)]
pub struct ProxyRoute {
    /// The proxy's URL, `http://[user:password@]host:port`; empty: none.
    pub url: String,
    /// Hosts that are reached without it, as in `NO_PROXY`.
    pub except: String,
}

/// The URL may hold a password.
impl fmt::Debug for ProxyRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = if self.url.is_empty() { "" } else { "(set)" };
        f.debug_struct("Proxy").field("url", &url).field("except", &self.except).finish()
    }
}

/// Web pages that may call. A page from elsewhere could use a model that asks for no key.
#[derive(Clone, Debug, Default)]
pub enum Origins {
    /// Pages served by this machine.
    #[default]
    Loopback,
    /// All pages.
    Any,
    /// Pages of these origins, spelled as browsers do: `https://chat.example`.
    Listed(Vec<String>),
}

/// What becomes of a wish for a websocket. What is said over one is not rewritten.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Websockets {
    /// Both sides are joined, but where plain requests would be rewritten clients are told to use those.
    #[default]
    Fitting,
    /// Both sides are joined.
    Relay,
    /// The client is told to use plain requests, which clients that can do both then do.
    Decline,
}

/// Who may bring messages that are not forwarded, to `/v1/compress`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum CompressApi {
    /// This machine, where nobody else can reach the listener.
    #[default]
    Auto,
    /// Whoever can reach the listener.
    On,
    /// Nobody: the paths are the upstream's.
    Off,
}

impl Origins {
    /// True when a page of `origin` may call.
    pub(crate) fn allow(&self, origin: &HeaderValue) -> bool {
        let Ok(origin) = origin.to_str() else { return false };
        match self {
            Self::Any => true,
            Self::Listed(list) => list.iter().any(|one| one == origin),
            Self::Loopback => origin.split_once("://").is_some_and(|(_, host)| is_loopback(host)),
        }
    }
}
