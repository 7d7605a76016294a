//! Hashes a part of a prompt as the model sees it.
//!
//! Clients write the same part in several ways from request to request: with and without cache marks, a text as a
//! string or as a block, other white space. None of these changes what the provider's cache compares. The order of
//! names does, but only inside a call's arguments and a tool's schema: there it is part of the text that the model
//! reads.

use tersely_account::quick_hash;
use tersely_json::{JsonError, JsonScan};

use crate::request::content::TEXT;

/// Members that only say what to cache.
const CACHE_MARKS: [&[u8]; 2] = [b"cache_control", b"cachePoint"];

/// The depth below which values are hashed as they are written.
const MAX_DEPTH: u8 = 24;

/// The depth down to which the order of names does not matter: in a message, that of its blocks; in a tool, none below
/// its own members.
#[derive(Clone, Copy)]
pub(super) struct UnorderedDepth(u8);

impl UnorderedDepth {
    pub(super) const MESSAGE: Self = Self(2);
    pub(super) const TOOL: Self = Self(0);
}

/// A number that no other part of a hash begins with.
const TEXT_SEED: u64 = 0x7465_7874;

/// The hashes of a value.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ValueDigest {
    /// Of the value as the model sees it.
    pub(super) exact: u64,
    /// Of the same values in any order.
    pub(super) loose: u64,
}

/// The hashes of the value in `bytes`; `None` if it only says what to cache. Bytes that cannot be read are hashed as
/// they are.
pub(super) fn digest(unordered: UnorderedDepth, bytes: &[u8]) -> Option<ValueDigest> {
    value(unordered, 0, &mut JsonScan::new(bytes)).unwrap_or_else(|_| Some(scalar(bytes)))
}

fn value(
    unordered: UnorderedDepth,
    depth: u8,
    scan: &mut JsonScan<'_>,
) -> Result<Option<ValueDigest>, JsonError> {
    match scan.peek() {
        Some(b'{') if depth < MAX_DEPTH => object(unordered, depth, scan),
        Some(b'[') if depth < MAX_DEPTH => list(unordered, depth, scan).map(Some),
        _ => {
            let place = scan.skip()?;
            Ok(Some(scalar(&scan.body()[place])))
        }
    }
}

fn object(
    unordered: UnorderedDepth,
    depth: u8,
    scan: &mut JsonScan<'_>,
) -> Result<Option<ValueDigest>, JsonError> {
    let (mut all, mut members, mut marks) = (ValueDigest::default(), 0_usize, 0_usize);
    let (mut text, mut is_text, mut is_plain) = (None, false, true);
    scan.members(|scan, key| {
        if CACHE_MARKS.contains(&key) {
            marks += 1;
            return scan.skip().map(drop);
        }
        let next = scan.peek();
        let start = scan.at();
        let Some(mut found) = value(unordered, depth + 1, scan)? else { return Ok(()) };
        let bytes = &scan.body()[start..scan.at()];
        match key {
            b"text" if next == Some(b'"') => text = Some(found),
            b"type" => {
                is_text = TEXT.iter().any(|kind| bytes.get(1..bytes.len() - 1) == Some(kind.as_bytes()));
            }
            // A text is the same as a list with one block.
            b"content" if next == Some(b'"') => found = sequence(ValueDigest::default(), as_text(found)),
            _ => is_plain = false,
        }
        members += 1;
        let name = quick_hash(key);
        let exact = mix(name, found.exact);
        all.exact = if depth <= unordered.0 { all.exact.wrapping_add(exact) } else { mix(all.exact, exact) };
        all.loose = all.loose.wrapping_add(mix(name, found.loose));
        Ok(())
    })?;
    if let (Some(text), true) = (text, is_plain && (is_text || members == 1)) {
        return Ok(Some(as_text(text)));
    }
    Ok((members > 0 || marks == 0).then_some(all))
}

fn list(unordered: UnorderedDepth, depth: u8, scan: &mut JsonScan<'_>) -> Result<ValueDigest, JsonError> {
    let mut all = ValueDigest::default();
    scan.items(|scan| {
        if let Some(found) = value(unordered, depth + 1, scan)? {
            all = sequence(all, found);
        }
        Ok(())
    })?;
    Ok(all)
}

/// A list with one more item.
fn sequence(all: ValueDigest, next: ValueDigest) -> ValueDigest {
    ValueDigest { exact: mix(all.exact, next.exact), loose: all.loose.wrapping_add(mix(1, next.loose)) }
}

fn as_text(text: ValueDigest) -> ValueDigest {
    ValueDigest { exact: mix(TEXT_SEED, text.exact), loose: mix(TEXT_SEED, text.loose) }
}

fn scalar(bytes: &[u8]) -> ValueDigest {
    let hash = quick_hash(bytes);
    ValueDigest { exact: hash, loose: hash }
}

fn mix(one: u64, two: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&one.to_le_bytes());
    bytes[8..].copy_from_slice(&two.to_le_bytes());
    quick_hash(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<ValueDigest> {
        digest(UnorderedDepth::MESSAGE, text.as_bytes())
    }

    fn same(one: &str, two: &str) {
        assert!(read(one) == read(two), "{one} {two}");
    }

    fn differ(one: &str, two: &str) {
        let [one, two] = [one, two].map(|text| read(text).map(|it| it.exact));
        assert!(one != two);
    }

    #[test]
    fn what_the_cache_does_not_compare_is_no_difference() {
        let text = r#"{"role":"user","content":"hi"}"#;
        same(text, r#"{"role":"user","content":[{"type":"text","text":"hi"}]}"#);
        same(
            text,
            r#"{ "content": [{"cache_control":{"type":"ephemeral"},"text":"hi","type":"text"}], "role":"user"}"#,
        );
        same(r#"{"role":"user","content":[{"text":"hi"},{"cachePoint":{"type":"default"}}]}"#, text);
        let call = r#"{"content":[{"type":"tool_use","id":"1","input":{"a":1,"b":2}}]}"#;
        same(call, r#"{"content":[{"id":"1","type":"tool_use","input":{"a": 1, "b": 2}}]}"#);
    }

    #[test]
    fn what_the_model_reads_is_a_difference() {
        let text = r#"{"role":"user","content":"hi"}"#;
        differ(text, r#"{"role":"assistant","content":"hi"}"#);
        differ(text, r#"{"role":"user","content":"ho"}"#);
        differ(
            text,
            r#"{"role":"user","content":[{"type":"text","text":"hi"},{"type":"text","text":"hi"}]}"#,
        );
        differ(text, r#"{"role":"user","content":[{"type":"thinking","text":"hi"}]}"#);
        differ("[1,2]", "[2,1]");
        let [one, two] = [r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#]
            .map(|input| format!(r#"{{"content":[{{"type":"tool_use","input":{input}}}]}}"#));
        differ(&one, &two);
        let [one, two] = [one, two].map(|text| read(&text).map(|it| it.loose));
        assert!(one == two);
    }

    #[test]
    fn what_cannot_be_read_or_is_deep_has_a_hash_too() {
        for bytes in [
            "",
            "{",
            "[1",
            "\u{0}",
            &"[".repeat(100_000),
            &format!("{}{}", "[".repeat(9_000), "]".repeat(9_000)),
        ] {
            assert!(read(bytes).is_some());
        }
        assert!(read(r#"{"cachePoint":{}}"#).is_none());
    }
}
