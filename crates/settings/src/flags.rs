//! Command-line flags that set settings.

use std::path::PathBuf;

/// Settings for this run; each goes before the environment and the file.
///
/// Values are kept as they were typed: a flag, a variable and a key are read by the same code.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Flags {
    /// The configuration file; default: the first tersely.toml or tersely.yaml found
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The address to listen on; default: 127.0.0.1:8787
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<String>,
    /// Forward all requests to this server
    #[arg(long, visible_alias = "backend-url", value_name = "URL")]
    pub upstream: Option<String>,
    /// How much to compress tool results: disabled, observe (measure savings but send requests unchanged), safe,
    /// standard or aggressive
    #[arg(long, visible_alias = "tool-output-compression", value_name = "MODE")]
    pub mode: Option<String>,
    /// The share of sessions, such as 5%, to leave unchanged for comparison
    #[arg(long, value_name = "SHARE")]
    pub holdout: Option<String>,
    /// What compression may discard: none (nothing), form (layout only) or detail (text that the model can fetch back)
    #[arg(long, value_name = "LOSS")]
    pub loss: Option<String>,
    /// The algorithm that finds repeated phrases in aggressive mode: lzw, repair or auto
    #[arg(long, visible_alias = "tool-output-compression-method", value_name = "METHOD")]
    pub dictionary: Option<String>,
    /// The kind of model that reads tool results: strong, small or auto (decided by the model name in the request)
    #[arg(long, value_name = "READER")]
    pub reader: Option<String>,
    /// Send tool descriptions unchanged (disabled) or shortened (minify)
    #[arg(long, value_name = "WHAT")]
    pub schema_compression: Option<String>,
    /// Where to mask secrets: true (everywhere in a request), false (nowhere) or usual (only in tool results that are
    /// not file contents)
    #[arg(long, value_name = "SWITCH", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub redact_secrets: Option<String>,
    /// A comma-separated list of tools whose results stay uncompressed
    #[arg(long, value_name = "NAMES")]
    pub skip_tools: Option<String>,
}

/// A flag, the key that it sets, and the function that returns its value.
pub(crate) type Flag = (&'static str, &'static str, fn(&Flags) -> Option<&String>);

/// The flags that set a key.
pub(crate) const FLAGS: [Flag; 10] = [
    ("--listen", "listen", |flags| flags.listen.as_ref()),
    ("--upstream", "upstream", |flags| flags.upstream.as_ref()),
    ("--mode", "mode", |flags| flags.mode.as_ref()),
    ("--holdout", "holdout", |flags| flags.holdout.as_ref()),
    ("--loss", "loss", |flags| flags.loss.as_ref()),
    ("--dictionary", "dictionary", |flags| flags.dictionary.as_ref()),
    ("--reader", "reader", |flags| flags.reader.as_ref()),
    ("--schema-compression", "schema_compression", |flags| flags.schema_compression.as_ref()),
    ("--redact-secrets", "redact_secrets", |flags| flags.redact_secrets.as_ref()),
    ("--skip-tools", "skip_tools", |flags| flags.skip_tools.as_ref()),
];
