//! `tersely statusline`: prints one line about the running session, for the status line of a client.
//!
//! A status line must never disturb its client. So the command reads the local history and nothing else, ends within
//! [`DEADLINE`] whatever the disk does, always succeeds, and prints less when it knows less. Nothing of its input is
//! printed but numbers.

mod input;
mod line;

use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tersely_account::session_name;
use tersely_history::{HistoryError, HistoryReader, HistoryView, SeenBreak, SeenLimit, SessionLimit};
use tersely_settings::{self as settings, Flags, HistoryChoice, SettingSources};
use tersely_terminal::fault::Stop;

use crate::command::statusline::input::ClientState;
use crate::command::statusline::line::{StatusParts, report_break};
use crate::history;

/// The time after which the line is printed with what is known by then.
const DEADLINE: Duration = Duration::from_millis(25);

/// The most bytes that are read from the client.
const MAX_INPUT_BYTES: u64 = 256 << 10;

const EXAMPLES: &str = "\
Examples:
  tersely init --statusline
  tersely statusline < /dev/null

To add the line manually, put this in ~/.claude/settings.json:
  \"statusLine\": { \"type\": \"command\", \"command\": \"tersely statusline\" }

To add the line to your own status line script, use:
  input=$(cat); printf '%s' \"$input\" | tersely statusline

If standard input contains no session, the line describes the latest session. For example, in tmux:
  set -g status-right '#(tersely statusline </dev/null)'

The exit code is always 0. If the history cannot be read immediately, the line is shorter or empty.";

/// Print a one-line summary of the running session
///
/// The line shows the tokens saved in the session, the context left, how much of the account's 5-hour and 7-day limits
/// is used, and the last cache break. Information about the session comes from standard input, in the format that
/// Claude Code uses; the rest comes from the local history.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StatuslineArgs {
    /// The configuration file; default: the first tersely.toml or tersely.yaml found
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Prints the line.
#[expect(clippy::unnecessary_wraps, reason = "as every command")]
pub(crate) fn run(args: &StatuslineArgs) -> Result<ExitCode, Stop> {
    let until = Instant::now() + DEADLINE;
    let (lines, said) = channel();
    let config = args.config.clone();
    // A thread that is stuck in a read ends with the process.
    let started = thread::Builder::new().spawn(move || {
        let _ = work(config, &lines);
    });
    let mut line = String::new();
    while started.is_ok() {
        match said.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(more) => line = more,
            Err(_) => break,
        }
    }
    // A client that does not read the line any more does not need it.
    let _ = writeln!(io::stdout(), "{line}");
    Ok(ExitCode::SUCCESS)
}

/// Sends the line that the client's own numbers make, then the whole line.
fn work(config: Option<PathBuf>, lines: &Sender<String>) -> Option<()> {
    let client = ClientState::read(&read_input());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut parts = StatusParts::of(&client);
    lines.send(parts.line(now)).ok()?;
    let flags = Flags { config, ..Flags::default() };
    let sources = SettingSources::new(&flags);
    let choice =
        settings::load(&sources).map_or_else(|_| HistoryChoice::default(), |it| it.settings.seen.history);
    let reader = HistoryReader::peek(&history::file(&sources, &choice)?).ok()?;
    reader.look(|view| add_history(view, &client, &mut parts)).ok()?;
    lines.send(parts.line(now)).ok()
}

fn read_input() -> Vec<u8> {
    let mut bytes = Vec::new();
    if !io::stdin().is_terminal() {
        let _ = io::stdin().lock().take(MAX_INPUT_BYTES).read_to_end(&mut bytes);
    }
    bytes
}

/// Adds what the history knows about the client's session, or about the latest one if the client names none.
fn add_history(
    view: &HistoryView,
    client: &ClientState,
    parts: &mut StatusParts,
) -> Result<(), HistoryError> {
    let (session, limits) = if let Some(name) = &client.session {
        let found = view.named(session_name(name.as_bytes()))?.unwrap_or_default();
        parts.tokens = found.session.map(|_| found.tokens);
        (found.session, found.limits)
    } else {
        let found = view.sessions(1)?.into_iter().next();
        parts.tokens = found.as_ref().map(|it| it.tokens);
        (found.as_ref().map(|it| it.session), found.map(|it| it.limits).unwrap_or_default())
    };
    parts.limits = match (&limits[..], view.limits()?) {
        ([], all) => all.iter().map(|SeenLimit { limit, .. }| (*limit, None)).collect(),
        (own, _) => own
            .iter()
            .map(|SessionLimit { rise, is_shared }| (rise.latest, Some((rise.risen, *is_shared))))
            .collect(),
    };
    if let Some(cause) = session.and_then(|session| cache_break(view, session)) {
        parts.cache_break = Some(cause);
    }
    Ok(())
}

/// The last cache break of a session and its cause, in a few words, as the history explains it.
fn cache_break(view: &HistoryView, session: u64) -> Option<String> {
    let SeenBreak { at, found } = view.last_break(session).ok()??;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Some(report_break(now.saturating_sub(at / 1_000), Some(&found.to_string())))
}
