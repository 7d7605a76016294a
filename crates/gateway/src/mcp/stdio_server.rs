//! A server that is started for each session, with its messages carried over HTTP.
//!
//! It speaks the revisions that have sessions: a client that asks without one is told to begin one. What it says goes to
//! the stream that waits for it: an answer to its request, progress to the request that it tells of, and anything else to
//! the client's own stream, or to any that is open, or waits for one.

use std::borrow::Cow;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tersely_wire::mcp::{RpcId, RpcKind, rpc_kind};
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::select;
use tokio_util::sync::CancellationToken;

use crate::http::memory_budget::BodySpace;
use crate::llm::WholeBody;
use crate::mcp::client_session::McpClientSession;
use crate::mcp::framing::{MessageLines, Piece};
use crate::mcp::pending::{EventStream, LongMessage, PendingRequests, WaitingRequest};
use crate::mcp::process::{ProcessGroup, ServerProcess};
use crate::mcp::servers::StartedServer;
use crate::mcp::stream::event;

/// Messages that are longer are not carried.
const MAX_MESSAGE_BYTES: usize = 32 << 20;

/// One client's server.
pub(super) struct StdioSession {
    client_session: McpClientSession,
    /// Its input; none once it has ended.
    input: tokio::sync::Mutex<Option<ChildStdin>>,
    talk: Mutex<PendingRequests>,
    ended: CancellationToken,
    group: ProcessGroup,
}

impl StdioSession {
    /// Starts a server, and gives what ends it: to be run until it is done.
    pub(super) fn start(
        space: &BodySpace,
        server: &StartedServer,
        client_session: McpClientSession,
    ) -> io::Result<(Arc<Self>, impl Future<Output = ()> + Send + 'static)> {
        let (process, input, output) = ServerProcess::start(server)?;
        let session = Arc::new(Self {
            client_session,
            input: tokio::sync::Mutex::new(Some(input)),
            talk: Mutex::new(PendingRequests::new()),
            ended: CancellationToken::new(),
            group: process.group(),
        });
        tokio::spawn(hear(Arc::clone(&session), space.clone(), output));
        let ending = Arc::clone(&session);
        let end = async move {
            ending.ended.cancelled().await;
            drop(ending.input.lock().await.take());
            process.end().await;
        };
        Ok((session, end))
    }

    /// True when the server has ended, or nobody has spoken for so long.
    pub(super) fn is_over(&self, idle: Duration) -> bool {
        self.ended.is_cancelled() || self.talk().is_quiet(idle)
    }

    /// What a message gets at once, if it is for us.
    pub(super) async fn own(&self, message: &[u8]) -> Option<Vec<u8>> {
        self.client_session.hear_client(message).await
    }

    /// Waits for the answer to a request; what comes of it goes to `to`.
    pub(super) fn wait(&self, id: RpcId, progress: Option<Vec<u8>>, to: EventStream) {
        self.talk().wait(WaitingRequest { id, progress, to });
    }

    /// Tells the server something; false when it has ended. The client may leave meanwhile: half a message is not told.
    pub(super) async fn tell(self: &Arc<Self>, message: WholeBody) -> bool {
        self.talk().latest = Instant::now();
        let session = Arc::clone(self);
        let telling = tokio::spawn(async move {
            select! {
                told = session.say(&message.bytes) => told,
                () = session.ended.cancelled() => false,
            }
        });
        telling.await.unwrap_or(false)
    }

    async fn say(&self, message: &[u8]) -> bool {
        let mut input = self.input.lock().await;
        let Some(pipe) = input.as_mut() else { return false };
        let line = one_line(message);
        pipe.write_all(&line).await.is_ok()
            && pipe.write_all(b"\n").await.is_ok()
            && pipe.flush().await.is_ok()
    }

    /// Opens the client's own stream; what waited for one goes first. Of two, the latest is right.
    pub(super) fn open(self: &Arc<Self>, to: EventStream) {
        let (session, news) = (Arc::clone(self), self.talk().open(&to));
        tokio::spawn(async move {
            loop {
                let next = session.talk().next(&to);
                let sent = match next {
                    Ok(Some(message)) => select! {
                        sent = to.send(Ok(message)) => sent.is_ok(),
                        () = session.ended.cancelled() => false,
                    },
                    Ok(None) => select! {
                        () = news.notified() => true,
                        () = to.closed() => false,
                    },
                    Err(()) => false,
                };
                if !sent {
                    return;
                }
            }
        });
    }

    /// Closes the client's own stream.
    pub(super) fn hush(&self) {
        self.talk().hush();
    }

    /// Ends the server. Everybody who waits is told that nothing will come.
    pub(super) fn end(&self) {
        self.ended.cancel();
        self.talk().close();
    }

    /// The server's processes.
    pub(super) fn group(&self) -> ProcessGroup {
        self.group
    }

    /// Passes a message on, if it is one; false when the server is to be heard no longer.
    async fn pass(&self, space: &BodySpace, line: &[u8]) -> bool {
        let kind = rpc_kind(line);
        if kind == RpcKind::Nothing {
            return true;
        }
        let changed = self.client_session.hear_server(line).await;
        let sent = space.hold(event(changed.as_deref().unwrap_or(line)));
        let to = self.talk().route(&kind, &sent);
        let Some(to) = to else { return true };
        select! {
            // Who does not read any more does not need it.
            _ = to.send(Ok(sent)) => true,
            () = self.ended.cancelled() => false,
        }
    }

    fn talk(&self) -> MutexGuard<'_, PendingRequests> {
        self.talk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A message on one line, however its sender laid it out: in JSON, a line may end wherever a space may stand.
fn one_line(message: &[u8]) -> Cow<'_, [u8]> {
    let message = message.trim_ascii();
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    if !message.iter().any(is_end) {
        return Cow::Borrowed(message);
    }
    message.iter().map(|byte| if is_end(byte) { b' ' } else { *byte }).collect()
}

/// Hears a server to its end.
async fn hear(session: Arc<StdioSession>, space: BodySpace, output: ChildStdout) {
    let mut lines = MessageLines::new(MAX_MESSAGE_BYTES, output).within(&space);
    let mut long = LongMessage::default();
    loop {
        let piece = select! {
            piece = lines.next() => piece,
            () = session.ended.cancelled() => break,
        };
        let goes_on = match piece {
            Ok(Some(Piece::Line(line))) => session.pass(&space, line).await,
            Ok(Some(Piece::Part(bytes))) => {
                long.see(bytes);
                true
            }
            Ok(Some(Piece::End(bytes))) => {
                long.see(bytes);
                session.talk().refuse(&std::mem::take(&mut long));
                true
            }
            Ok(None) | Err(_) => false,
        };
        if !goes_on {
            break;
        }
    }
    session.end();
}
