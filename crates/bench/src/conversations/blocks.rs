//! Splits a request into the blocks that a model reads in order.

use serde::de::IgnoredAny;
use serde_json::Deserializer;
use tersely_wire::top_members;

use tersely_audit::{weigh, weigh_block};

/// The blocks of a request. The first `head` blocks come before the conversation.
pub(crate) struct SentBlocks<'b> {
    pub blocks: Vec<SentBlock<'b>>,
    pub head: usize,
}

/// A block: the tools, the system instructions, a message, or a content part of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SentBlock<'b> {
    pub bytes: &'b [u8],
    /// The function that counts the block's tokens.
    pub count: fn(&[u8]) -> usize,
}

impl<'b> SentBlocks<'b> {
    /// Splits a request into the parts in front of the conversation, and its messages. A message with a list of content
    /// parts is split into these parts.
    pub(crate) fn of(beside: Vec<&'b [u8]>, messages: &[&'b [u8]]) -> Self {
        let head = beside.len();
        let mut blocks: Vec<_> = beside.into_iter().map(whole).collect();
        for message in messages {
            match contents(message) {
                Some(parts) => {
                    blocks.extend(parts.into_iter().map(|bytes| SentBlock { bytes, count: weigh_block }));
                }
                None => blocks.push(whole(message)),
            }
        }
        Self { blocks, head }
    }
}

fn whole(bytes: &[u8]) -> SentBlock<'_> {
    SentBlock { bytes, count: weigh }
}

/// The content parts of a message; `None` if the message has tool calls.
fn contents(message: &[u8]) -> Option<Vec<&[u8]>> {
    let found = top_members(&["content", "tool_calls"], message).ok()?;
    let [content] = found.as_slice() else { return None };
    items(content.value).filter(|items| content.name == "content" && !items.is_empty())
}

/// The raw items of an array.
pub(crate) fn items(array: &[u8]) -> Option<Vec<&[u8]>> {
    let mut rest = array.trim_ascii().strip_prefix(b"[")?.strip_suffix(b"]")?.trim_ascii();
    let mut items = Vec::new();
    while !rest.is_empty() {
        let mut values = Deserializer::from_slice(rest).into_iter::<IgnoredAny>();
        values.next()?.ok()?;
        let (item, more) = rest.split_at(values.byte_offset());
        items.push(item);
        rest = more.trim_ascii_start();
        rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
    }
    Some(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_contents_comes_apart() {
        let messages = [
            r#"{"role":"user","content":[{"type":"text","text":"one two"},{"type":"tool_result","content":"x"}]}"#,
            r#"{"role":"user","content":"one two three"}"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"x"}],"tool_calls":[]}"#,
        ];
        let sent = SentBlocks::of(vec![b"[{}]"], &messages.map(str::as_bytes));
        let tokens: Vec<usize> = sent.blocks.iter().map(|block| (block.count)(block.bytes)).collect();
        assert_eq!((sent.head, tokens), (1, vec![weigh(b"[{}]"), 2, 1, 3, 1]));
        assert_eq!(sent.blocks[1].bytes, br#"{"type":"text","text":"one two"}"#);
    }
}
