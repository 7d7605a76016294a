//! A tool that the model sees and the client does not: put into requests, answered, and taken out of responses.
//!
//! All of it is a function of the bytes that pass by. A [`Watch`] is fed the response as it comes and says what may
//! go on at once; only what may turn out to be a call of the hidden tool is held back.

pub(crate) mod anthropic;
pub(crate) mod chat;
mod counts;
mod events;
mod frames;
pub(crate) mod gemini;
mod node;
mod patch;
mod request;
pub(crate) mod responses;
mod tally;
mod veil;
mod whole;
mod words;

pub(crate) use events::Events;
pub(crate) use frames::Frame;
pub(crate) use request::{add, place, push};
pub(crate) use whole::Bodies;

use crate::{History, WireError};

/// How many bytes of what a model says are held or collected; what is longer goes on as it comes.
pub const MOST: usize = 32 << 20;

/// A tool, as the model is told of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// What the model calls it by.
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// The JSON schema of its arguments.
    pub parameters: &'static str,
}

/// A call of the hidden tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// What the provider calls the call; empty where it has no name.
    pub id: String,
    /// Its arguments, as the model wrote them: JSON, unless the model erred.
    pub input: String,
}

/// What a model said up to where it waits for the hidden tool's answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The calls, in order; at least one.
    pub asks: Vec<Ask>,
    /// The turn in the provider's shape: what goes behind the last message of a request, as JSON values with commas
    /// between them.
    pub said: String,
}

/// Whether a response comes at once or in events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// One JSON value.
    Whole,
    /// Server-sent events.
    Events,
}

/// Why a response ends although the model waits for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Close<'a> {
    /// It has had as many as it may have.
    Enough,
    /// The rest could not be had.
    Failed(Failure<'a>),
}

/// Why the rest of a response could not be had, for its client to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure<'a> {
    /// The status that a response of its own would have.
    pub status: u16,
    /// The upstream's word for it, if it had one.
    pub kind: Option<&'a str>,
    /// What happened, in words.
    pub message: &'a str,
}

/// What a provider says it counted, over all rounds of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens read at full price.
    pub input: u64,
    /// Tokens read from its cache.
    pub cached: u64,
    /// Tokens written to its cache.
    pub written: u64,
    /// Tokens that the model wrote.
    pub output: u64,
}

/// A shape of requests and responses in which a tool can be hidden.
pub trait Hides: Sync {
    /// The body with `tool` behind the tools of the client; `None` when the client has none, has one of that name, or
    /// asks for something in which nothing can be hidden, such as several answers at once.
    ///
    /// # Errors
    /// When the body is not JSON that everyone reads alike.
    fn offer(&self, tool: &Tool, body: &[u8]) -> Result<Option<Vec<u8>>, WireError>;

    /// The request that goes on from `body`: behind its last message the turn, and the answers to its calls in order.
    ///
    /// # Errors
    /// As with offers.
    fn answer(&self, turn: &Turn, answers: &[String], body: &[u8]) -> Result<Vec<u8>, WireError>;

    /// The request of a last round, `body`, without the tool with this name: who cannot ask leaves no question open.
    /// `None` where an open question does no harm, and the start of the request stays what the provider has cached.
    ///
    /// # Errors
    /// As with offers.
    fn withdraw(&self, _name: &str, _body: &[u8]) -> Result<Option<Vec<u8>>, WireError> {
        Ok(None)
    }

    /// Watches one response, over all its rounds, for calls of the tool with this name; `history` is that of the
    /// request. Where it is kept, the provider would hold a client to calls that it never saw, so that every call is
    /// to be answered.
    fn watch(&self, name: &'static str, framing: Framing, history: History) -> Box<dyn Watch>;
}

/// A response on its way to the client.
///
/// A response may have several rounds: when `end` gives a turn, the next response of the upstream is fed to the same
/// watch, and the client sees one response. What cannot be understood goes on as it came.
pub trait Watch: Send {
    /// Takes bytes of the upstream's response; appends to `out` what may go to the client now.
    fn see(&mut self, bytes: &[u8], out: &mut Vec<u8>);

    /// The upstream's response is over. A turn is to be answered or closed; without one, so is the client's response.
    fn end(&mut self, out: &mut Vec<u8>) -> Option<Turn>;

    /// Ends the client's response in place of an answer to the latest turn.
    fn close(&mut self, why: Close<'_>, out: &mut Vec<u8>);

    /// What all rounds so far cost.
    fn spent(&self) -> Usage;
}
