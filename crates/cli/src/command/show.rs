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

/// Print all or part of a result that a hook shortened
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ShowTextArgs {
    /// The id in the shortened result
    pub id: String,
    /// The part to print: a range of lines (10-40), text to search for, or a JSON path (items[0].name); default: the
    /// full text
    pub part: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &ShowTextArgs) -> Result<ExitCode, Stop> {
    let sources = SettingSources::new(&Flags::default());
    let request = json!({ "id": args.id, "part": args.part }).to_string();
    let request = ExpandRequest::read(&request).map_err(|_| {
        CommandFault::unable("this is not a valid id", "copy the id exactly as the shortened result shows it")
    })?;
    let place = kept(&sources).ok_or_else(|| {
        CommandFault::unable("the folder of stored texts is unknown", "set HOME or XDG_STATE_HOME")
    })?;
    let found = place.find(request.id()).map_err(|error| {
        CommandFault::unable(
            format!("cannot read the stored text: {error}"),
            "rerun the command that printed the text",
        )
    })?;
    if let Some(text) = found {
        output::bytes(request.show(&text).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    output::note(&unknown(request.id()))?;
    Ok(ExitCode::from(NO))
}
