//! Writes one JSON document in every form, and reads each back.
//!
//!     cargo run --package tersely-codec --example forms

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use tersely_codec::{DecodeError, Form, decode, detect, encode};

const ISSUES: &str = r#"[
    {"number": 653, "state": "open", "title": "Crash on an empty file", "labels": ["bug"], "score": 1.50},
    {"number": 651, "state": "open", "title": "Slow start with 10k rows", "labels": [], "score": 1e2}
]"#;

fn main() -> Result<(), DecodeError> {
    // Order of keys, duplicate keys and the text of numbers are part of a value: 1.50 does not become 1.5.
    let value = decode(Form::Json, ISSUES)?;
    for form in [Form::Json, Form::Stc, Form::Toon, Form::Terse] {
        let Some(text) = encode(form, &value) else {
            println!("-- {form:?} cannot hold this exactly, and says so\n");
            continue;
        };
        assert_eq!(decode(form, &text)?, value);
        println!("-- {form:?}: {} bytes\n{text}\n", text.len());
    }
    // Whoever gets a text need not know its form.
    let terse = encode(Form::Terse, &value).unwrap_or_default();
    assert_eq!(detect(&terse), Some((Form::Terse, value)));
    Ok(())
}
