//! `tersely show`: prints a text that a hook cut, or a part of it.

use std::process::ExitCode;

use serde_json::json;
use tersely_core::expand::{ExpandRequest, unknown};
use tersely_settings::{Flags, SettingSources};
use tersely_terminal::fault::{CommandFault, NO, Stop};
use tersely_terminal::output;

use crate::command::hook::kept;

const EXAMPLES: &str = "\
Examples:
  tersely show shadow_ba7816bf8f01cfea414140de5dae2223
  tersely show shadow_ba7816bf8f01cfea414140de5dae2223 10-40
  tersely show shadow_ba7816bf8f01cfea414140de5dae2223 'connection refused'
  tersely show shadow_ba7816bf8f01cfea414140de5dae2223 items[0].name

Exit code 1: no text is stored under this id.";

/// Print a text that `tersely hook` cut, or part of it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ShowTextArgs {
    /// The id in the shortened result
    pub id: String,
    /// Lines (10-40), a text to search for, or a JSON path (items[0].name); default: all of it
    pub part: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &ShowTextArgs) -> Result<ExitCode, Stop> {
    let sources = SettingSources::new(&Flags::default());
    let request = json!({ "id": args.id, "part": args.part }).to_string();
    let request = ExpandRequest::read(&request)
        .map_err(|_| CommandFault::unable("this is no id", "give it as it stands in the result"))?;
    let place = kept(&sources).ok_or_else(|| {
        CommandFault::unable("there is no folder for kept texts", "set HOME or XDG_STATE_HOME")
    })?;
    let found = place.find(request.id()).map_err(|error| {
        CommandFault::unable(
            format!("the text cannot be read: {error}"),
            "run the command again that printed it",
        )
    })?;
    if let Some(text) = found {
        output::bytes(request.show(&text).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    output::note(&unknown(request.id()))?;
    Ok(ExitCode::from(NO))
}
