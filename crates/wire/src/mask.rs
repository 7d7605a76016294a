//! Masks secrets in all that a body says, and touches no other byte.
//!
//! What a body says are the strings of its messages, of tool calls and of results, wherever they stand: a field that is
//! not known is masked too. Names, ids, roles and schemas are not looked at, for a request does not work without them,
//! nor is what a provider has signed or sealed.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;

use crate::error::WireError;
use crate::json::patch::BytePatch;
use crate::json::text;

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
    let (mut count, mut patch) = (0, BytePatch::default());
    Walk::new(body, body.len() - json.len()).each(|name, token| {
        for (span, mask) in texts(&body[token.clone()], |text| find(name, text)) {
            patch.put(token.start + span.start..token.start + span.end, mask);
            count += 1;
        }
    });
    Ok(MaskedBody { count, body: patch.apply(body) })
}

/// The masks of the string `token`, as places in its bytes.
fn texts(token: &[u8], find: impl Fn(&str) -> Vec<TextMask>) -> Vec<TextMask> {
    if is_blob(token) {
        return Vec::new();
    }
    if let Some(text) = text::decode(token)
        && find(&text).is_empty()
    {
        return Vec::new();
    }
    let spelled = Spelled::of(token);
    find(&spelled.text).into_iter().map(|(span, mask)| (spelled.span(span), mask)).collect()
}

/// Longer strings of nothing but letters of base64 are pictures and the like.
const BLOB: usize = 1024;

fn is_blob(token: &[u8]) -> bool {
    let content = token.get(1..token.len() - 1).unwrap_or_default();
    let content = content.strip_prefix(b"data:").map_or(content, |url| {
        url.iter().position(|byte| *byte == b',').map_or(url, |comma| &url[comma + 1..])
    });
    let letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(byte);
    content.len() >= BLOB && content.iter().all(letter)
}

/// The characters of a string, with the way back to the bytes that spell them.
struct Spelled {
    text: String,
    /// Where characters stand in the text and in the string, from each escape to the next.
    runs: Vec<(usize, usize)>,
}

impl Spelled {
    /// Whatever is no character becomes one that stands for it.
    fn of(token: &[u8]) -> Self {
        let end = token.len() - 1;
        let mut spelled = Self { text: String::with_capacity(end), runs: vec![(0, 1)] };
        let mut at = 1;
        while at < end {
            let plain = token[at..end].iter().position(|&byte| byte == b'\\').unwrap_or(end - at);
            spelled.plain(&token[at..at + plain], at);
            at += plain;
            if at < end {
                let (char, used) =
                    text::character(&token[at..end]).unwrap_or((char::REPLACEMENT_CHARACTER, 0));
                spelled.text.push(char);
                at += if used > 0 { used } else { broken(&token[at..end]) };
                spelled.runs.push((spelled.text.len(), at));
            }
        }
        spelled
    }

    /// Adds bytes that stand for themselves, and one character for each that is not UTF-8.
    fn plain(&mut self, bytes: &[u8], mut at: usize) {
        for chunk in bytes.utf8_chunks() {
            self.text.push_str(chunk.valid());
            at += chunk.valid().len() + chunk.invalid().len();
            if !chunk.invalid().is_empty() {
                self.text.push(char::REPLACEMENT_CHARACTER);
                self.runs.push((self.text.len(), at));
            }
        }
    }

    /// Where the bytes stand that spell a part of the text.
    fn span(&self, span: Range<usize>) -> Range<usize> {
        self.place(span.start)..self.place(span.end)
    }

    fn place(&self, at: usize) -> usize {
        let run = self.runs.partition_point(|&(text, _)| text <= at).saturating_sub(1);
        let (text, token) = self.runs.get(run).copied().unwrap_or_default();
        token + (at - text)
    }
}

/// The bytes of an escape that stands for no character.
fn broken(bytes: &[u8]) -> usize {
    if bytes.get(1) == Some(&b'u') { bytes.len().min(6) } else { bytes.len().min(2) }
}

/// How the strings below a member are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// All but names, ids and the like are said to someone.
    Said,
    /// All of them, whatever they are called: they are a tool's.
    HiddenTool,
    /// None of them is.
    Silent,
}

/// Members whose strings are not said to anyone.
const NAMES: [&str; 19] = [
    "id",
    "tool_use_id",
    "tool_call_id",
    "call_id",
    "previous_response_id",
    "conversation",
    "name",
    "role",
    "type",
    "model",
    "media_type",
    "mime_type",
    "mimeType",
    "thinking",
    "signature",
    "thought_signature",
    "thoughtSignature",
    "encrypted_content",
    "prompt_cache_key",
];

/// Members below which only schemas and switches stand.
const SCHEMAS: [&str; 11] = [
    "tools",
    "functions",
    "tool_choice",
    "toolConfig",
    "tool_config",
    "response_format",
    "output_config",
    "generationConfig",
    "safetySettings",
    "cache_control",
    "metadata",
];

/// Members that hold what a tool is given, or what it gave.
const TOOLS: [&str; 4] = ["input", "arguments", "args", "response"];

/// A walk over the strings of a text that is known to be JSON. It keeps its own stack, so that no depth exhausts ours.
struct Walk<'b> {
    body: &'b [u8],
    at: usize,
    /// How the strings of each open list and object are taken.
    open: Vec<Taken>,
}

impl<'b> Walk<'b> {
    fn new(body: &'b [u8], at: usize) -> Self {
        Self { body, at, open: Vec::new() }
    }

    /// Hands each string that is said to `take`, with the name of its member.
    fn each(&mut self, mut take: impl FnMut(Option<&str>, Range<usize>)) {
        let mut name: Option<Cow<'b, str>> = None;
        while let Some(&byte) = self.body.get(self.at) {
            match byte {
                b'"' => {
                    let token = self.string();
                    if self.is_name() {
                        name = text::decode(&self.body[token]);
                        continue;
                    }
                    if self.is_said(name.as_deref()) {
                        take(name.as_deref(), token);
                    }
                }
                b'{' | b'[' => {
                    let below = self.below(name.as_deref(), byte);
                    self.open.push(below);
                    self.at += 1;
                    // The items of a list go by the name of the list.
                    if byte == b'{' {
                        name = None;
                    }
                }
                b'}' | b']' => {
                    self.open.pop();
                    self.at += 1;
                    name = None;
                }
                _ => self.at += 1,
            }
        }
    }

    fn taken(&self) -> Taken {
        self.open.last().copied().unwrap_or(Taken::Said)
    }

    fn below(&self, name: Option<&str>, opens: u8) -> Taken {
        let is = |names: &[&str]| name.is_some_and(|name| names.contains(&name));
        match self.taken() {
            Taken::Said if is(&SCHEMAS) => Taken::Silent,
            // A list under such a name are messages.
            Taken::Said if is(&TOOLS) && opens == b'{' => Taken::HiddenTool,
            taken => taken,
        }
    }

    fn is_said(&self, name: Option<&str>) -> bool {
        match self.taken() {
            Taken::Silent => false,
            Taken::HiddenTool => true,
            Taken::Said => !name.is_some_and(|name| NAMES.contains(&name)),
        }
    }

    /// Steps over the string here.
    fn string(&mut self) -> Range<usize> {
        let start = self.at;
        self.at += 1;
        while let Some(&byte) = self.body.get(self.at) {
            match byte {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at = self.body.len().min(self.at + 1);
        start..self.at
    }

    /// True when the string before is a name: in JSON only that is followed by a colon.
    fn is_name(&self) -> bool {
        let rest = &self.body[self.at..];
        rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
    }
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
