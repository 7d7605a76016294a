//! Who waits for what in a session, and where a message of the server goes.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tersely_wire::mcp::{RpcId, RpcKind};
use tokio::sync::mpsc::Sender;

use crate::error::Error;
use crate::mcp::stream::event;

/// How many messages wait for a client that has no stream open, and how many bytes.
const BACKLOG: usize = 256;
const BACKLOG_BYTES: usize = 4 << 20;

/// How much is seen of either end of a message that is too long.
const SEEN: usize = 256;

/// Where messages are written to.
pub(super) type EventStream = Sender<Result<Bytes, Error>>;

/// Where an answer is waited for.
pub(super) struct Waiting {
    pub(super) id: RpcId,
    /// The name under which progress is told of it.
    pub(super) progress: Option<Vec<u8>>,
    pub(super) to: EventStream,
}

/// What a client waits for, and what waits for a client.
pub(super) struct Talk {
    waiting: Vec<Waiting>,
    /// The client's own stream.
    stream: Option<EventStream>,
    backlog: VecDeque<Bytes>,
    /// When somebody last spoke.
    pub(super) latest: Instant,
}

impl Talk {
    /// Nobody has spoken yet.
    pub(super) fn new() -> Self {
        Self { waiting: Vec::new(), stream: None, backlog: VecDeque::new(), latest: Instant::now() }
    }

    /// True when nobody has spoken for so long, and nobody waits.
    pub(super) fn is_quiet(&self, idle: Duration) -> bool {
        let is_heard = self.waiting.iter().map(|waiting| &waiting.to).chain(&self.stream);
        self.latest.elapsed() > idle && is_heard.into_iter().all(Sender::is_closed)
    }

    /// One more waits; who has gone does not.
    pub(super) fn wait(&mut self, one: Waiting) {
        self.waiting.retain(|waiting| !waiting.to.is_closed());
        self.waiting.push(one);
    }

    /// Where a message of the server goes.
    pub(super) fn route(&mut self, kind: &RpcKind) -> Option<EventStream> {
        self.latest = Instant::now();
        self.waiting.retain(|waiting| !waiting.to.is_closed());
        let open = self.stream.clone().filter(|stream| !stream.is_closed());
        match kind {
            RpcKind::Answer(id) => {
                let at = self.waiting.iter().position(|waiting| waiting.id == *id)?;
                Some(self.waiting.remove(at).to)
            }
            RpcKind::News { progress: Some(token) } => {
                let of_it = |waiting: &&Waiting| waiting.progress.as_ref() == Some(token);
                self.waiting.iter().find(of_it).map(|waiting| waiting.to.clone()).or(open)
            }
            _ => open.or_else(|| self.waiting.first().map(|waiting| waiting.to.clone())),
        }
    }

    /// Keeps a message for a client that has no stream open; the oldest goes first.
    pub(super) fn keep(&mut self, message: Bytes) {
        self.backlog.push_back(message);
        let is_full = |backlog: &VecDeque<Bytes>| {
            backlog.len() > BACKLOG || backlog.iter().map(Bytes::len).sum::<usize>() > BACKLOG_BYTES
        };
        while is_full(&self.backlog) {
            self.backlog.pop_front();
        }
    }

    /// What was kept and goes first to the client's own stream; that is open once nothing is left.
    pub(super) fn open(&mut self, stream: &EventStream) -> Option<Bytes> {
        let first = self.backlog.pop_front();
        if first.is_none() {
            self.stream = Some(stream.clone());
        }
        first
    }

    /// Closes the client's own stream.
    pub(super) fn hush(&mut self) {
        self.stream = None;
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
        self.stream = None;
        for waiting in self.waiting.drain(..) {
            waiting.tell("the server has ended");
        }
    }
}

impl Waiting {
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
        let free = SEEN.saturating_sub(self.head.len()).min(part.len());
        self.head.extend_from_slice(&part[..free]);
        self.tail.extend_from_slice(&part[part.len().saturating_sub(SEEN)..]);
        self.tail.drain(..self.tail.len().saturating_sub(SEEN));
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
