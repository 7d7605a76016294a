//! Chooses the form in which a value costs the fewest tokens.

use tersely_codec::{Form, Value, encode, json};

use crate::tokens::O200k;

/// A value in its cheapest form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The form.
    pub form: Form,
    /// The value in that form.
    pub text: String,
    /// The number of tokens in the text.
    pub tokens: usize,
}

/// Chooses the terse form if it costs fewer tokens than compact JSON, else compact JSON.
///
/// The token count of the JSON stops at the cost of the terse form: the decision needs no more.
#[must_use]
pub fn choose(value: &Value<'_>) -> Choice {
    let compact = json::encode(value);
    let Some(terse) = encode(Form::Terse, value) else {
        return Choice { form: Form::Json, tokens: O200k.count(&compact), text: compact };
    };
    let cost = O200k.count(&terse);
    match O200k.count_within(&compact, cost) {
        Some(tokens) => Choice { form: Form::Json, text: compact, tokens },
        None => Choice { form: Form::Terse, text: terse, tokens: cost },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, form: Form) {
        let value = json::decode(json).unwrap();
        let choice = choose(&value);
        assert_eq!(choice.form, form, "{}", choice.text);
        assert_eq!(choice.tokens, O200k.count(&choice.text));
        assert!(choice.tokens <= O200k.count(&json::encode(&value)));
    }

    #[test]
    fn json_stays_where_nothing_is_saved() {
        for json in ["1", "\"x\"", "[]", "{}", "[1,2,3]", "null"] {
            check(json, Form::Json);
        }
    }

    #[test]
    fn lists_of_records_become_terse() {
        let rows: Vec<String> =
            (0..20).map(|n| format!("{{\"id\":{n},\"kind\":\"fruit\",\"ripe\":null}}")).collect();
        check(&format!("[{}]", rows.join(",")), Form::Terse);
    }

    #[test]
    fn what_is_too_deep_stays_json() {
        let mut value = Value::Null;
        (0..200).for_each(|_| value = Value::Array(vec![std::mem::replace(&mut value, Value::Null)]));
        assert_eq!(choose(&value).form, Form::Json);
    }
}
