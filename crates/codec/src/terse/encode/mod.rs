//! Encodes the terse form.

mod column;
mod derive;
mod facts;
mod hoist;
mod level;
mod list;
mod rows;
mod share;
mod weigh;

use self::level::Members;
use self::list::{List, list};
use self::weigh::weigh;
use super::style::ListStyle;
use super::{decode, flow, words};
use crate::Value;
use crate::json::push_scalar;

/// Where the keys of records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace {
    /// In a header above the records, if there are many records.
    Header,
    /// Next to every value, which small models read best.
    Beside,
}

/// Writes `value` in the terse form; `None` when the value nests too deep.
#[must_use]
pub fn encode(value: &Value<'_>) -> Option<String> {
    encode_as(KeyPlace::Header, value)
}

/// Like [`encode`], with the keys in this place.
#[must_use]
pub fn encode_as(keys: KeyPlace, value: &Value<'_>) -> Option<String> {
    let text = draft_as(keys, value)?;
    // If the text does not decode to the same value, the flat layout is used, which can represent every value.
    if decode(&text).as_ref() == Ok(value) { Some(text) } else { Some(flat(value)) }
}

/// Like [`encode`], but without the check, for callers that decode the text and compare the values themselves.
#[must_use]
pub fn draft(value: &Value<'_>) -> Option<String> {
    draft_as(KeyPlace::Header, value)
}

/// Like [`draft`], with the keys in this place.
#[must_use]
pub fn draft_as(keys: KeyPlace, value: &Value<'_>) -> Option<String> {
    value.fits().then(|| document(keys, value))
}

fn document<'v>(keys: KeyPlace, value: &'v Value<'v>) -> String {
    match block(keys, value, 0) {
        Some(Block::List(body)) => body,
        Some(Block::Members(lines)) => lines,
        None => flat(value),
    }
}

/// Writes the value on one line.
fn flat(value: &Value<'_>) -> String {
    let mut out = String::new();
    if value.is_scalar() {
        push_scalar(&mut out, value);
    } else {
        flow::push(&mut out, value);
    }
    out
}

/// A value written on several lines.
enum Block {
    /// A count, then records. A list starts on the same line as its key.
    List(String),
    /// Members, one per line. They start on the line below their key.
    Members(String),
}

/// The maximum nesting depth of blocks. It is limited because the weights of all levels are compared.
const MAX_BLOCKS: usize = 12;

impl Block {
    fn text(&self) -> &str {
        match self {
            Self::List(text) | Self::Members(text) => text,
        }
    }
}

/// The block for `value`, if a block is better than one line; its lines are indented by `depth` spaces.
fn block<'v>(place: KeyPlace, value: &'v Value<'v>, depth: usize) -> Option<Block> {
    if depth == MAX_BLOCKS {
        return None;
    }
    match value {
        Value::Array(items) => {
            let rows: Option<Vec<_>> = items.iter().map(members).collect();
            let list = list(place, &rows.unwrap_or_default(), None);
            let items = self::items(place, items, depth);
            better(list, items.map(Block::List), value)
        }
        Value::Object(pairs) => {
            let rows: Option<Vec<_>> = pairs.iter().map(|(_, value)| members(value)).collect();
            let keys: Vec<_> = pairs.iter().map(|(key, _)| key).collect();
            let list = list(place, &rows.unwrap_or_default(), Some(&keys));
            better(list, lines(place, pairs, depth).map(Block::Members), value)
        }
        _ => None,
    }
}

/// The maximum weight of parts that are still preferred to rows with long lists, in percent of the weight of the
/// rows.
const LONG_ROWS_PERCENT: usize = 125;

/// Chooses between rows and parts by weight. Rows are chosen only if they weigh less than the value on one line.
fn better(list: Option<List>, parts: Option<Block>, value: &Value<'_>) -> Option<Block> {
    let Some(list) = list else { return parts };
    let weight = weigh(&list.text);
    let limit = if list.long { weight * LONG_ROWS_PERCENT / 100 } else { weight };
    match parts {
        Some(parts) if weigh(parts.text()) < limit => Some(parts),
        _ => (weight < weigh(&flat(value))).then_some(Block::List(list.text)),
    }
}

fn members<'v>(value: &'v Value<'v>) -> Option<Members<'v>> {
    match value {
        Value::Object(members) => Some(members),
        _ => None,
    }
}

/// Writes an object's members, each on its own line, if at least one of them is a block.
fn lines(place: KeyPlace, members: Members<'_>, depth: usize) -> Option<String> {
    let blocks: Vec<_> = members.iter().map(|(_, value)| block(place, value, depth + 1)).collect();
    blocks.iter().any(Option::is_some).then(|| {
        let mut out = String::new();
        for (index, ((key, value), block)) in members.iter().zip(blocks).enumerate() {
            out.push_str(if index > 0 { "\n" } else { "" });
            out.extend(std::iter::repeat_n(' ', depth));
            flow::push_key(&mut out, key);
            push_member(&mut out, value, block);
        }
        out
    })
}

/// Writes an array's values, each after its number, if at least one of them is a block.
fn items<'v>(place: KeyPlace, items: &'v [Value<'v>], depth: usize) -> Option<String> {
    let blocks: Vec<_> = items.iter().map(|item| block(place, item, depth + 1)).collect();
    blocks.iter().any(Option::is_some).then(|| {
        let mut out = format!("{} {}", items.len(), ListStyle::Items.words());
        for (index, (item, block)) in items.iter().zip(blocks).enumerate() {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', depth));
            out.extend([words::ITEM, &(index + 1).to_string()]);
            push_member(&mut out, item, block);
        }
        out
    })
}

/// Writes the value after a key.
fn push_member(out: &mut String, value: &Value<'_>, block: Option<Block>) {
    match block {
        Some(Block::List(body)) => out.extend([": ", &body]),
        Some(Block::Members(lines)) => out.extend([":\n", &lines]),
        None => {
            out.push_str(": ");
            flow::push(out, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use tersely_testing::generate;

    use super::{KeyPlace, decode, document};
    use crate::json;

    /// The check in `encode` is a safety net: no document may depend on it.
    #[test]
    fn every_document_comes_back_unaided() {
        for seed in 0..60_000_u64 {
            let text = generate::document(&mut seed.clone());
            let value = json::decode(&text).unwrap();
            for keys in [KeyPlace::Header, KeyPlace::Beside] {
                let terse = document(keys, &value);
                assert!(
                    decode(&terse).as_ref() == Ok(&value),
                    "seed {seed}: {:?}\n{text}\n{terse}",
                    decode(&terse).map(|v| json::encode(&v))
                );
            }
        }
    }
}
