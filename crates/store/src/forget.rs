//! Forgets texts that are kept elsewhere: those of a tenant, or all.
//!
//! Names are looked for some at a time, so that the servers go on with their work meanwhile.

use redis::cluster_routing::{RoutingInfo, SingleNodeRoutingInfo};
use redis::{Cmd, ErrorKind, FromRedisValue, RedisError, RedisResult, cmd, from_redis_value};

use crate::link::Connection;

/// How many names a server looks at before it does something else.
const AT_ONCE: usize = 500;

/// A server that holds names: the only one, or a master of a cluster.
enum ShelfNode {
    Only,
    Master(String, u16),
}

/// Removes everything whose name fits, and says how much that was.
pub(crate) async fn forget(connection: &mut Connection, pattern: &str) -> RedisResult<u64> {
    let mut count = 0;
    for node in nodes(connection).await? {
        let mut cursor = 0_u64;
        loop {
            let mut scan = cmd("SCAN");
            scan.arg(cursor).arg("MATCH").arg(pattern).arg("COUNT").arg(AT_ONCE);
            let (next, names): (u64, Vec<String>) = send(connection, &node, scan).await?;
            // One by one: in a cluster, names of one command must be of one slot.
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

/// A pattern that fits the names of a tenant, or of all, and no others.
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

async fn nodes(connection: &mut Connection) -> RedisResult<Vec<ShelfNode>> {
    let Connection::Cluster(_) = connection else { return Ok(vec![ShelfNode::Only]) };
    let known: String = connection.send(cmd("CLUSTER").arg("NODES")).await?;
    Ok(known.lines().filter_map(master).collect())
}

/// `id host:port@bus,name flags …`, if it is a master that works.
fn master(line: &str) -> Option<ShelfNode> {
    let mut words = line.split(' ');
    let (address, flags) = (words.nth(1)?, words.next()?);
    let is_working = flags.split(',').any(|flag| flag == "master") && !flags.contains("fail");
    let (host, port) = address.split('@').next()?.rsplit_once(':')?;
    is_working.then(|| Some(ShelfNode::Master(host.to_owned(), port.parse().ok()?)))?
}

async fn send<T: FromRedisValue>(
    connection: &mut Connection,
    node: &ShelfNode,
    command: Cmd,
) -> RedisResult<T> {
    match (connection, node) {
        (Connection::Cluster(cluster), ShelfNode::Master(host, port)) => {
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
        let is = |line| matches!(master(line), Some(ShelfNode::Master(host, 7000)) if host == "10.0.0.1");
        assert!(is("id 10.0.0.1:7000@17000,name myself,master - 0 0 1 connected 0-5460"));
        assert!(!is("id 10.0.0.1:7000@17000 slave other 0 0 1 connected"));
        assert!(!is("id 10.0.0.1:7000@17000 master,fail - 0 0 1 disconnected"));
        assert!(!is(""));
    }
}
