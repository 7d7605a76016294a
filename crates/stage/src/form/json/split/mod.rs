//! JSON with what stands in it many times said once, apart from the rows: what follows from a field in a table of its
//! own, long texts below the document with their lines as lines, the end that all values of a field have above it.

mod ends;
mod joined;
mod lists;
mod place;
mod same;
mod short;
mod texts;

use tersely_codec::json::Layout;
use tersely_codec::{Value, terse};

use self::joined::Joined;
use self::texts::Texts;
use crate::call::Call;
use crate::form::json::document::document;
use crate::form::json::worth::is_shorter;
use crate::plan::{Loss, Mode, Reader};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};

/// A JSON document of which parts say the same.
pub(crate) struct JsonSplit;

/// What it must save of the terse form that is in one piece, in percent.
const WORTH: usize = 3;

impl Stage for JsonSplit {
    fn name(&self) -> &'static str {
        "json split"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn reader(&self) -> Reader {
        Reader::Strong
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        let value = document(text)?;
        let layout = Layout::of(text, &value)?;
        let parts = Parts::of(value.clone())?;
        let written = parts.write(scene.call)?;
        let whole = terse::draft(&value)?;
        let worth = written.len() * 100 < whole.len() * (100 - WORTH) && is_shorter(text, &written);
        worth.then(|| Edit { text: written, loss: Loss::None, note: format!("{layout}{}", parts.note()) })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let (layout, note) = note.split_once("; ")?;
        let layout: Layout = layout.parse().ok()?;
        layout.write_within(room.bytes(), &read(room, note, text)?)
    }
}

/// A document that was taken apart.
struct Parts<'v> {
    value: Value<'v>,
    /// What a reader must know, one line each, in the order of the changes.
    heads: Vec<String>,
    tables: Vec<Joined<'v>>,
    texts: Option<Texts>,
}

impl<'v> Parts<'v> {
    fn of(mut value: Value<'v>) -> Option<Self> {
        let mut heads: Vec<String> = same::refer(&mut value).into_iter().collect();
        heads.extend(short::shorten(&mut value));
        heads.extend(lists::flatten(&mut value));
        heads.extend(ends::strip(&mut value));
        let mut tables = Vec::new();
        if let Some(joined) = joined::split(&mut value) {
            heads.push(joined.head());
            tables.push(joined);
        }
        let texts = texts::take(&mut value);
        heads.extend(texts.is_some().then(|| texts::HEAD.to_owned()));
        (!heads.is_empty()).then_some(Self { value, heads, tables, texts })
    }

    fn write(&self, call: Call<'_>) -> Option<String> {
        let mut out = String::new();
        for head in &self.heads {
            out.extend([head, "\n"]);
        }
        for table in &self.tables {
            out.extend([&*terse::draft(&table.table)?, GAP]);
        }
        out.push_str(&terse::draft(&self.value)?);
        if let Some(texts) = &self.texts {
            out.extend([GAP, &texts.write(call)]);
        }
        Some(out)
    }

    /// What only a decoder must know: `; 2 heads; at 1-5`.
    fn note(&self) -> String {
        let mut note = format!("; {}{HEADS}", self.heads.len());
        for table in &self.tables {
            note.extend(["; ", &table.note()]);
        }
        note
    }
}

const HEADS: &str = " heads";

/// What parts the documents; none holds an empty line.
const GAP: &str = "\n\n";

/// The document that was taken apart.
fn read<'v>(room: Room, note: &str, text: &'v str) -> Option<Value<'v>> {
    let (heads, at) = note.split_once("; ").map_or((note, None), |(heads, at)| (heads, Some(at)));
    let count: usize = heads.strip_suffix(HEADS)?.parse().ok()?;
    let (heads, mut rest) = split_lines(text, count)?;
    let mut table = None;
    if at.is_some() {
        let (lines, below) = rest.split_once(GAP)?;
        (table, rest) = (Some(terse::decode(lines).ok()?), below);
    }
    let texts = heads.last() == Some(&texts::HEAD);
    let (lines, below) = if texts { rest.split_once(GAP)? } else { (rest, "") };
    let mut value = terse::decode(lines).ok()?;
    for head in heads.iter().rev() {
        match *head {
            texts::HEAD => texts::put(room, below, &mut value)?,
            head if same::is_head(head) => same::copy(&mut value)?,
            head if short::is_head(head) => short::lengthen(&mut value)?,
            head if joined::is_head(head) => joined::unite(room, (head, at?), table.take()?, &mut value)?,
            head if ends::is_head(head) => ends::add(room, head, &mut value)?,
            head => lists::group(head, &mut value)?,
        }
    }
    Some(value)
}

/// The first lines, and what stands below them.
fn split_lines(text: &str, count: usize) -> Option<(Vec<&str>, &str)> {
    let mut rest = text;
    let mut lines = Vec::new();
    for _ in 0..count {
        let (line, below) = rest.split_once('\n')?;
        lines.push(line);
        rest = below;
    }
    Some((lines, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::{apply, back, read_foreign};

    fn check(text: &str, begins: &str) {
        let edit = apply(&JsonSplit, text).unwrap_or_else(|| panic!("declined {text}"));
        assert!(edit.text.starts_with(begins), "{}", edit.text);
        assert_eq!(back(&JsonSplit, &edit).as_deref(), Some(text), "{}\n{}", edit.note, edit.text);
    }

    #[test]
    fn what_follows_from_a_field_has_a_table() {
        let rows: Vec<String> = (0..40)
            .map(|id| {
                let (who, street) = [("7", "Theodor-Heuss-Strasse 34"), ("9", "Ullevålsveien 14")][id % 2];
                format!(
                    "{{\"id\":{id},\"who\":{who},\"street\":\"{street}\",\"city\":\"of {street}\",\"n\":{}}}",
                    id * 37 % 11
                )
            })
            .collect();
        check(
            &format!("[{}]", rows.join(",")),
            "[rows with the same who share street, city: look these up in the table right below]\n[{who:7,street:Theodor-Heuss-Strasse 34,",
        );
    }

    #[test]
    fn lists_in_a_map_are_rows_with_a_key() {
        let list = |key: usize| {
            let file = |at: usize| {
                format!(
                    "{{\"file\":\"pkg-{key}-{at}.tar.gz\",\"kind\":\"sdist\",\"size\":{}}}",
                    key * 91 + at
                )
            };
            format!("\"1.{key}\":[{}]", (0..key % 3).map(file).collect::<Vec<_>>().join(","))
        };
        let lists: Vec<String> = (1..20).map(list).collect();
        check(
            &format!("{{\"name\":\"pkg\",\"releases\":{{{}}}}}", lists.join(",")),
            "[in releases, each row is in the list under its key; a row without more is an empty list]\nname: pkg\n",
        );
    }

    #[test]
    fn an_end_that_all_values_have_is_said_once() {
        let row = |id: usize| {
            format!(
                "{{\"id\":{id},\"url\":\"https://a.example/x{}?ref=0123456789abcdef0123456789abcdef\"}}",
                id * 7919
            )
        };
        let rows: Vec<String> = (1..20).map(row).collect();
        check(
            &format!("{{\"files\":[{}]}}", rows.join(",")),
            "[in files, each url ends with ?ref=0123456789abcdef0123456789abcdef, left out below]\nfiles: 19 rows\n",
        );
    }

    #[test]
    fn long_texts_stand_below() {
        let boiler = "# Description\\r\\nBefore you send it:\\r\\n- [ ] run \\\"the tests\\\" and see them pass\\r\\n- [ ] write a line in the log of changes\\r\\n- [ ] sign what you send with the key that you have\\r\\n";
        let row = |id: usize| format!("{{\"id\":{},\"body\":\"Fix {id}\\r\\n\\r\\n{boiler}\"}}", id * 31);
        let rows: Vec<String> = (1..9).map(row).collect();
        let text = format!("[{}]", rows.join(","));
        check(
            &text,
            "[\"text 1 below\" stands for the lines under \"text 1:\" at the end, and so on]\n[{id:31,body:text 1 below with CRLF},",
        );
        let written = apply(&JsonSplit, &text).unwrap().text;
        let mark = "(as the first time, down to \"- [ ] sign what you\")";
        assert!(written.contains(mark), "{written}");
    }

    #[test]
    fn a_copy_is_said_by_the_place_of_the_first() {
        let shop = |id: u32| {
            let fields: Vec<String> =
                (0..12).map(|n| format!("\"field_{n}\":\"value {id} of {n}\"")).collect();
            format!("{{\"owner\":{{{}}},\"id\":{id}}}", fields.join(","))
        };
        let (one, two) = (shop(1), shop(2));
        let text = format!(
            "{{\"head\":{{\"shop\":{one}}},\"base\":{{\"shop\":{one}}},\"old\":{two},\"new\":{two}}}"
        );
        check(&text, "[\"same as head\" stands for the whole value of head]\n");
        let written = apply(&JsonSplit, &text).unwrap().text;
        assert!(written.contains("same as old"), "{written}");
        let taken = text.replace("value 2 of 7", "same as head");
        assert!(apply(&JsonSplit, &taken).is_none_or(|edit| !edit.text.contains("stands for the whole")));
    }

    #[test]
    fn numbers_of_twenty_digits_are_written_short() {
        let number = |id: u32| short::long(&format!("{}.{:02}", id % 17, id * 7 % 100)).unwrap();
        let rows: Vec<String> = (1..30).map(|id| format!("{{\"id\":{id},\"sum\":{}}}", number(id))).collect();
        check(
            &format!("[{}]", rows.join(",")),
            "[numbers are written short: 1.07 came as 1.0700000000000000621]\n",
        );
    }

    #[test]
    fn other_documents_are_left_alone() {
        for text in ["", "{}", "[]", "[{\"a\":1},{\"a\":2}]", "{\"releases\":{\"1\":[],\"2\":[]}}"] {
            assert_eq!(apply(&JsonSplit, text), None, "{text}");
        }
        read_foreign(&JsonSplit);
    }
}
