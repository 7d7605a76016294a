//! Shortens JSON: keeps the ends of long strings, and the ends and failures of long lists.
//!
//! The result is JSON again, so that the exact forms can encode it. Long strings (bodies, patches, certificates) are
//! shortened first, because readers rarely need more than their beginning. Whole records are omitted from lists only
//! if the lists are far too long to send, because a reader may need any single record.

mod blob;
pub(super) mod fault;
mod list;
mod name;
mod string;

use tersely_codec::{Text, Value, json};

use crate::class::{CutClass, Omission};
use crate::plan::{Loss, Mode};
use crate::read::json::{begin, documents, parse_concatenated};
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// Shortens a JSON document.
pub(crate) struct Excerpt;

/// Records cost little when they are sent as rows, and a reader may need any of them, so lists of records get this
/// many times the room of other texts.
const RECORD_ROOM_FACTOR: usize = 16;

/// The number of bytes kept of a long string. The sizes are tried in this order.
const STRING_BYTES: [usize; 5] = [2_400, 1_600, 1_000, 600, 300];

/// The number of records kept at the beginning and at the end of a long list. The pairs are tried in this order.
const END_RECORDS: [(usize, usize); 11] = [
    (400, 40),
    (280, 28),
    (200, 20),
    (140, 14),
    (100, 10),
    (70, 8),
    (50, 6),
    (30, 5),
    (20, 4),
    (15, 3),
    (8, 2),
];

impl Stage for Excerpt {
    fn name(&self) -> &'static str {
        "excerpt"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn cuts_lines(&self) -> bool {
        false
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Content, &["records in the middle of long lists", "the middle of long strings"])]
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        let (lead, body) = text.split_at(begin(text).unwrap_or_default());
        if text.len() <= scene.room || !body.trim_start().starts_with(['{', '[']) {
            return None;
        }
        let mut value =
            json::decode(body).ok().or_else(|| documents(body)).or_else(|| parse_concatenated(body))?;
        let weight = weigh(&value);
        let room = usize::try_from(weight as u128 * scene.room as u128 / text.len() as u128).ok()?;
        let rows = if scene.plan.mode < Mode::Aggressive { RECORD_ROOM_FACTOR } else { 1 };
        if scene.plan.mode >= Mode::Aggressive {
            string::blobs(&mut value);
        }
        // Each step copies the whole value, so steps that no string is long enough for are left out.
        let longest = string::longest(&mut value);
        let sizes = &STRING_BYTES[STRING_BYTES.partition_point(|most| *most >= longest)..];
        let value = shorter(value, room, sizes, |value, most| string::shorten_all(value, *most));
        let value =
            shorter(value, room * rows, &END_RECORDS, |value, ends| Limits::of(*ends, room).lists(value));
        (weigh(&value) < weight).then(|| Edit {
            text: [lead, &json::encode(&value)].concat(),
            loss: Loss::Detail,
            note: String::new(),
        })
    }
}

/// Applies the `steps` one at a time, each to the original value, until the result fits into the room. Returns the
/// last result.
fn shorter<'v, S>(value: Value<'v>, room: usize, steps: &[S], cut: impl Fn(&mut Value<'v>, &S)) -> Value<'v> {
    if weigh(&value) <= room {
        return value;
    }
    let Some((last, steps)) = steps.split_last() else { return value };
    for step in steps {
        let mut short = value.clone();
        cut(&mut short, step);
        if weigh(&short) <= room {
            return short;
        }
    }
    let mut short = value;
    cut(&mut short, last);
    short
}

/// Limits for lists: shorter lists are kept whole.
struct Limits {
    /// The number of records kept at the beginning and at the end of a longer list.
    ends: (usize, usize),
    /// A list of no more bytes than this is kept whole.
    list: usize,
    /// Maximum number of bytes for the names of omitted records.
    names: usize,
}

/// Lists smaller than this fraction of the room are kept whole. The names of omitted records may take the same
/// fraction.
const ROOM_DIVISOR: usize = 8;

impl Limits {
    fn of(ends: (usize, usize), room: usize) -> Self {
        Self { ends, list: room / ROOM_DIVISOR, names: room / ROOM_DIVISOR }
    }

    /// Omits records from a value that is a long list, and from long lists within it.
    fn lists(&self, value: &mut Value<'_>) {
        if let Some(left) = self.list(value) {
            let list = std::mem::replace(value, Value::Null);
            let members = [("left out", string(&left)), ("records", list)];
            *value = Value::Object(members.map(|(key, value)| (Text::of(key), value)).into());
        }
        self.members(value);
    }

    /// Omits records from the lists within a value.
    fn members(&self, value: &mut Value<'_>) {
        match value {
            Value::Array(items) => {
                self.numbers(items);
                for item in items {
                    self.members(item);
                }
            }
            Value::Object(members) => {
                let mut notes = Vec::new();
                for (index, (key, value)) in members.iter_mut().enumerate() {
                    if let Some(left) = self.list(value) {
                        let name =
                            Text::of(&format!("{} left out", key.value().unwrap_or_default())).into_owned();
                        notes.push((index, (name, string(&left))));
                    }
                    self.members(value);
                }
                for (index, note) in notes.into_iter().rev() {
                    members.insert(index, note);
                }
            }
            _ => {}
        }
    }
}

fn string(text: &str) -> Value<'static> {
    Value::String(Text::of(text).into_owned())
}

/// The approximate length of a value as JSON, in bytes.
fn weigh(value: &Value<'_>) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(text) => text.len() + 1,
        Value::String(text) => text.as_str().len() + 3,
        Value::Array(items) => items.iter().map(weigh).sum::<usize>() + 3,
        Value::Object(members) => {
            members.iter().map(|(key, value)| key.as_str().len() + 3 + weigh(value)).sum::<usize>() + 3
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;

    /// The shortened text, if the room is `room` bytes.
    fn cut(mode: Mode, room: usize, text: &str) -> Option<String> {
        let plan = Plan { mode, ..Plan::default() };
        Excerpt
            .apply(Scene { room, ..Scene::of(&plan, Call::default()) }, &TextView::new(text))
            .map(|edit| edit.text)
    }

    /// A document with `count` records, one of which failed.
    fn records(count: usize, failed: usize) -> String {
        let record = |n| {
            let state = if n == failed { "failed" } else { "done" };
            format!("{{\"id\":{n},\"state\":\"{state}\",\"text\":\"{}\"}}", "some words ".repeat(20))
        };
        let records: Vec<_> = (1..=count).map(record).collect();
        format!("{{\"jobs\":[{}],\"total\":{count}}}", records.join(","))
    }

    /// Behaviour 17.5.
    #[test]
    fn long_lists_keep_their_ends_and_their_faults() {
        let out = cut(Mode::Standard, 800, &records(300, 150)).unwrap();
        for (id, kept) in
            [(1, true), (30, true), (31, false), (149, false), (150, true), (295, false), (296, true)]
        {
            assert_eq!(out.contains(&format!("\"id\":{id},")), kept, "{id}");
        }
        let note = "{\"jobs left out\":\"264 of 300 records: 31 to 149, 151 to 295\",\"jobs\":[";
        assert!(out.starts_with(note), "{}", &out[..100]);
        assert_eq!(out.matches("\"id\":").count(), 36);
    }

    #[test]
    fn one_record_of_each_kind_stays() {
        let text = records(300, 0).replace("\"id\":200,", "\"id\":200,\"odd\":true,");
        let text = text.replace("\"id\":201,", "\"id\":201,\"odd\":false,");
        let out = cut(Mode::Standard, 800, &text).unwrap();
        assert!(out.contains("\"264 of 300 records: 31 to 199, 201 to 295\""), "{}", &out[..100]);
        assert!(out.contains("\"odd\":true"), "{out}");
    }

    #[test]
    fn records_that_are_left_out_are_named() {
        let text =
            records(300, 0).replace("\"state\":\"done\"", "\"kind\":\"a\"").replace("\"id\":", "\"id\":\"n");
        let text = text.replace(",\"kind\"", "\",\"kind\"");
        let out = cut(Mode::Standard, 4_125, &text).unwrap();
        assert!(
            out.contains(
                "\"jobs left out\":\"80 of 300 records: 201 to 280; their names: n201, n202, n203, "
            ),
            "{out}"
        );
    }

    #[test]
    fn bare_lists_get_a_name() {
        let text = records(300, 0);
        let list = &text[text.find('[').unwrap()..=text.rfind(']').unwrap()];
        let out = cut(Mode::Standard, 800, list).unwrap();
        let head = "{\"left out\":\"265 of 300 records: 31 to 295\",\"records\":[{\"id\":1,";
        assert!(out.starts_with(head), "{}", &out[..100]);
        let lines = list[1..list.len() - 1].replace("},{", "}\n{");
        assert_eq!(cut(Mode::Standard, 800, &lines), Some(out));
    }

    #[test]
    fn what_there_is_room_for_stays() {
        let text = records(90, 40);
        assert_eq!(cut(Mode::Standard, text.len(), &text), None);
        assert_eq!(cut(Mode::Standard, text.len() / 10, &text), None, "records are rows");
        let out = cut(Mode::Aggressive, 3_000, &text).unwrap();
        assert!(out.contains("\"79 of 90 records: 9 to 39, 41 to 88\""), "{out}");
        assert!(out.contains("\"state\":\"failed\""), "{out}");
    }

    #[test]
    fn keyed_records_are_a_list_and_other_members_are_not() {
        let member = |n: usize, value: &str| format!("\"key {n}\":{value}");
        let all = |value: &str| {
            let members: Vec<_> = (0..200).map(|n| member(n, value)).collect();
            format!("{{\"a\":{{{}}}}}", members.join(","))
        };
        let record = format!("{{\"text\":\"{}\"}}", "word ".repeat(50));
        let out = cut(Mode::Aggressive, 3_000, &all(&record)).unwrap();
        assert!(out.contains("\"a left out\":\"190 of 200 members: 9 to 198\""), "{out}");
        assert_eq!(cut(Mode::Aggressive, 3_000, &all("\"a short text that stays as it is\"")), None);
    }

    #[test]
    fn long_series_keep_their_ends() {
        let numbers: Vec<_> = (0..2000).map(|n| n.to_string()).collect();
        let out = cut(Mode::Standard, 25, &format!("{{\"v\":[{}]}}", numbers.join(","))).unwrap();
        assert!(out.contains(",98,99,\"[1890 numbers left out]\",1990,1991,"), "{out}");
    }

    #[test]
    fn long_strings_keep_their_ends_and_their_errors() {
        let fill = "a line like any other\\n".repeat(100);
        let body = format!("first line\\n{fill}error: it broke\\n{fill}last line");
        let text = format!("[{}]", vec![format!("{{\"body\":\"{body}\"}}"); 30].join(","));
        let out = cut(Mode::Standard, 12_000, &text).unwrap();
        let value = json::decode(&out).unwrap();
        let Value::Array(items) = &value else { panic!("{out}") };
        assert_eq!(items.len(), 30);
        let first = json::encode(&items[0]);
        assert!(first.starts_with("{\"body\":\"first line\\na line"), "{first}");
        assert!(first.contains("characters left out]\\nerror: it broke\\n["), "{first}");
        assert!(first.ends_with("\\nlast line\"}"), "{first}");
        assert_eq!(cut(Mode::Standard, 12_000, &out), None, "never twice");
    }

    #[test]
    fn a_text_in_a_wrapping_is_left_to_others() {
        let text = format!("{{\"content\":[{{\"text\":\"{}\"}}]}}", "some words ".repeat(2000));
        assert_eq!(cut(Mode::Aggressive, 1_000, &text), None);
    }

    #[test]
    fn digests_stay_in_standard_mode() {
        let digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
        let text = format!(
            "[{}]",
            vec![format!("{{\"sha256\":\"{digest}\",\"sha\":\"{}\"}}", &digest[..40]); 60].join(",")
        );
        assert_eq!(cut(Mode::Standard, 6_000, &text), None);
        let out = cut(Mode::Aggressive, 6_000, &text).unwrap_or_default();
        assert!(out.contains("\"9f86d08188[54 left out]\"") && out.contains(&digest[..40]), "{out}");
    }

    /// There may be a note from the tool in front of a document, and further documents after it.
    #[test]
    fn documents_are_found_below_other_lines_and_in_a_row() {
        let text = records(60, 0);
        let led = cut(Mode::Aggressive, 3_000, &format!("Exit code: 0\nOutput:\n{text}")).unwrap();
        assert!(led.starts_with("Exit code: 0\nOutput:\n{\"jobs left out\":"), "{led}");
        let joined = cut(Mode::Aggressive, 3_000, &text.repeat(3)).unwrap();
        assert!(
            joined.starts_with("[{\"jobs left out\":") && joined.matches("\"total\"").count() == 3,
            "{joined}"
        );
        let scalars: Vec<_> =
            (0..300).map(|at| format!("\"1.{at}\":\"2026-03-02T10:00:00.{at}Z\"")).collect();
        let out = cut(Mode::Aggressive, 1_000, &format!("{{\"time\":{{{}}}}}", scalars.join(","))).unwrap();
        assert!(out.contains("\"time left out\":\"276 of 300 members: 21 to 296"), "{out}");
    }

    #[test]
    fn characters_stay_whole() {
        for word in ["日本語 ", "🎉", "é\\n", "\\ud800 ", "\\u0001"] {
            let text = format!("[{}]", vec![format!("\"{}\"", word.repeat(700)); 20].join(","));
            for mode in [Mode::Standard, Mode::Aggressive] {
                if let Some(out) = cut(mode, 1_000, &text) {
                    assert!(json::decode(&out).is_ok());
                }
            }
        }
    }
}
