//! The process of a started MCP server.

use std::ffi::OsStr;
use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::mcp::path_lookup::find_program;
use crate::mcp::servers::StartedServer;

/// The time that a server has to exit by itself, and again after SIGTERM.
const EXIT_GRACE_PERIOD: Duration = Duration::from_secs(2);

/// The process of a server, and its child processes.
pub(super) struct ServerProcess {
    child: Child,
    group: ProcessGroup,
}

impl ServerProcess {
    /// Starts a server, which inherits our standard error.
    pub(super) fn start(server: &StartedServer) -> io::Result<(Self, ChildStdin, ChildStdout)> {
        let StartedServer { program, args, env } = server;
        let mut command = Command::new(find_program(OsStr::new(program)));
        command.args(args).envs(env).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        // The server gets a process group of its own, so that its child processes can be stopped with it.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let missing = || io::Error::other("no pipe to the server");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let group = ProcessGroup(child.id());
        Ok((Self { child, group }, input, output))
    }

    /// The server's process group, which can be killed if there is no time to wait.
    pub(super) fn group(&self) -> ProcessGroup {
        self.group
    }

    /// Waits for the server to exit, as it should once its input is closed; then sends SIGTERM, and finally kills it.
    pub(super) async fn end(mut self) {
        // The exit status does not matter.
        let _ = timeout(EXIT_GRACE_PERIOD, self.child.wait()).await;
        self.group.ask();
        let _ = timeout(EXIT_GRACE_PERIOD, self.child.wait()).await;
        self.group.kill();
        let _ = self.child.kill().await;
    }
}

/// The process group of a server and its child processes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ProcessGroup(Option<u32>);

#[cfg(unix)]
impl ProcessGroup {
    fn ask(self) {
        self.signal(rustix::process::Signal::TERM);
    }

    /// Kills all processes of the group.
    pub(super) fn kill(self) {
        self.signal(rustix::process::Signal::KILL);
    }

    fn signal(self, signal: rustix::process::Signal) {
        let leader = self.0.and_then(|pid| i32::try_from(pid).ok()).and_then(rustix::process::Pid::from_raw);
        if let Some(leader) = leader {
            // The signal fails only if the processes have exited already.
            let _ = rustix::process::kill_process_group(leader, signal);
        }
    }
}

#[cfg(not(unix))]
impl ProcessGroup {
    fn ask(self) {}

    /// Does nothing, because on this system a process ends when its handle is dropped.
    pub(super) fn kill(self) {}
}
