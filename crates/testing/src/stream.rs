//! Encodes AWS event stream messages from lines and decodes them, independently of the product's code.
//!
//! `event messageStop {"stopReason":"end_turn"}` and `exception throttlingException {"message":"slow"}` are messages with
//! that payload; `chunk {"type":"ping"}` is one that wraps its JSON in base64.

/// The messages for these lines. An unknown line becomes an event of an unknown name.
#[must_use]
pub fn encode(lines: &[u8]) -> Vec<u8> {
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.flat_map(message).collect()
}

/// The lines of these messages, up to the first invalid one.
#[must_use]
pub fn decode(mut bytes: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    while !bytes.is_empty() {
        let Some((headers, payload, rest)) = split(bytes) else {
            lines.extend_from_slice(format!("broken after these: {} bytes\n", bytes.len()).as_bytes());
            break;
        };
        let line = match (header_value(":exception-type", headers), header_value(":event-type", headers)) {
            (Some(kind), _) => [b"exception ", kind, b" ", payload].concat(),
            (None, Some(b"chunk")) => [b"chunk ", unwrap_payload(payload).as_slice()].concat(),
            (None, kind) => [b"event ", kind.unwrap_or_default(), b" ", payload].concat(),
        };
        lines.extend_from_slice(&[line.as_slice(), b"\n"].concat());
        bytes = rest;
    }
    lines
}

/// The payloads of the events among these messages, without their base64.
#[must_use]
pub fn events(bytes: &[u8]) -> Vec<Vec<u8>> {
    let lines = decode(bytes);
    let said = lines.split(|byte| *byte == b'\n').filter_map(|line| {
        let line = line.strip_prefix(b"event ").map_or_else(
            || line.strip_prefix(b"chunk "),
            |line| Some(&line[line.iter().position(|byte| *byte == b' ')? + 1..]),
        );
        line.map(<[u8]>::to_vec)
    });
    said.collect()
}

fn message(line: &[u8]) -> Vec<u8> {
    let mut words = line.splitn(3, |byte| *byte == b' ');
    let (kind, name, rest) =
        (words.next(), words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let name = &name[..name.len().min(100)];
    match kind {
        Some(b"event") => frame([b":event-type", name], b"event", rest),
        Some(b"exception") => frame([b":exception-type", name], b"exception", rest),
        Some(b"chunk") => {
            let payload = format!(
                r#"{{"bytes":"{}","p":"abcdefgh"}}"#,
                encode_base64(&line[b"chunk ".len().min(line.len())..])
            );
            frame([b":event-type", b"chunk"], b"event", payload.as_bytes())
        }
        _ => frame([b":event-type", b"unknown"], b"event", line),
    }
}

fn frame(first: [&[u8]; 2], kind: &[u8], payload: &[u8]) -> Vec<u8> {
    let headers = [first, [b":content-type", b"application/json"], [b":message-type", kind]];
    let headers: Vec<u8> = headers.iter().flat_map(|[name, value]| header(name, value)).collect();
    let total = 16 + headers.len() + payload.len();
    let mut message = [number(total), number(headers.len())].concat();
    message.extend_from_slice(&crc32(&message).to_be_bytes());
    message.extend_from_slice(&headers);
    message.extend_from_slice(payload);
    message.extend_from_slice(&crc32(&message).to_be_bytes());
    message
}

fn header(name: &[u8], value: &[u8]) -> Vec<u8> {
    let length = number(value.len());
    [&number(name.len())[3..], name, &[7], &length[2..], value].concat()
}

fn number(number: usize) -> [u8; 4] {
    u32::try_from(number).unwrap_or(u32::MAX).to_be_bytes()
}

/// The headers and the payload of the first message, and what follows it.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let word = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (total, headers) = (word(0)? as usize, word(4)? as usize);
    let end = total.checked_sub(4).filter(|end| 12 + headers <= *end)?;
    let is_whole = word(8)? == crc32(&bytes[..8]) && word(end)? == crc32(bytes.get(..end)?);
    is_whole.then(|| (&bytes[12..12 + headers], &bytes[12 + headers..end], &bytes[total..]))
}

/// The value of a string header.
fn header_value<'h>(wanted: &str, mut headers: &'h [u8]) -> Option<&'h [u8]> {
    while let [length, rest @ ..] = headers {
        let (name, rest) = rest.split_at_checked(usize::from(*length))?;
        let [7, high, low, rest @ ..] = rest else { return None };
        let (value, rest) = rest.split_at_checked(usize::from(*high) * 256 + usize::from(*low))?;
        if name == wanted.as_bytes() {
            return Some(value);
        }
        headers = rest;
    }
    None
}

/// CRC-32, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg()))
    })
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn encode_base64(bytes: &[u8]) -> String {
    let digits = bytes.chunks(3).flat_map(|three| {
        let bits = three.iter().chain([&0; 2]).take(3).fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        (0..4).map(
            move |at| {
                if at <= three.len() { char::from(DIGITS[bits >> (18 - 6 * at) & 63]) } else { '=' }
            },
        )
    });
    digits.collect()
}

/// The decoded `bytes` of a payload, or the payload itself.
fn unwrap_payload(payload: &[u8]) -> Vec<u8> {
    let value: Option<serde_json::Value> = serde_json::from_slice(payload).ok();
    let Some(text) = value.as_ref().and_then(|value| value["bytes"].as_str()) else {
        return payload.to_vec();
    };
    let digits = text.bytes().filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte));
    let digits: Vec<usize> = digits.collect();
    let threes = digits.chunks(4).flat_map(|four| {
        let bits = four.iter().chain([&0; 3]).take(4).fold(0, |bits, digit| bits << 6 | digit);
        number(bits).into_iter().skip(1).take(four.len().saturating_sub(1)).collect::<Vec<_>>()
    });
    threes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back() {
        let lines = b"event messageStart {\"role\":\"assistant\"}\nchunk {\"a\":1}\nchunk {\"a\":12}\nchunk {\"a\":123}\nexception x {}\n";
        assert_eq!(decode(&encode(lines)), lines);
        assert_eq!(events(&encode(lines)).len(), 4);
        let mut cut = encode(lines);
        cut.pop();
        assert!(decode(&cut).ends_with(b" bytes\n"));
    }

    /// What is known of CRC-32, and of the message with nothing in it.
    #[test]
    fn sums_are_those_of_aws() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(
            (crc32(&[0, 0, 0, 16, 0, 0, 0, 0]), encode_base64(b"hi"), encode_base64(b"hi!")),
            (0x05C2_48EB, "aGk=".into(), "aGkh".into())
        );
    }
}
