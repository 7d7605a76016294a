//! Writes accessibility snapshots in a shorter notation: `button "New" e30` for `- button "New" [ref=e30]`.
//!
//! Each reference stays next to its element. An only child shares its parent's line (`list e3 > listitem e4`), and so
//! does a property such as a link's address. Properties that most elements of a role have are stated above the
//! snapshot.

use std::borrow::Cow;

use crate::form::verbatim;
use crate::plan::{Loss, Mode, Reader};
use crate::read::node::{self, FENCES, NodeStyle, POINTER, PageNode};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// A snapshot in the notation of browser tools for agents.
pub(crate) struct Snapshot;

/// The minimum number of lines; shorter snapshots are not worth a legend.
const MIN_LINES: usize = 8;

impl Stage for Snapshot {
    fn name(&self) -> &'static str {
        "snapshot"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if !node::is_snapshot(text) {
            return None;
        }
        let frame = if scene.plan.reader >= Reader::Strong { frame(text) } else { "" };
        let plain = if frame.is_empty() {
            Cow::Borrowed(&**text)
        } else {
            text.replace(&frame_prefix(frame), &frame_prefix("")).into()
        };
        let (lines, end) = verbatim::lines(&plain);
        let span = node::span(&lines);
        let inside = &lines[span.clone()];
        if inside.len() < MIN_LINES {
            return None;
        }
        let roles = clickable_roles(inside);
        let mut page = Page { out: String::with_capacity(text.len()), others: Vec::new(), roles: &roles };
        lines[..span.start].iter().for_each(|line| page.keep(line));
        page.write(inside);
        lines[span.end..].iter().for_each(|line| page.keep(line));
        page.flush();
        let note = if span.start == 0 { BARE } else { "" };
        let text = format!("{}\n{}", legend(frame, &roles), verbatim::finish(page.out, end));
        Some(Edit { text, loss: Loss::None, note: note.to_owned() })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let (head, text) = text.split_once('\n')?;
        let (frame, roles) = parse(head)?;
        let fenced = if note == BARE { Fencing::No } else { Fencing::Yes };
        let (lines, end) = verbatim::lines(text);
        let mut out = String::with_capacity(text.len() * 2);
        let mut place = if fenced == Fencing::Yes { Place::Above } else { Place::Inside };
        let mut lines = lines.into_iter();
        while let Some(line) = lines.next() {
            if let Some(count) = verbatim::count(line) {
                verbatim::copy(&mut out, count, &mut lines)?;
                continue;
            }
            place = place.next(line);
            match place {
                Place::Inside if line != FENCES[0] => out.push_str(&long(room, &roles, line)?),
                _ => out.push_str(line),
            }
            out.push('\n');
            room.fits(out.len())?;
        }
        let whole = verbatim::finish(out, end);
        if frame.is_empty() {
            return Some(whole);
        }
        room.fits(whole.len() + whole.matches(&frame_prefix("")).count() * frame.len())?;
        Some(whole.replace(&frame_prefix(""), &frame_prefix(frame)))
    }
}

/// The beginning of every reference in a frame.
fn frame_prefix(frame: &str) -> String {
    [" [ref=", frame, "e"].concat()
}

/// The frame, such as `f2`, that all references belong to; empty if they do not share one.
fn frame(text: &str) -> &str {
    let mut all = text.match_indices(" [ref=").map(|(at, words)| &text[at + words.len()..]);
    let Some(first) = all.next() else { return "" };
    let digits = first.bytes().skip(1).take_while(u8::is_ascii_digit).count();
    let frame = first.get(..=digits).filter(|frame| frame.starts_with('f') && digits > 0).unwrap_or_default();
    if all.all(|reference| reference.strip_prefix(frame).is_some_and(|rest| rest.starts_with('e'))) {
        frame
    } else {
        ""
    }
}

/// Whether fences surround the snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fencing {
    Yes,
    No,
}

/// The position of a line relative to the snapshot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Above,
    Inside,
    Below,
}

impl Place {
    fn next(self, line: &str) -> Self {
        match self {
            Self::Above if line == FENCES[0] => Self::Inside,
            Self::Inside if line == FENCES[1] => Self::Below,
            _ => self,
        }
    }
}

/// A snapshot being written.
struct Page<'a> {
    out: String,
    others: Vec<&'a str>,
    roles: &'a [&'a str],
}

impl<'a> Page<'a> {
    /// Adds a line that is not part of the snapshot.
    fn keep(&mut self, line: &'a str) {
        if verbatim::count(line).is_some() {
            self.others.push(line);
        } else {
            self.flush();
            self.out.extend([line, "\n"]);
        }
    }

    fn flush(&mut self) {
        verbatim::push(&mut self.out, &std::mem::take(&mut self.others));
    }

    /// Adds the lines of the snapshot, and joins several into one where possible.
    fn write(&mut self, lines: &[&'a str]) {
        let only = only(lines);
        let mut at = 0;
        while at < lines.len() {
            let mut count = 1;
            while count < MAX_CHAIN && only.get(at + count - 1) == Some(&true) {
                count += 1;
            }
            let property = lines.get(at + count).is_some_and(|line| is_property(lines[at + count - 1], line));
            count += usize::from(property);
            let written = self.join(&lines[at..at + count]).map(|line| (line, count));
            let Some((line, count)) = written.or_else(|| Some((self.join(&lines[at..=at])?, 1))) else {
                self.others.push(lines[at]);
                at += 1;
                continue;
            };
            self.flush();
            self.out.push_str(&line);
            self.out.push('\n');
            at += count;
        }
    }

    /// Joins several lines into one; `None` when the result could not be decoded to the same lines.
    fn join(&self, lines: &[&str]) -> Option<String> {
        let mut out = String::new();
        for (at, line) in lines.iter().enumerate() {
            let (indent, content) = node::item(line)?;
            if at == 0 {
                out.extend(std::iter::repeat_n(' ', indent));
            } else {
                out.truncate(out.strip_suffix(':')?.len());
                out.push_str(if content.starts_with('/') { ": " } else { CHILD });
            }
            out.push_str(&short(self.roles, content));
        }
        let sound = verbatim::count(&out).is_none() && !FENCES.contains(&&*out);
        (sound && long(Room::of(&out), self.roles, &out)? == lines.join("\n")).then_some(out)
    }
}

/// The maximum number of elements on one line.
const MAX_CHAIN: usize = 8;

const CHILD: &str = " > ";

/// For each line, whether the next line is its only child.
fn only(lines: &[&str]) -> Vec<bool> {
    let indents: Vec<_> = lines.iter().map(|line| node::item(line).map(|item| item.0)).collect();
    let mut only = vec![false; lines.len()];
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (at, indent) in indents.iter().enumerate() {
        let Some(indent) = *indent else {
            open.clear();
            continue;
        };
        open.truncate(open.iter().rposition(|last| last.0 < indent).map_or(0, |last| last + 1));
        if let Some(&(outer, parent)) = open.last() {
            only[parent] = parent + 1 == at && outer + 2 == indent && !is_property(lines[parent], lines[at]);
        }
        open.push((indent, at));
    }
    only
}

/// True when `line` is a property of the element on the line above: `- /url: x`.
fn is_property(above: &str, line: &str) -> bool {
    match (node::item(above), node::item(line)) {
        (Some((outer, _)), Some((inner, content))) => inner == outer + 2 && property(content).is_some(),
        _ => false,
    }
}

/// The name of the property that `content` sets, if it sets one.
fn property(content: &str) -> Option<&str> {
    let (name, _) = content.strip_prefix('/')?.split_once(": ")?;
    name.bytes().all(|byte| byte.is_ascii_lowercase()).then_some(name)
}

/// The roles whose elements are mostly clickable.
fn clickable_roles<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let mut counts: Vec<(&str, [usize; 2])> = Vec::new();
    let nodes = lines.iter().filter_map(|line| PageNode::read(NodeStyle::Long, node::item(line)?.1));
    for node in nodes.filter(|node| node.reference.is_some()) {
        let at = counts.iter().position(|count| count.0 == node.role).unwrap_or_else(|| {
            counts.push((node.role, [0; 2]));
            counts.len() - 1
        });
        counts[at].1[usize::from(node.pointer)] += 1;
        if counts.len() > MAX_ROLES {
            return Vec::new();
        }
    }
    counts.iter().filter(|(_, [without, with])| *with > without * 2).map(|count| count.0).collect()
}

/// The maximum number of different roles in a snapshot.
const MAX_ROLES: usize = 100;

fn short(roles: &[&str], content: &str) -> String {
    let Some(node) = PageNode::read(NodeStyle::Long, content) else { return content.to_owned() };
    let Some(reference) = node.reference else { return content.to_owned() };
    let usual = roles.contains(&node.role);
    if usual && !node.pointer {
        return content.to_owned();
    }
    let pointer = if node.pointer && !usual { POINTER } else { "" };
    [node.role, node.words, " ", reference, pointer, node.tail].concat()
}

/// The original lines that `line` was written from.
fn long(room: Room, roles: &[&str], line: &str) -> Option<String> {
    let mut rest = line.trim_start_matches(' ');
    let mut indent = line.len() - rest.len();
    let mut out = String::new();
    loop {
        out.extend(std::iter::repeat_n(' ', indent));
        out.push_str("- ");
        room.fits(out.len())?;
        let (head, tail) = head(roles, rest);
        out.push_str(&head);
        indent += 2;
        if let Some(child) = tail.strip_prefix(CHILD) {
            out.push_str(":\n");
            rest = child;
        } else if let Some(content) = tail.strip_prefix(": ").filter(|content| property(content).is_some()) {
            out.push_str(":\n");
            out.extend(std::iter::repeat_n(' ', indent));
            out.extend(["- ", content]);
            return Some(out);
        } else {
            out.push_str(tail);
            return Some(out);
        }
    }
}

/// The original notation of the element at the start of `content`, and the text after that element.
fn head<'a>(roles: &[&str], content: &'a str) -> (String, &'a str) {
    let node = PageNode::read(NodeStyle::Short, content).filter(|node| node.reference.is_some());
    if let Some(node) = node {
        let reference = node.reference.unwrap_or_default();
        let pointer = if node.pointer || roles.contains(&node.role) { POINTER } else { "" };
        return ([node.role, node.words, " [ref=", reference, "]", pointer].concat(), node.tail);
    }
    match PageNode::read(NodeStyle::Long, content) {
        Some(node) => (content[..content.len() - node.tail.len()].to_owned(), node.tail),
        None => (content.to_owned(), ""),
    }
}

/// Writes the legend: `[e5 stands for [ref=e5]; [cursor=pointer] is on every link, button]`.
fn legend(frame: &str, roles: &[&str]) -> String {
    let pointer = if roles.is_empty() { String::new() } else { format!("; {EVERY}{}", roles.join(", ")) };
    let words = if frame.is_empty() { SHORT } else { FRAME_LEGEND };
    format!("{words}{frame}{FIFTH}{pointer}]")
}

const SHORT: &str = "[e5 stands for [ref=";
const FRAME_LEGEND: &str = "[e5 and [ref=e5] stand for [ref=";
const FIFTH: &str = "e5]";
const EVERY: &str = "[cursor=pointer] is on every ";
const BARE: &str = "no fence";

fn parse(head: &str) -> Option<(&str, Vec<&str>)> {
    let rest = head.strip_prefix(SHORT).or_else(|| head.strip_prefix(FRAME_LEGEND))?;
    let (frame, rest) = rest.strip_suffix(']')?.split_once(FIFTH)?;
    match rest.strip_prefix("; ") {
        Some(every) => Some((frame, every.strip_prefix(EVERY)?.split(", ").collect())),
        None => rest.is_empty().then(|| (frame, Vec::new())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;
    use crate::proof::{apply, check, read_foreign};

    const PAGE: &str = "- banner [ref=e2]:\n  - list [ref=e3]:\n    - listitem [ref=e4]:\n      - link \"Home > x\" [ref=e5] \
                        [cursor=pointer]:\n        - /url: /home\n      - text: \"|\"\n  - button \"Go\" [ref=e7] [cursor=pointer]\n  \
                        - generic [ref=e9] [cursor=pointer]: Open\n  - button \"Off\" [disabled] [ref=e8]\n  - button \"On\" \
                        [ref=e10] [cursor=pointer]\n  - button \"No\" [ref=e11] [cursor=pointer]\n  - heading \"A\" [level=1] [ref=e12]";

    const SHORTER: &str = "banner e2:\n  list e3 > listitem e4:\n      link \"Home > x\" e5: /url: /home\n      text: \"|\"\n  \
                           button \"Go\" e7\n  generic e9 [cursor=pointer]: Open\n  button \"Off\" [disabled] [ref=e8]\n  \
                           button \"On\" e10\n  button \"No\" e11\n  heading \"A\" [level=1] e12";

    #[test]
    fn a_frame_common_to_all_references_is_written_once() {
        let page = PAGE.replace("[ref=e", "[ref=f12e");
        let edit = apply(&Snapshot, &page).unwrap();
        assert!(edit.text.starts_with("[e5 and [ref=e5] stand for [ref=f12e5]"), "{}", edit.text);
        assert_eq!(edit.text.matches("f12").count(), 1, "{}", edit.text);
        assert_eq!(proof::back(&Snapshot, &edit), Some(page));
    }

    #[test]
    fn elements_are_written_short() {
        check(
            &Snapshot,
            PAGE,
            "no fence",
            &format!(
                "[e5 stands for [ref=e5]; [cursor=pointer] is on every link, button, generic]\n{}",
                SHORTER.replace(" [cursor=pointer]", "")
            ),
        );
        let fenced = |page: &str| format!("### Page\n- URL: x [ref=e1]\n```yaml\n{page}\n```\n- [ERROR] x\n");
        check(
            &Snapshot,
            &fenced(&PAGE.replace("[ref=e9] [cursor=pointer]", "[ref=e9]")),
            "",
            &format!(
                "[e5 stands for [ref=e5]; [cursor=pointer] is on every link, button]\n{}",
                fenced(&SHORTER.replace(" [cursor=pointer]", ""))
            ),
        );
    }

    /// Unusual lines at any position are restored.
    #[test]
    fn unusual_lines_are_restored() {
        for odd in [
            "",
            "\r",
            "-",
            "- ",
            "-  x",
            "- ```",
            "```",
            "```yaml",
            "- [2 lines as they came:]",
            "[2 lines as they came:]",
            "- a > b",
            "- a e1: /url: x",
            "- a e1 > b",
            "      - deep [ref=e1]:",
            "- 'link \"a: b\" [ref=e1]':",
            "- a [ref=e1]: /url: x",
            "- a [ref=e1] > b",
            "é",
            "- link \"x [ref=e1]:",
            "- link:",
            "  - /url: y",
            "\t- x",
            "- generic [ref=e1]:\r",
        ] {
            for text in [
                format!("{odd}\n{PAGE}\n{odd}\n{odd}\n{PAGE}\n"),
                format!("```yaml\n{PAGE}\n{odd}\n{PAGE}\n```\n{odd}"),
            ] {
                let Some(edit) = apply(&Snapshot, &text) else { continue };
                assert_eq!(proof::back(&Snapshot, &edit).as_deref(), Some(&*text), "{}", edit.text);
            }
        }
    }

    #[test]
    fn what_it_never_wrote_is_no_fault() {
        read_foreign(&Snapshot);
        assert_eq!(proof::read(&Snapshot, "", "[e5 stands for [ref=e5]; x]\na"), None);
    }
}
