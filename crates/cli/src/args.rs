//! What can be typed: the commands, their flags and the help that explains them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use tersely_codec::Form;
use tersely_core::{DictionaryMethod, Loss, Mode, Redaction};
use tersely_wire::{PROVIDERS, Provider};

use crate::settings::Flags;

const ABOUT: &str = "\
Examples:
  tersely run claude
  tersely serve --upstream https://api.anthropic.com
  kubectl get pods -o json | tersely encode --stats
  cat -n src/main.rs | tersely compress --explain
  tersely encode result.json > result.txt
  tersely decode result.txt
  tersely count result.json result.txt

Exit codes: 0 done, 1 ran and the answer is no, 2 could not run.";

const SERVE: &str = "\
Examples:
  tersely serve
  tersely serve --listen 127.0.0.1:0 --upstream http://127.0.0.1:11434
  ANTHROPIC_BASE_URL=http://127.0.0.1:8787 claude

The first SIGINT or SIGTERM lets running answers finish: exit code 0. The second ends at once: 128 + signal.";

const RUN: &str = "\
Examples:
  tersely run claude
  tersely run codex exec 'fix the failing test'
  tersely run --mode aggressive opencode
  tersely run -- python my_agent.py

The exit code is the command's own; 128 and a signal's number if a signal ended it.";

const DOCTOR: &str = "\
Examples:
  tersely doctor
  tersely doctor --json | jq '.findings[] | select(.state == \"bad\")'

Exit code 1 means that something is broken.";

const COMPRESS: &str = "\
Examples:
  gh api repos/rust-lang/rust/issues | tersely compress --explain
  tersely compress --loss none result.txt | tersely decode
  tersely compress --tool bash --command 'cat -n src/main.rs' --json out.txt | jq .after
  tersely compress --body --explain request.json > sent.json

A request body is written byte for byte as it would be sent to the provider; exit code 1 then means that it
could not be read, and would be sent as it came.";

const ENCODE: &str = "\
Examples:
  gh api repos/rust-lang/rust/issues | tersely encode
  tersely encode --stats pods.json
  tersely encode --form toon --json pods.json | jq .saved";

const DECODE: &str = "\
Examples:
  tersely encode pods.json | tersely decode
  tersely decode --form toon table.toon
  tersely compress --body --loss none request.json | tersely decode --body";

const COUNT: &str = "\
Examples:
  git diff | tersely count
  tersely count --json src/*.rs";

const CONFIG: &str = "\
Examples:
  tersely config check
  tersely config show --mode safe
  tersely config show --json | jq '.settings[] | select(.from != \"default\")'
  tersely config schema > tersely.schema.json

Exit code 2 means that something is wrong with the configuration; stderr names file, line and key.";

/// Makes what an agent's tools say cost fewer tokens, and gives it back exactly.
#[derive(Debug, Parser)]
#[command(name = "tersely", version, after_help = ABOUT, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(Run),
    Serve(Serve),
    Doctor(Doctor),
    Compress(Compress),
    Encode(Encode),
    Decode(Decode),
    Count(Count),
    Config(Config),
}

/// Start a gateway that agents send their requests through
///
/// Requests go on to the providers' public addresses by their path, or all to one upstream. Tool results in them get
/// smaller on the way; every other byte stays as the agent sent it.
#[derive(Debug, clap::Args)]
#[command(after_help = SERVE)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub flags: Flags,
}

/// Run an agent with a gateway of its own, and say what that saved
///
/// Knows claude, codex, opencode and gemini, and keeps what they are set up to talk to as its upstream. Any other
/// command gets the variables that most programs and libraries read.
#[derive(Debug, clap::Args)]
#[command(after_help = RUN)]
pub(crate) struct Run {
    #[command(flatten)]
    pub flags: Flags,
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// Find out what is set, what answers, and what would be saved
///
/// Looks at the variables that point agents somewhere, asks every upstream whether it is there, looks for agents and
/// their versions, and sends a sample through the rewriter. Keys are never shown.
#[derive(Debug, clap::Args)]
#[command(after_help = DOCTOR)]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub flags: Flags,
    /// Print one JSON object for scripts
    #[arg(long)]
    pub json: bool,
}

/// Show what a tool result becomes on its way to a model
///
/// Reads any text: the answer of an API, a log, a file, the output of a command. Writes what would be sent in its
/// place, never more tokens than it came with. What was changed without loss comes back byte for byte with
/// `tersely decode`. With --body, reads a whole request to a model and does the same to every tool result in it.
#[derive(Debug, clap::Args)]
#[command(after_help = COMPRESS)]
pub(crate) struct Compress {
    /// How far to go: disabled, safe, standard or aggressive
    #[arg(long, value_name = "MODE", default_value = "standard")]
    pub mode: Mode,
    /// The most that may be lost: none (it decodes byte for byte), form (layout only) or detail, which is what holds if
    /// nothing is said; of a body detail is left out only where the model can fetch it back
    #[arg(long, value_name = "LOSS")]
    pub loss: Option<Loss>,
    /// How repeated phrases are found in aggressive mode: lzw, repair or auto
    #[arg(long, value_name = "METHOD", default_value = "lzw")]
    pub dictionary: DictionaryMethod,
    /// Mask secrets, which is not done here unless it is asked for; of a body, in all that it says
    #[arg(long)]
    pub redact_secrets: bool,
    /// Read a whole request body, and compress every tool result in it
    #[arg(long)]
    pub body: bool,
    /// Whose API the body is for; if not said, told by the tool results in it
    #[arg(long, value_name = "NAME", requires = "body", value_parser = provider())]
    pub provider: Option<String>,
    /// The tool that gave the result, as the agent calls it
    #[arg(long, value_name = "NAME", conflicts_with = "body")]
    pub tool: Option<String>,
    /// The command line that the tool ran
    #[arg(long, value_name = "CMD", conflicts_with = "body")]
    pub command: Option<String>,
    #[command(flatten)]
    pub told: Told,
    /// The file to read; standard input if there is none, or if it is `-`
    pub file: Option<PathBuf>,
}

impl Compress {
    /// Where secrets are masked. Nobody sees here what becomes of a mask, so it has to be asked for.
    pub(crate) fn redaction(&self) -> Redaction {
        if self.redact_secrets { Redaction::All } else { Redaction::Off }
    }
}

/// What is told beside the text.
#[derive(Debug, clap::Args)]
pub(crate) struct Told {
    /// List the changes on stderr, with tokens and loss
    #[arg(long)]
    pub explain: bool,
    /// Print one JSON object for scripts: text or body, tokens before and after, loss, steps
    #[arg(long)]
    pub json: bool,
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

/// Give back what a text stands for: a compressed result byte for byte, a value as JSON
///
/// Finds out by itself which form the text is in. What `compress` wrote without loss comes back as it was; a value
/// in the terse form, STC or TOON becomes compact JSON; JSON and any other text are printed as they came, and for
/// the latter stderr says where each form stopped reading.
#[derive(Debug, clap::Args)]
#[command(after_help = DECODE)]
pub(crate) struct Decode {
    /// The form the text is in, instead of finding out
    #[arg(long, value_name = "FORM", value_parser = form())]
    pub form: Option<Form>,
    /// Read a whole request body, and put every tool result back that was compressed without loss
    #[arg(long, conflicts_with = "form")]
    pub body: bool,
    /// Whose API the body is for; if not said, told by the tool results in it
    #[arg(long, value_name = "NAME", requires = "body", value_parser = provider())]
    pub provider: Option<String>,
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

/// Check, show and explain the configuration
///
/// Settings come from flags, from the environment and from a file, in this order: --config FILE, `TERSELY_CONFIG`,
/// tersely.toml or tersely.yaml here, the same in the user's configuration folder.
#[derive(Debug, clap::Args)]
#[command(after_help = CONFIG)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub question: Question,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    Check(ConfigCheck),
    Show(ConfigShow),
    /// Print the JSON Schema of the file
    Schema,
    /// Print the page that explains every key
    Reference,
}

/// Say what is wrong with the configuration, or that it is ok
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigCheck {
    /// The file to check, instead of looking for one
    pub file: Option<PathBuf>,
}

/// List every setting, its value and where it came from
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigShow {
    /// Print one JSON object for scripts: file, settings, notices
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub flags: Flags,
}

/// The form that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    Auto,
    In(Form),
}

/// Whose APIs are two, told apart by the body.
pub(crate) const OPENAI: &str = "openai";

fn provider() -> PossibleValuesParser {
    PossibleValuesParser::new(PROVIDERS.map(Provider::name).into_iter().chain([OPENAI]))
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
