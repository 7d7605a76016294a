//! `tersely purge`: deletes the recorded history and stored texts.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use http::{HeaderMap, HeaderName, HeaderValue};
use tersely_gateway::Keeper;
use tersely_history::{HistoryError, purge};
use tersely_settings::{self as settings, AllSettings, Flags, SettingSources};
use tersely_store::{Store, StorePlace};
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::output;

use crate::command::hook::kept;
use crate::command::stats::{placeless, unreadable};
use crate::gateway::{runtime, store_fault};
use crate::history;

const EXAMPLES: &str = "\
Examples:
  tersely purge
  tersely purge --store --yes
  printf 'x-api-key: %s' \"$KEY\" | tersely purge --tenant --yes

Running agents and gateways are not affected: they continue to record new requests.";

/// Delete the recorded history or the entries in the store
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PurgeArgs {
    /// What to forget
    #[command(flatten)]
    pub what: PurgeWhat,
    /// Delete without asking for confirmation
    #[arg(long, short)]
    pub yes: bool,
    /// The configuration file; default: the first tersely.toml or tersely.yaml found
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// What to forget.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
pub(crate) struct PurgeWhat {
    /// Delete all entries in the configured store
    #[arg(long)]
    pub store: bool,
    /// Delete one tenant's entries in the configured store. On standard input, pass the headers of the tenant's
    /// requests, one per line; instead of a key, you can pass `x-tersely-tenant: NAME`
    #[arg(long)]
    pub tenant: bool,
}

/// Deletes the history or the stored texts, after confirmation.
pub(crate) fn run(args: &PurgeArgs) -> Result<ExitCode, Stop> {
    let flags = Flags { config: args.config.clone(), ..Flags::default() };
    let sources = SettingSources::new(&flags);
    let meant = settings::load_telling(&sources)?.settings;
    if args.what.store || args.what.tenant {
        return forget_texts(args, meant);
    }
    let Some(file) = history::file(&sources, &meant.seen.history) else { return Err(placeless().into()) };
    if !args.yes {
        ask(&format!("delete everything in {}?", file.display()))?;
    }
    forget_kept(&sources)?;
    forget(&file)
}

/// Forgets the texts that hooks have cut.
fn forget_kept(sources: &SettingSources) -> Result<(), Stop> {
    let Some(kept) = kept(sources) else { return Ok(()) };
    let count = kept.clear().map_err(|error| {
        CommandFault::unable(
            format!("cannot delete a stored text: {error}"),
            "delete the folder `kept` manually",
        )
    })?;
    if count > 0 {
        output::note(&format!("tersely: deleted the full texts of {count} results that hooks shortened"))?;
    }
    Ok(())
}

fn forget(file: &Path) -> Result<ExitCode, Stop> {
    match purge(file) {
        Ok(requests) => output::note(&format!("tersely: {requests} requests deleted"))?,
        Err(HistoryError::Missing) => output::note("tersely: there was nothing to delete")?,
        Err(error) => return Err(unreadable(file, &error).into()),
    }
    Ok(ExitCode::SUCCESS)
}

fn forget_texts(args: &PurgeArgs, meant: AllSettings) -> Result<ExitCode, Stop> {
    if let StorePlace::Memory(_) = meant.keeping.store.place {
        let hint = "without a store, a gateway keeps texts only in memory; to use a permanent store, set store.addresses";
        return Err(CommandFault::no("no store is configured", hint).into());
    }
    let headers = args.what.tenant.then(headers).transpose()?;
    if !args.yes {
        let whose = if headers.is_some() { "this tenant's texts" } else { "all texts" };
        ask(&format!("delete {whose} in the store?"))?;
    }
    let store = Store::open(&meant.keeping.store).map_err(|error| store_fault(&error))?;
    let keeper = Keeper::new(store, meant.keeping.header);
    let hint = "fix the headers or the settings under store; `tersely config show` lists the settings";
    let fault = |error: tersely_gateway::Error| CommandFault::unable(error.to_string(), hint);
    let count = runtime()?.block_on(keeper.forget(headers.as_ref())).map_err(fault)?;
    output::note(&format!("tersely: {count} texts deleted"))?;
    Ok(ExitCode::SUCCESS)
}

/// Reads headers from standard input. They contain credentials, which other users could see on a command line.
fn headers() -> Result<HeaderMap, Stop> {
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text)?;
    let line = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.trim().parse::<HeaderName>().ok()?, HeaderValue::from_str(value.trim()).ok()?))
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let headers = lines.map(line).collect::<Option<Vec<_>>>().filter(|headers| !headers.is_empty());
    let hint = "for example: printf 'x-api-key: %s' \"$KEY\" | tersely purge --tenant --yes";
    let fault = || CommandFault::unable("standard input contains no valid headers", hint);
    Ok(headers.ok_or_else(fault)?.into_iter().collect())
}

/// Asks for confirmation on the terminal. Without a terminal, returns an error.
fn ask(question: &str) -> Result<(), Stop> {
    let refused =
        |message: &str| CommandFault::no(message, "add --yes to delete without asking for confirmation");
    if !io::stdin().is_terminal() {
        return Err(refused("nothing was deleted: there is no terminal to ask for confirmation").into());
    }
    output::note(&format!("{question} [y/N]"))?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    if matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(refused("nothing was deleted").into())
}
