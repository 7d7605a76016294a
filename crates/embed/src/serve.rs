//! Serves the library to another process: calls on one stream, replies on another, in order.
//!
//! A message is a line of JSON that ends with how many bytes follow it. Exchanges have numbers, which the caller drops.

use std::collections::HashMap;
use std::io::{self, BufRead, Read as _, Write};

use serde_json::{Map, Value, json};

use crate::error::EmbedError;
use crate::exchange::{Exchange, NextStep};
use crate::library::Library;
use crate::reply::CallReply;

/// The maximum size of the line before a payload.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// The maximum size of a payload. The program stops at a longer one, because what follows cannot be understood.
const MAX_PAYLOAD_BYTES: u64 = 1 << 30;

/// A line before a payload, and the payload.
type Message = (Map<String, Value>, Vec<u8>);

/// Answers calls until the stream ends.
///
/// # Errors
/// When a stream breaks, or what arrives is not a call.
pub fn serve(library: &Library, mut from: impl BufRead, mut to: impl Write) -> io::Result<()> {
    let mut open = OpenExchanges::default();
    while let Some((head, payload)) = read(&mut from)? {
        let (head, parts) = open.answer(library, &head, &payload);
        write(&mut to, head, &parts)?;
    }
    Ok(())
}

/// The exchanges whose responses have not ended.
#[derive(Default)]
struct OpenExchanges {
    exchanges: HashMap<u64, Exchange>,
    count: u64,
}

impl OpenExchanges {
    /// The line and the parts of the reply to a call.
    fn answer(
        &mut self,
        library: &Library,
        head: &Map<String, Value>,
        payload: &[u8],
    ) -> (Value, Vec<Vec<u8>>) {
        let word = |name: &str| head.get(name).and_then(Value::as_str).unwrap_or_default();
        let options = head.get("options").map(Value::to_string).unwrap_or_default();
        let number = head.get("exchange").and_then(Value::as_u64).unwrap_or_default();
        let reply = match word("operation") {
            "open" => library.open(&options, payload).map(|(reply, exchange)| self.store(reply, exchange)),
            "close" => {
                self.exchanges.remove(&number);
                Ok((json!({}), Vec::new()))
            }
            step @ ("begin" | "see" | "end" | "fail") => {
                let exchange = self.exchanges.get_mut(&number);
                let found = exchange
                    .ok_or_else(|| EmbedError::argument("exchange", "there is none with this number"));
                found.map(|exchange| advance(exchange, step, head, payload))
            }
            operation => {
                library.call(operation, &options, payload).map(|reply| (about(&reply), vec![reply.payload]))
            }
        };
        reply
            .unwrap_or_else(|error| (json!({ "kind": error.kind(), "error": error.to_string() }), Vec::new()))
    }

    fn store(&mut self, reply: CallReply, exchange: Option<Exchange>) -> (Value, Vec<Vec<u8>>) {
        let mut head = about(&reply);
        if let Some(exchange) = exchange {
            self.count += 1;
            self.exchanges.insert(self.count, exchange);
            head["exchange"] = json!(self.count);
        }
        (head, vec![reply.payload])
    }
}

/// Moves an exchange on by one step.
fn advance(
    exchange: &mut Exchange,
    step: &str,
    head: &Map<String, Value>,
    payload: &[u8],
) -> (Value, Vec<Vec<u8>>) {
    let word = |name: &str| head.get(name).and_then(Value::as_str).unwrap_or_default();
    match step {
        "begin" => {
            exchange.begin(word("content_type"));
            (json!({}), Vec::new())
        }
        "see" => (json!({}), vec![exchange.see(payload)]),
        "end" => {
            let NextStep { out, send } = exchange.end();
            let sends = send.is_some();
            (json!({ "sends": sends }), [vec![out], send.into_iter().collect()].concat())
        }
        _ => {
            let status = head.get("status").and_then(Value::as_u64).and_then(|it| u16::try_from(it).ok());
            (json!({}), vec![exchange.fail(status.unwrap_or(502), word("message"))])
        }
    }
}

fn about(reply: &CallReply) -> Value {
    json!({ "about": serde_json::from_str::<Value>(&reply.about).unwrap_or_default() })
}

/// The next call; `None` at the end of the stream.
fn read(from: &mut impl BufRead) -> io::Result<Option<Message>> {
    let mut line = Vec::new();
    if from.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let head: Map<String, Value> = serde_json::from_slice(&line)?;
    let bytes = head.get("bytes").and_then(Value::as_u64).unwrap_or_default();
    if bytes > MAX_PAYLOAD_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the payload is too long"));
    }
    let mut payload = Vec::new();
    let got = from.by_ref().take(bytes).read_to_end(&mut payload)?;
    if u64::try_from(got).unwrap_or_default() < bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some((head, payload)))
}

fn write(to: &mut impl Write, mut head: Value, parts: &[Vec<u8>]) -> io::Result<()> {
    head["bytes"] = parts.iter().map(Vec::len).collect();
    writeln!(to, "{head}")?;
    for part in parts {
        to.write_all(part)?;
    }
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converse(calls: &[u8]) -> io::Result<String> {
        let mut out = Vec::new();
        serve(&Library::default(), calls, &mut out)?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn calls_are_answered_in_order() {
        let calls =
            b"{\"operation\":\"restore\",\"bytes\":2}\nhi{\"operation\":\"nap\"}\n{\"operation\":\"see\"}\n";
        let said = converse(calls).unwrap_or_default();
        let lines: Vec<_> = said.lines().collect();
        assert_eq!(lines[0], r#"{"about":{"kind":"text"},"bytes":[2]}"#);
        assert!(
            lines[1].starts_with(r#"hi{"kind":"argument","error":"operation: \"nap\" is not one of"#),
            "{said}"
        );
        assert!(lines[2].contains("exchange: there is none"), "{said}");
    }

    #[test]
    fn what_is_no_call_ends_the_program_and_not_the_machine() {
        for calls in [&b"hello\n"[..], b"{\"bytes\":9}\nhi", b"{\"bytes\":99999999999}\n", b"[]\n"] {
            assert!(converse(calls).is_err(), "{}", String::from_utf8_lossy(calls));
        }
        assert_eq!(converse(b"").unwrap_or_default(), "");
    }
}
