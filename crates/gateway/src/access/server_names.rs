//! Recognizes host names of this machine.

use std::net::{Ipv4Addr, Ipv6Addr};

/// True if `host`, with or without a port, is a loopback name or address.
pub(crate) fn is_loopback(host: &str) -> bool {
    let Some(name) = bare_host(host) else { return false };
    match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(six) => six.parse().is_ok_and(|six: Ipv6Addr| six.to_canonical().is_loopback()),
        None => {
            name.eq_ignore_ascii_case("localhost")
                || name.parse().is_ok_and(|four: Ipv4Addr| four.is_loopback())
        }
    }
}

/// Removes the port from a host; `None` if the text is not a host.
pub(crate) fn bare_host(host: &str) -> Option<&str> {
    let end = if host.starts_with('[') { host.find(']')? + 1 } else { host.find(':').unwrap_or(host.len()) };
    let (name, port) = host.split_at(end);
    let is_port = port.strip_prefix(':').unwrap_or(port).bytes().all(|digit| digit.is_ascii_digit());
    (is_port && !name.is_empty()).then_some(name)
}
