//! Masks secrets in all that a body says, and touches no other byte.
//!
//! What a body says are the strings of its messages, of tool calls and of results, wherever they stand: a field that is
//! not known is masked too. Names, ids, roles and schemas are not looked at, for a request does not work without them,
//! nor is what a provider has signed or sealed.

mod said;
mod spelled;
mod walk;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde::de::IgnoredAny;

use crate::error::WireError;
use crate::json::patch::BytePatch;
use crate::json::text;
use crate::mask::spelled::Spelled;
use crate::mask::walk::{SaidString, Walk};

/// A place in a text, and what is to stand there.
pub type TextMask = (Range<usize>, &'static str);

/// A body without its secrets.
#[derive(Debug, PartialEq, Eq)]
pub struct MaskedBody<'b> {
    /// What may be sent; borrowed when nothing was masked.
    pub body: Cow<'b, [u8]>,
    /// How many secrets were masked.
    pub count: usize,
}

/// Masks what `find` finds in each text of `body`, given the name of the member that holds it.
///
/// # Errors
/// When the body is not JSON, so that nobody can say what it says.
pub fn mask_body(
    body: &[u8],
    find: impl Fn(Option<&str>, &str) -> Vec<TextMask>,
) -> Result<MaskedBody<'_>, WireError> {
    let json = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    serde_json::from_slice::<IgnoredAny>(json)
        .map_err(|_| WireError { at: 0, expected: "JSON (nothing else can be searched for secrets)" })?;
    let masks = search(Walk::new(body, body.len() - json.len()), &find, 0);
    let count = masks.0.len();
    let mut patch = BytePatch::default();
    masks.0.into_iter().for_each(|(start, (end, mask))| patch.put(start..end, mask));
    Ok(MaskedBody { count, body: patch.apply(body) })
}

/// Finds secrets in a text, given the name that it stands under.
type Find<'f> = &'f dyn Fn(Option<&str>, &str) -> Vec<TextMask>;

/// The masks of all that a walk meets.
fn search(mut walk: Walk<'_>, find: Find<'_>, depth: usize) -> FoundMasks {
    let mut masks = FoundMasks::default();
    let said = walk.said();
    for one in &said {
        let token = &walk.body[one.token.clone()];
        for (span, mask) in texts(token, &|text| find(one.name.as_deref(), text), find, depth) {
            masks.put(one.token.start + span.start..one.token.start + span.end, mask);
        }
    }
    for tool in &walk.tools {
        masks.tool(walk.body, &said, tool, find);
    }
    masks
}

/// Where masks are to stand, none within another: each start with its end.
#[derive(Default)]
struct FoundMasks(BTreeMap<usize, (usize, &'static str)>);

impl FoundMasks {
    fn put(&mut self, span: Range<usize>, mask: &'static str) {
        let before = self.0.range(..span.end).next_back();
        if !span.is_empty() && before.is_none_or(|(_, (end, _))| *end <= span.start) {
            self.0.insert(span.start, (span.end, mask));
        }
    }

    /// Masks what gives itself away only beside its neighbours: `{"name":"PASSWORD","value":"…"}`, or a key in lines.
    /// What a tool was given is read as one text for that, and each string masked as far as it is part of a secret.
    fn tool(&mut self, body: &[u8], said: &[SaidString<'_>], tool: &Range<usize>, find: Find<'_>) {
        let Ok(text) = str::from_utf8(&body[tool.clone()]) else { return };
        for (span, mask) in find(None, text) {
            let (start, end) = (tool.start + span.start, tool.start + span.end);
            let first = said.partition_point(|one| one.token.end <= start);
            let within = said[first..].iter().take_while(|one| one.token.start < end);
            for one in within.filter(|one| !one.is_key && !is_blob(&body[one.token.clone()])) {
                let inside = one.token.start + 1..one.token.end - 1;
                let part = start.max(inside.start)..end.min(inside.end);
                self.put(spelled::whole(body, inside, part), mask);
            }
        }
    }
}

/// The masks of the string `token`, as places in its bytes: those of its text, and, if that is JSON again, those of the
/// strings in there.
fn texts(token: &[u8], own: &dyn Fn(&str) -> Vec<TextMask>, find: Find<'_>, depth: usize) -> Vec<TextMask> {
    if is_blob(token) {
        // What is one secret from its first letter on, by its name or its beginning, is no picture.
        let head = str::from_utf8(&token[1..=BLOB]).map(own).unwrap_or_default();
        let first = head.into_iter().find(|(span, _)| span.start == 0);
        return first.map(|(_, mask)| (1..token.len() - 1, mask)).into_iter().collect();
    }
    let nested = |text: &str| if depth < DEEPEST { within(text, find, depth + 1) } else { Vec::new() };
    if let Some(text) = text::decode(token)
        && own(&text).is_empty()
        && nested(&text).is_empty()
    {
        return Vec::new();
    }
    let spelled = Spelled::of(token);
    let mut masks = FoundMasks::default();
    own(&spelled.text)
        .into_iter()
        .chain(nested(&spelled.text))
        .for_each(|(span, mask)| masks.put(span, mask));
    masks.0.into_iter().map(|(start, (end, mask))| (spelled.span(start..end), mask)).collect()
}

/// JSON in a string of JSON in a string is searched as such; what is deeper, as text.
const DEEPEST: usize = 3;

/// The masks of the strings of a text that is JSON. Without a backslash they stand there as they are, and were seen.
fn within(text: &str, find: Find<'_>, depth: usize) -> Vec<TextMask> {
    let is_json = text.trim_start().starts_with(['{', '['])
        && text.contains('\\')
        && serde_json::from_str::<IgnoredAny>(text).is_ok();
    let masks =
        if is_json { search(Walk::of_tool(text.as_bytes()), find, depth) } else { FoundMasks::default() };
    masks.0.into_iter().map(|(start, (end, mask))| (start..end, mask)).collect()
}

/// Longer strings of nothing but letters of base64 are pictures and the like.
const BLOB: usize = 1024;

fn is_blob(token: &[u8]) -> bool {
    let content = token.get(1..token.len() - 1).unwrap_or_default();
    let content = content.strip_prefix(b"data:").map_or(content, |url| {
        url.iter().position(|byte| *byte == b',').map_or(url, |comma| &url[comma + 1..])
    });
    let padding = content.iter().rev().take_while(|byte| **byte == b'=').count();
    let letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/_-".contains(byte);
    content.len() >= BLOB && content[..content.len() - padding].iter().all(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds the word HUSH, and all that stands under the name `pin`.
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
        let picture =
            format!(r#"{{"data":"{}HUSH","url":"data:image/png;base64,{0}HUSH"}}"#, "A".repeat(BLOB));
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
}
