//! The arguments of `tersely compress`.

use std::path::PathBuf;

use tersely_core::{DictionaryMethod, Loss, Mode, Reader, Redaction};
use tersely_engine::{KnownReaders, reader_of};

use crate::command::provider;

const EXAMPLES: &str = "\
Examples:
  gh api repos/rust-lang/rust/issues | tersely compress --explain
  tersely compress --loss none result.txt | tersely decode
  tersely compress --tool bash --command 'cat -n src/main.rs' --json out.txt | jq .after
  tersely compress --body --explain request.json > sent.json

With --body, the output is exactly the body that would be sent to the provider. With --body, exit code 1 means that the body could not be read and would be sent unchanged.";

/// Compress text, and show what a model would read
///
/// Reads any text, such as an API response, a log, a file or the output of a command. Prints the text that a model
/// would receive instead; it never has more tokens than the input. If the text was compressed without loss, `tersely
/// decode` restores it byte for byte. With --body, reads a whole model request and compresses every tool result in it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompressArgs {
    /// How much to compress: disabled, safe, standard or aggressive
    #[arg(long, value_name = "MODE", default_value = "standard")]
    pub mode: Mode,
    /// What compression may discard: none (the output can be decoded byte for byte), form (layout only) or detail (the
    /// default). With --body, detail is omitted only where the model can fetch it back
    #[arg(long, value_name = "LOSS")]
    pub loss: Option<Loss>,
    /// The algorithm that finds repeated phrases in aggressive mode: lzw, repair or auto
    #[arg(long, value_name = "METHOD", default_value = "lzw")]
    pub dictionary: DictionaryMethod,
    /// The kind of model that reads the output: strong, small (use only forms that a small model reads well) or auto
    /// (decided by the model name)
    #[arg(long, value_name = "READER", default_value = "auto")]
    pub reader: Reader,
    /// The name of the model that reads the output; with --body, the name comes from the body
    #[arg(long, value_name = "NAME", conflicts_with = "body")]
    pub model: Option<String>,
    /// Mask secrets (off by default in this command); with --body, mask them everywhere in the request
    #[arg(long)]
    pub redact_secrets: bool,
    /// Read a whole request body and compress every tool result in it
    #[arg(long)]
    pub body: bool,
    /// The API that the body is written for; default: detected from the tool results in the body
    #[arg(long, value_name = "NAME", requires = "body", value_parser = provider::names())]
    pub provider: Option<String>,
    /// The name of the tool that produced the result
    #[arg(long, value_name = "NAME", conflicts_with = "body")]
    pub tool: Option<String>,
    /// The command line that the tool ran
    #[arg(long, value_name = "CMD", conflicts_with = "body")]
    pub command: Option<String>,
    #[command(flatten)]
    pub account: AccountArgs,
    /// The file to read; if omitted or `-`, read standard input
    pub file: Option<PathBuf>,
}

impl CompressArgs {
    /// Where secrets are masked. This command cannot unmask them later, so masking is off by default.
    pub(crate) fn redaction(&self) -> Redaction {
        if self.redact_secrets { Redaction::All } else { Redaction::Off }
    }

    /// The model tier for a single result, from the flags.
    pub(crate) fn reader(&self) -> Reader {
        let named = || reader_of(&KnownReaders::default(), "", self.model.as_deref());
        if self.reader == Reader::Auto { named() } else { self.reader }
    }
}

/// What is told beside the text.
#[derive(Debug, clap::Args)]
pub(crate) struct AccountArgs {
    /// List all changes on stderr, with token counts and losses
    #[arg(long)]
    pub explain: bool,
    /// Print a JSON object with the compressed text or body, the token counts before and after, the loss and the steps
    #[arg(long)]
    pub json: bool,
}
