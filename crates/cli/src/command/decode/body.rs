//! `tersely decode --body`: restores the client's request from a compressed one.

use std::path::PathBuf;
use std::process::ExitCode;

use tersely_engine::{RestoreError, restore};
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::{input, output, progress};

use crate::command::provider;

/// Restores a compressed request body.
pub(crate) fn run(file: Option<&PathBuf>, wish: Option<&str>) -> Result<ExitCode, Stop> {
    let (name, body) = input::bytes(file)?;
    let Some(provider) = provider::of(wish, &body) else {
        output::note(&format!("note: {name}: the body contains no tool results; printed unchanged"))?;
        output::bytes(&body)?;
        return Ok(ExitCode::SUCCESS);
    };
    let spinner = progress::working("decoding", body.len());
    let restored = restore(provider, &body);
    spinner.finish_and_clear();
    output::bytes(&restored.map_err(|why| restore_fault(&name, &why))?)?;
    Ok(ExitCode::SUCCESS)
}

fn restore_fault(name: &str, why: &RestoreError) -> CommandFault {
    let hint = match why {
        RestoreError::Body(_) => "provide the whole body as `tersely compress --body` wrote it",
        RestoreError::Damaged(_) => {
            "the result, or an earlier result that it refers to, was truncated or changed; copy the body again from its source"
        }
        RestoreError::Partial(_) => "to omit nothing, compress with --loss none",
    };
    CommandFault::no(format!("{name}: {why}"), hint)
}
