//! Checks whether a Tersely gateway answers at an address.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use tersely_gateway::{GatewaySettings, probe};

/// True if a Tersely gateway answers at an address.
pub async fn is_ours(settings: &GatewaySettings, address: SocketAddr) -> bool {
    let Ok(upstream) = format!("http://{}", local(address)).parse() else { return false };
    let answer = probe(settings, &upstream, "/readyz").await;
    answer.is_ok_and(|(_, headers)| headers.get("server").is_some_and(|name| name == "tersely"))
}

/// The address that a client on this machine would connect to.
#[must_use]
pub fn local(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        let v4 = address.is_ipv4();
        address.set_ip(if v4 { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
    }
    address
}
