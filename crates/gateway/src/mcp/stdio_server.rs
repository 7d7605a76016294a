//! A session with a started MCP server, whose messages are transported over HTTP.
//!
//! Only protocol revisions with sessions are supported: a client without a session is told to initialize. A message
//! from the server is sent to the stream that waits for it: a response to the stream of its request, a progress
//! notification to the stream of the request that it refers to, and any other message to the client's own stream, to
//! any open stream, or to the backlog.

use std::borrow::Cow;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tersely_wire::mcp::{RpcKind, rpc_kind};
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

/// The maximum size of a message; longer messages are not forwarded.
const MAX_MESSAGE_BYTES: usize = 32 << 20;

/// A session and its server process.
pub(super) struct StdioSession {
    client_session: McpClientSession,
    /// The server's input; `None` once the server has ended.
    input: tokio::sync::Mutex<Option<ChildStdin>>,
    talk: Mutex<PendingRequests>,
    ended: CancellationToken,
    group: ProcessGroup,
}

impl StdioSession {
    /// Starts a server. Also returns a future that waits until the server has ended; the caller must run it.
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
        tokio::spawn(read_output(Arc::clone(&session), space.clone(), output));
        let ending = Arc::clone(&session);
        let end = async move {
            ending.ended.cancelled().await;
            drop(ending.input.lock().await.take());
            process.end().await;
        };
        Ok((session, end))
    }

    /// True if the server has ended, or there was no message for the duration `idle`.
    pub(super) fn is_over(&self, idle: Duration) -> bool {
        self.ended.is_cancelled() || self.talk().is_quiet(idle)
    }

    /// Our response to a message, if the message is meant for us.
    pub(super) async fn own(&self, message: &[u8]) -> Option<Vec<u8>> {
        self.client_session.on_client_message(message).await
    }

    /// Registers a request that waits for its response.
    pub(super) fn wait(&self, waiting: WaitingRequest) {
        self.talk().wait(waiting);
    }

    /// Sends a message to the server; returns false if the server has ended. The whole message is sent even if the
    /// client disconnects.
    pub(super) async fn send_message(self: &Arc<Self>, message: WholeBody) -> bool {
        self.talk().latest = Instant::now();
        let session = Arc::clone(self);
        let telling = tokio::spawn(async move {
            select! {
                told = session.write_line(&message.bytes) => told,
                () = session.ended.cancelled() => false,
            }
        });
        telling.await.unwrap_or(false)
    }

    async fn write_line(&self, message: &[u8]) -> bool {
        let mut input = self.input.lock().await;
        let Some(pipe) = input.as_mut() else { return false };
        let line = one_line(message);
        pipe.write_all(&line).await.is_ok()
            && pipe.write_all(b"\n").await.is_ok()
            && pipe.flush().await.is_ok()
    }

    /// Opens the client's own stream and first sends the backlog. A new stream replaces the previous one.
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
    pub(super) fn close_stream(&self) {
        self.talk().close_stream();
    }

    /// Ends the server, and reports an error to all waiting clients.
    pub(super) fn end(&self) {
        self.ended.cancel();
        self.talk().close();
        self.client_session.release();
    }

    /// The server's process group.
    pub(super) fn group(&self) -> ProcessGroup {
        self.group
    }

    /// Forwards a line from the server, if it is a message; returns false if the session has ended.
    async fn pass(&self, space: &BodySpace, line: &[u8]) -> bool {
        let kind = rpc_kind(line);
        if kind == RpcKind::Nothing {
            return true;
        }
        let changed = self.client_session.on_server_message(line).await;
        self.talk().record(&kind, self.client_session.record().take());
        let sent = space.hold(event(changed.as_deref().unwrap_or(line)));
        let to = self.talk().route(&kind, &sent);
        let Some(to) = to else { return true };
        select! {
            // Sending fails only if the client has stopped reading.
            _ = to.send(Ok(sent)) => true,
            () = self.ended.cancelled() => false,
        }
    }

    fn talk(&self) -> MutexGuard<'_, PendingRequests> {
        self.talk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Joins the lines of a message; in JSON, line ends are only white space.
fn one_line(message: &[u8]) -> Cow<'_, [u8]> {
    let message = message.trim_ascii();
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    if !message.iter().any(is_end) {
        return Cow::Borrowed(message);
    }
    message.iter().map(|byte| if is_end(byte) { b' ' } else { *byte }).collect()
}

/// Reads the server's output to its end.
async fn read_output(session: Arc<StdioSession>, space: BodySpace, output: ChildStdout) {
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
