//! Manages the connection that all calls share, and reconnects when it seems broken.
//!
//! Connecting runs in the background and outlives the call that started it, because the deadline of that call may be
//! shorter. Meanwhile calls use the old connection: if one master is frozen, the others can still be reached.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::cluster::{ClusterClient, ClusterClientBuilder};
use redis::cluster_async::ClusterConnection;
use redis::{Client, Cmd, FromRedisValue, RedisError, RedisResult};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::{Remote, SettingError};

/// Maximum time for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The number of failed calls after which a connection is replaced.
const MAX_FAILURES: u32 = 5;

/// Minimum time between two attempts to replace a connection.
const RECONNECT_PAUSE: Duration = Duration::from_secs(2);

/// The connection to the store.
pub(crate) struct StoreLink {
    target: Target,
    state: watch::Sender<State>,
    failures: AtomicU32,
    dialled: Mutex<Option<Instant>>,
}

/// A connection. All clones share it.
#[derive(Clone)]
pub(crate) enum Connection {
    Single(ConnectionManager),
    Cluster(ClusterConnection),
}

enum Target {
    Single(Client, ConnectionManagerConfig),
    Cluster(ClusterClient),
}

#[derive(Clone)]
enum State {
    Idle,
    Dialling,
    Ready(Connection),
    Failed(RedisError),
}

impl StoreLink {
    /// Parses the addresses. Does not connect yet.
    pub(crate) fn new(remote: &Remote) -> Result<Arc<Self>, SettingError> {
        let target = target(remote).map_err(|error| {
            let why = error.detail().map_or_else(|| error.to_string(), str::to_owned);
            SettingError(format!(
                "the store's address does not work ({why}): write redis://host:6379, valkey://host:6379 or rediss://user:password@host:6379 for TLS; for a cluster, list several addresses"
            ))
        })?;
        let state = watch::Sender::new(State::Idle);
        Ok(Arc::new(Self { target, state, failures: AtomicU32::new(0), dialled: Mutex::default() }))
    }

    /// Connects if necessary, and waits for the connection.
    pub(crate) async fn connection(self: &Arc<Self>) -> RedisResult<Connection> {
        let mut state = self.state.subscribe();
        if !matches!(*state.borrow_and_update(), State::Ready(_) | State::Dialling) {
            self.dial();
        }
        let settled = state.wait_for(|state| matches!(state, State::Ready(_) | State::Failed(_))).await;
        match settled.as_deref() {
            Ok(State::Ready(connection)) => Ok(connection.clone()),
            Ok(State::Failed(error)) => Err(error.clone()),
            _ => Err(io::Error::from(io::ErrorKind::NotConnected).into()),
        }
    }

    /// Records a failed call. Successful calls do not reset the count: one node of many may be down while all others
    /// answer, and only a new connection finds the node that replaced it.
    pub(crate) fn record_failure(self: &Arc<Self>) {
        let failures = self.failures.fetch_add(1, Relaxed) + 1;
        if failures >= MAX_FAILURES && matches!(*self.state.borrow(), State::Ready(_)) {
            self.dial();
        }
    }

    /// Connects in the background. The old connection is used until the new one is ready.
    fn dial(self: &Arc<Self>) {
        if !self.may_dial() {
            return;
        }
        self.failures.store(0, Relaxed);
        let link = Arc::clone(self);
        tokio::spawn(async move {
            // Connecting runs in a separate task, so that the state changes even if connecting panics.
            let other = Arc::clone(&link);
            let done = tokio::spawn(async move { timeout(CONNECT_TIMEOUT, other.target.dial()).await }).await;
            link.settle(match done {
                Ok(Ok(result)) => result,
                Ok(Err(_)) => Err(io::Error::from(io::ErrorKind::TimedOut).into()),
                Err(error) => Err(io::Error::other(error).into()),
            });
        });
    }

    /// Stores the new connection; if connecting failed, keeps the old one.
    fn settle(&self, result: RedisResult<Connection>) {
        self.state.send_if_modified(|state| match (result, &*state) {
            (Err(_), State::Ready(_)) => false,
            (result, _) => {
                *state = result.map_or_else(State::Failed, State::Ready);
                true
            }
        });
    }

    /// True when a new attempt to connect may start: no other attempt is running, and the last one was not too
    /// recent.
    fn may_dial(&self) -> bool {
        self.state.send_if_modified(|state| match state {
            State::Idle | State::Failed(_) => {
                *state = State::Dialling;
                true
            }
            State::Dialling => false,
            State::Ready(_) => self.may_reconnect(),
        })
    }

    /// True when enough time has passed since the last attempt to replace a connection. In that case the pause starts
    /// again.
    fn may_reconnect(&self) -> bool {
        let mut dialled = self.dialled.lock().unwrap_or_else(PoisonError::into_inner);
        let may_reconnect = dialled.is_none_or(|at| at.elapsed() >= RECONNECT_PAUSE);
        if may_reconnect {
            *dialled = Some(Instant::now());
        }
        may_reconnect
    }
}

impl Connection {
    /// Sends a command and waits for the reply.
    pub(crate) async fn send<T: FromRedisValue>(&mut self, command: &Cmd) -> RedisResult<T> {
        match self {
            Self::Single(connection) => command.query_async(connection).await,
            Self::Cluster(connection) => command.query_async(connection).await,
        }
    }
}

impl Target {
    async fn dial(&self) -> RedisResult<Connection> {
        match self {
            Self::Single(client, config) => {
                let connection = ConnectionManager::new_with_config(client.clone(), config.clone()).await;
                connection.map(Connection::Single)
            }
            Self::Cluster(client) => client.get_async_connection().await.map(Connection::Cluster),
        }
    }
}

fn target(remote: &Remote) -> RedisResult<Target> {
    if let [address] = &remote.addresses[..] {
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(1)
            .set_min_delay(Duration::from_millis(50))
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(remote.deadline))
            .set_concurrency_limit(remote.calls);
        return Ok(Target::Single(Client::open(address.as_str())?, config));
    }
    // A frozen node accepts connections but never replies, so the timeout for a single node is shorter.
    let builder = ClusterClientBuilder::new(remote.addresses.iter().map(String::as_str))
        .retries(2)
        .min_retry_wait(10)
        .max_retry_wait(50)
        .connection_timeout(CONNECT_TIMEOUT / 4)
        .response_timeout(remote.deadline)
        .connection_concurrency_limit(remote.calls);
    builder.build().map(Target::Cluster)
}
