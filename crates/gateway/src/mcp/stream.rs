//! Our own responses, whole or streamed, and the event stream of a server with changed messages.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use serde_json::json;
use tersely_wire::mcp::{McpEvent, McpEvents};
use tokio::select;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::error::Error;
use crate::http::memory_budget::BodySpace;
use crate::http::request_slots::RequestSlot;
use crate::http::response::Reply;
use crate::http::response_body::UpstreamBody;
use crate::mcp::client_session::McpClientSession;
use crate::request_log::know;

/// The header with the session id.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// The maximum number of events queued for a slow client; beyond that, the sender waits.
const MAX_QUEUED_EVENTS: usize = 8;

type BodyPiece = Result<Bytes, Error>;

/// A body that a task writes. The request counts as in progress until the body has been written.
struct ChannelBody {
    pieces: Receiver<BodyPiece>,
    _slot: RequestSlot,
}

impl Body for ChannelBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        self.pieces.poll_recv(cx).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}

/// Creates a body, and the sender that a task writes it with.
pub(super) fn channel_body(slot: RequestSlot) -> (Sender<BodyPiece>, Reply) {
    let (sender, pieces) = channel(MAX_QUEUED_EVENTS);
    (sender, Reply::Watched(Box::pin(ChannelBody { pieces, _slot: slot })))
}

/// A JSON response.
pub(super) fn json_reply(status: StatusCode, message: Vec<u8>) -> Response<Reply> {
    let mut response = Response::new(Reply::Ours(Some(Bytes::from(message))));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// An error response in the format that MCP clients expect.
pub(super) fn fault(status: StatusCode, message: &str) -> Response<Reply> {
    error_response(&if status.is_server_error() {
        Error::us(status, message)
    } else {
        Error::client(status, message)
    })
}

/// The response for an [`Error`], in the format that MCP clients expect.
pub(super) fn error_response(error: &Error) -> Response<Reply> {
    let text = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": error.message}});
    let mut response = json_reply(error.status, text.to_string().into_bytes());
    know(response.extensions_mut(), |known| known.fault = Some((error.side, error.message.as_str().into())));
    response
}

/// Formats a message as a server-sent event.
pub(super) fn event(message: &[u8]) -> Bytes {
    Bytes::from([b"event: message\ndata: ", message.trim_ascii(), b"\n\n"].concat())
}

/// Forwards the events of a server as they arrive, with changed messages. If the client disconnects, the connection to
/// the server is closed. If there is no memory for an event, it is forwarded unread.
pub(super) fn rewrite_events(
    client_session: Arc<McpClientSession>,
    mut arrival: UpstreamBody,
    (space, slot): (BodySpace, RequestSlot),
    learn: impl Fn(&McpClientSession) + Send + 'static,
) -> Reply {
    let (sender, reply) = channel_body(slot);
    tokio::spawn(async move {
        let (mut events, mut held) = (McpEvents::default(), space.room());
        loop {
            let frame = select! {
                () = sender.closed() => return,
                frame = arrival.frame() => frame,
            };
            let (mut found, is_over) = match frame {
                Some(Ok(frame)) => (events.feed(frame.data_ref().map_or(b"", |data| &data[..])), false),
                Some(Err(error)) => return drop(sender.send(Err(error)).await),
                None => (events.end().into_iter().collect(), true),
            };
            let bytes = found.iter().map(|event| event.raw.len()).sum::<usize>() + events.waiting();
            if !space.resize(&mut held, bytes) {
                found.extend(events.give_up());
                for event in &mut found {
                    event.message = None;
                }
            }
            for event in found {
                let bytes = space.hold(rewrite_event(&client_session, event).await);
                if sender.send(Ok(bytes)).await.is_err() {
                    return;
                }
            }
            if is_over {
                return;
            }
            space.resize(&mut held, events.waiting());
            learn(&client_session);
        }
    });
    reply
}

/// Changes the message in an event, if necessary, and returns the event's bytes.
async fn rewrite_event(client_session: &McpClientSession, event: McpEvent) -> Vec<u8> {
    let changed = match &event.message {
        Some(message) => client_session.on_server_message(message).await,
        None => None,
    };
    match changed {
        Some(new) => event.with(&new),
        None => event.raw,
    }
}
