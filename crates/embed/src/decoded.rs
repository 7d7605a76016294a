//! Decodes a text in any form that the program writes: to the original text, or to a value as JSON.

use std::borrow::Cow;

use tersely_codec::{Form, decode, detect, json};
use tersely_core::{original_of, restore};

use crate::error::EmbedError;
use crate::options::CallOptions;
use crate::reply::CallReply;

/// The original of a compressed text; any other text unchanged.
pub(crate) fn restore_text(text: &str) -> Result<CallReply, EmbedError> {
    Ok(reply("text", original(text)?.into_owned()))
}

/// The value of a text in one of the forms as JSON, or the original of a compressed text. Anything else is unchanged.
pub(crate) fn decode_text(options: &CallOptions, text: &str) -> Result<CallReply, EmbedError> {
    let plain = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
    if let Some(form) = options.form {
        let value = decode(form, plain).map_err(|error| EmbedError::Content(error.to_string()))?;
        return Ok(reply("json", json::encode(&value)));
    }
    if let Cow::Owned(restored) = original(text)? {
        return Ok(match decode(Form::Json, &restored) {
            Ok(_) => reply("json", restored),
            Err(_) => reply("text", restored),
        });
    }
    match detect(plain) {
        _ if plain.trim().is_empty() => Ok(reply("text", text.to_owned())),
        Some((_, value)) => Ok(reply("json", json::encode(&value))),
        None => Ok(reply("text", text.to_owned())),
    }
}

/// The original of a text; an error if it is not all there.
fn original(text: &str) -> Result<Cow<'_, str>, EmbedError> {
    if let Some(id) = original_of(text) {
        return Err(EmbedError::Content(format!("detail was left out of this text; the original is {id}")));
    }
    restore(text).ok_or_else(damaged)
}

fn reply(kind: &str, text: String) -> CallReply {
    CallReply { about: format!("{{\"kind\":\"{kind}\"}}"), payload: text.into_bytes() }
}

fn damaged() -> EmbedError {
    let why = "marked as compressed, but it cannot be decoded; a text that refers to earlier results needs its messages";
    EmbedError::Content(why.to_owned())
}
