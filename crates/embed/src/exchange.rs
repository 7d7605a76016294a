//! One request and its response, in which the model may call a tool that the client does not see.
//!
//! The caller moves the bytes: it sends what it gets here, and hands over the response as it arrives. When the model
//! asks for omitted text, it gets another body to send, and the client sees one response.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use tersely_core::Loss;
use tersely_engine::{
    Answers, Engine, ExpandOffer, ForwardBody, HiddenTools, HiddenWay, Recall, Report, Request,
};
use tersely_wire::hidden::{CloseReason, HiddenTurn, ResponseFraming, ResponseWatch, RoundFailure};
use tersely_wire::{HistoryPlace, Provider, claimed_provider};

use crate::error::EmbedError;
use crate::options::CallOptions;
use crate::reply::CallReply;
use crate::request::{about, engine};
use crate::shelf::TextShelf;

/// The maximum number of times that a model is answered within one response.
const MAX_ROUNDS: usize = 5;

/// The number of bytes that answers may have in any conversation, however short it is.
const MIN_ANSWER_BYTES: usize = 1 << 20;

/// A request whose response is watched.
pub struct Exchange {
    engine: Engine,
    provider: &'static Provider,
    path: String,
    /// The client's own body. The omitted text is found by compressing it again, which gives the same bytes.
    came: Bytes,
    way: HiddenWay,
    history: HistoryPlace,
    shelf: OwnedShelf,
    watch: Option<Box<dyn ResponseWatch>>,
    /// The latest body and the answers so far, once the model has asked.
    asked: Option<(Bytes, Answers)>,
    rounds: usize,
}

/// The shelf, as one owner sees it.
struct OwnedShelf {
    shelf: Arc<TextShelf>,
    owner: String,
}

/// What follows the end of an upstream's response.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NextStep {
    /// Bytes that the client gets now.
    pub out: Vec<u8>,
    /// The body of the next request; `None` if the client's response is complete.
    pub send: Option<Vec<u8>>,
}

/// Compresses a request. The exchange is `None` if no tool is hidden in it: then the response needs no attention.
pub(crate) fn open(
    options: &str,
    body: &[u8],
    memo: Recall<'_>,
    shelf: &Arc<TextShelf>,
) -> Result<(CallReply, Option<Exchange>), EmbedError> {
    let options = CallOptions::read(options)?;
    let unchanged = || {
        let about = about(None, &Report::default(), &[]).to_string();
        (CallReply { about, payload: body.to_vec() }, None)
    };
    let path = options.names.path.clone();
    let path = path.ok_or_else(|| EmbedError::argument("path", "must be the path of the request's URL"))?;
    let Some(provider) = claimed_provider(&path) else { return Ok(unchanged()) };
    let work = || compress(&options, (provider, path), body, memo, shelf);
    Ok(catch_unwind(AssertUnwindSafe(work)).ok().flatten().unwrap_or_else(unchanged))
}

fn compress(
    options: &CallOptions,
    (provider, path): (&'static Provider, String),
    body: &[u8],
    memo: Recall<'_>,
    shelf: &Arc<TextShelf>,
) -> Option<(CallReply, Option<Exchange>)> {
    let (came, reading) = (Bytes::copy_from_slice(body), provider.read(body));
    let history = reading.history();
    let expand = if options.switches.retrieve { ExpandOffer::Auto } else { ExpandOffer::Never };
    let engine = engine(options, Loss::Detail, expand);
    // Where the provider stores the conversation, the omitted texts must be known now, and the memo does not have them.
    let memo = (history == HistoryPlace::Here).then_some(memo);
    let request = Request { shared: Some(&came), memo, ..Request::new(provider, &path) };
    let ForwardBody { body: sent, report, hidden } = engine.pass_reading(&request, &reading).ok()?;
    let about = about(Some(provider), &report, &[]).to_string();
    if options.switches.observe {
        return Some((CallReply { about, payload: body.to_vec() }, None));
    }
    let reply = CallReply { about, payload: sent.into_owned() };
    let exchange = hidden.map(|HiddenTools { way, kept }| {
        let owner = options.names.owner.clone().unwrap_or_default();
        if history.is_kept() {
            shelf.keep(&owner, &kept);
        }
        let (shelf, path) = (OwnedShelf { shelf: Arc::clone(shelf), owner }, path.clone());
        let (watch, asked, rounds) = (None, None, 0);
        Exchange { engine, provider, path, came: came.clone(), way, history, shelf, watch, asked, rounds }
    });
    Some((reply, exchange))
}

impl Exchange {
    /// Says how the response is framed: `application/json`, `text/event-stream` and the like. Call it before the first
    /// bytes of each response; the framing of the first stands.
    pub fn begin(&mut self, content_type: &str) {
        let framing = framing(content_type);
        let (way, history) = (&self.way, self.history);
        self.watch.get_or_insert_with(|| way.watch(framing, history));
    }

    /// Takes bytes of the upstream's response, and returns the bytes that the client gets now.
    pub fn see(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        match &mut self.watch {
            Some(watch) => watch.see(bytes, &mut out),
            None => out.extend_from_slice(bytes),
        }
        out
    }

    /// Handles the end of the upstream's response.
    pub fn end(&mut self) -> NextStep {
        let mut out = Vec::new();
        let Some(turn) = self.watch.as_mut().and_then(|watch| watch.end(&mut out)) else {
            return NextStep { out, send: None };
        };
        if self.rounds >= MAX_ROUNDS {
            self.close(CloseReason::Enough, &mut out);
            return NextStep { out, send: None };
        }
        self.rounds += 1;
        let send = catch_unwind(AssertUnwindSafe(|| self.next_body(&turn))).ok().flatten();
        if send.is_none() {
            let message = "the omitted text is unavailable; send the request again";
            self.close(CloseReason::Failed(RoundFailure { status: 502, kind: None, message }), &mut out);
        }
        NextStep { out, send }
    }

    /// Ends the client's response because the next request failed, and returns its last bytes.
    pub fn fail(&mut self, status: u16, message: &str) -> Vec<u8> {
        let mut out = Vec::new();
        self.close(CloseReason::Failed(RoundFailure { status, kind: None, message }), &mut out);
        out
    }

    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>) {
        if let Some(watch) = &mut self.watch {
            watch.close(why, out);
        }
    }

    /// The latest body, the model's turn, and the answers to it.
    fn next_body(&mut self, turn: &HiddenTurn) -> Option<Vec<u8>> {
        let (body, mut answers) = match self.asked.take() {
            Some(asked) => asked,
            None => self.again()?,
        };
        for id in answers.unknown(&turn.asks) {
            if let Some(text) = self.shelf.shelf.find(&self.shelf.owner, &id) {
                answers.add(id, text);
            }
        }
        let texts = answers.answer(self.came.len().max(MIN_ANSWER_BYTES), &turn.asks);
        let (hides, names) = (self.way.hides, self.way.names);
        let mut next = hides.answer(turn, &texts, &body).ok()?;
        if self.rounds == MAX_ROUNDS {
            // Who cannot ask any more is not offered the tool.
            next = hides.withdraw(names, &next).ok().flatten().unwrap_or(next);
        }
        self.asked = Some((Bytes::from(next.clone()), answers));
        Some(next)
    }

    /// The body that was sent first, and the texts left out of it.
    fn again(&self) -> Option<(Bytes, Answers)> {
        let request = Request::new(self.provider, &self.path);
        let passed = self.engine.pass(&request, &self.came).ok()?;
        let kept = passed.hidden?.kept;
        Some((Bytes::from(passed.body.into_owned()), Answers::new(kept)))
    }
}

fn framing(content_type: &str) -> ResponseFraming {
    match content_type.split(';').next().unwrap_or_default().trim() {
        "text/event-stream" => ResponseFraming::Events,
        "application/vnd.amazon.eventstream" => ResponseFraming::Messages,
        _ => ResponseFraming::Whole,
    }
}
