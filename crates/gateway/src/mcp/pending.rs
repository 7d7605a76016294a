//! Who waits for what in a session, and where a message of the server goes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tersely_wire::mcp::{RpcId, RpcKind};
use tokio::sync::Notify;
use tokio::sync::mpsc::Sender;

use crate::error::Error;
use crate::mcp::stream::event;

/// How many messages wait for a client that has no stream open or does not read it, and how many bytes.
const MAX_BACKLOG_MESSAGES: usize = 256;
const MAX_BACKLOG_BYTES: usize = 4 << 20;

/// How much is seen of either end of a message that is too long.
const MAX_SEEN_BYTES: usize = 256;

/// Where messages are written to.
pub(super) type EventStream = Sender<Result<Bytes, Error>>;

/// Where an answer is waited for.
pub(super) struct WaitingRequest {
    pub(super) id: RpcId,
    /// The name under which progress is told of it.
    pub(super) progress: Option<Vec<u8>>,
    pub(super) to: EventStream,
}

/// What a client waits for, and what waits for a client.
pub(super) struct PendingRequests {
    waiting: Vec<WaitingRequest>,
    /// The client's own stream.
    stream: Option<EventStream>,
    backlog: VecDeque<Bytes>,
    /// Tells that the backlog has grown, or that the stream is another.
    news: Arc<Notify>,
    /// When somebody last spoke.
    pub(super) latest: Instant,
}

impl PendingRequests {
    /// Nobody has spoken yet.
    pub(super) fn new() -> Self {
        let (waiting, backlog, news) = <(Vec<_>, VecDeque<_>, Arc<_>)>::default();
        Self { waiting, stream: None, backlog, news, latest: Instant::now() }
    }

    /// True when nobody has spoken for so long, and nobody waits.
    pub(super) fn is_quiet(&self, idle: Duration) -> bool {
        let is_heard = self.waiting.iter().map(|waiting| &waiting.to).chain(&self.stream);
        self.latest.elapsed() > idle && is_heard.into_iter().all(Sender::is_closed)
    }

    /// One more waits; who has gone does not.
    pub(super) fn wait(&mut self, one: WaitingRequest) {
        self.waiting.retain(|waiting| !waiting.to.is_closed());
        self.waiting.push(one);
    }

    /// Where a message of the server goes; `None` when nobody waits for it. What is for the client's own stream is kept for
    /// that: a client that does not read it must not hold up what it waits for elsewhere.
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

    /// Where an answer was waited for.
    fn take_stream(&mut self, id: &RpcId) -> Option<EventStream> {
        let at = self.waiting.iter().position(|waiting| waiting.id == *id)?;
        Some(self.waiting.remove(at).to)
    }

    /// Keeps a message for the client's own stream; the oldest goes first.
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

    /// Takes this for the client's own stream; what tells of something to send there.
    pub(super) fn open(&mut self, stream: &EventStream) -> Arc<Notify> {
        self.stream = Some(stream.clone());
        self.news.notify_one();
        self.news = Arc::default();
        Arc::clone(&self.news)
    }

    /// What goes to the client's own stream next; an error when that is another by now, or none.
    pub(super) fn next(&mut self, stream: &EventStream) -> Result<Option<Bytes>, ()> {
        let is_it = self.stream.as_ref().is_some_and(|own| own.same_channel(stream));
        if is_it { Ok(self.backlog.pop_front()) } else { Err(()) }
    }

    /// Closes the client's own stream.
    pub(super) fn hush(&mut self) {
        self.stream = None;
        self.news.notify_one();
    }

    /// Tells whoever waits for this message that it is too long.
    pub(super) fn refuse(&mut self, long: &LongMessage) {
        let alone = self.waiting.len() == 1;
        if let Some(at) = self.waiting.iter().position(|waiting| alone || long.answers(&waiting.id)) {
            self.waiting.remove(at).tell("the server's answer is too long to be carried");
        }
    }

    /// Everybody who waits is told that nothing will come.
    pub(super) fn close(&mut self) {
        self.hush();
        for waiting in self.waiting.drain(..) {
            waiting.tell("the server has ended");
        }
    }
}

impl WaitingRequest {
    fn tell(self, why: &str) {
        let id = self.id.spelled();
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32000,"message":"{why}"}}}}"#);
        // A stream that is full or gone has no room for it.
        let _ = self.to.try_send(Ok(event(message.as_bytes())));
    }
}

/// The ends of a message that is too long to be held.
#[derive(Default)]
pub(super) struct LongMessage {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl LongMessage {
    /// Sees the next part of it.
    pub(super) fn see(&mut self, part: &[u8]) {
        let free = MAX_SEEN_BYTES.saturating_sub(self.head.len()).min(part.len());
        self.head.extend_from_slice(&part[..free]);
        self.tail.extend_from_slice(&part[part.len().saturating_sub(MAX_SEEN_BYTES)..]);
        self.tail.drain(..self.tail.len().saturating_sub(MAX_SEEN_BYTES));
    }

    /// True when it answers the request of this name. Only its ends are known: there, servers write whom they answer.
    fn answers(&self, id: &RpcId) -> bool {
        let solid = |text: &[u8]| -> Vec<u8> {
            text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
        };
        let member = format!(r#""id":{}"#, id.spelled());
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

    /// As Python, Rust and TypeScript write them.
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
