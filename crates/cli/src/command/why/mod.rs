//! `tersely why`: says why the provider's cache did not have a prompt, request by request.

mod page;

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tersely_account::session_name;
use tersely_history::{HistoryError, HistoryReader, HistoryView};
use tersely_settings::{self as settings, Flags, SettingSources};
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::output;

use crate::command::stats::{placeless, unreadable};
use crate::command::why::page::WhyReport;
use crate::history;

const EXAMPLES: &str = "\
Examples:
  tersely why
  tersely why --session 0f3a9c51d2e47b68
  tersely why --json | jq .by_owner

Reads the local history, which contains hashes and numbers but no request text. Also works if `mode` is \"observe\", but not if it is \"disabled\": in that mode, Tersely does not read request bodies. Exit code 1: nothing has been recorded for the session.";

/// Show why the prompt cache missed, and what each miss cost
///
/// For each request in a session, shows the tokens read from the cache and the tokens written to it. For each cache
/// break, shows the first difference from the previous request, the cost of the break, and who caused it: the client,
/// the provider or Tersely.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WhyArgs {
    /// The session id: either the id that `--json` prints or the client's own id; default: the latest session
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Print all data as JSON
    #[arg(long)]
    pub json: bool,
    /// The configuration file; default: the first tersely.toml or tersely.yaml found
    #[arg(long, value_name = "FILE")]
    pub config: Option<std::path::PathBuf>,
}

/// Prints the report.
pub(crate) fn run(args: &WhyArgs) -> Result<ExitCode, Stop> {
    let flags = Flags { config: args.config.clone(), ..Flags::default() };
    let sources = SettingSources::new(&flags);
    let meant = settings::load_telling(&sources)?.settings;
    let Some(file) = history::file(&sources, &meant.seen.history) else { return Err(placeless().into()) };
    let fault = |error: HistoryError| unreadable(&file, &error);
    let reader = HistoryReader::open(&file).map_err(fault)?;
    let find = |view: &HistoryView| find_session(view, args.session.as_deref());
    let session = reader.look(find).map_err(fault)?.ok_or_else(unknown)?;
    if args.json {
        let all: Value = reader.look(|view| view.cache_report(session)).map_err(fault)?.into();
        output::result(&format!("{all:#}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let report = reader.look(|view| WhyReport::read(view, session)).map_err(fault)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    output::with_colors(&report.page(u64::try_from(now.as_millis()).unwrap_or(u64::MAX)))?;
    Ok(ExitCode::SUCCESS)
}

/// The session with this id, or the latest one.
fn find_session(view: &HistoryView, id: Option<&str>) -> Result<Option<u64>, HistoryError> {
    let Some(id) = id else { return Ok(view.sessions(1)?.first().map(|it| it.session)) };
    let own = u64::from_str_radix(id, 16).ok().filter(|_| id.len() == 16);
    match own {
        Some(session) if !view.turns(session, 1)?.is_empty() => Ok(Some(session)),
        _ => Ok(view.named(session_name(id.as_bytes()))?.and_then(|it| it.session)),
    }
}

fn unknown() -> CommandFault {
    CommandFault::no(
        "no such session is recorded",
        "list the latest sessions: tersely stats --json | jq .sessions",
    )
}
