//! The requests of a session that wait for a response, and the routing of the server's messages.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tersely_account::RequestRecord;
use tersely_wire::mcp::{RpcId, RpcKind};
use tokio::sync::Notify;
use tokio::sync::mpsc::Sender;

use crate::error::Error;
use crate::mcp::stream::event;
use crate::record_cell::RecordCell;

/// The maximum number and total size of the messages that are kept for a client that has no open stream or does not
/// read it.
const MAX_BACKLOG_MESSAGES: usize = 256;
const MAX_BACKLOG_BYTES: usize = 4 << 20;

/// The number of bytes to keep from each end of a message that is too long.
const MAX_SEEN_BYTES: usize = 256;

/// A stream of events to the client.
pub(super) type EventStream = Sender<Result<Bytes, Error>>;

/// A request that waits for its response.
pub(super) struct WaitingRequest {
    pub(super) id: RpcId,
    /// The token that identifies the request in progress notifications.
    pub(super) progress: Option<Vec<u8>>,
    pub(super) to: EventStream,
    /// What is done with the answer.
    pub(super) record: RecordCell,
}

/// The waiting requests and the streams of one session.
pub(super) struct PendingRequests {
    waiting: Vec<WaitingRequest>,
    /// The stream that the client opened for messages that belong to no request.
    stream: Option<EventStream>,
    backlog: VecDeque<Bytes>,
    /// Signals that the backlog has grown, or that the stream was replaced.
    news: Arc<Notify>,
    /// When the last message was sent or received.
    pub(super) latest: Instant,
}

impl PendingRequests {
    /// Creates the state of a new session.
    pub(super) fn new() -> Self {
        let (waiting, backlog, news) = <(Vec<_>, VecDeque<_>, Arc<_>)>::default();
        Self { waiting, stream: None, backlog, news, latest: Instant::now() }
    }

    /// True if there was no message for the duration `idle`, and no client is waiting.
    pub(super) fn is_quiet(&self, idle: Duration) -> bool {
        let is_heard = self.waiting.iter().map(|waiting| &waiting.to).chain(&self.stream);
        self.latest.elapsed() > idle && is_heard.into_iter().all(Sender::is_closed)
    }

    /// Adds a request, and removes the requests whose client has disconnected.
    pub(super) fn wait(&mut self, one: WaitingRequest) {
        self.waiting.retain(|waiting| !waiting.to.is_closed());
        self.waiting.push(one);
    }

    /// The stream to which a message from the server must be sent; `None` if the message was added to the backlog or
    /// has no receiver. Messages for the client's own stream are added to the backlog, because a client that does not
    /// read that stream must not block its other responses.
    pub(super) fn route(&mut self, kind: &RpcKind, message: &Bytes) -> Option<EventStream> {
        self.latest = Instant::now();
        self.waiting.retain(|waiting| !waiting.to.is_closed());
        let to = match kind {
            RpcKind::Answer(id) => return self.take_stream(id),
            RpcKind::Answers(ids) => return ids.iter().filter_map(|id| self.take_stream(id)).last(),
            RpcKind::News { progress: Some(token) } => {
                self.waiting.iter().find(|waiting| waiting.progress.as_ref() == Some(token))
            }
            _ => self.waiting.first().filter(|_| self.stream.as_ref().is_none_or(Sender::is_closed)),
        };
        let to = to.map(|waiting| waiting.to.clone());
        if to.is_none() {
            self.keep(message.clone());
        }
        to
    }

    /// Adds what was done with a message to the record of the request that it answers.
    pub(super) fn record(&self, kind: &RpcKind, record: RequestRecord) {
        let id = match kind {
            RpcKind::Answer(id) => Some(id),
            RpcKind::Answers(ids) => ids.last(),
            _ => None,
        };
        let waiting = self.waiting.iter().find(|waiting| Some(&waiting.id) == id);
        if let Some(waiting) = waiting {
            waiting.record.join(record);
        }
    }

    /// Removes the request with this id, and returns its stream.
    fn take_stream(&mut self, id: &RpcId) -> Option<EventStream> {
        let at = self.waiting.iter().position(|waiting| waiting.id == *id)?;
        Some(self.waiting.remove(at).to)
    }

    /// Adds a message to the backlog; if the backlog is full, drops the oldest messages.
    fn keep(&mut self, message: Bytes) {
        self.backlog.push_back(message);
        self.news.notify_one();
        let is_full = |backlog: &VecDeque<Bytes>| {
            backlog.len() > MAX_BACKLOG_MESSAGES
                || backlog.iter().map(Bytes::len).sum::<usize>() > MAX_BACKLOG_BYTES
        };
        while is_full(&self.backlog) {
            self.backlog.pop_front();
        }
    }

    /// Sets the client's own stream; returns a signal that a message for it has arrived.
    pub(super) fn open(&mut self, stream: &EventStream) -> Arc<Notify> {
        self.stream = Some(stream.clone());
        self.news.notify_one();
        self.news = Arc::default();
        Arc::clone(&self.news)
    }

    /// The next message for the client's own stream; an error if the stream has been replaced or closed.
    pub(super) fn next(&mut self, stream: &EventStream) -> Result<Option<Bytes>, ()> {
        let is_it = self.stream.as_ref().is_some_and(|own| own.same_channel(stream));
        if is_it { Ok(self.backlog.pop_front()) } else { Err(()) }
    }

    /// Closes the client's own stream.
    pub(super) fn close_stream(&mut self) {
        self.stream = None;
        self.news.notify_one();
    }

    /// Reports to the waiting client that the response is too long, by itself or for the memory that is free.
    pub(super) fn refuse(&mut self, long: &LongMessage) {
        let alone = self.waiting.len() == 1;
        if let Some(at) = self.waiting.iter().position(|waiting| alone || long.answers(&waiting.id)) {
            self.waiting.remove(at).report_error("the server's answer is too long to forward");
        }
    }

    /// Reports to all waiting clients that the server has ended.
    pub(super) fn close(&mut self) {
        self.close_stream();
        for waiting in self.waiting.drain(..) {
            waiting.report_error("the server has ended");
        }
    }
}

impl WaitingRequest {
    fn report_error(self, why: &str) {
        // A stream that is full or closed does not accept the message.
        let _ = self.to.try_send(Ok(event(self.id.unreachable(why).as_bytes())));
    }
}

/// Both ends of a message that is too long to be buffered.
#[derive(Default)]
pub(super) struct LongMessage {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl LongMessage {
    /// Processes the next part of the message.
    pub(super) fn see(&mut self, part: &[u8]) {
        let free = MAX_SEEN_BYTES.saturating_sub(self.head.len()).min(part.len());
        self.head.extend_from_slice(&part[..free]);
        self.tail.extend_from_slice(&part[part.len().saturating_sub(MAX_SEEN_BYTES)..]);
        self.tail.drain(..self.tail.len().saturating_sub(MAX_SEEN_BYTES));
    }

    /// True if the message answers this request. Only its ends are stored, but servers write the id there.
    fn answers(&self, id: &RpcId) -> bool {
        let solid = |text: &[u8]| -> Vec<u8> {
            text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
        };
        let member = format!(r#""id":{}"#, id.to_json());
        let (head, tail) = (solid(&self.head), solid(&self.tail));
        let starts = ["{", r#"{"jsonrpc":"2.0","#].map(|start| format!("{start}{member},"));
        let ends = ["}", r#","jsonrpc":"2.0"}"#].map(|end| format!(",{member}{end}"));
        starts.iter().any(|start| head.starts_with(start.as_bytes()))
            || ends.iter().any(|end| tail.ends_with(end.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages are formatted as the Python, Rust and TypeScript libraries format them.
    #[test]
    fn a_long_message_says_at_its_ends_whom_it_answers() {
        let long = "x".repeat(1000);
        for (text, expected) in [
            (format!(r#"{{"jsonrpc": "2.0", "id": 7, "result": "{long}"}}"#), true),
            (format!(r#"{{"result":"{long}","jsonrpc":"2.0","id":7}}"#), true),
            (format!(r#"{{"result":"{long}","jsonrpc":"2.0","id":77}}"#), false),
            (format!(r#"{{"jsonrpc":"2.0","method":"{long}","params":{{"id":7}}}}"#), false),
        ] {
            let mut seen = LongMessage::default();
            text.as_bytes().chunks(300).for_each(|part| seen.see(part));
            assert_eq!(seen.answers(&RpcId::Number("7".into())), expected, "{}", &text[..40]);
        }
    }
}
