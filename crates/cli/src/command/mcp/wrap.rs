//! Wraps an MCP server: relays messages between it and the standard input and output of this process.

use std::ffi::OsString;
use std::process::{ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::{env, io};

use tersely_agents::clients::{HOOKED, INSIDE};
use tersely_engine::Engine;
use tersely_gateway::{McpClientSession, Originals, Pipe, find_program, relay};
use tersely_settings::{self as settings, SettingSources};
use tersely_terminal::fault::{CommandFault, Stop};
use tokio::io::{stdin, stdout};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::select;

use crate::command::mcp::McpArgs;
use crate::command::run::{absent, code};
use crate::gateway::runtime;
use crate::signals::{Signals, Terminal, forward};

/// Runs the server until it exits.
pub(super) fn run(args: &McpArgs) -> Result<ExitCode, Stop> {
    for (flag, given) in [("--listen", &args.flags.listen), ("--upstream", &args.flags.upstream)] {
        if given.is_some() {
            let hint = "omit it; the server is the command after `--`";
            return Err(CommandFault::unable(
                format!("{flag}: cannot be used here, because mcp uses standard input and output"),
                hint,
            )
            .into());
        }
    }
    if [INSIDE, HOOKED].iter().any(|name| env::var_os(name).is_some()) {
        return step_aside(&args.command);
    }
    let meant = settings::load_telling(&SettingSources::new(&args.flags))?.settings;
    let originals = Originals::in_memory().map_err(|error| {
        CommandFault::unable(error.to_string(), "run it on a system that provides random bytes")
    })?;
    let door =
        McpClientSession::new(&meant.gateway, Engine::new(meant.engine), args.structured.into(), originals);
    let runtime = runtime()?;
    let ended = runtime.block_on(serve(Arc::new(door), &args.command));
    runtime.shutdown_background();
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
    let (mut child, pipe) = start(program, args).map_err(|error| absent(None, program, &error))?;
    let client = Pipe { from: stdin(), to: stdout() };
    // The relay ends when the server closes its output, or when the client disconnects.
    let mut relaying = tokio::spawn(relay(door, client, pipe));
    let mut is_relayed = false;
    loop {
        let pid = child.id();
        select! {
            _ = &mut relaying, if !is_relayed => is_relayed = true,
            ended = child.wait(), if is_relayed => return ended.map_err(Stop::from),
            // A server may pass its output to a child process, so relaying continues while the server exits.
            signal = signals.next() => forward(signal, pid, Terminal::None),
        }
    }
}

/// Starts the server; it inherits standard error.
fn start(program: &OsString, args: &[OsString]) -> io::Result<(Child, Pipe<ChildStdout, ChildStdin>)> {
    let mut server = Command::new(find_program(program));
    let mut child = server.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let missing = || io::Error::other("no pipe to the server");
    let (from, to) = (child.stdout.take().ok_or_else(missing)?, child.stdin.take().ok_or_else(missing)?);
    Ok((child, Pipe { from, to }))
}
