//! JSON in a form that somebody asked for by name.

use tersely_codec::{Form, decode, encode, json};

/// The JSON text in `form`, if the form holds all of it and takes fewer bytes.
#[must_use]
pub fn encode_json(form: Form, text: &str) -> Option<String> {
    let value = json::decode(text).ok()?;
    let encoded = encode(form, &value).filter(|encoded| encoded.len() < text.len())?;
    decode(form, &encoded).is_ok_and(|back| back == value).then_some(encoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behaviour 1.19, 10.4 and 10.7.
    #[test]
    fn a_form_is_used_only_where_it_is_shorter_and_exact() {
        let rows = r#"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]"#;
        for form in [Form::Stc, Form::Toon, Form::Terse] {
            let encoded = encode_json(form, rows).expect("shorter");
            assert_eq!(decode(form, &encoded), json::decode(rows), "{form:?}");
            assert_eq!(encode_json(form, "[1]"), None, "{form:?}");
            assert_eq!(encode_json(form, "no JSON"), None, "{form:?}");
        }
        assert_eq!(
            encode_json(Form::Toon, r#"{"a": 1.0, "b": [1.0, 1.0, 1.0, 1.0]}"#),
            None,
            "TOON would change 1.0"
        );
    }
}
