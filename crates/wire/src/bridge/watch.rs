//! Rewrites `call_tool` calls in a response as the client's own calls, before another watch reads the response.
//!
//! A `call_tool` call that names none of the client's tools remains a call of a hidden tool: it is answered and not
//! shown.

use std::sync::Arc;

use tersely_json::{BytePatch, JsonNode};

use crate::bridge::call::BridgedCall;
use crate::bridge::catalogue::ToolNames;
use crate::hidden::turn::{HiddenTurn, MAX_HELD_BYTES};
use crate::hidden::watch::{CloseReason, ResponseFraming, ResponseWatch};
use crate::protocol::framing::{EventFrame, EventFrames};

/// How the model calls the unlisted tools of one request.
#[derive(Debug, Clone)]
pub struct CallBridge {
    /// The name of the tool through which the unlisted tools are called.
    pub call: &'static str,
    /// The names of all the client's tools.
    pub tools: Arc<ToolNames>,
    /// The client's array of tools. It is needed because some servers repeat a request's tools in their response.
    pub listed: Arc<[u8]>,
}

impl CallBridge {
    /// Reads the intended call from the arguments of the bridging tool.
    pub(crate) fn read(&self, input: &[u8]) -> Option<BridgedCall> {
        BridgedCall::read(&self.tools, input)
    }

    /// True when a name that starts with `name` may be the name of the bridging tool.
    pub(crate) fn begins(&self, name: &str) -> bool {
        !name.is_empty() && self.call.starts_with(name)
    }

    /// True when `name` is the name of the bridging tool.
    pub(crate) fn fits(&self, name: Option<&JsonNode<'_>>) -> bool {
        name.is_some_and(|name| name.is_str(self.call))
    }
}

/// Computes the changes to a response body; `None` when the body cannot be read.
pub(crate) type BodyBridge = fn(&CallBridge, &[u8]) -> Option<BytePatch>;

/// Rewrites the events of a response.
pub(crate) trait EventBridge: Send {
    /// Takes an event, and appends the events that replace it to `out`.
    fn event(&mut self, calls: &CallBridge, frame: EventFrame<'_>, out: &mut Vec<u8>);

    /// Appends the events that are still held, when the stream ends.
    fn end(&mut self, calls: &CallBridge, out: &mut Vec<u8>);
}

/// Creates a watch that rewrites a response with this framing, and passes the response to `watch`.
pub(crate) fn bridge_response(
    calls: CallBridge,
    framing: ResponseFraming,
    body: BodyBridge,
    events: impl EventBridge + 'static,
    watch: Box<dyn ResponseWatch>,
) -> Box<dyn ResponseWatch> {
    match framing {
        ResponseFraming::Whole | ResponseFraming::Messages => bridge_whole(calls, body, watch),
        ResponseFraming::Events => bridge_events(calls, events, watch),
    }
}

fn bridge_whole(
    calls: CallBridge,
    body: BodyBridge,
    watch: Box<dyn ResponseWatch>,
) -> Box<dyn ResponseWatch> {
    Box::new(WholeBridge { calls, body, held: Vec::new(), is_blind: false, watch })
}

fn bridge_events(
    calls: CallBridge,
    events: impl EventBridge + 'static,
    watch: Box<dyn ResponseWatch>,
) -> Box<dyn ResponseWatch> {
    Box::new(StreamBridge { calls, frames: EventFrames::default(), events, is_blind: false, watch })
}

struct WholeBridge {
    calls: CallBridge,
    body: BodyBridge,
    held: Vec<u8>,
    /// True when the body is too long to hold.
    is_blind: bool,
    watch: Box<dyn ResponseWatch>,
}

impl ResponseWatch for WholeBridge {
    fn see(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.held.extend_from_slice(bytes);
        self.is_blind |= self.held.len() > MAX_HELD_BYTES;
        if self.is_blind {
            self.watch.see(&std::mem::take(&mut self.held), out);
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let body = std::mem::take(&mut self.held);
        match (self.body)(&self.calls, &body) {
            Some(patch) => self.watch.see(&patch.apply(&body), out),
            None => self.watch.see(&body, out),
        }
        self.watch.end(out)
    }

    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>) {
        self.watch.close(why, out);
    }
}

struct StreamBridge<E> {
    calls: CallBridge,
    frames: EventFrames,
    events: E,
    /// True when an event is too long to hold.
    is_blind: bool,
    watch: Box<dyn ResponseWatch>,
}

impl<E: EventBridge> ResponseWatch for StreamBridge<E> {
    fn see(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.is_blind {
            return self.watch.see(bytes, out);
        }
        let mut told = Vec::new();
        self.frames.take(bytes, |frame| self.events.event(&self.calls, frame, &mut told));
        if self.frames.is_full() {
            self.is_blind = true;
            self.events.end(&self.calls, &mut told);
            told.extend_from_slice(&self.frames.rest());
        }
        self.watch.see(&told, out);
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let (mut told, mut rest) = (Vec::new(), self.frames.rest());
        // An upstream may omit the last blank line.
        if rest.iter().any(|byte| !byte.is_ascii_whitespace()) {
            rest.extend_from_slice(b"\n\n");
            self.events.event(&self.calls, EventFrame::sse(&rest), &mut told);
        }
        self.events.end(&self.calls, &mut told);
        self.watch.see(&told, out);
        self.watch.end(out)
    }

    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>) {
        self.watch.close(why, out);
    }
}
