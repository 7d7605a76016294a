//! Checks the Host and Origin headers, to prevent DNS rebinding and cross-site requests.
//!
//! Any web page can make a browser send requests to this machine. A page whose own DNS name points to this machine is
//! detected by that name in the Host header; every other page is detected by its origin.

use std::net::SocketAddr;

use http::header::{ACCESS_CONTROL_REQUEST_METHOD, HOST, HeaderMap, ORIGIN};
use http::{Method, Request, StatusCode};
use tokio::net::TcpListener;

use crate::access::{bare_host, is_loopback};
use crate::error::Error;
use crate::settings::{GatewaySettings, Origins};

/// Who can reach a listener.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reach {
    /// Only this machine.
    Loopback,
    /// Other machines too, under any name.
    Open,
}

impl Reach {
    /// Determines who can reach a listener. If the listener's address is unknown, returns the stricter value.
    pub(crate) fn of(listener: &TcpListener) -> Self {
        listener.local_addr().map_or(Self::Loopback, Self::at)
    }

    /// Determines who can reach an address.
    pub(crate) fn at(address: SocketAddr) -> Self {
        if address.ip().to_canonical().is_loopback() { Self::Loopback } else { Self::Open }
    }
}

/// Returns an error if the Host header names another machine. A request without the header is allowed, because browsers
/// always send it.
pub(super) fn host<B>(settings: &GatewaySettings, reach: Reach, request: &Request<B>) -> Result<(), Error> {
    let mut hosts = request.headers().get_all(HOST).into_iter();
    named_here(reach, hosts.all(|host| host.to_str().is_ok_and(|host| is_ours(settings, host))))
}

/// Returns an error if the request's target names another machine.
pub(super) fn authority<B>(
    settings: &GatewaySettings,
    reach: Reach,
    request: &Request<B>,
) -> Result<(), Error> {
    named_here(reach, request.uri().authority().is_none_or(|it| is_ours(settings, it.as_str())))
}

/// Returns an error unless the name is ours. On an open listener any name is allowed, because other machines may use
/// any.
fn named_here(reach: Reach, is_ours: bool) -> Result<(), Error> {
    if is_ours || reach == Reach::Open {
        return Ok(());
    }
    Err(forbidden("the Host header is not a name of this machine; add it to `hosts` in the settings"))
}

/// Returns an error if the request comes from a web page that is not allowed. A preflight only asks for permission, so
/// it passes.
pub(super) fn origin<B>(origins: &Origins, request: &Request<B>) -> Result<(), Error> {
    if is_preflight(request) || may_call(origins, request.headers()) {
        return Ok(());
    }
    Err(forbidden("requests from this web page are not allowed; add its origin to `origins` in the settings"))
}

/// True for a CORS preflight.
pub(super) fn is_preflight<B>(request: &Request<B>) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

fn is_ours(settings: &GatewaySettings, host: &str) -> bool {
    let is_listed = |name: &str| bare_host(host).is_some_and(|host| host.eq_ignore_ascii_case(name));
    is_loopback(host) || settings.hosts.iter().any(|name| is_listed(name))
}

/// True if no page sent the request, or the page is allowed to. Browsers send the origin with a POST, a CORS request
/// and a websocket; for other requests, such as images, they only send whether the page belongs to another site.
fn may_call(origins: &Origins, headers: &HeaderMap) -> bool {
    let mut said = headers.get_all(ORIGIN).into_iter().peekable();
    if said.peek().is_some() {
        return said.all(|origin| origins.allow(origin));
    }
    let elsewhere = headers.get_all("sec-fetch-site").into_iter().any(|site| site == "cross-site");
    !elsewhere || matches!(origins, Origins::Any)
}

fn forbidden(message: &str) -> Error {
    Error::client(StatusCode::FORBIDDEN, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_by_its_own_names_alone() {
        for host in [
            "localhost",
            "LocalHost:1",
            "127.0.0.1",
            "127.0.0.1:8787",
            "127.9.9.9:1",
            "[::1]",
            "[::1]:8787",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]:1",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            ":",
            ":80",
            "x",
            "localhost.evil.example",
            "evil.example:80",
            "localhost@evil.example",
            "127.0.0.1.nip.io",
            "127.0.0.1:80@evil.example",
            "evil.example#localhost",
            "127.1",
            "2130706433",
            "0.0.0.0",
            "[::]",
            "[::1",
            "::1",
            "[::1].evil",
            "[::1]evil:80",
            "localhost:80:80",
            "localhost:x",
            "10.0.0.1",
            "localhost ",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn a_listener_is_as_open_as_its_address() {
        for (address, reach) in [
            ("127.0.0.1:1", Reach::Loopback),
            ("[::1]:1", Reach::Loopback),
            ("[::ffff:127.0.0.1]:1", Reach::Loopback),
            ("0.0.0.0:1", Reach::Open),
            ("[::]:1", Reach::Open),
            ("192.0.2.1:1", Reach::Open),
        ] {
            assert_eq!(Reach::at(address.parse().unwrap()), reach, "{address}");
        }
    }
}
