//! `tersely audit`: estimates from the user's own history what Tersely would have saved.

mod find;
mod json;
mod page;
mod text;
mod wording;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tersely_account::PriceTable;
use tersely_audit::{Audit, AuditSummary, AuditedConversation, RecordedTurn, read};
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::progress::ProgressBar;
use tersely_terminal::{output, progress};

const EXAMPLES: &str = "\
Examples:
  tersely audit
  tersely audit --html report.html
  tersely audit --json ~/.claude/projects > audit.json

Exit code 2: no conversation was found.";

/// Estimate the savings on your past conversations
///
/// Reads the conversations that Claude Code, Codex, Gemini CLI, Cline and other clients store on this machine, or files
/// of recorded requests. Prints how much Tersely would have saved, and where tokens were wasted. Nothing leaves this
/// machine.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AuditArgs {
    /// Print the result as a JSON object
    #[arg(long)]
    pub json: bool,
    /// Write an HTML report with charts to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Files and folders to read; default: the folders where clients store conversations
    pub paths: Vec<PathBuf>,
}

/// Everything the audit found.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) conversations: Vec<AuditedConversation>,
    /// The number of files that were read.
    pub(super) files: usize,
    /// The number of lines that could not be parsed.
    pub(super) lines: usize,
    /// Files that are not a history or could not be read, with the reason.
    pub(super) faults: Vec<String>,
    /// The number of files that are not a history.
    pub(super) foreign: usize,
}

/// Audits the given paths, or the clients' default ones.
pub(crate) fn run(args: &AuditArgs) -> Result<ExitCode, Stop> {
    let paths = if args.paths.is_empty() { find::places() } else { args.paths.clone() };
    let (files, faults) = find::files(&paths);
    let mut findings = audit(&files);
    findings.faults.extend(faults);
    if findings.conversations.is_empty() {
        return Err(nothing(args, &findings).into());
    }
    let summary = AuditSummary::of(&findings.conversations);
    let prices = PriceTable::known();
    let said = wording::AuditWords { summary: &summary, findings: &findings, date: prices.date() };
    if let Some(path) = &args.html {
        fs::write(path, page::page(&said)).map_err(|error| {
            CommandFault::unable(
                format!("cannot write {}: {error}", path.display()),
                "name a file that you can write to",
            )
        })?;
    }
    output::result(&if args.json { json::object(&said) } else { text::lines(&said) })?;
    Ok(ExitCode::SUCCESS)
}

fn nothing(args: &AuditArgs, findings: &Findings) -> CommandFault {
    let what = match (args.paths.is_empty(), findings.faults.first()) {
        (_, Some(fault)) => format!("no conversations found ({fault})"),
        (true, None) => "no conversations found in the folders where clients store them".to_owned(),
        (false, None) => "no conversations found in these files or folders".to_owned(),
    };
    CommandFault::unable(what, "name files or folders with conversations, such as ~/.claude/projects")
}

/// Reads all files twice: first to find the file in which each request occurs first, then to calculate the cost.
fn audit(files: &[find::Found]) -> Findings {
    let bar = progress::bytes("auditing", files.iter().map(|(_, bytes)| bytes * 2).sum());
    let first = Mutex::new(HashMap::new());
    shared(files, &bar, |at, path| {
        let mut found = Vec::new();
        // Errors are reported by the second read.
        let _ = read(path, &mut |it| found.extend(it.turns.iter().filter_map(|turn| turn.id)));
        let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
        for id in found {
            first.entry(id).and_modify(|known: &mut usize| *known = at.min(*known)).or_insert(at);
        }
    });
    let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (audit, prices) = (Audit::new(), PriceTable::known());
    let done = Mutex::new(Findings::default());
    shared(files, &bar, |at, path| {
        let is_new = |turn: &RecordedTurn| turn.id.is_none_or(|id| first.get(&id) == Some(&at));
        one(&audit, &prices, path, &is_new, &done);
    });
    bar.finish_and_clear();
    let mut findings = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Threads finish in any order, so the result is sorted.
    findings.conversations.sort_by(|a, b| (a.at, &a.session).cmp(&(b.at, &b.session)));
    findings
}

/// Calls `work` for every file with its index, on one thread per core.
fn shared(files: &[find::Found], bar: &ProgressBar, work: impl Fn(usize, &Path) + Sync) {
    let next = AtomicUsize::new(0);
    let worker = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((path, bytes)) = files.get(at) else { return };
            work(at, path);
            bar.inc(*bytes);
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(worker);
        }
    });
}

/// Audits a file. Clients copy a conversation when they resume it, so each request is counted only where it occurs
/// first.
fn one(
    audit: &Audit,
    prices: &PriceTable,
    path: &Path,
    is_new: &dyn Fn(&RecordedTurn) -> bool,
    done: &Mutex<Findings>,
) {
    let price = |model: &str| prices.of(model);
    let (mut looked, mut seen) = (Vec::new(), HashSet::new());
    let file = read(path, &mut |mut recording| {
        recording.turns.retain(|turn| is_new(turn) && turn.id.is_none_or(|id| seen.insert(id)));
        if !recording.turns.is_empty() {
            looked.push(audit.look(&recording, price(&recording.model).as_ref()));
        }
    });
    let mut findings = done.lock().unwrap_or_else(PoisonError::into_inner);
    match file {
        Err(error) => findings.faults.push(format!("{}: {error}", path.display())),
        Ok(file) => {
            findings.files += 1;
            findings.lines += file.unread;
            findings.foreign += usize::from(file.is_foreign);
            if looked.iter().any(Option::is_none) {
                findings
                    .faults
                    .push(format!("{}: the tokens of a conversation could not be counted", path.display()));
            }
            findings.conversations.extend(looked.into_iter().flatten());
        }
    }
}
