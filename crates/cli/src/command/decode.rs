//! `tersely decode`: a text in any form in, what it stands for out.

use std::borrow::Cow;
use std::process::ExitCode;

use tersely_codec::{DecodeError, Form, decode, detect, json};
use tersely_core::original_of;
use tersely_terminal::fault::{Fault, Stop};
use tersely_terminal::input::{self, Input};
use tersely_terminal::{output, progress};

use crate::args::Decode;
use crate::command::restore;

/// Decodes the file that was named.
pub(crate) fn run(args: &Decode) -> Result<ExitCode, Stop> {
    if args.body {
        return restore::run(args);
    }
    let input = input::read(args.file.as_ref())?;
    let spinner = progress::working("decoding", input.text.len());
    let found = match args.form {
        Some(form) => named(form, &input)?,
        None => find(&input)?,
    };
    spinner.finish_and_clear();
    match found {
        Found::Json(json) => output::result(&json)?,
        Found::Text(text) => output::bytes(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What a text was decoded to.
enum Found {
    /// A JSON document.
    Json(String),
    /// A text that comes back byte for byte.
    Text(String),
}

/// The value of a text in `form`.
fn named(form: Form, input: &Input) -> Result<Found, Fault> {
    let text = without_newline(&input.text);
    // The empty object is an empty text in TOON; in every other form an empty text is a mistake.
    if form != Form::Toon {
        input.ensure_filled()?;
    }
    let value = decode(form, text).map_err(|error| refused(&input.name, form, &error))?;
    Ok(Found::Json(json::encode(&value)))
}

/// What a text stands for whose form is not known: what it was compressed from, or a value.
///
/// A text that no form reads is one that `compress` left alone.
fn find(input: &Input) -> Result<Found, Stop> {
    let text = input.text.as_str();
    if let Some(id) = original_of(text) {
        output::note(&partial(&input.name, id))?;
    }
    match tersely_core::restore(text) {
        Some(Cow::Owned(restored)) => return Ok(Found::Text(restored)),
        None => return Err(damaged(&input.name).into()),
        // Nothing but white space is no document; it came back as it was.
        Some(Cow::Borrowed(blank)) if blank.trim().is_empty() => return Ok(Found::Text(blank.to_owned())),
        Some(Cow::Borrowed(_)) => {}
    }
    match detect(without_newline(text)) {
        Some((Form::Json, _)) => Ok(Found::Text(text.to_owned())),
        Some((_, value)) => Ok(Found::Json(json::encode(&value))),
        None => {
            output::note(&format!("note: {}: in none of our forms, so here it is as it came", input.name))?;
            Ok(Found::Text(text.to_owned()))
        }
    }
}

/// The text without the line end that `encode` put after it.
pub(crate) fn without_newline(text: &str) -> &str {
    text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text))
}

fn refused(name: &str, form: Form, error: &DecodeError) -> Fault {
    let hint = format!("this is not {}; leave --form away to try every form", form.name());
    Fault::no(format!("{name}: {error}"), hint)
}

fn damaged(name: &str) -> Fault {
    Fault::no(
        format!("{name}: marked as compressed, but it does not read as that"),
        "take it from where it was written; a text that refers to earlier results comes back with them, by --body",
    )
}

fn partial(name: &str, id: &str) -> String {
    format!(
        "note: {name}: detail was left out of this text, so here is what it shows; the original is {id}\
         \nhint: compress with --loss none to leave nothing out"
    )
}
