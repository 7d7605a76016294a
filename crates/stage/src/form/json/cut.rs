//! A JSON document that breaks off, as `head` and the limits of tools leave it: what is complete of it in the terse form,
//! and the rest as it came.

use tersely_codec::json::Layout;
use tersely_codec::{json, terse};

use crate::form::json::keys;
use crate::form::json::worth::is_shorter;
use crate::plan::{Loss, Mode, Reader};
use crate::read;
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};

/// A text that begins as a JSON document and is none.
pub(crate) struct JsonCut;

/// Shorter texts have nothing to give.
const MIN_BYTES: usize = 1_024;

/// Ends that are tried, from the last: what follows a document that breaks off may look like more of it.
const TRIES: usize = 4;

/// What follows the complete part may be so long, in percent of the text.
const MAX_REST: usize = 25;

/// Above what follows the complete part.
const BREAKS: &str = "[the JSON breaks off here:]";

impl Stage for JsonCut {
    fn name(&self) -> &'static str {
        "json cut"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn reader(&self) -> Reader {
        Reader::Strong
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        let begin = read::json::begin(text).filter(|_| text.len() >= MIN_BYTES)?;
        let (lead, body) = text.split_at(begin);
        if json::decode_first(body).is_ok() {
            return None;
        }
        let (commas, opened) = scan(body);
        // A record that is not complete is best read in one piece, below the others.
        let records = commas.iter().filter(|comma| body[..**comma].trim_end().ends_with('}'));
        let ends = records.rev().take(TRIES).chain(commas.iter().rev().take(TRIES));
        ends.copied().find_map(|comma| {
            let rest = &body[comma..];
            let open: Vec<usize> =
                opened.iter().filter(|group| group.holds(comma)).map(|group| group.from).collect();
            let closed = close(&body[..comma], &open);
            let value = json::decode(&closed).ok()?;
            let layout = Layout::of(&closed, &value)?;
            let written = terse::draft_as(keys::place_for(scene.plan.reader), &value)?;
            let written = [lead, &written, "\n", BREAKS, "\n", rest].concat();
            let note = format!("{layout}; {} open, {} lines above", open.len(), lead.matches('\n').count());
            let worth = rest.len() * 100 <= text.len() * MAX_REST && is_shorter(text, &written);
            worth.then_some(Edit { text: written, loss: Loss::None, note })
        })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let (layout, counts) = note.rsplit_once("; ")?;
        let layout: Layout = layout.parse().ok()?;
        let (open, above) = counts.strip_suffix(" lines above")?.split_once(" open, ")?;
        let above: usize = above.parse().ok()?;
        let lead: usize = text.split_inclusive('\n').take(above).map(str::len).sum();
        let (lead, body) = text.split_at(lead);
        let (written, rest) = body.split_once(&*["\n", BREAKS, "\n"].concat())?;
        let closed = layout.write_within(room.bytes(), &terse::decode(written).ok()?)?;
        let mut complete = closed.as_str();
        for _ in 0..open.parse::<usize>().ok()? {
            complete = complete.trim_end().strip_suffix(['}', ']'])?;
        }
        Some([lead, complete.trim_end(), rest].concat())
    }
}

/// A bracket that opens, and where it was closed.
struct Opened {
    from: usize,
    to: usize,
}

impl Opened {
    /// True when a place is within the brackets.
    fn holds(&self, at: usize) -> bool {
        self.from < at && at < self.to
    }
}

/// The commas and brackets of a document, for as long as it looks like one.
fn scan(text: &str) -> (Vec<usize>, Vec<Opened>) {
    let (mut commas, mut groups, mut open): (_, Vec<Opened>, Vec<usize>) =
        (Vec::new(), Vec::new(), Vec::new());
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => match string(bytes, at) {
                Some(end) => at = end,
                None => break,
            },
            b'{' | b'[' => {
                open.push(groups.len());
                groups.push(Opened { from: at, to: usize::MAX });
            }
            b'}' | b']' => match open.pop() {
                Some(group) => groups[group].to = at,
                None => break,
            },
            b',' => commas.push(at),
            b':' | b' ' | b'\t' | b'\n' | b'\r' | b'-' | b'+' | b'.' => {}
            sign if sign.is_ascii_alphanumeric() => {}
            _ => break,
        }
        at += 1;
    }
    (commas, groups)
}

/// Where the string ends that begins at `at`.
fn string(bytes: &[u8], at: usize) -> Option<usize> {
    let mut place = at + 1;
    while place < bytes.len() {
        match bytes[place] {
            b'"' => return Some(place),
            b'\\' => place += 2,
            _ => place += 1,
        }
    }
    None
}

/// The text with the brackets closed that were opened at these places, laid out as they were.
fn close(text: &str, open: &[usize]) -> String {
    let mut out = text.to_owned();
    for &from in open.iter().rev() {
        let below = text[from + 1..].trim_start_matches([' ', '\t', '\r']);
        if below.starts_with('\n') {
            let line = &text[text[..from].rfind('\n').map_or(0, |end| end + 1)..];
            let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
            out.extend(["\n", &line[..blank]]);
        }
        out.push(if text.as_bytes()[from] == b'{' { '}' } else { ']' });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::{apply, back, read_foreign};

    fn document() -> String {
        let row = |id: usize| {
            format!("{{\"id\": {id}, \"name\": \"shelf, {}\", \"room\": [{}, 2]}}", id * 37, id % 3)
        };
        (0..60).map(row).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn what_is_complete_becomes_rows() {
        let text = format!("[{}", document());
        for cut in [text.len() - 1, text.len() - 9, text.len() - 20, text.len() - 30, text.len() - 47] {
            let text = &text[..cut];
            let edit = apply(&JsonCut, text).unwrap_or_else(|| panic!("declined {cut}"));
            assert!(edit.text.contains("\n[the JSON breaks off here:]\n,"), "{}", edit.text);
            assert_eq!(back(&JsonCut, &edit).as_deref(), Some(text), "{}\n{}", edit.note, edit.text);
        }
    }

    #[test]
    fn what_stands_before_and_behind_it_stays() {
        let rows: Vec<String> = (0..60)
            .map(|id| format!("    {{\n      \"id\": {id},\n      \"state\": \"open\"\n    }}"))
            .collect();
        let text = format!("$ jq . shelves.json | head\n{{\n  \"shelves\": [\n{}", rows.join(",\n"));
        let text = format!("{}\n... [120 lines, 4 KB more] ...\n", &text[..text.len() - 20]);
        let edit = apply(&JsonCut, &text).unwrap();
        assert!(edit.text.starts_with("$ jq . shelves.json | head\nshelves: 59 rows\n"), "{}", edit.text);
        assert!(edit.text.ends_with("\n... [120 lines, 4 KB more] ...\n"), "{}", edit.text);
        assert_eq!(back(&JsonCut, &edit).as_deref(), Some(&*text));
    }

    #[test]
    fn other_texts_are_left_alone() {
        let whole = format!("[{}]", document());
        let odd = format!("[{}\n[the JSON breaks off here:]\n", document());
        for text in ["", "{", &whole, &"[1] x, y, z\n".repeat(200), &"[{\"a\"; b, c\n".repeat(200)] {
            assert_eq!(apply(&JsonCut, text), None, "{text}");
        }
        let back = apply(&JsonCut, &odd).map(|edit| back(&JsonCut, &edit));
        assert!(back.is_none_or(|back| back.is_none_or(|back| back == odd)));
        read_foreign(&JsonCut);
    }
}
