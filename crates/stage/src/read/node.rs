//! Parses one line of a page snapshot: `- link "Home" [ref=e5] [cursor=pointer]: text`.

use std::ops::Range;

/// The part of a line after its dash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageNode<'a> {
    pub(crate) role: &'a str,
    /// The quoted name and other words in front of the reference, each with a leading space.
    pub(crate) words: &'a str,
    pub(crate) reference: Option<&'a str>,
    pub(crate) pointer: bool,
    /// The text after the reference: `:`, `: text` or nothing.
    pub(crate) tail: &'a str,
}

/// The notation of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeStyle {
    /// ` [ref=e5]`
    Long,
    /// ` e5`
    Short,
}

pub(crate) const POINTER: &str = " [cursor=pointer]";

/// The maximum offset in bytes of the first reference in a snapshot.
const FIRST_REFERENCE_WITHIN: usize = 8192;

/// True for a text that may contain a snapshot.
pub(crate) fn is_snapshot(text: &str) -> bool {
    text.as_bytes()[..text.len().min(FIRST_REFERENCE_WITHIN)].windows(6).any(|bytes| bytes == b" [ref=")
}

/// The lines directly above and below a snapshot.
pub(crate) const FENCES: [&str; 2] = ["```yaml", "```"];

/// The range of the snapshot's lines: between its fences, or all lines if it has no fences.
pub(crate) fn span(lines: &[&str]) -> Range<usize> {
    let start = lines.iter().position(|line| *line == FENCES[0]).map_or(0, |at| at + 1);
    let end = lines[start..].iter().position(|line| *line == FENCES[1]);
    start..end.map_or(lines.len(), |end| start + end)
}

/// Splits a line into its indent and the text after the dash.
pub(crate) fn item(line: &str) -> Option<(usize, &str)> {
    let bare = line.trim_start_matches(' ');
    Some((line.len() - bare.len(), bare.strip_prefix("- ")?))
}

impl<'a> PageNode<'a> {
    /// Parses `content`, the text after the dash.
    pub(crate) fn read(style: NodeStyle, content: &'a str) -> Option<Self> {
        let end = content.find(|sign: char| !sign.is_ascii_alphabetic()).unwrap_or(content.len());
        let (role, mut rest) = content.split_at(end);
        let start = rest;
        if let Some(quoted) = rest.strip_prefix(" \"") {
            rest = &quoted[closing(quoted)? + 1..];
        }
        let mut found = reference(style, rest);
        while found.is_none()
            && let Some(attribute) = rest.strip_prefix(" [")
        {
            rest = &attribute[attribute.find(']')? + 1..];
            found = reference(style, rest);
        }
        let words = &start[..start.len() - rest.len()];
        let (reference, rest) = found.map_or((None, rest), |(reference, rest)| (Some(reference), rest));
        let after = rest.strip_prefix(POINTER);
        let (pointer, tail) = (after.is_some(), after.unwrap_or(rest));
        (!role.is_empty()).then_some(Self { role, words, reference, pointer, tail })
    }
}

/// The position of the closing quote of a quoted name.
fn closing(quoted: &str) -> Option<usize> {
    let mut escaped = false;
    quoted.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

/// Splits off the reference at the start of `rest`.
fn reference(style: NodeStyle, rest: &str) -> Option<(&str, &str)> {
    let inner = match style {
        NodeStyle::Long => rest.strip_prefix(" [ref=")?,
        NodeStyle::Short => rest.strip_prefix(' ')?,
    };
    let part = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let (word, after) = inner.split_at(inner.bytes().take_while(|byte| part(byte)).count());
    let after = if style == NodeStyle::Long { after.strip_prefix(']')? } else { after };
    let sound = word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.ends_with(|last: char| last.is_ascii_digit())
        && (after.is_empty() || after.starts_with([' ', ':']));
    sound.then_some((word, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        let node =
            PageNode::read(NodeStyle::Long, "link \"a \\\" [b]\" [level=1] [ref=f1e5] [cursor=pointer]: x");
        let words = " \"a \\\" [b]\" [level=1]";
        let whole = PageNode { role: "link", words, reference: Some("f1e5"), pointer: true, tail: ": x" };
        assert_eq!(node, Some(whole));
        assert_eq!(
            PageNode::read(NodeStyle::Short, "link \"a \\\" [b]\" [level=1] f1e5 [cursor=pointer]: x"),
            node
        );
        for content in ["", "'link \"x\" [ref=e1]'", "/url: x", "button \"open", "x [y"] {
            assert_eq!(PageNode::read(NodeStyle::Long, content), None, "{content}");
        }
    }
}
