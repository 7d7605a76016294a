//! `tersely encode`: encodes a JSON document in fewer tokens.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::json;
use tersely_codec::{DecodeError, Form, Value, json};
use tersely_core::auto;
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::input::{self, Input};
use tersely_terminal::share::Share;
use tersely_terminal::{output, progress};

use crate::account::Account;

const EXAMPLES: &str = "\
Examples:
  gh api repos/rust-lang/rust/issues | tersely encode
  tersely encode --stats pods.json
  tersely encode --form toon --json pods.json | jq .saved";

/// Encode JSON in the form that takes the fewest tokens
///
/// Reads one JSON document and writes the same value as compact JSON, or in the terse form if that takes fewer tokens.
/// Nothing is lost: `tersely decode` restores the value, including the order of keys and the exact text of numbers.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EncodeArgs {
    /// The form to write; auto picks terse if it takes fewer tokens than compact JSON
    #[arg(long, value_name = "FORM", default_value = "auto", value_parser = wishes())]
    pub form: FormWish,
    /// Show on stderr how many tokens each form takes, and how many each saves compared with the input
    #[arg(long)]
    pub stats: bool,
    /// Print a JSON object with the form, the text, the token count of every form and the percentage saved
    #[arg(long)]
    pub json: bool,
    /// The file to read; if omitted or `-`, read standard input
    pub file: Option<PathBuf>,
}

/// The requested form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormWish {
    Auto,
    In(Form),
}

fn wishes() -> impl TypedValueParser<Value = FormWish> {
    let names = ["auto"].into_iter().chain(Form::ALL.map(Form::name));
    PossibleValuesParser::new(names).map(|name| {
        let form = Form::ALL.into_iter().find(|form| form.name() == name);
        form.map_or(FormWish::Auto, FormWish::In)
    })
}

/// Encodes the given file.
pub(crate) fn run(args: &EncodeArgs) -> Result<ExitCode, Stop> {
    let input = input::read(args.file.as_ref())?.require_text()?;
    let spinner = progress::working("encoding", input.text.len());
    let value = json::decode(&input.text).map_err(|error| not_json(&input, &error))?;
    let (form, text) = write(args.form, &value).map_err(|form| form_fault(&input.name, form))?;
    let account = (args.stats || args.json).then(|| Account::of(&input.text, &value));
    spinner.finish_and_clear();

    if let Some(account) = account.as_ref().filter(|_| args.stats) {
        output::note(&account.table(form))?;
    }
    match account.filter(|_| args.json) {
        Some(account) => output::result(&report(form, &text, &account))?,
        None => output::result(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Encodes the value in the requested form. If the form cannot represent the value, returns the form as an error.
fn write(wish: FormWish, value: &Value<'_>) -> Result<(Form, String), Form> {
    match wish {
        FormWish::Auto => {
            let choice = auto::choose(value);
            Ok((choice.form, choice.text))
        }
        FormWish::In(form) => tersely_codec::encode(form, value).map(|text| (form, text)).ok_or(form),
    }
}

fn report(form: Form, text: &str, account: &Account) -> String {
    let saved = account.share_saved(form).map(Share::percent);
    json!({ "form": form.name(), "text": text, "tokens": account.json(), "saved": saved }).to_string()
}

fn not_json(input: &Input, error: &DecodeError) -> CommandFault {
    let hint = if input.text.starts_with('\u{feff}') {
        "the text starts with a byte order mark; remove the first character"
    } else if error.expected == "the end of the document" {
        "encode takes one JSON document; `jq -s .` combines several into one array"
    } else {
        "encode takes one JSON document; fix the error, or use `tersely compress` for other text"
    };
    CommandFault::no(format!("{}: {error}", input.name), hint)
}

fn form_fault(name: &str, form: Form) -> CommandFault {
    CommandFault::no(
        format!("{name}: {} cannot represent this value exactly", form.name()),
        "omit --form; the default, auto, always finds a form that can",
    )
}
