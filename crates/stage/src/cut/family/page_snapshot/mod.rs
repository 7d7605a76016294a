//! Shortens accessibility snapshots to what a reader can read and click: contiguous text without wrapper elements.
//!
//! Names, texts, and the references of clickable elements are kept. Omitted are elements that only contain one other
//! element, icons without a name, addresses that were already shown or lead to the same page, and references of plain
//! text.

mod tree;

use crate::class::{CutClass, Omission};
use crate::lines;
use crate::omit;
use crate::plan::{Loss, Mode};
use crate::read::node;
use crate::read::node::POINTER;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;
use tree::{Item, SnapshotTree};

/// The cut for page snapshots as printed by browser tools for agents.
pub(super) struct PageSnapshot;

impl Stage for PageSnapshot {
    fn name(&self) -> &'static str {
        "page snapshot"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    /// Lines are joined, but none of their words is lost.
    fn cuts_lines(&self) -> bool {
        false
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Content, &["details of the snapshot"])]
    }

    fn apply(&self, _: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if !node::is_snapshot(text) {
            return None;
        }
        let lines: Vec<&str> = lines::split(text).collect();
        let span = node::span(&lines);
        // The newline at the end of a text without code fences is not a line of the snapshot.
        let end = if lines[span.clone()].last() == Some(&"") { span.end - 1 } else { span.end };
        let mut page = Page::default();
        page.write(&SnapshotTree::read(&lines[span.start..end])?);
        let above = span.start.saturating_sub(1);
        let said = page.marker();
        let parts =
            [&lines[..above], &[&said], &lines[above..span.start], &[page.out.trim_end()], &lines[end..]];
        Some(Edit { text: parts.concat().join("\n"), loss: Loss::Detail, note: String::new() })
    }
}

/// Roles of elements whose references are shown only if the element is clickable.
const PLAIN: [&str; 22] = [
    "generic",
    "paragraph",
    "text",
    "code",
    "emphasis",
    "strong",
    "list",
    "listitem",
    "term",
    "definition",
    "table",
    "rowgroup",
    "row",
    "cell",
    "columnheader",
    "rowheader",
    "img",
    "heading",
    "separator",
    "blockquote",
    "figure",
    "caption",
];

/// Roles of elements that may be wrappers around a single other element.
const WRAPPERS: [&str; 8] =
    ["generic", "list", "listitem", "paragraph", "rowgroup", "cell", "figure", "group"];

/// The output, and the number of omitted details of each kind.
#[derive(Default)]
struct Page {
    out: String,
    wrappers: usize,
    icons: usize,
    addresses: usize,
    references: usize,
    joined: usize,
}

impl Page {
    fn write(&mut self, tree: &SnapshotTree<'_>) {
        self.addresses = tree.items.iter().filter(|item| item.stale).count();
        // For each omitted wrapper: the index after its last descendant, and how far its descendants move left.
        let mut shifts: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        while let Some(item) = tree.items.get(at) {
            shifts.truncate(shifts.iter().rposition(|shift| shift.0 > at).map_or(0, |last| last + 1));
            let shift = shifts.last().map_or(0, |shift| shift.1);
            let indent = item.indent - shift.min(item.indent);
            if let Some(flow) = tree.flow(at) {
                self.joined += item.end - at - 1;
                self.flow(indent, item, &flow);
                self.properties(indent + 2, tree, at);
                at = item.end;
                continue;
            }
            if tree.holds_one(at) && is_plain(item, &WRAPPERS) {
                self.wrappers += 1;
                shifts.push((item.end, shift + 2));
            } else if is_icon(item) {
                self.icons += 1;
            } else if tree.children(at).all(|child| child.stale || is_icon(child)) && item.end > at + 1 {
                self.flow(indent, item, "");
            } else {
                self.line(indent, item);
            }
            at += 1;
        }
    }

    /// Writes an element with all its text on one line. Text that repeats the element's name is omitted.
    fn flow(&mut self, indent: usize, item: &Item<'_>, flow: &str) {
        let head = self.head(item);
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.out.extend(["- ", &head]);
        if !flow.is_empty() && !item.name().is_some_and(|name| name.contains(flow)) {
            self.out.extend([": ", flow]);
        }
        self.out.push('\n');
    }

    /// Writes the properties of an element.
    fn properties(&mut self, indent: usize, tree: &SnapshotTree<'_>, at: usize) {
        for item in tree.children(at).filter(|item| item.is_property()) {
            self.line(indent, item);
        }
    }

    fn line(&mut self, indent: usize, item: &Item<'_>) {
        if item.stale {
            return;
        }
        let head = self.head(item);
        let tail = item.node.map_or("", |node| node.tail);
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.out.extend(["- ", &head, tail, "\n"]);
    }

    /// The description of an element without its text.
    fn head(&mut self, item: &Item<'_>) -> String {
        let Some(node) = item.node else { return item.content.to_owned() };
        let mut head = [node.role, node.words].concat();
        if let Some(reference) = node.reference {
            if node.pointer || !PLAIN.contains(&node.role) {
                head.extend([" [ref=", reference, "]"]);
            } else {
                self.references += 1;
            }
        }
        if node.pointer {
            head.push_str(POINTER);
        }
        head
    }

    fn marker(&self) -> String {
        let parts = [
            (self.wrappers, "wrappers"),
            (self.icons, "icons"),
            (self.addresses, "addresses shown before or on this page"),
            (self.references, "refs of plain text"),
            (self.joined, "elements within lines of text"),
        ];
        let said: Vec<_> =
            parts.iter().filter(|part| part.0 > 0).map(|(count, what)| format!("{count} {what}")).collect();
        omit::things(parts.iter().map(|part| part.0).sum(), "details of the snapshot", &said.join(", "))
    }
}

/// True for an image without a name.
fn is_icon(item: &Item<'_>) -> bool {
    is_plain(item, &["img"]) && item.node.is_some_and(|node| node.tail.is_empty())
}

/// True for an element that has one of these roles, has no name and no text, and is not clickable.
fn is_plain(item: &Item<'_>, roles: &[&str]) -> bool {
    item.node.is_some_and(|node| {
        roles.contains(&node.role) && node.words.is_empty() && !node.pointer && matches!(node.tail, "" | ":")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;

    fn apply(text: &str) -> Option<String> {
        let edit = PageSnapshot.apply(Scene::of(&Plan::default(), Call::default()), &TextView::new(text));
        edit.map(|edit| edit.text)
    }

    #[test]
    fn what_can_be_read_and_clicked_stays() {
        let page = "### PageSnapshot\n```yaml\n- generic [ref=e1]:\n  - generic [ref=e2]:\n    - button \"New\" [ref=e3] \
                    [cursor=pointer]:\n      - img [ref=e4]\n    - paragraph [ref=e5]:\n      - text: Use\n      - code [ref=e6]: \
                    run()\n      - text: \", see\"\n      - link \"docs\" [ref=e7] [cursor=pointer]:\n        - /url: /docs\n      - text: \
                    .\n    - link [ref=e8] [cursor=pointer]:\n      - /url: \"#top\"\n      - generic [ref=e9]: Up\n    - generic \
                    [ref=e10]: \"Error: no such page\"\n    - heading \"A\" [level=1] [ref=e11]\n```\n- [ERROR] x\n";
        let text = apply(page).unwrap();
        assert!(text.ends_with("\n```\n- [ERROR] x\n"), "{text}");
        for line in [
            "- button \"New\" [ref=e3] [cursor=pointer]",
            "- paragraph: Use `run()`, see [docs](ref=e7 /docs).",
            "- link [ref=e8] [cursor=pointer]: Up",
            "- generic: \"Error: no such page\"",
            "- heading \"A\" [level=1]",
        ] {
            assert!(text.lines().any(|other| other.trim() == line), "{line}\n{text}");
        }
        assert!(!text.contains("#top"), "{text}");
        let said = "[15 details of the snapshot left out: 1 wrappers, 1 icons, 1 addresses shown before or on this page, 4 refs of \
                    plain text, 8 elements within lines of text]";
        assert_eq!(text.lines().nth(1), Some(said));
    }

    #[test]
    fn hostile_pages_are_no_fault() {
        for piece in ["- generic [ref=e1]:\n", "- ", "- link \"", "- text: \"\n", "é [ref=e1]\n"] {
            let _ = apply(&format!("- x [ref=e1]\n{}", piece.repeat(9)));
        }
        let deep: Vec<_> =
            (0..3000).map(|depth| format!("{}- generic [ref=e{depth}]:\n", "  ".repeat(depth))).collect();
        assert!(apply(&deep.concat()).is_some());
    }
}
