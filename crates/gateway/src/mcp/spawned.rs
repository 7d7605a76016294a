//! A server that is started for each session, with its messages carried over HTTP.
//!
//! It speaks the revisions that have sessions: a client that asks without one is told to begin one. What it says goes to
//! the stream that waits for it: an answer to its request, progress to the request that it tells of, and anything else to
//! the client's own stream, or to any that is open, or waits for one.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tersely_wire::mcp::{RpcId, RpcKind, rpc_kind};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc::Sender;

use crate::error::Error;
use crate::mcp::door::McpDoor;
use crate::mcp::lines::{MessageLines, Piece};
use crate::mcp::servers::StartedServer;
use crate::mcp::stream::event;

/// Messages that are longer are not carried.
const LONGEST: usize = 32 << 20;

/// How many messages wait for a client that has no stream open.
const BACKLOG: usize = 256;

/// How long a session without a word is kept.
const IDLE: Duration = Duration::from_hours(1);

/// How many sessions one server may have at a time.
const MOST: usize = 1024;

/// Where a message is written to.
type Stream = Sender<Result<Bytes, Error>>;

/// Where an answer is waited for.
struct Waiting {
    id: RpcId,
    /// The name under which progress is told of it.
    progress: Option<Vec<u8>>,
    to: Stream,
}

/// One client's server.
pub(super) struct SpawnedSession {
    door: McpDoor,
    /// Its input; none once it has ended.
    input: tokio::sync::Mutex<Option<ChildStdin>>,
    talk: Mutex<Talk>,
    has_ended: AtomicBool,
    child: Mutex<Child>,
}

struct Talk {
    waiting: Vec<Waiting>,
    /// The client's own stream.
    stream: Option<Stream>,
    backlog: VecDeque<Bytes>,
    latest: Instant,
}

impl SpawnedSession {
    /// Starts a server.
    pub(super) fn start(server: &StartedServer, door: McpDoor) -> io::Result<Arc<Self>> {
        let StartedServer { program, args, env } = server;
        let mut command = Command::new(program);
        command.args(args).envs(env).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let missing = || io::Error::other("no pipe to the server");
        let (input, output) =
            (child.stdin.take().ok_or_else(missing)?, child.stdout.take().ok_or_else(missing)?);
        let talk =
            Talk { waiting: Vec::new(), stream: None, backlog: VecDeque::new(), latest: Instant::now() };
        let session = Arc::new(Self {
            door,
            input: tokio::sync::Mutex::new(Some(input)),
            talk: Mutex::new(talk),
            has_ended: AtomicBool::new(false),
            child: Mutex::new(child),
        });
        tokio::spawn(hear(Arc::clone(&session), output));
        Ok(session)
    }

    /// True when the server has ended, or nobody has spoken for long.
    fn is_over(&self) -> bool {
        let talk = self.talk();
        let is_quiet = talk.waiting.is_empty() && talk.stream.is_none() && talk.latest.elapsed() > IDLE;
        self.has_ended.load(Ordering::Relaxed) || is_quiet
    }

    /// What a message gets at once, if it is for us.
    pub(super) async fn own(&self, message: &[u8]) -> Option<Vec<u8>> {
        self.door.hear_client(message).await
    }

    /// Waits for the answer to a request; what comes of it goes to `to`.
    pub(super) fn wait(&self, id: RpcId, progress: Option<Vec<u8>>, to: Stream) {
        self.talk().waiting.push(Waiting { id, progress, to });
    }

    /// Tells the server something; false when it has ended.
    pub(super) async fn tell(&self, message: &[u8]) -> bool {
        self.talk().latest = Instant::now();
        let mut input = self.input.lock().await;
        let Some(pipe) = input.as_mut() else { return false };
        let line = one_line(message);
        pipe.write_all(&line).await.is_ok() && pipe.flush().await.is_ok()
    }

    /// Opens the client's own stream; what waited for one goes first. Of two, the latest is right.
    pub(super) async fn open(&self, to: Stream) {
        let backlog = std::mem::take(&mut self.talk().backlog);
        for message in backlog {
            if to.send(Ok(message)).await.is_err() {
                return;
            }
        }
        self.talk().stream = Some(to);
    }

    /// Ends the server.
    pub(super) async fn end(&self) {
        drop(self.input.lock().await.take());
        // It may have ended by itself.
        let _ = self.child.lock().unwrap_or_else(PoisonError::into_inner).start_kill();
        self.close();
    }

    /// Where a message of the server goes.
    fn route(&self, kind: &RpcKind) -> Option<Stream> {
        let mut talk = self.talk();
        talk.waiting.retain(|waiting| !waiting.to.is_closed());
        let open = talk.stream.clone().filter(|stream| !stream.is_closed());
        match kind {
            RpcKind::Answer(id) => {
                let at = talk.waiting.iter().position(|waiting| waiting.id == *id)?;
                Some(talk.waiting.remove(at).to)
            }
            RpcKind::News { progress: Some(token) } => {
                let of_it = |waiting: &&Waiting| waiting.progress.as_ref() == Some(token);
                talk.waiting.iter().find(of_it).map(|waiting| waiting.to.clone()).or(open)
            }
            _ => open.or_else(|| talk.waiting.first().map(|waiting| waiting.to.clone())),
        }
    }

    /// Keeps a message for a client that has no stream open; the oldest goes first.
    fn keep(&self, message: Bytes) {
        let mut talk = self.talk();
        if talk.backlog.len() >= BACKLOG {
            talk.backlog.pop_front();
        }
        talk.backlog.push_back(message);
    }

    /// Everybody who waits is told that nothing will come.
    fn close(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
        let mut talk = self.talk();
        talk.stream = None;
        for Waiting { id, to, .. } in talk.waiting.drain(..) {
            let message = format!(
                r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32000,"message":"the server has ended"}}}}"#,
                id.spelled()
            );
            // A stream that is full or gone has no room for it.
            let _ = to.try_send(Ok(event(message.as_bytes())));
        }
    }

    fn talk(&self) -> MutexGuard<'_, Talk> {
        self.talk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A message on one line, however its sender laid it out: in JSON, a line may end wherever a space may stand.
fn one_line(message: &[u8]) -> Vec<u8> {
    let flat =
        message.trim_ascii().iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte });
    flat.chain([b'\n']).collect()
}

/// Hears a server to its end.
async fn hear(session: Arc<SpawnedSession>, output: ChildStdout) {
    let mut lines = MessageLines::new(LONGEST, output);
    while let Ok(Some(piece)) = lines.next().await {
        let Piece::Line(line) = piece else { continue };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let kind = rpc_kind(line);
        let sent = event(&session.door.hear_server(line).await);
        match session.route(&kind) {
            // Who does not read any more does not need it.
            Some(to) => drop(to.send(Ok(sent)).await),
            None if matches!(kind, RpcKind::Answer(_)) => {}
            None => session.keep(sent),
        }
    }
    session.close();
}

/// The sessions with one server.
#[derive(Default)]
pub(super) struct SpawnedSessions(Mutex<HashMap<String, Arc<SpawnedSession>>>);

impl SpawnedSessions {
    /// The session of this name.
    pub(super) fn get(&self, name: &str) -> Option<Arc<SpawnedSession>> {
        self.all().get(name).filter(|session| !session.is_over()).cloned()
    }

    /// Adds one; false when there are too many.
    pub(super) fn add(&self, name: String, session: Arc<SpawnedSession>) -> bool {
        let mut all = self.all();
        all.retain(|_, session| !session.is_over());
        let has_room = all.len() < MOST;
        if has_room {
            all.insert(name, session);
        }
        has_room
    }

    /// Takes one out.
    pub(super) fn remove(&self, name: &str) -> Option<Arc<SpawnedSession>> {
        self.all().remove(name)
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Arc<SpawnedSession>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
