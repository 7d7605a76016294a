//! JSON with less in it: long strings keep their ends, long lists their ends and what went wrong.
//!
//! What is left is JSON again, so that the exact forms can write it. Lists are cut only where they are far too
//! long to send, since any record of a list may be the one that is wanted; of long strings (bodies, patches,
//! certificates) hardly ever more than the beginning is.

mod blob;
pub(super) mod fault;
mod list;
mod name;
mod string;

use tersely_codec::{Text, Value, json};

use crate::plan::{Loss, Mode};
use crate::read::json::{begin, documents, joined};
use crate::stage::{Edit, Scene, Stage};

/// Less of a JSON document.
pub(crate) struct Excerpt;

/// Shorter texts are sent whole.
const MIN_BYTES: usize = 4_000;

/// What must be saved, in percent; less would not be taken.
const WORTH: usize = 12;

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

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        let (lead, body) = text.split_at(begin(text).unwrap_or_default());
        if body.len() < MIN_BYTES || !body.trim_start().starts_with(['{', '[']) {
            return None;
        }
        let mut value = json::decode(body).ok().or_else(|| documents(body)).or_else(|| joined(body))?;
        let limits = Limits::of(scene);
        let before = weigh(&value);
        limits.lists(&mut value);
        limits.strings(&mut value);
        if weigh(&value) > limits.whole {
            string::blobs(&mut value);
        }
        let saved = before.saturating_sub(weigh(&value));
        (saved * 100 >= before * WORTH).then(|| Edit {
            text: [lead, &json::encode(&value)].concat(),
            loss: Loss::Detail,
            note: String::new(),
        })
    }
}

/// What is short enough to stay.
struct Limits {
    /// Characters of a string.
    string: usize,
    /// Characters of all long strings together, if they are few.
    strings: usize,
    /// Bytes of a list.
    list: usize,
    /// Records of a list.
    records: usize,
    /// Records that stay at the beginning and at the end of a list that is longer.
    ends: (usize, usize),
    /// Bytes of the names of records that are left out.
    names: usize,
    /// Numbers of a list of numbers.
    numbers: usize,
    /// Bytes of a document with values in it that nobody reads.
    whole: usize,
}

impl Limits {
    fn of(scene: Scene<'_>) -> Self {
        let mode = scene.plan.mode;
        // Of a text that comes by itself nobody knows what it was asked for.
        let is_known = !scene.call.tool.is_empty();
        let ends = match mode {
            Mode::Aggressive => (8, 2),
            _ if is_known => (15, 3),
            _ => (30, 5),
        };
        if mode >= Mode::Aggressive {
            Self {
                string: 300,
                strings: 4_000,
                list: 8_000,
                records: 20,
                ends,
                names: 1_000,
                numbers: 50,
                whole: 0,
            }
        } else {
            Self {
                string: 600,
                strings: if is_known { 2_000 } else { 16_000 },
                list: if is_known { 12_000 } else { 128_000 },
                records: if is_known { 40 } else { 100 },
                ends,
                names: if is_known { 3_000 } else { 8_000 },
                numbers: 200,
                whole: usize::MAX,
            }
        }
    }

    /// Leaves records out of long lists.
    fn lists(&self, value: &mut Value<'_>) {
        if let Some(left) = self.list(value) {
            let list = std::mem::replace(value, Value::Null);
            let members = [("records", list), ("left out", string(&left))];
            *value = Value::Object(members.map(|(key, value)| (Text::of(key), value)).into());
        }
        self.members(value);
    }

    /// Leaves records out of the lists within a value.
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
                        notes.push((index + 1, (name, string(&left))));
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

/// About how many bytes a value is as JSON.
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

    fn cut(mode: Mode, text: &str) -> Option<String> {
        let plan = Plan { mode, ..Plan::default() };
        Excerpt.apply(Scene { plan: &plan, call: Call::default() }, text).map(|edit| edit.text)
    }

    /// A document with `count` records, of which one failed.
    fn records(count: usize, failed: usize) -> String {
        let record = |n| {
            let state = if n == failed { "failed" } else { "done" };
            format!("{{\"id\":{n},\"state\":\"{state}\",\"text\":\"{}\"}}", "some words ".repeat(100))
        };
        let records: Vec<_> = (1..=count).map(record).collect();
        format!("{{\"jobs\":[{}],\"total\":{count}}}", records.join(","))
    }

    #[test]
    fn long_lists_keep_their_ends_and_their_faults() {
        let out = cut(Mode::Standard, &records(300, 150)).unwrap();
        for (id, kept) in
            [(1, true), (30, true), (31, false), (149, false), (150, true), (295, false), (296, true)]
        {
            assert_eq!(out.contains(&format!("\"id\":{id},")), kept, "{id}");
        }
        let note = "\"jobs left out\":\"records 31 to 149, 151 to 295 of 300\",\"total\":300}";
        assert!(out.ends_with(note), "{}", &out[out.len() - 100..]);
        assert_eq!(out.matches("\"id\":").count(), 36);
    }

    #[test]
    fn records_that_are_left_out_are_named() {
        let text =
            records(300, 0).replace("\"state\":\"done\"", "\"kind\":\"a\"").replace("\"id\":", "\"id\":\"n");
        let text = text.replace(",\"kind\"", "\",\"kind\"");
        let out = cut(Mode::Standard, &text).unwrap();
        assert!(out.contains("\"jobs left out\":\"records 31 to 295 of 300: n31, n32, n33, "), "{out}");
    }

    #[test]
    fn bare_lists_get_a_name() {
        let text = records(300, 0);
        let list = &text[text.find('[').unwrap()..=text.rfind(']').unwrap()];
        let out = cut(Mode::Standard, list).unwrap();
        assert!(out.starts_with("{\"records\":[{\"id\":1,"));
        assert!(out.ends_with("],\"left out\":\"records 31 to 295 of 300\"}"));
        let lines = list[1..list.len() - 1].replace("},{", "}\n{");
        assert_eq!(cut(Mode::Standard, &lines), Some(out));
    }

    #[test]
    fn shorter_lists_stay_until_asked_otherwise() {
        let text = records(90, 0).replace("some words ", "");
        assert_eq!(cut(Mode::Standard, &text), None);
        let text = records(90, 40).replace("some words some words ", "word ");
        let out = cut(Mode::Aggressive, &text).unwrap();
        assert!(out.contains("\"records 9 to 39, 41 to 88 of 90\"") && out.contains("\"state\":\"failed\""));
    }

    #[test]
    fn keyed_records_are_a_list_and_other_members_are_not() {
        let member = |n: usize, value: &str| format!("\"key {n}\":{value}");
        let all = |value: &str| {
            let members: Vec<_> = (0..200).map(|n| member(n, value)).collect();
            format!("{{\"a\":{{{}}}}}", members.join(","))
        };
        let record = format!("{{\"text\":\"{}\"}}", "word ".repeat(50));
        let out = cut(Mode::Aggressive, &all(&record)).unwrap();
        assert!(out.contains("\"a left out\":\"members 9 to 198 of 200\""));
        assert_eq!(cut(Mode::Aggressive, &all("\"a short text that stays as it is\"")), None);
    }

    #[test]
    fn long_series_keep_their_ends() {
        let numbers: Vec<_> = (0..2000).map(|n| n.to_string()).collect();
        let out = cut(Mode::Standard, &format!("{{\"v\":[{}]}}", numbers.join(","))).unwrap();
        assert!(out.contains(",28,29,\"[1965 numbers left out]\",1995,1996,"), "{out}");
    }

    #[test]
    fn long_strings_keep_their_ends_and_their_errors() {
        let fill = "a line like any other\\n".repeat(100);
        let body = format!("first line\\n{fill}error: it broke\\n{fill}last line");
        let text = format!("[{}]", vec![format!("{{\"body\":\"{body}\"}}"); 30].join(","));
        let out = cut(Mode::Standard, &text).unwrap();
        let value = json::decode(&out).unwrap();
        let Value::Array(items) = &value else { panic!("{out}") };
        assert_eq!(items.len(), 30);
        let first = json::encode(&items[0]);
        assert!(first.starts_with("{\"body\":\"first line\\na line"), "{first}");
        assert!(first.contains("characters left out]\\nerror: it broke\\n["), "{first}");
        assert!(first.ends_with("\\nlast line\"}"), "{first}");
        let out = out.as_str();
        assert_eq!(cut(Mode::Standard, out), None, "never twice");
    }

    #[test]
    fn a_text_in_a_wrapping_is_left_to_others() {
        let text = format!("{{\"content\":[{{\"text\":\"{}\"}}]}}", "some words ".repeat(2000));
        assert_eq!(cut(Mode::Aggressive, &text), None);
    }

    #[test]
    fn digests_stay_in_short_documents() {
        let digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
        let text = format!(
            "[{}]",
            vec![format!("{{\"sha256\":\"{digest}\",\"sha\":\"{}\"}}", &digest[..40]); 60].join(",")
        );
        assert_eq!(cut(Mode::Standard, &text), None);
        let out = cut(Mode::Aggressive, &text[..]).unwrap_or_default();
        assert!(out.contains("\"9f86d08188[54 left out]\"") && out.contains(&digest[..40]), "{out}");
    }

    /// What is known to be the answer of an API is cut sooner, also below what a tool says of the call.
    #[test]
    fn answers_to_known_calls_are_cut_sooner() {
        let call = Call { tool: "bash", command: Some("gh issue list --json body"), ..Call::default() };
        let known =
            |text: &str| Excerpt.apply(Scene { plan: &Plan::default(), call }, text).map(|edit| edit.text);
        let text = records(8, 0);
        assert_eq!(cut(Mode::Standard, &text), None);
        assert!(known(&text).is_some_and(|out| out.contains("characters left out]")));
        let led = known(&format!("Exit code: 0\nOutput:\n{text}")).unwrap();
        assert!(led.starts_with("Exit code: 0\nOutput:\n{\"jobs\":["), "{led}");
        let joined = known(&text.repeat(3)).unwrap();
        assert!(joined.starts_with("[{\"jobs\":[") && joined.matches("\"total\"").count() == 3, "{joined}");
        let scalars: Vec<_> =
            (0..300).map(|at| format!("\"1.{at}\":\"2026-03-02T10:00:00.{at}Z\"")).collect();
        let out = known(&format!("{{\"time\":{{{}}}}}", scalars.join(","))).unwrap();
        assert!(out.contains("\"time left out\":\"members 16 to 297 of 300"), "{out}");
    }

    #[test]
    fn characters_stay_whole() {
        for word in ["日本語 ", "🎉", "é\\n", "\\ud800 ", "\\u0001"] {
            let text = format!("[{}]", vec![format!("\"{}\"", word.repeat(700)); 20].join(","));
            for mode in [Mode::Standard, Mode::Aggressive] {
                if let Some(out) = cut(mode, &text) {
                    assert!(json::decode(&out).is_ok());
                }
            }
        }
    }
}
