//! Rewrites JSON in user messages to use fewer tokens.
//!
//! Each text is rewritten independently of the others, so a conversation that is sent again begins with the same bytes.

mod find;
mod write;

use std::ops::AddAssign;

use self::find::PromptPlace;
use self::find::documents;
use self::write::DocumentRewrite;
use self::write::write;
use crate::tokens::O200k;

/// Counts of the JSON documents in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Number of documents that are long enough and are not schemas or tool definitions.
    pub candidate_count: usize,
    /// Number of documents that were rewritten.
    pub converted_count: usize,
    /// Number of documents that no form can represent, for callers that refuse such requests.
    pub failed_count: usize,
    /// Size of the converted documents before conversion, in bytes.
    pub original_bytes: usize,
    /// Size of the converted documents after conversion, in bytes.
    pub compressed_bytes: usize,
}

impl AddAssign for Stats {
    fn add_assign(&mut self, other: Self) {
        self.candidate_count += other.candidate_count;
        self.converted_count += other.converted_count;
        self.failed_count += other.failed_count;
        self.original_bytes += other.original_bytes;
        self.compressed_bytes += other.compressed_bytes;
    }
}

/// The form in which documents are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PromptForm {
    /// The cheapest of TOON, the terse form and compact JSON; TOON if it costs no more than the others. At least one of
    /// them can represent any document.
    #[default]
    Auto,
    /// TOON, which cannot represent every document.
    Toon,
}

/// Rewrites every JSON document of more than `min_bytes` in its cheapest form. Returns the new text, or `None` if it is
/// unchanged, and counts.
#[must_use]
pub fn shorten(min_bytes: usize, text: &str) -> (Option<String>, Stats) {
    shorten_as(PromptForm::Auto, min_bytes, text)
}

/// Like `shorten`, in a given form. The form is used only where it decodes to the same value and costs less than the
/// document.
#[must_use]
pub fn shorten_as(form: PromptForm, min_bytes: usize, text: &str) -> (Option<String>, Stats) {
    let mut stats = Stats::default();
    if text.len() <= min_bytes {
        return (None, stats);
    }
    let (mut out, mut from, mut whole) = (String::new(), 0, false);
    for document in documents(min_bytes, text) {
        stats.candidate_count += 1;
        match write(form, text, &document) {
            DocumentRewrite::Short(short) => {
                stats.converted_count += 1;
                stats.original_bytes += document.span.len();
                stats.compressed_bytes += short.len();
                out.extend([&text[from..document.span.start], &*short]);
                from = document.span.end;
                whole = document.place == PromptPlace::Whole;
            }
            DocumentRewrite::Same => {}
            DocumentRewrite::Failed => stats.failed_count += 1,
        }
    }
    out.push_str(&text[from..]);
    // Tokens can merge across the end of a document, so the savings of single documents may not add up.
    let less = |out: &str| O200k.count_within(out, O200k.count(text).saturating_sub(1)).is_some();
    if stats.converted_count > 0 && (whole || less(&out)) {
        return (Some(out), stats);
    }
    let Stats { candidate_count, failed_count, .. } = stats;
    (None, Stats { candidate_count, failed_count, ..Stats::default() })
}

#[cfg(test)]
mod tests {
    use tersely_codec::{Form, decode, json};

    use super::*;

    const MIN: usize = 4096;

    /// An object with a list of `count` records.
    fn records(count: usize) -> String {
        let rows: Vec<_> = (0..count)
            .map(|n| {
                format!(r#"{{"id":{n},"name":"user {}","score":{},"ok":{}}}"#, n * 7, n * n % 97, n % 3 == 0)
            })
            .collect();
        format!(r#"{{"users":[{}],"page":1}}"#, rows.join(","))
    }

    fn short(text: &str) -> (String, Stats) {
        let (short, stats) = shorten(MIN, text);
        let short = short.unwrap_or_else(|| panic!("stayed as it is: {text}"));
        assert!(O200k.count(&short) < O200k.count(text), "11.4: only when smaller");
        assert!(stats.compressed_bytes < stats.original_bytes);
        assert_eq!(shorten(MIN, text).0.as_deref(), Some(&*short), "the same again");
        (short, stats)
    }

    fn stays(text: &str) -> Stats {
        let (short, stats) = shorten(MIN, text);
        assert_eq!(short, None, "{text}");
        assert_eq!((stats.converted_count, stats.original_bytes, stats.compressed_bytes), (0, 0, 0));
        stats
    }

    /// True when `text` is `json` in one of the forms.
    fn means(text: &str, json: &str) -> bool {
        let value = json::decode(json).expect("JSON");
        [Form::Toon, Form::Terse, Form::Json].iter().any(|&form| decode(form, text).as_ref() == Ok(&value))
    }

    /// Behaviour 11.5: the text that is sent no longer begins like JSON. Behaviour 11.4: the counts.
    #[test]
    fn a_text_that_is_json_is_written_shorter() {
        let json = records(200);
        let (short, stats) = short(&json);
        assert!(!short.starts_with(['{', '[']), "{short}");
        assert!(means(&short, &json));
        let counts = (stats.candidate_count, stats.converted_count, stats.failed_count);
        assert_eq!(
            (counts, stats.original_bytes, stats.compressed_bytes),
            ((1, 1, 0), json.len(), short.len())
        );
    }

    #[test]
    fn white_space_around_a_text_stays() {
        let json = records(200);
        let (short, _) = short(&format!("\n  {json}\n"));
        assert!(short.starts_with("\n  ") && short.ends_with('\n') && means(short.trim(), &json));
    }

    /// Behaviour 11.2: a document must be larger than the threshold, not equal to it.
    #[test]
    fn the_threshold_is_exceeded_or_nothing_happens() {
        let json = records(120);
        for text in [json.clone(), format!("```json\n{json}\n```"), format!("Look: {json} Well?")] {
            assert!(shorten(json.len() - 1, &text).0.is_some());
            assert_eq!(shorten(json.len(), &text), (None, Stats::default()));
        }
    }

    #[test]
    fn fenced_json_stays_fenced() {
        let json = records(200);
        for (open, close) in
            [("```json", "```"), ("```", "```"), ("  ````JSON ", "  `````"), ("```json\r", "```")]
        {
            let (short, stats) = short(&format!("Sum these:\n{open}\n{json}\n{close}\nin words."));
            assert_eq!(stats.converted_count, 1);
            let lines: Vec<_> = short.lines().collect();
            assert_eq!(
                (lines[0], lines[lines.len() - 2], lines[lines.len() - 1]),
                ("Sum these:", close, "in words.")
            );
            assert!(lines[1].trim_start().starts_with("```") && !lines[1].to_lowercase().contains("json"));
            assert!(means(&lines[2..lines.len() - 2].join("\n"), &json), "{short}");
        }
    }

    #[test]
    fn json_after_a_sentence_gets_a_fence() {
        let json = records(200);
        for (before, after) in [
            ("Here it is: ", ""),
            ("Here it is:\n", "\nWhat is wrong?"),
            ("<data>", "</data> Explain."),
            ("See [the API] {here}. Data ", " and so on"),
            ("Both ", "."),
        ] {
            let (short, _) = short(&format!("{before}{json}{after}"));
            assert!(short.starts_with(before) && short.ends_with(after), "{short}");
            let inside = short[before.len()..short.len() - after.len()].trim();
            let (_, inside) = inside.split_once('\n').expect("a fence");
            assert!(means(inside.strip_suffix("\n```").expect("a fence"), &json), "{short}");
        }
    }

    #[test]
    fn several_documents_are_counted_one_by_one() {
        let json = records(150);
        let text = format!("Old:\n{json}\nNew:\n```json\n{json}\n```\nSmall: {{\"a\":1}}\n");
        let (short, stats) = short(&text);
        assert_eq!((stats.candidate_count, stats.converted_count), (2, 2));
        assert!(short.ends_with("\n```\nSmall: {\"a\":1}\n") && !short.contains("\"id\""), "{short}");
    }

    /// Behaviour 11.2: code may be executed, and a part of something larger is not a document.
    #[test]
    fn what_may_be_code_is_left_alone() {
        let json = records(200);
        for text in [
            format!("```python\nx = 1\n{json}\n```"),
            format!("```js\n{json}\n```"),
            format!("```\n{json}"),
            format!("```\n{json}\nmore\n```"),
            format!("const x = {json};"),
            format!("x = {json}"),
            format!("call({json})"),
            format!("let x = {{\n  a: {json}\n}}"),
            format!("[\n{json},\n{json},\n]"),
            format!("`{json}`"),
            format!("{{\"a\": {json}"),
            format!("\"{}\"", json.replace('"', "\\\"")),
        ] {
            assert_eq!(stays(&text), Stats::default(), "{text}");
        }
    }

    /// Behaviour 11.2.
    #[test]
    fn schemas_are_left_alone() {
        let long = "a property that is explained at length ".repeat(120);
        let schema = format!(r#"{{"type":"object","properties":{{"a":{{"description":"{long}"}}}}}}"#);
        for text in [
            schema.clone(),
            format!(r#"[{{"name":"t","input_schema":{schema}}}]"#),
            format!(r#"[{{"type":"function","function":{{"name":"t","parameters":{schema}}}}}]"#),
            format!(r#"{{"$schema":"x","a":"{long}"}}"#),
        ] {
            assert_eq!(stays(&text), Stats::default());
        }
    }

    /// Behaviour 11.4 and 17.16: where JSON costs least, it stays JSON, without white space.
    #[test]
    fn json_stays_where_no_form_costs_less() {
        let long = "some words that no form can say in less, ".repeat(150);
        let compact = format!(r#"[["{long}"]]"#);
        let stats = stays(&compact);
        assert_eq!((stats.candidate_count, stats.failed_count), (1, 0));
        let value = json::decode(&compact).expect("JSON");
        let least = [Form::Toon, Form::Terse, Form::Json]
            .iter()
            .filter_map(|&form| tersely_codec::encode(form, &value))
            .map(|text| O200k.count(&text))
            .min();
        let spaced = compact.replace("[[", "[\n    [\n        ").replace("]]", "\n    ]\n]\n");
        let (short, _) = short(&spaced);
        assert_eq!(Some(O200k.count(short.trim())), least);
    }

    /// Behaviour 11.1, 11.3: TOON is written where it was requested, and documents that it cannot represent are
    /// counted.
    #[test]
    fn toon_is_written_where_it_was_asked_for() {
        let json = records(200);
        let (toon, stats) = shorten_as(PromptForm::Toon, MIN, &json);
        let toon = toon.expect("TOON");
        assert_eq!(decode(Form::Toon, &toon), Ok(json::decode(&json).expect("JSON")));
        assert_eq!(Some(toon.as_str()), encode_toon(&json).as_deref());
        assert_eq!((stats.converted_count, stats.original_bytes), (1, json.len()));
        let odd = json.replace("\"page\":1", "\"page\":1.50");
        let (none, stats) = shorten_as(PromptForm::Toon, MIN, &odd);
        assert_eq!((none, stats.candidate_count, stats.failed_count), (None, 1, 1));
        assert_eq!(shorten(MIN, &odd).1.failed_count, 0);
    }

    fn encode_toon(json: &str) -> Option<String> {
        tersely_codec::encode(Form::Toon, &json::decode(json).ok()?)
    }

    /// Behaviour 1.17 and 11.4: a value that TOON would change is never written in TOON.
    #[test]
    fn numbers_and_double_names_are_kept() {
        let json =
            records(200).replace("\"page\":1", "\"page\":1.0,\"page\":1e5,\"big\":12345678901234567890123");
        let (short, _) = short(&json);
        assert!(means(&short, &json), "{short}");
    }

    #[test]
    fn backticks_in_data_close_no_fence() {
        let rows: Vec<_> = (0..200).map(|n| format!(r#"{{"code":"```","n":{n},"t":"````` x"}}"#)).collect();
        let json = format!("[{}]", rows.join(","));
        for text in [format!("See:\n{json}\nok"), format!("See:\n```json\n{json}\n```\nok")] {
            let (Some(short), _) = shorten(MIN, &text) else { continue };
            let lines: Vec<_> = short.lines().collect();
            let ticks = crate::fence::opens(lines[1]).expect("a fence");
            let close = (2..lines.len()).find(|&at| crate::fence::closes(ticks, lines[at])).expect("its end");
            assert_eq!(close, lines.len() - 2, "{short}");
            assert!(means(&lines[2..close].join("\n"), &json), "{short}");
        }
    }

    /// An algorithm that reads these texts many times would take minutes.
    #[test]
    fn hostile_texts_take_one_pass() {
        for piece in [
            "[",
            "{\"a\":",
            "[\"",
            "[1,",
            "{\"",
            "```\n",
            "`",
            "[{\"a\":[",
            "\",[\",",
            "[]",
            "{}",
            "```\n[\n",
        ] {
            stays(&piece.repeat(2_000_000 / piece.len()));
        }
    }
}
