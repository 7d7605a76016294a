//! Pads the head of a transcript to the length of its client's real head.

use std::borrow::Cow;

use tersely_wire::top_members;

use super::heads::AgentHead;

/// A word that is one token in every vocabulary.
const WORD: &str = " the";

/// The number of tokens that the transcript itself contains in front of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct OwnHead {
    pub system: usize,
    pub tools: usize,
}

/// Adds a tool whose description is as long as the missing part of the client's head. `around` is the JSON of a tool in
/// this API: the part before its name, and the part after its description.
pub(crate) fn filled<'b>(
    around: [&str; 2],
    own: OwnHead,
    head: Option<&AgentHead>,
    body: &'b [u8],
) -> Cow<'b, [u8]> {
    let lacks =
        |head: &AgentHead| head.system.saturating_sub(own.system) + head.tools.saturating_sub(own.tools);
    match (head.map_or(0, lacks), place(body)) {
        (0, _) | (_, None) => Cow::Borrowed(body),
        (lacking, Some(place)) => {
            let [before, after] = around;
            let words = WORD.repeat(lacking);
            let comma = if body[place..].trim_ascii_start().starts_with(b"]") { "" } else { "," };
            let tool = format!(r#"{before}"name":"head","description":"{words}"{after}{comma}"#);
            Cow::Owned([&body[..place], tool.as_bytes(), &body[place..]].concat())
        }
    }
}

/// The offset of the first tool in a body.
fn place(body: &[u8]) -> Option<usize> {
    let found = top_members(&["tools"], body).ok()?;
    let span = found.first()?.span.clone();
    Some(span.start + body[span].iter().position(|byte| *byte == b'[')? + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, own: OwnHead, expected: &str) {
        let head = AgentHead {
            client: "x".to_owned(),
            version: "1".to_owned(),
            models: Vec::new(),
            system: 5,
            tools: 4,
        };
        let filled = filled(["{", "}"], own, Some(&head), body.as_bytes());
        assert_eq!(String::from_utf8_lossy(&filled), expected);
    }

    #[test]
    fn what_a_head_lacks_is_said_by_one_tool_more() {
        let own = OwnHead { system: 4, tools: 2 };
        let tool = r#"{"name":"head","description":" the the the"}"#;
        check(r#"{"a":[1],"tools" : [{}]}"#, own, &format!(r#"{{"a":[1],"tools" : [{tool},{{}}]}}"#));
        check(r#"{"tools":[ ],"a":1}"#, own, &format!(r#"{{"tools":[{tool} ],"a":1}}"#));
        check(r#"{"a":1}"#, own, r#"{"a":1}"#);
    }

    #[test]
    fn what_is_longer_than_that_of_its_client_stays() {
        check(r#"{"tools":[{}]}"#, OwnHead { system: 50, tools: 4 }, r#"{"tools":[{}]}"#);
        let own = OwnHead { system: 50, tools: 3 };
        check(r#"{"tools":[1]}"#, own, r#"{"tools":[{"name":"head","description":" the"},1]}"#);
    }
}
