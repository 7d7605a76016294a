//! How many connections fit into the handles that the system gives a process.

/// At most so many connections. Half of the handles stay for the connections that they cause, for files, and for those who
/// look after the gateway: where clients take the last one, nobody can ask whether it lives.
#[cfg(unix)]
pub(crate) fn cap_connections(connections: usize) -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let half = limit.and_then(|limit| usize::try_from(limit / 2).ok());
    half.map_or(connections, |half| connections.min(half.max(1)))
}

/// At most so many connections.
#[cfg(not(unix))]
pub(crate) fn cap_connections(connections: usize) -> usize {
    connections
}
