//! Mutates a body in a few places, determined by a seed.

use crate::generate::Choices;

/// Bytes to insert: signs of JSON, parts of characters, members that providers know.
const PIECES: [&[u8]; 34] = [
    b"\"",
    b"\\",
    b"\\\\",
    b"\\\"",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b" ",
    b"\n",
    b"\0",
    b"\x1f",
    b"\xff",
    b"\xc3",
    "é".as_bytes(),
    b"\\ud800",
    b"\\udc00",
    b"\\ud83d\\ude00",
    b"\\u00e9",
    b"\\x",
    b"\"a\":1,",
    b"\"type\":\"tool_result\",",
    b"\"type\":\"text\",",
    b"\"role\":\"tool\",",
    b"\"role\":\"user\",",
    b"\"content\":\"twice\",",
    b"\"content\":[{\"type\":\"text\",\"text\":\"more\"}],",
    b"\"output\":\"x\",",
    b"{\"type\":\"tool_result\",\"content\":\"in\"},",
    b"null",
    b"true",
    b"-1e9",
];

/// A body with one to four changes in it.
#[must_use]
pub fn mutate(seed: &mut u64, body: &[u8]) -> Vec<u8> {
    let mut out = body.to_vec();
    for _ in 0..=seed.pick(4) {
        let at = seed.pick(out.len() + 1);
        let end = out.len().min(at + [0, 1, 1, 2, 8, 64][seed.pick(6)]);
        match seed.pick(8) {
            0 => out.truncate(at),
            1 => drop(out.drain(at..end)),
            2 => flip(seed, &mut out, at),
            3 => {
                let copy = out[at..end].to_vec();
                let to = seed.pick(out.len() + 1);
                out.splice(to..to, copy);
            }
            4 => drop(out.splice(at..end, piece(seed).iter().copied())),
            // After a comma or a bracket the piece often becomes a value or a member.
            5 | 6 => {
                let found = out[at..]
                    .iter()
                    .position(|byte| b",[{".contains(byte))
                    .map_or(at, |found| at + found + 1);
                out.splice(found..found, piece(seed).iter().copied());
            }
            _ => drop(out.splice(at..at, piece(seed).iter().copied())),
        }
    }
    out
}

fn piece(seed: &mut u64) -> &'static [u8] {
    PIECES[seed.pick(PIECES.len())]
}

fn flip(seed: &mut u64, out: &mut [u8], at: usize) {
    let bit = 1_u8 << seed.pick(8);
    if let Some(byte) = out.get_mut(at) {
        *byte ^= bit;
    }
}
