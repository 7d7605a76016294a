//! What can be typed: the commands, their flags and the help that explains them.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use tersely_codec::Form;

const ABOUT: &str = "\
Examples:
  kubectl get pods -o json | tersely encode --stats
  tersely encode result.json > result.txt
  tersely decode result.txt
  tersely count result.json result.txt

Exit codes: 0 done, 1 ran and the answer is no, 2 could not run.";

const ENCODE: &str = "\
Examples:
  gh api repos/rust-lang/rust/issues | tersely encode
  tersely encode --stats pods.json
  tersely encode --form toon --json pods.json | jq .saved";

const DECODE: &str = "\
Examples:
  tersely encode pods.json | tersely decode
  tersely decode --form toon table.toon";

const COUNT: &str = "\
Examples:
  git diff | tersely count
  tersely count --json src/*.rs";

const BENCH: &str = "\
Example:
  tersely bench forms corpus";

const FORMS: &str = "\
Examples:
  tersely bench forms corpus
  tersely bench forms --json --seconds 5 corpus > forms.json

Exit code 1 means that a law is broken: a file costs more in the chosen form than as compact JSON,
or does not come back from it exactly.";

/// Makes what an agent's tools say cost fewer tokens, and gives it back exactly.
#[derive(Debug, Parser)]
#[command(name = "tersely", version, after_help = ABOUT, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Encode(Encode),
    Decode(Decode),
    Count(Count),
    Bench(Bench),
}

/// Write a JSON document in the form that costs a model the fewest tokens
///
/// Reads one JSON document and writes the same value, in the terse form where that costs fewer tokens and as
/// compact JSON where it does not. Nothing is lost: `tersely decode` gives the value back, with the order of
/// its keys and the text of its numbers.
#[derive(Debug, clap::Args)]
#[command(after_help = ENCODE)]
pub(crate) struct Encode {
    /// The form to write; auto takes terse where that costs less than compact JSON, by exact count
    #[arg(long, value_name = "FORM", default_value = "auto", value_parser = wish())]
    pub form: Wish,
    /// Show on stderr what every form costs, and what it saves against the text as sent
    #[arg(long)]
    pub stats: bool,
    /// Print one JSON object for scripts: form, text, tokens of every form, percent saved
    #[arg(long)]
    pub json: bool,
    /// The file to read; standard input if there is none, or if it is `-`
    pub file: Option<PathBuf>,
}

/// Read a text in any form and write it as compact JSON
///
/// Finds out by itself which form the text is in. When no form reads it, says for each form where reading
/// stopped and what was expected there.
#[derive(Debug, clap::Args)]
#[command(after_help = DECODE)]
pub(crate) struct Decode {
    /// The form the text is in, instead of finding out
    #[arg(long, value_name = "FORM", value_parser = form())]
    pub form: Option<Form>,
    /// The file to read; standard input if there is none, or if it is `-`
    pub file: Option<PathBuf>,
}

/// Count the tokens of files
///
/// Counts exactly, with the o200k vocabulary, and adds up the total when there are several files.
#[derive(Debug, clap::Args)]
#[command(after_help = COUNT)]
pub(crate) struct Count {
    /// Print one JSON object for scripts: tokens of every file, and the total
    #[arg(long)]
    pub json: bool,
    /// The files to read; standard input if there is none, or where one is `-`
    pub files: Vec<PathBuf>,
}

/// Measure Tersely on a corpus
#[derive(Debug, clap::Args)]
#[command(after_help = BENCH)]
pub(crate) struct Bench {
    #[command(subcommand)]
    pub subject: Subject,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Subject {
    Forms(Forms),
}

/// Compare the forms: tokens of every file, and the speed of writing and reading
///
/// Reads the JSON documents in DIR/outputs/json-api and DIR/outputs/json-rows; files that are not one JSON
/// document are skipped and named.
#[derive(Debug, clap::Args)]
#[command(after_help = FORMS)]
pub(crate) struct Forms {
    /// The corpus
    pub dir: PathBuf,
    /// Print one JSON object for scripts
    #[arg(long)]
    pub json: bool,
    /// How long to time each task
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seconds: u32,
}

/// The form that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    Auto,
    In(Form),
}

fn wish() -> impl TypedValueParser<Value = Wish> {
    let names = ["auto"].into_iter().chain(Form::ALL.map(Form::name));
    PossibleValuesParser::new(names).map(|name| named(&name).map_or(Wish::Auto, Wish::In))
}

fn form() -> impl TypedValueParser<Value = Form> {
    PossibleValuesParser::new(Form::ALL.map(Form::name))
        .try_map(|name| named(&name).ok_or_else(|| format!("no form is named {name}")))
}

fn named(name: &str) -> Option<Form> {
    Form::ALL.into_iter().find(|form| form.name() == name)
}
