//! Limits the number of connections by the number of file handles that the process may open.

/// Reduces a number of connections if necessary. Half of the file handles are reserved for upstream connections, files
/// and the admin listener: if clients used the last handle, health checks would fail.
#[cfg(unix)]
pub(crate) fn cap_connections(connections: usize) -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let half = limit.and_then(|limit| usize::try_from(limit / 2).ok());
    half.map_or(connections, |half| connections.min(half.max(1)))
}

/// Returns the number unchanged: file handles are counted only on Unix.
#[cfg(not(unix))]
pub(crate) fn cap_connections(connections: usize) -> usize {
    connections
}
