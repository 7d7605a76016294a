//! `tersely config`: shows the effective configuration.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};
use tersely_gateway::AccessKey;
use tersely_settings::{self as settings, Flags, LoadedSettings, MergedEntry, SettingSources};
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::{output, table};

const EXAMPLES: &str = "\
Examples:
  tersely config check
  tersely config show --mode safe
  tersely config show --json | jq '.settings[] | select(.from != \"default\")'
  tersely config schema > tersely.schema.json
  tersely config key

Exit code 2: the configuration is invalid; the message on stderr names the file, line and key.";

/// Check, show and explain the configuration
///
/// Flags override environment variables, and environment variables override the configuration file. The configuration
/// file is the one that --config or `TERSELY_CONFIG` names. Otherwise, it is tersely.toml or tersely.yaml in the
/// current directory or in the user's configuration directory.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub question: ConfigQuestion,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigQuestion {
    Check(CheckArgs),
    Show(Box<ShowArgs>),
    /// Print the JSON Schema of the configuration file
    Schema,
    /// Print the configuration reference, which explains every key
    Reference,
    Key(KeyArgs),
}

/// Check the configuration
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// The file to check; default: the file that Tersely would use
    pub file: Option<PathBuf>,
}

/// List every setting with its value and its source
#[derive(Debug, clap::Args)]
pub(crate) struct ShowArgs {
    /// Print a JSON object with the file, the settings and the notices
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub flags: Flags,
}

/// Print a new key for a tenant, and the key's hash for the configuration file
///
/// The key is shown only once and is not stored. Give the key to the tenant, and put the hash under `tenants` in the
/// configuration file.
#[derive(Debug, clap::Args)]
pub(crate) struct KeyArgs {
    /// Print a JSON object with the fields `key` and `sha256`
    #[arg(long)]
    pub json: bool,
}

/// Runs the subcommand.
pub(crate) fn run(args: &ConfigArgs) -> Result<ExitCode, Stop> {
    match &args.question {
        ConfigQuestion::Check(args) => check(args)?,
        ConfigQuestion::Show(args) => show(args)?,
        ConfigQuestion::Schema => output::result(&format!("{:#}", settings::schema()))?,
        ConfigQuestion::Reference => output::bytes(settings::reference())?,
        ConfigQuestion::Key(args) => key(args)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn check(args: &CheckArgs) -> Result<(), Stop> {
    let loaded = load(&Flags { config: args.file.clone(), ..Flags::default() })?;
    let file = loaded.file.map_or_else(|| "no file".to_owned(), |path| path.display().to_string());
    output::result(&format!("ok: {file}"))?;
    Ok(())
}

fn show(args: &ShowArgs) -> Result<(), Stop> {
    let loaded = load(&args.flags)?;
    output::result(&if args.json { report(&loaded) } else { lines(&loaded.entries) })?;
    Ok(())
}

fn key(args: &KeyArgs) -> Result<(), Stop> {
    let hint = "try again; if the machine has just started, wait a moment first";
    let fault = |error: tersely_gateway::Error| CommandFault::unable(error.to_string(), hint);
    let AccessKey { key, hash } = AccessKey::random().map_err(fault)?;
    let hash = hash.to_string();
    output::result(&if args.json {
        json!({ "key": key, "sha256": hash }).to_string()
    } else {
        format!("key     {key}\nsha256  {hash}")
    })?;
    Ok(())
}

/// Loads the settings and warns about those that have no effect.
fn load(flags: &Flags) -> Result<LoadedSettings, Stop> {
    let loaded = settings::load(&SettingSources::of_server(flags)).map_err(settings::fault)?;
    for notice in &loaded.notices {
        output::note(&format!("note: {notice}"))?;
    }
    Ok(loaded)
}

fn lines(entries: &[MergedEntry]) -> String {
    let row = |entry: &MergedEntry| vec![entry.name.clone(), spell(&entry.value), entry.origin.to_string()];
    let head = ["setting", "value", "from"].map(str::to_owned).to_vec();
    let rows: Vec<_> = std::iter::once(head).chain(entries.iter().map(row)).collect();
    table::align("lll", &rows)
}

fn spell(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(spell).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    if text.is_empty() { "-".to_owned() } else { text }
}

fn report(loaded: &LoadedSettings) -> String {
    let entry = |entry: &MergedEntry| json!({ "setting": entry.name, "value": entry.value, "from": entry.origin.to_string() });
    let settings: Vec<_> = loaded.entries.iter().map(entry).collect();
    json!({ "file": loaded.file, "settings": settings, "notices": loaded.notices }).to_string()
}
