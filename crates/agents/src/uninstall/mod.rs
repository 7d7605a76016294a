//! `tersely uninstall`: undoes what `init` and `mcp install` wrote, and keeps what others wrote since.

mod origin;
mod undo;

use std::process::ExitCode;

use serde_json::json;
use tersely_terminal::fault::{NO, Stop};
use tersely_terminal::{output, table};

use crate::edit::Consent;
use crate::receipt::{ReceiptKind, Receipts};
use crate::uninstall::undo::{UndoReport, UndoState};

const EXAMPLES: &str = "\
Examples:
  tersely uninstall --dry-run
  tersely uninstall
  tersely uninstall --purge --yes

Run `tersely uninstall` before you remove the program. Otherwise, the agents' settings will point to a gateway that no longer exists.

Exit codes: 1 if you declined or must undo some changes manually; 2 if uninstall could not ask for confirmation.";

/// Undo the changes that `init` and `mcp install` made
///
/// Restores each file byte for byte. If a file has changed since then, uninstall removes only the lines and values that
/// Tersely added. Does not remove the program itself, but prints the command that does.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct UninstallArgs {
    /// Also delete the recorded history, as `tersely purge` does
    #[arg(long)]
    purge: bool,
    #[command(flatten)]
    consent: Consent,
    /// Print the result as a JSON object
    #[arg(long)]
    json: bool,
}

/// Undoes all recorded changes after consent. With `--purge`, it also deletes the history: `purge_history` does this,
/// and returns the number of requests in it.
///
/// # Errors
/// If receipts cannot be read or written, or there is nobody to ask.
pub fn run(
    args: &UninstallArgs,
    purge_history: impl FnOnce() -> Result<u64, Stop>,
) -> Result<ExitCode, Stop> {
    let mut receipts = if args.consent.dry_run { Receipts::look() } else { Receipts::open() }?;
    // The latest change is undone first, because it may be inside an earlier one.
    let all: Vec<_> = receipts.all.iter().rev().cloned().collect();
    let seen: Vec<_> = all.iter().map(undo::look).collect();
    if !args.json && !args.consent.yes && !seen.is_empty() {
        output::result(lines(&seen).trim_end())?;
    }
    let is_agreed = (seen.is_empty() && !args.purge) || ask(args, &seen)?;
    if !is_agreed {
        if !args.consent.dry_run {
            output::note("nothing was undone")?;
        }
        return Ok(ExitCode::from(if args.consent.dry_run { 0 } else { NO }));
    }
    let mut done = Vec::new();
    for receipt in &all {
        let undone = undo::undo(receipt);
        if undone.state != UndoState::Left {
            receipts.forget(receipt)?;
        }
        done.push(undone);
    }
    let deleted = if args.purge { Some(purge_history()?) } else { None };
    report(args, &done, deleted)?;
    let is_left = done.iter().any(|undone| undone.state == UndoState::Left);
    Ok(ExitCode::from(if is_left { NO } else { 0 }))
}

/// Asks for consent. Without consent, `--json` still reports what would be undone.
fn ask(args: &UninstallArgs, seen: &[UndoReport]) -> Result<bool, Stop> {
    let agreed = args.consent.confirm("Undo this?");
    if args.json && !matches!(agreed, Ok(true)) {
        output::result(
            &json!({ "undone": false, "parts": parts(seen), "program": origin::json() }).to_string(),
        )?;
    }
    agreed
}

fn report(args: &UninstallArgs, done: &[UndoReport], deleted: Option<u64>) -> Result<(), Stop> {
    if args.json {
        let report = json!({
            "undone": true, "parts": parts(done), "requests_deleted": deleted, "program": origin::json(),
        });
        return Ok(output::result(&report.to_string())?);
    }
    if done.is_empty() {
        output::note("nothing to undo: `init` and `mcp install` recorded no changes")?;
    } else {
        output::result(lines(done).trim_end())?;
    }
    if done.iter().any(|it| it.kind == ReceiptKind::Block && it.state == UndoState::Removed) {
        output::note("open shells keep their aliases until you close them")?;
    }
    match deleted {
        Some(requests) => output::note(&format!("deleted {requests} recorded requests"))?,
        None => output::note("recorded requests are kept; to delete them: tersely purge")?,
    }
    output::note(&format!("to remove the program: {}", origin::removal()))?;
    Ok(())
}

fn lines(parts: &[UndoReport]) -> String {
    let row =
        |it: &UndoReport| vec![it.state.name().to_owned(), it.file.display().to_string(), it.words.clone()];
    table::align("lll", &parts.iter().map(row).collect::<Vec<_>>())
}

fn parts(parts: &[UndoReport]) -> Vec<serde_json::Value> {
    let part = |it: &UndoReport| json!({ "kind": it.kind.name(), "file": it.file, "state": it.state.name(), "detail": it.words });
    parts.iter().map(part).collect()
}
