//! The operations by name: options as JSON and a payload in, an account as JSON and a payload out.
//!
//! One door for every language: a binding needs no types of its own, and a process can serve the same calls.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::json;
use tersely_engine::Recall;

use crate::decoded::{decode_text, restore_text};
use crate::error::EmbedError;
use crate::messages::LoneConversation;
use crate::options::CallOptions;
use crate::reply::CallReply;
use crate::request::compress_request;
use crate::text::compress_text;

/// The names of all operations.
pub const OPERATIONS: [&str; 7] =
    ["text", "messages", "request", "restore", "restore_messages", "decode", "expand"];

/// Runs an operation. If it panics, what was to be compressed comes back unchanged.
pub(crate) fn run(
    operation: &str,
    options: &str,
    payload: &[u8],
    memo: Recall<'_>,
) -> Result<CallReply, EmbedError> {
    let options = CallOptions::read(options)?;
    let work = || dispatch(operation, &options, payload, memo);
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| on_panic(operation, payload))
}

fn dispatch(
    operation: &str,
    options: &CallOptions,
    payload: &[u8],
    memo: Recall<'_>,
) -> Result<CallReply, EmbedError> {
    match operation {
        "text" => Ok(compress_text(options, text(payload)?)),
        "messages" => LoneConversation::read(options, payload)?.compress(options, Some(memo)),
        "request" => compress_request(options, payload),
        "restore" => restore_text(text(payload)?),
        "restore_messages" => LoneConversation::read(options, payload)?.restore(),
        "decode" => decode_text(options, text(payload)?),
        "expand" => LoneConversation::read(options, payload)?.expand(options),
        _ => Err(EmbedError::argument(
            "operation",
            format!("{operation:?} is not one of {}", OPERATIONS.join(", ")),
        )),
    }
}

fn on_panic(operation: &str, payload: &[u8]) -> Result<CallReply, EmbedError> {
    if ["text", "messages", "request"].contains(&operation) {
        let about = json!({ "before": 0, "after": 0, "faults": 1, "stages": [] }).to_string();
        return Ok(CallReply { about, payload: payload.to_vec() });
    }
    Err(EmbedError::Content("this text cannot be decoded".to_owned()))
}

fn text(payload: &[u8]) -> Result<&str, EmbedError> {
    str::from_utf8(payload)
        .map_err(|error| EmbedError::argument("text", format!("byte {} is not UTF-8", error.valid_up_to())))
}
