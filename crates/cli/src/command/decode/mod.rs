//! `tersely decode`: decodes a text in any form.

mod body;

use std::borrow::Cow;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use tersely_codec::{DecodeError, Form, decode, detect, json};
use tersely_core::original_of;
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::input::{self, Input};
use tersely_terminal::{output, progress};

use crate::command::provider;

const EXAMPLES: &str = "\
Examples:
  tersely encode pods.json | tersely decode
  tersely decode --form toon table.toon
  tersely compress --body --loss none request.json | tersely decode --body";

/// Restore compressed text, byte for byte
///
/// Detects the form of the input. Text that was compressed without loss is restored byte for byte. A value in the STC,
/// TOON or terse form is printed as compact JSON. JSON is printed unchanged. Any other text is also printed unchanged,
/// with a note on stderr.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DecodeArgs {
    /// The form of the input; default: detected automatically
    #[arg(long, value_name = "FORM", value_parser = forms())]
    pub form: Option<Form>,
    /// Read a whole request body and restore every tool result that was compressed without loss
    #[arg(long, conflicts_with = "form")]
    pub body: bool,
    /// The API that the body is written for; default: detected from the tool results in the body
    #[arg(long, value_name = "NAME", requires = "body", value_parser = provider::names())]
    pub provider: Option<String>,
    /// The file to read; if omitted or `-`, read standard input
    pub file: Option<PathBuf>,
}

fn forms() -> impl TypedValueParser<Value = Form> {
    PossibleValuesParser::new(Form::ALL.map(Form::name)).try_map(|name| {
        let form = Form::ALL.into_iter().find(|form| form.name() == name);
        form.ok_or_else(|| format!("no form is named {name}"))
    })
}

/// Decodes the given file.
pub(crate) fn run(args: &DecodeArgs) -> Result<ExitCode, Stop> {
    if args.body {
        return body::run(args.file.as_ref(), args.provider.as_deref());
    }
    let input = input::read(args.file.as_ref())?;
    let spinner = progress::working("decoding", input.text.len());
    let found = match args.form {
        Some(form) => decode_as(form, &input)?,
        None => find(&input)?,
    };
    spinner.finish_and_clear();
    match found {
        DecodedText::Json(json) => output::result(&json)?,
        DecodedText::Text(text) => output::bytes(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A decoded text.
enum DecodedText {
    /// A JSON document.
    Json(String),
    /// A text restored byte for byte.
    Text(String),
}

/// Decodes a text in `form`.
fn decode_as(form: Form, input: &Input) -> Result<DecodedText, CommandFault> {
    let text = without_newline(&input.text);
    // In TOON, an empty text is an empty object; in every other form it is an error.
    if form != Form::Toon {
        input.check_text()?;
    }
    let value = decode(form, text).map_err(|error| decode_fault(&input.name, form, &error))?;
    Ok(DecodedText::Json(json::encode(&value)))
}

/// Decodes a text in an unknown form, to the original text or to a value.
///
/// If no form can parse the text, `compress` left it unchanged.
fn find(input: &Input) -> Result<DecodedText, Stop> {
    let text = input.text.as_str();
    if let Some(id) = original_of(text) {
        output::note(&partial(&input.name, id))?;
    }
    match tersely_core::restore(text) {
        Some(Cow::Owned(restored)) => return Ok(DecodedText::Text(restored)),
        None => return Err(damage_fault(&input.name).into()),
        // White space alone is not a document; it is returned unchanged.
        Some(Cow::Borrowed(blank)) if blank.trim().is_empty() => {
            return Ok(DecodedText::Text(blank.to_owned()));
        }
        Some(Cow::Borrowed(_)) => {}
    }
    match detect(without_newline(text)) {
        Some((Form::Json, _)) => Ok(DecodedText::Text(text.to_owned())),
        Some((_, value)) => Ok(DecodedText::Json(json::encode(&value))),
        None => {
            output::note(&format!("note: {}: not in a known form; printed unchanged", input.name))?;
            Ok(DecodedText::Text(text.to_owned()))
        }
    }
}

/// The text without a newline at the end, which `encode` adds.
pub(crate) fn without_newline(text: &str) -> &str {
    text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text))
}

fn decode_fault(name: &str, form: Form, error: &DecodeError) -> CommandFault {
    let hint = format!("the text is not {}; omit --form to try every form", form.name());
    CommandFault::no(format!("{name}: {error}"), hint)
}

fn damage_fault(name: &str) -> CommandFault {
    CommandFault::no(
        format!("{name}: the text is marked as compressed, but cannot be decoded"),
        "copy the text again from its source; if it refers to earlier results, decode the whole request with --body",
    )
}

fn partial(name: &str, id: &str) -> String {
    format!(
        "note: {name}: this text omits detail, which cannot be restored here; the id of the original is {id}\
         \nhint: to omit nothing, compress with --loss none"
    )
}
