//! `tersely uninstall`, and the deletion of the history for its `--purge` flag.

use std::process::ExitCode;

use tersely_history::{HistoryError, purge};
use tersely_settings::{self as settings, Flags, SettingSources};
use tersely_terminal::fault::Stop;

use crate::command::stats::unreadable;
use crate::history;

pub(crate) use tersely_agents::uninstall::UninstallArgs;

/// Undoes the changes, after confirmation.
pub(crate) fn run(args: &UninstallArgs) -> Result<ExitCode, Stop> {
    tersely_agents::uninstall::run(args, purge_history)
}

/// Deletes the history, and returns the number of requests in it.
fn purge_history() -> Result<u64, Stop> {
    let sources = SettingSources::new(&Flags::default());
    let meant = settings::load_telling(&sources)?.settings;
    let Some(file) = history::file(&sources, &meant.seen.history) else { return Ok(0) };
    match purge(&file) {
        Ok(requests) => Ok(requests),
        Err(HistoryError::Missing) => Ok(0),
        Err(error) => Err(unreadable(&file, &error).into()),
    }
}
