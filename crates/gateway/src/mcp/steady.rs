//! Keeps a server that is a command running: if it ends while its client is still there, it is started again.
//!
//! To the client it looks like one server: its list of tools stays, and a call meanwhile gets an error. Otherwise the
//! tools would vanish from the client's prompt and come back, and each time the provider's cache would be lost.

use std::future::Future;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as SyncMutex, MutexGuard, PoisonError};
use std::time::Duration;

use tersely_wire::mcp::{RpcId, RpcKind, ServerMemory, rpc_kind};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

use crate::mcp::Pipe;
use crate::mcp::framing::{MessageLines, Piece};
use crate::mcp::relay::{MAX_MESSAGE_BYTES, write_flushed};

/// The memory between the relay and the server, in bytes.
const BUFFER_BYTES: usize = 64 << 10;

/// How often a server is started again without a success in between, and the longest pause before that.
const MAX_STARTS: u32 = 10;
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// How long a new server may take to answer the greeting.
const GREETING_TIMEOUT: Duration = Duration::from_mins(1);

/// What a client is told while there is no server.
const WHY: &str = "the MCP server has ended and is being started again; try again in a moment";

/// The pipes that stand for a server.
pub type SteadyPipe = Pipe<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

/// A process of a server.
pub trait SteadyProcess: Send + 'static {
    /// Its output and its input.
    type From: AsyncRead + Unpin + Send + 'static;
    /// Its input.
    type To: AsyncWrite + Unpin + Send + 'static;
    /// How it ended.
    type Status: Send + 'static;

    /// Starts it, and returns its pipes.
    ///
    /// # Errors
    /// If it cannot be started.
    fn start(&mut self) -> io::Result<Pipe<Self::From, Self::To>>;

    /// Waits until it has ended.
    fn wait(&mut self) -> impl Future<Output = io::Result<Self::Status>> + Send;
}

/// Stops a server from being started again.
#[derive(Debug, Clone, Default)]
pub struct RestartSwitch(Arc<AtomicBool>);

impl RestartSwitch {
    /// The server must not be started again.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The side of the server that both directions use.
struct ServerSide<W> {
    memory: SyncMutex<ServerMemory>,
    /// The server's input; `None` while there is no server.
    input: Mutex<Option<W>>,
    to_client: Mutex<WriteHalf<DuplexStream>>,
    stop: RestartSwitch,
}

/// Runs a server, and returns the pipes that stand for it and the work that ends with it.
///
/// # Errors
/// If the server cannot be started.
pub fn steady<P: SteadyProcess>(
    mut process: P,
    stop: RestartSwitch,
) -> io::Result<(SteadyPipe, impl Future<Output = io::Result<P::Status>>)> {
    let Pipe { from, to } = process.start()?;
    let (near, far) = duplex(BUFFER_BYTES);
    let ((near_from, near_to), (from_client, to_client)) = (split(near), split(far));
    let side = Arc::new(ServerSide {
        memory: SyncMutex::default(),
        input: Mutex::new(Some(to)),
        to_client: Mutex::new(to_client),
        stop,
    });
    tokio::spawn(Arc::clone(&side).hear_client(from_client));
    Ok((Pipe { from: near_from, to: near_to }, side.run(process, from)))
}

impl<W: AsyncWrite + Unpin + Send + 'static> ServerSide<W> {
    /// Passes the client's messages to the server, or answers them if there is none. At the end, closes its input.
    async fn hear_client(self: Arc<Self>, from: ReadHalf<DuplexStream>) {
        let mut lines = MessageLines::new(MAX_MESSAGE_BYTES, from);
        while let Ok(Some(piece)) = lines.next().await {
            let (bytes, is_line) = match piece {
                Piece::Line(line) => (line, true),
                Piece::Part(bytes) | Piece::End(bytes) => (bytes, false),
            };
            let mut input = self.input.lock().await;
            if let Some(server) = input.as_mut() {
                if is_line {
                    self.memory().hear_client(bytes);
                }
                // If the server has just ended, its requests are answered as lost.
                let _ = write_flushed(server, bytes).await;
                continue;
            }
            drop(input);
            if is_line {
                let answer = self.memory().answer_alone(bytes, WHY);
                let _ = write_flushed(&mut *self.to_client.lock().await, &answer).await;
            }
        }
        self.stop.set();
        if let Some(mut server) = self.input.lock().await.take() {
            let _ = server.shutdown().await;
        }
    }

    /// Passes the server's messages to the client, and starts the server again when it ends.
    async fn run<P>(self: Arc<Self>, mut process: P, from: P::From) -> io::Result<P::Status>
    where
        P: SteadyProcess<To = W>,
    {
        let mut lines = MessageLines::new(MAX_MESSAGE_BYTES, from);
        loop {
            let heard = self.hear_server(&mut lines).await;
            let lost = {
                // What is written to a server that has ended fails, so this lock is free soon.
                self.input.lock().await.take();
                if self.stop.is_set() || !self.memory().is_ready() || heard.is_err() {
                    break;
                }
                self.memory().lost(WHY)
            };
            write_flushed(&mut *self.to_client.lock().await, &lost).await?;
            match self.start_again(&mut process).await {
                Some(again) => lines = again,
                None => break,
            }
        }
        let ended = process.wait().await;
        // The relay sees the end of the server only now.
        let _ = self.to_client.lock().await.shutdown().await;
        ended
    }

    async fn hear_server<R: AsyncRead + Unpin>(&self, lines: &mut MessageLines<R>) -> io::Result<()> {
        while let Some(piece) = lines.next().await? {
            let bytes = match piece {
                Piece::Line(line) => {
                    self.memory().hear_server(line);
                    line
                }
                Piece::Part(bytes) | Piece::End(bytes) => bytes,
            };
            write_flushed(&mut *self.to_client.lock().await, bytes).await?;
        }
        Ok(())
    }

    /// Starts the server until it answers the greeting; `None` if it does not, or if the client has gone.
    async fn start_again<P>(&self, process: &mut P) -> Option<MessageLines<P::From>>
    where
        P: SteadyProcess<To = W>,
    {
        for attempt in 0..MAX_STARTS {
            let _ = process.wait().await;
            sleep(pause(attempt)).await;
            if self.stop.is_set() {
                return None;
            }
            let Ok(Pipe { from, to }) = process.start() else { continue };
            let greeted =
                timeout(GREETING_TIMEOUT, self.greet(MessageLines::new(MAX_MESSAGE_BYTES, from), to));
            if let Ok(Ok(Some(lines))) = greeted.await {
                return Some(lines);
            }
        }
        None
    }

    /// Greets a server as the client did; `None` if it ends before it has answered.
    async fn greet<R>(&self, mut lines: MessageLines<R>, mut to: W) -> io::Result<Option<MessageLines<R>>>
    where
        R: AsyncRead + Unpin,
    {
        let (greeting, id, rest) = {
            let memory = self.memory();
            let Some((greeting, id, rest)) = memory.greeting() else { return Ok(None) };
            (greeting.to_vec(), id.clone(), rest.to_vec())
        };
        write_flushed(&mut to, &greeting).await?;
        loop {
            match lines.next().await? {
                Some(Piece::Line(line)) if is_answer(line, &id) => break,
                Some(_) => {}
                None => return Ok(None),
            }
        }
        write_flushed(&mut to, &rest).await?;
        *self.input.lock().await = Some(to);
        Ok(Some(lines))
    }

    fn memory(&self) -> MutexGuard<'_, ServerMemory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The pause before a server is started again: none, then longer each time.
fn pause(attempt: u32) -> Duration {
    let seconds = if attempt == 0 { 0 } else { 1 << (attempt - 1).min(10) };
    Duration::from_secs(seconds).min(MAX_PAUSE)
}

fn is_answer(line: &[u8], id: &RpcId) -> bool {
    matches!(rpc_kind(line), RpcKind::Answer(found) if found == *id)
}
