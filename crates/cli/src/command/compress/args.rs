//! What can be typed after `tersely compress`.

use std::path::PathBuf;

use tersely_core::{DictionaryMethod, Loss, Mode, Redaction};

use crate::command::provider;

const EXAMPLES: &str = "\
Examples:
  gh api repos/rust-lang/rust/issues | tersely compress --explain
  tersely compress --loss none result.txt | tersely decode
  tersely compress --tool bash --command 'cat -n src/main.rs' --json out.txt | jq .after
  tersely compress --body --explain request.json > sent.json

A request body is written byte for byte as it would be sent to the provider; exit code 1 then means that it
could not be read, and would be sent as it came.";

/// Show what a tool result becomes on its way to a model
///
/// Reads any text: the answer of an API, a log, a file, the output of a command. Writes what would be sent in its
/// place, never more tokens than it came with. What was changed without loss comes back byte for byte with
/// `tersely decode`. With --body, reads a whole request to a model and does the same to every tool result in it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompressArgs {
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
    #[arg(long, value_name = "NAME", requires = "body", value_parser = provider::names())]
    pub provider: Option<String>,
    /// The tool that gave the result, as the agent calls it
    #[arg(long, value_name = "NAME", conflicts_with = "body")]
    pub tool: Option<String>,
    /// The command line that the tool ran
    #[arg(long, value_name = "CMD", conflicts_with = "body")]
    pub command: Option<String>,
    #[command(flatten)]
    pub account: AccountArgs,
    /// The file to read; standard input if there is none, or if it is `-`
    pub file: Option<PathBuf>,
}

impl CompressArgs {
    /// Where secrets are masked. Nobody sees here what becomes of a mask, so it has to be asked for.
    pub(crate) fn redaction(&self) -> Redaction {
        if self.redact_secrets { Redaction::All } else { Redaction::Off }
    }
}

/// What is told beside the text.
#[derive(Debug, clap::Args)]
pub(crate) struct AccountArgs {
    /// List the changes on stderr, with tokens and loss
    #[arg(long)]
    pub explain: bool,
    /// Print one JSON object for scripts: text or body, tokens before and after, loss, steps
    #[arg(long)]
    pub json: bool,
}
