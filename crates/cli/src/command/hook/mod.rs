//! `tersely hook`: compresses a tool's result for a client that asks its hooks after each tool call.
//!
//! A hook must never disturb its client. So whatever goes wrong, it prints nothing and succeeds within [`DEADLINE`], and
//! the client goes on with the result as the tool gave it. An answer that it has begun to print is printed to its end.

mod setup;

use std::env;
use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use tersely_agents::clients::INSIDE;
use tersely_core::Loss;
use tersely_hook::MAX_INPUT_BYTES;
use tersely_terminal::fault::Stop;
use tersely_wire::hook::HookCall;

use crate::command::hook::setup::HookSetup;

pub(crate) use setup::kept;

/// The longest time that a client loses, whatever happens.
const DEADLINE: Duration = Duration::from_millis(900);

/// How long a client may take to read an answer.
const READ_PATIENCE: Duration = Duration::from_secs(10);

const EXAMPLES: &str = "\
Examples:
  tersely init --hook
  tersely hook < event.json

To add the hook manually, put this in ~/.claude/settings.json:
  \"hooks\": { \"PostToolUse\": [{ \"matcher\": \"Bash|mcp__.*\", \"hooks\": [{ \"type\": \"command\", \"command\": \"tersely hook\" }] }] }

If the result stays unchanged, the command prints nothing. The exit code is always 0.";

/// Compress tool results in a client's hook, without a gateway
///
/// Reads a tool result from standard input, in the format of Claude Code's `PostToolUse` hook, and prints the hook
/// output that replaces it. Nothing else about the client changes: it keeps its server address, login and usage meters.
/// Results of tools that read or edit files stay unchanged. Under `tersely run`, the hook does nothing, because the
/// gateway already compresses the results.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HookArgs {
    /// What compression may discard: none (the result can be decoded byte for byte), form (layout only) or detail (text
    /// that `tersely show` can print)
    #[arg(long, value_name = "LOSS", default_value = "form")]
    pub loss: Loss,
    /// Keep running, and answer the hooks of this folder over a socket
    #[arg(long, hide = true)]
    pub resident: bool,
}

/// Runs the command.
#[expect(clippy::unnecessary_wraps, reason = "as every command")]
pub(crate) fn run(args: &HookArgs) -> Result<ExitCode, Stop> {
    let until = Instant::now() + DEADLINE;
    let loss = args.loss;
    if args.resident {
        if let Some(setup) = HookSetup::load(loss) {
            setup.stay();
        }
        return Ok(ExitCode::SUCCESS);
    }
    // Whoever is first decides: the answer is printed, or it is too late for it.
    let decided = Arc::new(AtomicBool::new(false));
    let is_first = move || !decided.swap(true, Ordering::AcqRel);
    let (print, (printed, news)) = (is_first.clone(), channel());
    // A thread that is stuck ends with the process.
    let started = thread::Builder::new().spawn(move || work(loss, until, print, &printed));
    if started.is_err() {
        return Ok(ExitCode::SUCCESS);
    }
    let left = || until.saturating_duration_since(Instant::now());
    let _ = match news.recv_timeout(left()) {
        // What is left is the history.
        Ok(()) => news.recv_timeout(left()),
        // Half an answer would be worse than none.
        Err(RecvTimeoutError::Timeout) if !is_first() => news.recv_timeout(READ_PATIENCE),
        over => over,
    };
    Ok(ExitCode::SUCCESS)
}

/// Reads what the client tells, and prints the answer.
fn work(loss: Loss, until: Instant, may_print: impl FnOnce() -> bool, printed: &Sender<()>) -> Option<()> {
    let mut told = Vec::new();
    io::stdin().lock().take(MAX_INPUT_BYTES).read_to_end(&mut told).ok()?;
    // A gateway compresses the result on its way to the model.
    if env::var_os(INSIDE).is_some() {
        return None;
    }
    HookCall::read(&told).filter(|call| !call.slots.is_empty() || call.file.is_some())?;
    HookSetup::load(loss)?.answer(&told, until, |answer| {
        if may_print() {
            // A client that does not read the answer any more does not need it.
            let _ = io::stdout().write_all(answer).and_then(|()| io::stdout().flush());
            let _ = printed.send(());
        }
    });
    Some(())
}
