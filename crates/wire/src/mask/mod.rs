//! Masks secrets in the content of a body, and leaves every other byte unchanged.
//!
//! Content means every string in messages, tool calls and results, including unknown members. Names, ids, roles and
//! schemas are skipped, because requests fail without them; text that a provider has signed or encrypted is skipped
//! too.

mod member_names;
mod signature;
mod spelling;
mod token;
mod walk;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde::de::IgnoredAny;
use tersely_json::{BytePatch, JsonError, string};

use crate::mask::spelling::{DecodedString, EscapeSteps};
use crate::mask::walk::{Walk, WalkStep};

/// A range of a text, and the mask that replaces it.
pub type TextMask = (Range<usize>, &'static str);

/// A body without its secrets.
#[derive(Debug, PartialEq, Eq)]
pub struct MaskedBody<'b> {
    /// The body to send; borrowed when nothing is masked.
    pub body: Cow<'b, [u8]>,
    /// The number of masked secrets.
    pub count: usize,
}

/// Masks the secrets that `find` returns for each text of `body`. `find` also gets the name of the text's member.
///
/// # Errors
/// Fails if the body is not JSON, because it cannot be searched then.
pub fn mask_body(
    body: &[u8],
    find: impl Fn(Option<&str>, &str) -> Vec<TextMask>,
) -> Result<MaskedBody<'_>, JsonError> {
    let json = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    serde_json::from_slice::<IgnoredAny>(json)
        .map_err(|_| JsonError { at: 0, expected: "JSON (nothing else can be searched for secrets)" })?;
    let masks = search(Walk::new(body, body.len() - json.len()), &find, 0);
    let count = masks.0.len();
    let mut patch = BytePatch::default();
    masks.0.into_iter().for_each(|(start, (end, mask))| patch.put(start..end, mask));
    Ok(MaskedBody { count, body: patch.apply(body) })
}

/// Finds secrets in a text; the first argument is the name of the text's member.
type Find<'f> = &'f dyn Fn(Option<&str>, &str) -> Vec<TextMask>;

/// Finds the masks of all strings that `walk` visits.
fn search(mut walk: Walk<'_>, find: Find<'_>, depth: usize) -> FoundMasks {
    let (body, mut masks) = (walk.body, FoundMasks::default());
    while let Some(met) = walk.next() {
        let (token, name) = match met {
            WalkStep::Key(token) => (token, None),
            WalkStep::Value(token) => (token, walk.name()),
            WalkStep::Tool(tool) => {
                masks.tool(body, &tool, find);
                continue;
            }
        };
        for (span, mask) in texts(&body[token.clone()], &|text| find(name, text), find, depth) {
            masks.put(token.start + span.start..token.start + span.end, mask);
        }
    }
    masks
}

/// The ranges to mask, without overlaps: maps each start to its end and its mask.
#[derive(Default)]
struct FoundMasks(BTreeMap<usize, (usize, &'static str)>);

impl FoundMasks {
    fn put(&mut self, span: Range<usize>, mask: &'static str) {
        let before = self.0.range(..span.end).next_back();
        if !span.is_empty() && before.is_none_or(|(_, (end, _))| *end <= span.start) {
            self.0.insert(span.start, (span.end, mask));
        }
    }

    /// Masks secrets that can be recognised only by their context, such as `{"name":"PASSWORD","value":"…"}` or a key
    /// that spans several lines. To find them, a tool's value is searched as one text. Then the part of each string
    /// that belongs to a secret is masked.
    fn tool(&mut self, body: &[u8], tool: &Range<usize>, find: Find<'_>) {
        let Ok(text) = str::from_utf8(&body[tool.clone()]) else { return };
        let mut found: Vec<_> = find(None, text)
            .into_iter()
            .map(|(it, mask)| (tool.start + it.start..tool.start + it.end, mask))
            .collect();
        found.sort_unstable_by_key(|(span, _)| span.start);
        let mut rest = found.as_slice();
        let mut walk = Walk::of_tool(&body[..tool.end], tool.start);
        while !rest.is_empty()
            && let Some(met) = walk.next()
        {
            let WalkStep::Value(token) = met else { continue };
            while rest.first().is_some_and(|(span, _)| span.end <= token.start) {
                rest = &rest[1..];
            }
            self.parts(body, &token, rest);
        }
    }

    /// Masks the parts of the string `token` that overlap the ranges in `found`, which are sorted.
    fn parts(&mut self, body: &[u8], token: &Range<usize>, found: &[TextMask]) {
        let mut found = found.iter().take_while(|(span, _)| span.start < token.end).peekable();
        if found.peek().is_none() || is_blob(&body[token.clone()]) {
            return;
        }
        let mut letters = EscapeSteps::new(body, token.start + 1..token.end - 1);
        for (span, mask) in found {
            self.put(letters.whole(span), mask);
        }
    }
}

/// The masks of the string `token`, as ranges of its bytes. They come from its text and, if that text is JSON itself,
/// from the strings in that JSON.
fn texts(token: &[u8], own: &dyn Fn(&str) -> Vec<TextMask>, find: Find<'_>, depth: usize) -> Vec<TextMask> {
    if is_blob(token) {
        return blob(token, own);
    }
    let nested =
        |text: &str| if depth < MAX_NESTED_JSON { within(text, find, depth + 1) } else { Vec::new() };
    if let Some(text) = string::decode(token)
        && own(&text).is_empty()
        && nested(&text).is_empty()
    {
        return Vec::new();
    }
    let decoded = DecodedString::of(token);
    let mut masks = FoundMasks::default();
    own(&decoded.text)
        .into_iter()
        .chain(nested(&decoded.text))
        .for_each(|(span, mask)| masks.put(span, mask));
    masks.0.into_iter().map(|(start, (end, mask))| (decoded.span(start..end), mask)).collect()
}

/// The masks of a string that contains binary data. In a data URL, only the part before the data is searched.
fn blob(token: &[u8], own: &dyn Fn(&str) -> Vec<TextMask>) -> Vec<TextMask> {
    // A long secret may look like binary data; the name of its member or its prefix shows that it is a secret.
    let head = str::from_utf8(&token[1..=MIN_BLOB_BYTES]).map(own).unwrap_or_default();
    if let Some((_, mask)) = head.into_iter().find(|(span, _)| span.start == 0) {
        return vec![(1..token.len() - 1, mask)];
    }
    let Some(first) = blob_start(token) else { return Vec::new() };
    let decoded = DecodedString::of(&token[..=first]);
    own(&decoded.text).into_iter().map(|(span, mask)| (decoded.span(span), mask)).collect()
}

/// The maximum number of nested levels of JSON in strings that are parsed as JSON; deeper levels are searched as
/// text.
const MAX_NESTED_JSON: usize = 3;

/// The masks of the strings in a text that is JSON. If the text has no backslash, its strings have no escapes, and
/// the search of the whole text has covered them already.
fn within(text: &str, find: Find<'_>, depth: usize) -> Vec<TextMask> {
    let is_json = text.trim_start().starts_with(['{', '['])
        && text.contains('\\')
        && serde_json::from_str::<IgnoredAny>(text).is_ok();
    let masks =
        if is_json { search(Walk::of_tool(text.as_bytes(), 0), find, depth) } else { FoundMasks::default() };
    masks.0.into_iter().map(|(start, (end, mask))| (start..end, mask)).collect()
}

/// Strings of at least this length that consist only of base64 characters are treated as binary data.
const MIN_BLOB_BYTES: usize = 1024;

fn is_blob(token: &[u8]) -> bool {
    let content = token.get(blob_start(token).unwrap_or(1)..token.len() - 1).unwrap_or_default();
    let padding = content.iter().rev().take_while(|byte| **byte == b'=').count();
    let letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/_-".contains(byte);
    content.len() >= MIN_BLOB_BYTES && content[..content.len() - padding].iter().all(letter)
}

/// The position after the comma of a data URL, where its data begins.
fn blob_start(token: &[u8]) -> Option<usize> {
    let comma = token.strip_prefix(b"\"data:")?.iter().position(|byte| *byte == b',')?;
    Some("\"data:,".len() + comma)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// Finds the word HUSH, and any text in the member `pin`.
    fn find(name: Option<&str>, text: &str) -> Vec<TextMask> {
        if name == Some("pin") {
            return vec![(0..text.len(), "***")];
        }
        text.match_indices("HUSH").map(|(at, word)| (at..at + word.len(), "***")).collect()
    }

    fn check(body: &str, expected: &str) {
        let masked = mask_body(body.as_bytes(), find).expect("JSON");
        assert_eq!(String::from_utf8_lossy(&masked.body), expected);
        assert_eq!(masked.count, expected.matches("***").count());
    }

    #[test]
    fn all_that_is_said_is_masked_and_no_other_byte_changes() {
        check(
            r#" { "system" : "a HUSH b", "messages":[{"role":"user","content":[{"type":"text","text":"HUSH\n\u00e9HUSH"}]}],"n":1.50 }"#,
            r#" { "system" : "a *** b", "messages":[{"role":"user","content":[{"type":"text","text":"***\n\u00e9***"}]}],"n":1.50 }"#,
        );
        check(
            r#"{"prompt":["HUSH",{"x":"HUSH"}],"never heard of":"HUSH"}"#,
            r#"{"prompt":["***",{"x":"***"}],"never heard of":"***"}"#,
        );
        check(r#"{"input":"HUSH"}"#, r#"{"input":"***"}"#);
        check(
            r#"{"input":[{"role":"user","content":"HUSH"}]}"#,
            r#"{"input":[{"role":"user","content":"***"}]}"#,
        );
    }

    #[test]
    fn names_ids_and_schemas_stay() {
        for body in [
            r#"{"model":"HUSH","messages":[{"role":"HUSH","tool_call_id":"HUSH","name":"HUSH"}]}"#,
            r#"{"tools":[{"name":"x","input_schema":{"description":"HUSH"},"input":{"a":"HUSH"}}]}"#,
            r#"{"content":[{"type":"thinking","thinking":"HUSH","signature":"HUSH"}]}"#,
        ] {
            check(body, body);
        }
    }

    #[test]
    fn arguments_and_answers_of_tools_are_masked_whatever_their_names() {
        check(
            r#"{"content":[{"type":"tool_use","id":"HUSH","name":"x","input":{"name":"HUSH","id":["HUSH"],"pin":"1234"}}]}"#,
            r#"{"content":[{"type":"tool_use","id":"HUSH","name":"x","input":{"name":"***","id":["***"],"pin":"***"}}]}"#,
        );
        check(
            r#"{"function":{"name":"f","arguments":"{\"a\":\"HUSH\"}"}}"#,
            r#"{"function":{"name":"f","arguments":"{\"a\":\"***\"}"}}"#,
        );
        check(
            r#"{"functionResponse":{"name":"f","response":{"name":"HUSH"}}}"#,
            r#"{"functionResponse":{"name":"f","response":{"name":"***"}}}"#,
        );
    }

    #[test]
    fn what_cannot_be_written_again_is_masked_all_the_same() {
        check("\u{feff}{\"a\":\"HUSH\"}", "\u{feff}{\"a\":\"***\"}");
        check(r#"{"a":"\ud800 HUSH \udc00x HUSH"}"#, r#"{"a":"\ud800 *** \udc00x ***"}"#);
        check(r#"{"a":"\u0048US\u0048 \ud83d\ude00HUSH"}"#, r#"{"a":"*** \ud83d\ude00***"}"#);
        check(r#"{"a":"HUSH","a":"HUSH"}"#, r#"{"a":"***","a":"***"}"#);
        let masked = mask_body(b"{\"a\":\"\xff\xfe HUSH\xff\"}", find).expect("JSON");
        assert_eq!(masked.body, b"{\"a\":\"\xff\xfe ***\xff\"}".as_slice());
    }

    #[test]
    fn pictures_are_not_looked_into() {
        let picture = format!(
            r#"{{"data":"{}HUSH","url":"data:image/png;base64,{0}HUSH"}}"#,
            "A".repeat(MIN_BLOB_BYTES)
        );
        check(&picture, &picture);
        check(r#"{"data":"HUSH"}"#, r#"{"data":"***"}"#);
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for body in ["", "HUSH", "{", "{'a':1}", r#"{"a":1} x"#, "a=HUSH&b=1"] {
            assert!(mask_body(body.as_bytes(), find).is_err(), "{body}");
        }
    }

    #[test]
    fn no_depth_exhausts_the_stack() {
        let deep = format!("{}\"HUSH\"{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(mask_body(deep.as_bytes(), find).map(|masked| masked.count), Ok(1));
    }

    /// Checks that masking takes linear time.
    fn check_soon(body: &str, count: usize) {
        let start = Instant::now();
        assert_eq!(mask_body(body.as_bytes(), find).map(|masked| masked.count), Ok(count));
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    }

    #[test]
    fn a_name_is_not_copied_for_each_item() {
        let items = "\"x\",".repeat(50_000);
        check_soon(&format!(r#"{{"\u0061{}":[{items}"HUSH"]}}"#, "a".repeat(1 << 20)), 1);
    }

    #[test]
    fn secrets_of_a_tool_are_found_in_one_pass() {
        let said = "HUSH ".repeat(100_000);
        check_soon(&format!(r#"{{"input":{{"a":"{said}"}}}}"#), 100_000);
    }

    #[test]
    fn signatures_are_found_in_one_pass() {
        let deep = 50_000;
        let (begin, end) = (r#"{"data":"HUSH","a":"#.repeat(deep), "}".repeat(deep));
        check_soon(&format!("{begin}1{end}"), deep);
    }

    #[test]
    fn only_what_is_signed_stays() {
        for body in [
            r#"{"thinking":"HUSH","x":{"signature":""},"\u0073ignature" : "s"}"#,
            r#"{"reasoningText":{"text":"HUSH","signature":"s"}}"#,
            r#"{"data":"HUSH","type":"redacted_thinking"}"#,
            r#"{"a":{"thinking":"HUSH","b":[{"thinking":"HUSH","signature":"s"}],"signature":"s"}}"#,
        ] {
            check(body, body);
        }
        for body in [
            r#"{"thinking":"HUSH","x":{"signature":"s"}}"#,
            r#"{"thinking":"HUSH","signature":"s","signature":"s"}"#,
            r#"{"thinking":["HUSH"],"signature":"s"}"#,
            r#"{"thinking":"HUSH","signature":""}"#,
            r#"{"text":"HUSH","signature":"s"}"#,
            r#"{"data":"HUSH","type":"redacted","x":[{"type":"redacted_thinking"}]}"#,
        ] {
            check(body, &body.replace("HUSH", "***"));
        }
    }

    #[test]
    fn what_stands_before_a_picture_is_masked() {
        let picture = "A".repeat(MIN_BLOB_BYTES);
        check(
            &format!(r#"{{"a":"data:HUSH;x=\u0048USH,{picture}HUSH"}}"#),
            &format!(r#"{{"a":"data:***;x=***,{picture}HUSH"}}"#),
        );
    }
}
