//! XML documents with every element named once: as a tree in the terse form, or line by line.
//!
//! Attributes are `@name`, the text beside them is `#text`, comments are `#comment`; elements of one name that
//! follow each other are the rows of one table. References such as `&amp;` stay as they are written.

mod lines;
mod read;
mod write;

use tersely_codec::terse;

use crate::form::json::keys;
use crate::plan::{Loss, Mode};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};
pub(crate) use lines::XmlLines;
use write::XmlLayout;

/// Shorter texts have nothing to give.
const MIN_BYTES: usize = 128;

/// A text that is one XML document, laid out as programs do.
pub(crate) struct Xml;

impl Stage for Xml {
    fn name(&self) -> &'static str {
        "xml"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        if text.len() < MIN_BYTES || !text.starts_with('<') {
            return None;
        }
        let (head, root) = read::document(text)?;
        let layout = XmlLayout::of(text, head)?;
        if head.len() + layout.write(Room::of(text), &root)?.len() != text.len() {
            return None;
        }
        let gap = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
        let body = format!("{head}{gap}{}", terse::encode_as(keys::place_for(scene.plan.reader), &root)?);
        Some(Edit { text: body, loss: Loss::None, note: layout.to_string() })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let layout: XmlLayout = note.parse().ok()?;
        let (head, tree) = layout.split(text)?;
        let element = terse::decode(tree).ok()?;
        Some(head.to_owned() + &layout.write(room, &element)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;
    use crate::proof::{apply, check, read_foreign};

    const ROWS: &str = "<List><Item><Key>a</Key><Size>1</Size></Item><Item><Key>b</Key><Size>22</Size></Item>\
                        <Item><Key>c</Key><Size>03</Size></Item></List>";

    #[test]
    fn elements_of_one_name_become_rows() {
        check(
            &Xml,
            &format!("<?xml version=\"1.0\"?>\n{ROWS}"),
            "compact; head 1",
            "<?xml version=\"1.0\"?>\n{List:{Item:[{Key:a,Size:1},{Key:b,Size:22},{Key:c,Size:03}]}}",
        );
    }

    /// Whatever is read comes back, or is declined.
    #[test]
    fn documents_come_back() {
        for text in [
            "<a><b/><b></b><b x=\"1\"/><b x=\"1\"></b><b x=\"1\">t</b><b>true</b><b>null</b><b>1.50</b></a>",
            "<a>\n  <b>\n    <c>1</c>\n    <!-- why: x -->\n    <c>2</c>\n  </b>\n</a>\n",
            "<a>\n\t<b />\n\t<c d=\"e\" />\n</a>",
            "<!-- top -->\n<a><b>&lt;é&gt; \"q\"</b><b><![CDATA[<x>]]></b></a>\n",
            "<?xml version=\"1.0\"?><s><t n=\"a\" /><t n=\"b\" /></s>",
            "<a><a><a>  </a></a><a>\n</a></a>",
        ] {
            let long = text.replace('1', &"1".repeat(100));
            let Some(edit) = apply(&Xml, &long) else { continue };
            assert_eq!(proof::back(&Xml, &edit), Some(long), "{}", edit.text);
        }
    }

    #[test]
    fn what_is_no_such_document_is_left_alone() {
        let long = "x".repeat(200);
        for text in [
            format!("<p>some <b>bold</b> text {long}</p>"),
            format!("<a><b>{long}</c></a>"),
            format!("<a>{long}"),
            format!("<a b='1'>{long}</a>"),
            format!("<a><b>{long}</b> </a>"),
            "<a>".repeat(100_000),
            "<a b=\"".repeat(1000),
            "<".repeat(1000),
        ] {
            let edit = apply(&Xml, &text);
            let back = edit.and_then(|edit| proof::back(&Xml, &edit));
            assert!(back.is_none_or(|back| back == text));
        }
    }

    #[test]
    fn what_it_never_wrote_is_no_fault() {
        read_foreign(&Xml);
        for note in ["compact; head 9", "indent 99999999999", "compact; head 99999999999999999999"] {
            assert_eq!(proof::read(&Xml, note, "a: 1"), None, "{note}");
        }
    }
}
