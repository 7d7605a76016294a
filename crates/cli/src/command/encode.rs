//! `tersely encode`: a JSON document in, the same value in fewer tokens out.

use std::process::ExitCode;

use serde_json::json;
use tersely_codec::{DecodeError, Form, Value, json};
use tersely_core::{O200k, auto};
use tersely_terminal::fault::{Fault, Stop};
use tersely_terminal::input::{self, Input};
use tersely_terminal::share::Share;
use tersely_terminal::{output, progress};

use crate::account::Account;
use crate::args::{Encode, Wish};

/// Encodes the file that was named.
pub(crate) fn run(args: &Encode) -> Result<ExitCode, Stop> {
    let input = input::read(args.file.as_ref())?.filled()?;
    let spinner = progress::working("encoding", input.text.len());
    let value = json::decode(&input.text).map_err(|error| not_json(&input, &error))?;
    let (form, text) = write(args.form, &value).map_err(|form| declined(&input.name, form))?;
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

/// The value in the form that was wished for; the form itself when it cannot hold the value.
fn write(wish: Wish, value: &Value<'_>) -> Result<(Form, String), Form> {
    match wish {
        Wish::Auto => {
            let choice = auto::choose(value, &O200k);
            Ok((choice.form, choice.text))
        }
        Wish::In(form) => tersely_codec::encode(form, value).map(|text| (form, text)).ok_or(form),
    }
}

fn report(form: Form, text: &str, account: &Account) -> String {
    let saved = account.saved(form).map(Share::percent);
    json!({ "form": form.name(), "text": text, "tokens": account.json(), "saved": saved }).to_string()
}

fn not_json(input: &Input, error: &DecodeError) -> Fault {
    let hint = if input.text.starts_with('\u{feff}') {
        "the text starts with a byte order mark: remove its first character"
    } else if error.expected == "the end of the document" {
        "encode takes one JSON document; `jq -s .` makes several into one array"
    } else {
        "encode takes one JSON document; mend it there, or send the text as it is"
    };
    Fault::no(format!("{}: {error}", input.name), hint)
}

fn declined(name: &str, form: Form) -> Fault {
    Fault::no(
        format!("{name}: {} cannot hold this exactly", form.name()),
        "leave --form away: auto always finds a form that can",
    )
}
