//! Deletes the texts of one tenant, or of all tenants, from Valkey or Redis.
//!
//! Keys are scanned in small batches, so that the servers can handle other calls in between.

use redis::cluster_routing::{RoutingInfo, SingleNodeRoutingInfo};
use redis::{Cmd, ErrorKind, FromRedisValue, RedisError, RedisResult, cmd, from_redis_value};

use crate::link::Connection;

/// The approximate number of keys that a server scans in one batch.
const SCAN_BATCH: usize = 500;

/// A server that stores keys: the only server, or a master of a cluster.
enum ServerNode {
    Only,
    Master(String, u16),
}

/// Deletes all keys that match a pattern, and returns the number of deleted keys.
pub(crate) async fn forget(connection: &mut Connection, pattern: &str) -> RedisResult<u64> {
    let mut count = 0;
    for node in nodes(connection).await? {
        let mut cursor = 0_u64;
        loop {
            let mut scan = cmd("SCAN");
            scan.arg(cursor).arg("MATCH").arg(pattern).arg("COUNT").arg(SCAN_BATCH);
            let (next, names): (u64, Vec<String>) = send(connection, &node, scan).await?;
            // Each key is deleted by a separate command, because in a cluster all keys of a command must be in one
            // slot.
            for name in names {
                count += connection.send::<u64>(cmd("UNLINK").arg(name)).await?;
            }
            cursor = next;
            if cursor == 0 {
                break;
            }
        }
    }
    Ok(count)
}

/// A pattern for the keys of a tenant, or of all tenants.
pub(crate) fn pattern(prefix: &str, tenant: Option<&str>) -> String {
    let mut pattern = String::new();
    for letter in prefix.chars() {
        if "*?[]\\".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern + ":[of]:" + tenant.unwrap_or("*") + ":*"
}

async fn nodes(connection: &mut Connection) -> RedisResult<Vec<ServerNode>> {
    let Connection::Cluster(_) = connection else { return Ok(vec![ServerNode::Only]) };
    let known: String = connection.send(cmd("CLUSTER").arg("NODES")).await?;
    Ok(known.lines().filter_map(master).collect())
}

/// Parses `id host:port@bus,name flags …`. `None` unless the line describes a working master.
fn master(line: &str) -> Option<ServerNode> {
    let mut words = line.split(' ');
    let (address, flags) = (words.nth(1)?, words.next()?);
    let is_working = flags.split(',').any(|flag| flag == "master") && !flags.contains("fail");
    let (host, port) = address.split('@').next()?.rsplit_once(':')?;
    is_working.then(|| Some(ServerNode::Master(host.to_owned(), port.parse().ok()?)))?
}

async fn send<T: FromRedisValue>(
    connection: &mut Connection,
    node: &ServerNode,
    command: Cmd,
) -> RedisResult<T> {
    match (connection, node) {
        (Connection::Cluster(cluster), ServerNode::Master(host, port)) => {
            let node = SingleNodeRoutingInfo::ByAddress { host: host.clone(), port: *port };
            let value = cluster.route_command(command, RoutingInfo::SingleNode(node)).await?;
            from_redis_value(value).map_err(|error| {
                RedisError::from((ErrorKind::Client, "unexpected answer", error.to_string()))
            })
        }
        (connection, _) => connection.send(&command).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_fits_what_it_names_alone() {
        assert_eq!(pattern("tersely", None), "tersely:[of]:*:*");
        assert_eq!(pattern("a*b", Some("00ff")), "a\\*b:[of]:00ff:*");
    }

    #[test]
    fn only_masters_that_work_are_asked() {
        let is = |line| matches!(master(line), Some(ServerNode::Master(host, 7000)) if host == "10.0.0.1");
        assert!(is("id 10.0.0.1:7000@17000,name myself,master - 0 0 1 connected 0-5460"));
        assert!(!is("id 10.0.0.1:7000@17000 slave other 0 0 1 connected"));
        assert!(!is("id 10.0.0.1:7000@17000 master,fail - 0 0 1 disconnected"));
        assert!(!is(""));
    }
}
