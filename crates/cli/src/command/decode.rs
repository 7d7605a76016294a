//! `tersely decode`: a text in any form in, compact JSON out.

use std::process::ExitCode;

use tersely_codec::{DecodeError, Form, decode, detect, json};

use crate::args::Decode;
use crate::fault::{Fault, Stop};
use crate::{input, output, progress};

/// Decodes the file that was named.
pub(crate) fn run(args: &Decode) -> Result<ExitCode, Stop> {
    let mut input = input::read(args.file.as_ref())?;
    // The empty object is an empty text in TOON; in every other form an empty text is a mistake.
    if args.form != Some(Form::Toon) {
        input = input.filled()?;
    }
    let text = without_newline(&input.text);
    let spinner = progress::working("decoding", text.len());
    let value = match args.form {
        Some(form) => decode(form, text).map_err(|error| refused(&input.name, form, &error)),
        None => detect(text).map(|(_, value)| value).ok_or_else(|| unknown(&input.name, text)),
    }?;
    spinner.finish_and_clear();
    output::result(&json::encode(&value))?;
    Ok(ExitCode::SUCCESS)
}

/// The text without the line end that `encode` put after it.
fn without_newline(text: &str) -> &str {
    text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text))
}

fn refused(name: &str, form: Form, error: &DecodeError) -> Fault {
    let hint = format!("this is not {}; leave --form away to try every form", form.name());
    Fault::no(format!("{name}: {error}"), hint)
}

fn unknown(name: &str, text: &str) -> Fault {
    let reasons = Form::ALL.map(|form| format!("\n  {:<5}  {}", form.name(), reason(form, text)));
    Fault::no(format!("{name}: no form reads this text for certain{}", reasons.concat()), advice(text))
}

fn reason(form: Form, text: &str) -> String {
    match decode(form, text) {
        Ok(_) => "would read it, as it reads almost any text".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// What to do about a text, by what it most likely was meant to be.
fn advice(text: &str) -> &'static str {
    if text.trim_start().starts_with(['{', '[']) {
        "this looks like JSON, STC or terse: mend it at the place named above"
    } else {
        "where you know the form, name it, for example: --form toon"
    }
}
