//! Wraps an MCP server: relays messages between it and the standard input and output of this process.

use std::ffi::OsString;
use std::pin::pin;
use std::process::{ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use std::{env, io};

use tersely_agents::clients::{HOOKED, INSIDE};
use tersely_engine::Engine;
use tersely_gateway::{
    McpClientSession, Originals, Pipe, RestartSwitch, SteadyProcess, find_program, relay, steady,
};
use tersely_settings::{self as settings, SettingSources};
use tersely_terminal::fault::{CommandFault, Stop};
use tokio::io::{stdin, stdout};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::select;

use crate::command::mcp::McpArgs;
use crate::command::run::{absent, code};
use crate::gateway::{recorded, runtime};
use crate::history;
use crate::signals::{Signals, Terminal, forward};

/// How long the last results have to be recorded after the server has ended.
const MAX_RECORD_WAIT: Duration = Duration::from_secs(1);

/// Runs the server until it exits.
pub(super) fn run(args: &McpArgs) -> Result<ExitCode, Stop> {
    for (flag, given) in [("--listen", &args.flags.listen), ("--upstream", &args.flags.upstream)] {
        if given.is_some() {
            let hint = "omit the flag; the server is the command after `--`";
            return Err(CommandFault::unable(
                format!("{flag} cannot be used here, because mcp uses standard input and output"),
                hint,
            )
            .into());
        }
    }
    if [INSIDE, HOOKED].iter().any(|name| env::var_os(name).is_some()) {
        return step_aside(&args.command);
    }
    let sources = SettingSources::new(&args.flags);
    let meant = settings::load_telling(&sources)?.settings;
    let recorded = recorded(history::of_run(&sources, &meant.seen.history))?;
    let originals = Originals::in_memory().map_err(|error| {
        CommandFault::unable(error.to_string(), "run it on a system that provides random bytes")
    })?;
    let door =
        McpClientSession::new(&meant.gateway, Engine::new(meant.engine), args.structured.into(), originals)
            .recording(recorded.clone());
    let runtime = runtime()?;
    let ended = runtime.block_on(serve(Arc::new(door), &args.command));
    runtime.shutdown_background();
    // The client waits for the server's end, and not for what is missing from a history.
    let _ = recorded.map(|history| history.finish(MAX_RECORD_WAIT));
    Ok(ExitCode::from(code(ended?)))
}

/// Runs the server without a relay. An enclosing `tersely run` started the agent, and already compresses results on
/// their way to the model. Compressing twice would do harm, because that gateway does not know the names assigned here.
fn step_aside(command: &[OsString]) -> Result<ExitCode, Stop> {
    let (program, args) = split(command)?;
    let mut server = std::process::Command::new(find_program(program));
    server.args(args);
    #[cfg(unix)]
    let ended = Err(std::os::unix::process::CommandExt::exec(&mut server));
    #[cfg(not(unix))]
    let ended = server.status();
    ended
        .map(|status: ExitStatus| ExitCode::from(code(status)))
        .map_err(|error| absent(None, program, &error).into())
}

fn split(command: &[OsString]) -> Result<(&OsString, &[OsString]), CommandFault> {
    let hint = "for example: tersely mcp -- npx -y some-server";
    command.split_first().ok_or_else(|| CommandFault::unable("no command given", hint))
}

async fn serve(door: Arc<McpClientSession>, command: &[OsString]) -> Result<ExitStatus, Stop> {
    let (program, args) = split(command)?;
    let mut signals = Signals::all()?;
    let (stop, pid) = (RestartSwitch::default(), Arc::new(AtomicU32::new(0)));
    let server =
        Started { program: program.clone(), args: args.to_vec(), child: None, pid: Arc::clone(&pid) };
    let (pipe, running) = steady(server, stop.clone()).map_err(|error| absent(None, program, &error))?;
    let client = Pipe { from: stdin(), to: stdout() };
    // The relay ends when the server closes its output for good, or when the client disconnects.
    let mut relaying = tokio::spawn(relay(door, client, pipe));
    let mut running = pin!(running);
    let (mut is_relayed, mut ended) = (false, None);
    loop {
        select! {
            _ = &mut relaying, if !is_relayed => is_relayed = true,
            status = &mut running, if ended.is_none() => ended = Some(status),
            // A server may pass its output to a child process, so relaying continues while the server exits.
            signal = signals.next() => {
                stop.set();
                forward(signal, Some(pid.load(Ordering::Relaxed)).filter(|pid| *pid > 0), Terminal::None);
            }
        }
        if let Some(status) = ended.take_if(|_| is_relayed) {
            return status.map_err(Stop::from);
        }
    }
}

/// The server's command, and its process; it inherits standard error.
struct Started {
    program: OsString,
    args: Vec<OsString>,
    child: Option<Child>,
    pid: Arc<AtomicU32>,
}

impl SteadyProcess for Started {
    type From = ChildStdout;
    type To = ChildStdin;
    type Status = ExitStatus;

    fn start(&mut self) -> io::Result<Pipe<ChildStdout, ChildStdin>> {
        let mut server = Command::new(find_program(&self.program));
        let mut child = server.args(&self.args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let missing = || io::Error::other("no pipe to the server");
        let (from, to) = (child.stdout.take().ok_or_else(missing)?, child.stdin.take().ok_or_else(missing)?);
        self.pid.store(child.id().unwrap_or_default(), Ordering::Relaxed);
        self.child = Some(child);
        Ok(Pipe { from, to })
    }

    async fn wait(&mut self) -> io::Result<ExitStatus> {
        match &mut self.child {
            Some(child) => child.wait().await,
            None => Ok(ExitStatus::default()),
        }
    }
}
