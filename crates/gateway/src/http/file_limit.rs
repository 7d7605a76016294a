//! Limits connections by the process's file handles.

/// At most this many connections. Half of the file handles are reserved for upstream connections, files and the admin
/// listener: if clients took the last one, health checks would fail.
#[cfg(unix)]
pub(crate) fn cap_connections(connections: usize) -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let half = limit.and_then(|limit| usize::try_from(limit / 2).ok());
    half.map_or(connections, |half| connections.min(half.max(1)))
}

/// At most this many connections.
#[cfg(not(unix))]
pub(crate) fn cap_connections(connections: usize) -> usize {
    connections
}
