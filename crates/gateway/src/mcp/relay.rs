//! Relays messages between the standard streams of a client and a server until the server ends.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::mcp::McpClientSession;
use crate::mcp::framing::{MessageLines, Piece};

/// The maximum size of a message to inspect; longer messages are relayed unread, so that they do not fill the memory.
pub(super) const MAX_MESSAGE_BYTES: usize = 32 << 20;

/// The two pipes of a client or a server.
pub struct Pipe<R, W> {
    /// The pipe that this side writes to.
    pub from: R,
    /// The pipe that this side reads from.
    pub to: W,
}

type SharedWriter<W> = Arc<Mutex<W>>;

/// Relays messages until the server ends or writing to the client fails. When the client ends, the server's input is
/// closed.
///
/// # Errors
/// Fails if reading from the server or writing to the client fails.
pub async fn relay<CR, CW, SR, SW>(
    client_session: Arc<McpClientSession>,
    client: Pipe<CR, CW>,
    server: Pipe<SR, SW>,
) -> io::Result<()>
where
    CR: AsyncRead + Unpin + Send + 'static,
    CW: AsyncWrite + Unpin + Send + 'static,
    SR: AsyncRead + Unpin + Send + 'static,
    SW: AsyncWrite + Unpin + Send + 'static,
{
    let to_client = Arc::new(Mutex::new(client.to));
    let up = tokio::spawn(client_to_server(
        Arc::clone(&client_session),
        client.from,
        server.to,
        Arc::clone(&to_client),
    ));
    let ended = server_to_client(&client_session, server.from, to_client).await;
    up.abort();
    ended
}

/// Relays messages from the client to the server, and closes the server's input at the end.
async fn client_to_server<R, S, C>(
    client_session: Arc<McpClientSession>,
    from: R,
    mut server: S,
    client: SharedWriter<C>,
) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    S: AsyncWrite + Unpin,
    C: AsyncWrite + Unpin,
{
    let mut lines = MessageLines::new(MAX_MESSAGE_BYTES, from);
    while let Some(piece) = lines.next().await? {
        let bytes = match piece {
            Piece::Part(bytes) | Piece::End(bytes) => bytes,
            Piece::Line(line) => match client_session.on_client_message(line).await {
                Some(answer) => {
                    write_flushed(&mut *client.lock().await, &[&*answer, b"\n"].concat()).await?;
                    continue;
                }
                None => line,
            },
        };
        write_flushed(&mut server, bytes).await?;
    }
    server.shutdown().await
}

/// Relays messages from the server to the client. Nothing else is written between the parts of a long message.
async fn server_to_client<R, C>(
    client_session: &McpClientSession,
    from: R,
    client: SharedWriter<C>,
) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    C: AsyncWrite + Unpin,
{
    let mut lines = MessageLines::new(MAX_MESSAGE_BYTES, from);
    let mut held: Option<OwnedMutexGuard<C>> = None;
    while let Some(piece) = lines.next().await? {
        match piece {
            Piece::Line(line) => {
                let sent = client_session.on_server_message(line).await;
                write_flushed(&mut *client.lock().await, sent.as_deref().unwrap_or(line)).await?;
            }
            Piece::Part(bytes) => {
                let mut speaker = lock_writer(&client, held.take()).await;
                write_flushed(&mut *speaker, bytes).await?;
                held = Some(speaker);
            }
            Piece::End(bytes) => write_flushed(&mut *lock_writer(&client, held.take()).await, bytes).await?,
        }
    }
    Ok(())
}

async fn lock_writer<C>(client: &SharedWriter<C>, held: Option<OwnedMutexGuard<C>>) -> OwnedMutexGuard<C> {
    match held {
        Some(held) => held,
        None => Arc::clone(client).lock_owned().await,
    }
}

pub(super) async fn write_flushed(to: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes).await?;
    to.flush().await
}
