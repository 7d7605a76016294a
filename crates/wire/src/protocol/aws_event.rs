//! Reads and writes AWS event stream messages, which consist of lengths, headers, a payload and checksums.

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;
use tersely_json::{BytePatch, JsonNode, string};

use crate::protocol::failure::RoundFailure;

/// The length of the prelude: the total length, the length of the headers, and a checksum of both.
pub(crate) const PRELUDE_BYTES: usize = 12;

/// The length of the checksum of the whole message.
const CHECKSUM_BYTES: usize = 4;

/// The limits that AWS's own parsers use.
const MAX_HEADER_BYTES: usize = 128 << 10;
const MAX_PAYLOAD_BYTES: usize = 24 << 20;

/// The error for a broken message: the start of the next message is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BrokenMessage;

/// True when `bytes` start with the valid prelude of a message.
#[must_use]
pub fn begins_message(bytes: &[u8]) -> bool {
    matches!(prelude(bytes), Ok(Some(_)))
}

/// The total length in the prelude of the message at the start of `bytes`; `None` while the prelude is incomplete.
pub(crate) fn declared_length(bytes: &[u8]) -> Result<Option<usize>, BrokenMessage> {
    Ok(prelude(bytes)?.map(|(total, _)| total))
}

/// The length of the message at the start of `bytes`; `None` while the message is incomplete.
pub(crate) fn length(bytes: &[u8]) -> Result<Option<usize>, BrokenMessage> {
    let Some((total, _)) = prelude(bytes)? else { return Ok(None) };
    let Some(message) = bytes.get(..total) else { return Ok(None) };
    let (content, sum) = message.split_at(total - CHECKSUM_BYTES);
    if crc32fast::hash(content).to_be_bytes() == sum { Ok(Some(total)) } else { Err(BrokenMessage) }
}

/// The payload of a message.
pub(crate) fn payload(raw: &[u8]) -> Option<&[u8]> {
    let (total, headers) = prelude(raw).ok()??;
    raw.get(PRELUDE_BYTES + headers..total - CHECKSUM_BYTES)
}

/// The data that the payload wraps in base64, or the payload itself if it wraps nothing. Of two members with the same
/// name the last one counts, as it does for clients.
pub(crate) fn unwrap_payload(raw: &[u8]) -> Option<Cow<'_, [u8]>> {
    let payload = payload(raw)?;
    let value: Option<Value> = serde_json::from_slice(payload).ok();
    let bytes = value.as_ref().and_then(|value| value["bytes"].as_str());
    let bytes = bytes.and_then(|bytes| BASE64.decode(bytes).ok());
    Some(bytes.map_or(Cow::Borrowed(payload), Cow::Owned))
}

/// The name of the event in a message.
pub(crate) fn name(raw: &[u8]) -> Option<&str> {
    let (_, length) = prelude(raw).ok()??;
    let mut headers = raw.get(PRELUDE_BYTES..PRELUDE_BYTES + length)?;
    while let Some((name, value, rest)) = header(headers) {
        if name == b":event-type" {
            return str::from_utf8(value).ok();
        }
        headers = rest;
    }
    None
}

/// Appends the message with this payload instead of its own; its headers stay unchanged.
pub(crate) fn change(raw: &[u8], payload: &[u8], out: &mut Vec<u8>) {
    let headers =
        prelude(raw).ok().flatten().and_then(|(_, length)| raw.get(PRELUDE_BYTES..PRELUDE_BYTES + length));
    frame(headers.unwrap_or_default(), payload, out);
}

/// Appends the message with other data, wrapped in base64 as before; other members stay unchanged.
pub(crate) fn rewrap(raw: &[u8], data: &[u8], out: &mut Vec<u8>) {
    let old = payload(raw).unwrap_or_default();
    let Some(Cow::Owned(_)) = unwrap_payload(raw) else { return change(raw, data, out) };
    let Some(place) = JsonNode::object(old).and_then(|top| top.get("bytes")) else {
        return change(raw, wrap(data).as_bytes(), out);
    };
    let mut patch = BytePatch::default();
    patch.put(place.span, string::quote(&BASE64.encode(data)));
    change(raw, &patch.apply(old), out);
}

/// Writes a payload that wraps this data in base64.
pub(crate) fn wrap(data: &[u8]) -> String {
    format!(r#"{{"bytes":"{}"}}"#, BASE64.encode(data))
}

/// Appends an event with this name and payload.
pub(crate) fn write(name: &str, payload: &str, out: &mut Vec<u8>) {
    write_headers(
        [(":event-type", name), (":content-type", "application/json"), (":message-type", "event")],
        payload,
        out,
    );
}

/// Appends the exception that ends a failed stream.
pub(crate) fn write_exception(why: RoundFailure<'_>, out: &mut Vec<u8>) {
    let kind = match why.status {
        400..=404 | 413 => "validationException",
        429 => "throttlingException",
        424 => "modelStreamErrorException",
        503 => "serviceUnavailableException",
        _ => "internalServerException",
    };
    let payload = format!(r#"{{"message":{}}}"#, string::quote(why.message));
    let headers =
        [(":exception-type", kind), (":content-type", "application/json"), (":message-type", "exception")];
    write_headers(headers, &payload, out);
}

/// Decodes base64 as clients do: trailing bits and padding are ignored.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The lengths of the message at the start of `bytes` and of its headers.
fn prelude(bytes: &[u8]) -> Result<Option<(usize, usize)>, BrokenMessage> {
    let Some(([total, headers], sum)) = bytes.first_chunk::<PRELUDE_BYTES>().map(words) else {
        return Ok(None);
    };
    let payload =
        total.checked_sub(headers).and_then(|rest| rest.checked_sub(PRELUDE_BYTES + CHECKSUM_BYTES));
    let fits = headers <= MAX_HEADER_BYTES && payload.is_some_and(|length| length <= MAX_PAYLOAD_BYTES);
    if fits && crc32fast::hash(&bytes[..PRELUDE_BYTES - CHECKSUM_BYTES]) == sum {
        Ok(Some((total, headers)))
    } else {
        Err(BrokenMessage)
    }
}

fn words(prelude: &[u8; PRELUDE_BYTES]) -> ([usize; 2], u32) {
    let word =
        |at: usize| u32::from_be_bytes([prelude[at], prelude[at + 1], prelude[at + 2], prelude[at + 3]]);
    ([word(0) as usize, word(4) as usize], word(8))
}

/// The name and the value of the first header, and the bytes after it.
fn header(headers: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (length, rest) = headers.split_first()?;
    let (name, rest) = rest.split_at_checked(usize::from(*length))?;
    let (kind, rest) = rest.split_first()?;
    let (length, rest) = match kind {
        0 | 1 => (0, rest),
        2 => (1, rest),
        3 => (2, rest),
        4 => (4, rest),
        5 | 8 => (8, rest),
        6 | 7 => {
            let (length, rest) = rest.split_first_chunk::<2>()?;
            (usize::from(u16::from_be_bytes(*length)), rest)
        }
        9 => (16, rest),
        _ => return None,
    };
    let (value, rest) = rest.split_at_checked(length)?;
    Some((name, value, rest))
}

/// The type code of a header with a string value.
const STRING: u8 = 7;

fn write_headers<const N: usize>(headers: [(&str, &str); N], payload: &str, out: &mut Vec<u8>) {
    let mut written = Vec::new();
    for (name, value) in headers {
        let (short, long) = (u8::try_from(name.len()), u16::try_from(value.len()));
        let (Ok(short), Ok(long)) = (short, long) else { continue };
        written.extend_from_slice(&[&[short], name.as_bytes(), &[STRING]].concat());
        written.extend_from_slice(&[&long.to_be_bytes(), value.as_bytes()].concat());
    }
    frame(&written, payload.as_bytes(), out);
}

fn frame(headers: &[u8], payload: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let total = PRELUDE_BYTES + headers.len() + payload.len() + CHECKSUM_BYTES;
    for length in [total, headers.len()] {
        out.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
    }
    out.extend_from_slice(&crc32fast::hash(&out[start..]).to_be_bytes());
    out.extend_from_slice(headers);
    out.extend_from_slice(payload);
    out.extend_from_slice(&crc32fast::hash(&out[start..]).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The empty message that AWS publishes.
    const EMPTY: &[u8] = b"\x00\x00\x00\x10\x00\x00\x00\x00\x05\xc2\x48\xeb\x7d\x98\xc8\xff";

    fn message_of(name: &str, payload: &str) -> Vec<u8> {
        let mut out = Vec::new();
        write(name, payload, &mut out);
        out
    }

    #[test]
    fn a_message_is_what_aws_says_it_is() {
        assert_eq!(length(EMPTY), Ok(Some(16)));
        assert_eq!((payload(EMPTY), name(EMPTY)), (Some(&b""[..]), None));
        let mut out = Vec::new();
        frame(b"", b"", &mut out);
        assert_eq!(out, EMPTY);
    }

    #[test]
    fn what_is_written_is_read() {
        let raw = message_of("chunk", r#"{"bytes":"aGk=","p":"abc"}"#);
        assert_eq!(length(&[&raw[..], b"more"].concat()), Ok(Some(raw.len())));
        assert_eq!((name(&raw), unwrap_payload(&raw).as_deref()), (Some("chunk"), Some(&b"hi"[..])));
        let mut out = Vec::new();
        rewrap(&raw, b"ho!", &mut out);
        assert_eq!(out, message_of("chunk", r#"{"bytes":"aG8h","p":"abc"}"#));
    }

    #[test]
    fn a_message_that_is_not_all_here_is_waited_for() {
        let raw = message_of("metadata", "{}");
        for end in 0..raw.len() {
            assert_eq!(length(&raw[..end]), Ok(None), "{end}");
        }
    }

    #[test]
    fn no_byte_can_be_another() {
        let raw = message_of("metadata", "{}");
        for at in 0..raw.len() {
            let mut other = raw.clone();
            other[at] ^= 0x10;
            assert_eq!(length(&other), Err(BrokenMessage), "{at}");
        }
    }

    /// The lengths have correct checksums but are impossible.
    #[test]
    fn hostile_lengths_are_refused() {
        for (total, headers) in [
            (0, 0),
            (15, 0),
            (16, 1),
            (u32::MAX, 0),
            (u32::MAX, u32::MAX),
            (25 << 20, 0),
            (200 << 10, 129 << 10),
        ] {
            let lengths = [total.to_be_bytes(), headers.to_be_bytes()].concat();
            let bytes = [&lengths[..], &crc32fast::hash(&lengths).to_be_bytes(), &[0; 64]].concat();
            assert_eq!(length(&bytes), Err(BrokenMessage), "{total} {headers}");
            assert!(!begins_message(&bytes), "{total} {headers}");
        }
    }

    #[test]
    fn headers_of_every_kind_are_stepped_over() {
        let mut headers = Vec::new();
        for (kind, value) in [
            (0, &b""[..]),
            (1, b""),
            (2, b"1"),
            (3, b"12"),
            (4, b"1234"),
            (5, b"12345678"),
            (6, b"\x00\x01x"),
            (8, b"12345678"),
            (9, b"1234567890123456"),
        ] {
            headers.extend_from_slice(&[&b"\x01h"[..], &[kind], value].concat());
        }
        for (rest, expected) in [
            (&b"\x0b:event-type\x07\x00\x02ok"[..], Some("ok")),
            (b"\x0b:event-type\x07\x00\x09ok", None),
            (b"\x01h\x0a", None),
            (b"\xff", None),
        ] {
            let mut raw = Vec::new();
            frame(&[&headers, rest].concat(), b"{}", &mut raw);
            assert_eq!((name(&raw), payload(&raw)), (expected, Some(&b"{}"[..])));
        }
    }
}
