//! Edits the parts of a body other than its tool results: the descriptions of tools, and the users' texts.

use tersely_json::{JsonError, Splice};

use crate::provider::Provider;
use crate::request::prompt::UserPrompt;
use crate::request::reading::Reading;

/// The edits that replace each description in `body` by the result of `minify`; `None` leaves a description
/// unchanged.
///
/// # Errors
/// Fails if the body is not JSON that all parsers read the same way; such a body must be forwarded unchanged.
pub fn descriptions(
    provider: &Provider,
    body: &[u8],
    minify: impl Fn(&str) -> Option<String>,
) -> Result<Vec<Splice>, JsonError> {
    let found = provider.descriptions(body)?;
    Ok(found.into_iter().filter_map(|description| description.edit(&minify)).collect())
}

/// The edits that replace each user's text in a body by the result of `write`; `None` leaves a text unchanged.
pub fn prompts(reading: &Reading<'_>, mut write: impl FnMut(&str) -> Option<String>) -> Vec<Splice> {
    let written = |prompt: &UserPrompt<'_>| Some((prompt.span.clone(), Some(write(&prompt.text()?)?)));
    reading.prompts().iter().filter_map(written).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::PROVIDERS;
    use tersely_json::splice;

    /// Changes descriptions to upper case, and removes empty ones.
    fn shout(schema: &str) -> String {
        let body = format!(r#"{{"tools":[{{"input_schema":{schema}}}]}}"#);
        let edits =
            descriptions(PROVIDERS[0], body.as_bytes(), |text| Some(text.to_uppercase())).expect("edits");
        let spliced = String::from_utf8(splice(body.as_bytes(), &edits).into_owned()).expect("a text");
        spliced[26..spliced.len() - 3].to_owned()
    }

    fn stays(schema: &str) {
        assert_eq!(shout(schema), schema);
    }

    /// Behaviour 9.1.
    #[test]
    fn descriptions_are_found_wherever_schemas_stand() {
        for (before, after) in [
            (r#"{"description":"a","type":"object"}"#, r#"{"description":"A","type":"object"}"#),
            (r#"{"properties":{"x":{"description":"a"}}}"#, r#"{"properties":{"x":{"description":"A"}}}"#),
            (r#"{"items":{"description":"a"}}"#, r#"{"items":{"description":"A"}}"#),
            (
                r#"{"anyOf":[{"description":"a"},{"not":{"description":"b"}}]}"#,
                r#"{"anyOf":[{"description":"A"},{"not":{"description":"B"}}]}"#,
            ),
            (r#"{"$defs":{"d":{"description":"a"}}}"#, r#"{"$defs":{"d":{"description":"A"}}}"#),
            (
                r#"{"additionalProperties":{"description":"a"}}"#,
                r#"{"additionalProperties":{"description":"A"}}"#,
            ),
            (r#"{"d\u0065scription":"a"}"#, r#"{"d\u0065scription":"A"}"#),
            (
                r#"{"dependencies":{"a":["b"],"c":{"description":"a"}}}"#,
                r#"{"dependencies":{"a":["b"],"c":{"description":"A"}}}"#,
            ),
        ] {
            assert_eq!(shout(before), after);
        }
    }

    /// Behaviour 9.4: a property called `description` is not a description, but can have one.
    #[test]
    fn properties_named_description_are_no_descriptions() {
        assert_eq!(
            shout(r#"{"properties":{"description":{"type":"string","description":"a"}}}"#),
            r#"{"properties":{"description":{"type":"string","description":"A"}}}"#
        );
        stays(r#"{"properties":{"description":"a","x":true}}"#);
        stays(r#"{"required":["description"],"properties":{"description":{"enum":["description"]}}}"#);
    }

    /// Behaviour 9.4 and 17.21.
    #[test]
    fn data_in_schemas_is_left_alone() {
        for keyword in ["default", "example", "examples", "enum", "const", "x-data", "required", "meta"] {
            stays(&format!(r#"{{"{keyword}":{{"description":"a"}}}}"#));
            stays(&format!(r#"{{"{keyword}":[{{"description":"  "}},{{"description":""}}]}}"#));
            stays(&format!(
                r#"{{"{keyword}":{{"properties":{{"x":{{"description":""}}}},"items":{{"description":"a"}}}}}}"#
            ));
        }
    }

    /// Behaviour 9.2: an empty description is removed, with its comma.
    #[test]
    fn empty_descriptions_go_wherever_they_stand() {
        for (before, after) in [
            (r#"{"description":"","type":"x"}"#, r#"{"type":"x"}"#),
            (r#"{"a":1 , "description" : "" , "b":2}"#, r#"{"a":1 , "b":2}"#),
            (r#"{ "a":1 , "description":"" }"#, r#"{ "a":1 }"#),
            (r#"{ "description":"" }"#, "{  }"),
            (
                r#"{"properties":{"x":{"description":"","description ":""}},"description":""}"#,
                r#"{"properties":{"x":{"description ":""}}}"#,
            ),
        ] {
            assert_eq!(shout(before), after);
        }
    }

    /// Behaviour 9.1: descriptions are found up to depth 32.
    #[test]
    fn depth_is_bounded() {
        for (open, close) in [(r#"{"items":"#, "}"), (r#"{"properties":{"p":"#, "}}")] {
            let nested =
                |levels: usize, text: &str| open.repeat(levels) + &described_as(text) + &close.repeat(levels);
            assert_eq!(shout(&nested(32, "a")), nested(32, "A"));
            stays(&nested(33, "a"));
            stays(&nested(100_000, "a"));
        }
    }

    fn described_as(text: &str) -> String {
        format!(r#"{{"description":"{text}"}}"#)
    }

    #[test]
    fn what_is_no_text_stays() {
        stays(r#"{"description":null}"#);
        stays(r#"{"description":{"description":"a"}}"#);
        stays(r#"{"description":"\ud800 a"}"#);
        stays("true");
        let twice = br#"{"tools":[{"description":"a","description":""}]}"#;
        assert!(descriptions(PROVIDERS[0], twice, |_| None).is_err());
    }
}
