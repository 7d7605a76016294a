//! Parses the elements of a snapshot into a tree, and joins their text into one line.

use std::collections::HashSet;

use crate::read::node;
use crate::read::node::{NodeStyle, PageNode};

/// The elements of a snapshot, in order.
pub(super) struct SnapshotTree<'a> {
    pub(super) items: Vec<Item<'a>>,
}

/// One element.
pub(super) struct Item<'a> {
    pub(super) indent: usize,
    pub(super) content: &'a str,
    pub(super) node: Option<PageNode<'a>>,
    /// The index after the last descendant of this element.
    pub(super) end: usize,
    /// True for an address that was shown above or leads to the same page.
    pub(super) stale: bool,
}

impl<'a> Item<'a> {
    pub(super) fn is_property(&self) -> bool {
        self.content.starts_with('/')
    }

    /// The name of the element, if it has no attributes besides its name.
    pub(super) fn name(&self) -> Option<&'a str> {
        let name = self.node?.words.strip_prefix(" \"")?.strip_suffix('"')?;
        (!name.contains("\" [")).then_some(name)
    }
}

/// The prefix of a line that contains an address.
const URL: &str = "/url: ";

/// Roles of elements that are part of the text around them.
const INLINE: [&str; 11] = [
    "text",
    "code",
    "emphasis",
    "strong",
    "generic",
    "subscript",
    "superscript",
    "deletion",
    "insertion",
    "mark",
    "time",
];

/// Maximum depth of inline elements within a text.
const MAX_DEPTH: usize = 4;

impl<'a> SnapshotTree<'a> {
    /// Parses the lines; `None` when a line is not an element.
    pub(super) fn read(lines: &[&'a str]) -> Option<Self> {
        let mut items: Vec<Item<'a>> = Vec::with_capacity(lines.len());
        let mut open: Vec<usize> = Vec::new();
        let mut urls = HashSet::new();
        for (at, line) in lines.iter().enumerate() {
            let (indent, content) = node::item(line)?;
            while let Some(last) = open.pop_if(|last| items[*last].indent >= indent) {
                items[last].end = at;
            }
            open.push(at);
            let node = PageNode::read(NodeStyle::Long, content)
                .filter(|node| matches!(node.tail.get(..1), None | Some(":")));
            let url = content.strip_prefix(URL).map(|url| url.trim_matches('"'));
            let stale = url.is_some_and(|url| url.is_empty() || url.starts_with('#') || !urls.insert(url));
            items.push(Item { indent, content, node, end: lines.len(), stale });
        }
        Some(Self { items })
    }

    /// The children of the element at `at`.
    pub(super) fn children(&self, at: usize) -> impl Iterator<Item = &Item<'a>> {
        self.places(at).map(|child| &self.items[child])
    }

    fn places(&self, at: usize) -> impl Iterator<Item = usize> {
        let end = self.items[at].end;
        let next = move |child: usize| Some(child).filter(|&child| child < end);
        std::iter::successors(next(at + 1), move |&child| next(self.items[child].end))
    }

    /// True when the element at `at` has exactly one child, and that child is not a property.
    pub(super) fn holds_one(&self, at: usize) -> bool {
        self.places(at).take(2).count() == 1 && !self.items[at + 1].is_property()
    }

    /// The content of the element at `at` as one line of text; `None` when it contains an element that is not inline.
    pub(super) fn flow(&self, at: usize) -> Option<String> {
        let parent = self.items[at].node?;
        let holds = self.children(at).any(|item| !item.is_property());
        (holds && parent.tail == ":").then(|| self.text(at, 0))?
    }

    fn text(&self, at: usize, depth: usize) -> Option<String> {
        let mut out = String::new();
        for child in self.places(at).filter(|&child| !self.items[child].is_property()) {
            glue(&mut out, &self.piece(child, depth)?);
        }
        Some(out)
    }

    /// The text of the element at `at`, as part of a line.
    fn piece(&self, at: usize, depth: usize) -> Option<String> {
        let item = &self.items[at];
        let node = item.node.filter(|_| depth < MAX_DEPTH)?;
        let said = match node.tail.strip_prefix(": ") {
            Some(said) => unquote(said),
            None => self.text(at, depth + 1)?,
        };
        if node.role == "link" {
            return self.link(at, &said);
        }
        if !INLINE.contains(&node.role) || node.pointer || !node.words.is_empty() {
            return None;
        }
        let code = node.role == "code" && !said.is_empty();
        Some(if code { format!("`{said}`") } else { said })
    }

    /// Writes a link as `[text](ref=e5 /address)`.
    fn link(&self, at: usize, said: &str) -> Option<String> {
        let item = &self.items[at];
        let node = item.node?;
        let label =
            if node.words.is_empty() { said } else { item.name().filter(|name| name.contains(said))? };
        let url =
            self.children(at).filter(|item| !item.stale).find_map(|item| item.content.strip_prefix(URL));
        let url = url.map(|url| url.trim_matches('"'));
        let reference = node.reference?;
        let blank = if url.is_some() { " " } else { "" };
        Some(format!("[{label}](ref={reference}{blank}{})", url.unwrap_or_default()))
    }
}

/// Appends a piece of text, with a blank in front of it where two words meet.
fn glue(out: &mut String, piece: &str) {
    let tight = piece.starts_with(['.', ',', ';', ':', ')', ']', '!', '?']) || out.ends_with(['(', '[']);
    if !out.is_empty() && !piece.is_empty() && !tight {
        out.push(' ');
    }
    out.push_str(piece);
}

/// Removes the quotes that YAML requires, and decodes the escapes between them.
fn unquote(text: &str) -> String {
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(inner) => inner.replace("\\\"", "\"").replace("\\\\", "\\"),
        None => text.to_owned(),
    }
}
