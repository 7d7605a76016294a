//! A server that was started, from its first word to its end.

use std::ffi::OsStr;
use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::mcp::servers::StartedServer;
use crate::path_lookup::find_program;

/// How long a server may take to end by itself, and again once it was asked to.
const EXIT_GRACE_PERIOD: Duration = Duration::from_secs(2);

/// A server and whatever it starts itself.
pub(super) struct ServerProcess {
    child: Child,
    group: ProcessGroup,
}

impl ServerProcess {
    /// Starts a server; its standard error is this process's own.
    pub(super) fn start(server: &StartedServer) -> io::Result<(Self, ChildStdin, ChildStdout)> {
        let StartedServer { program, args, env } = server;
        let mut command = Command::new(find_program(OsStr::new(program)));
        command.args(args).envs(env).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        // What it starts can be ended with it.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let missing = || io::Error::other("no pipe to the server");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let group = ProcessGroup(child.id());
        Ok((Self { child, group }, input, output))
    }

    /// Whom to end if there is no time to ask.
    pub(super) fn group(&self) -> ProcessGroup {
        self.group
    }

    /// Waits until it ends, as it should once its input is closed; it is asked to, and at last made to.
    pub(super) async fn end(mut self) {
        // How it ends is its own affair.
        let _ = timeout(EXIT_GRACE_PERIOD, self.child.wait()).await;
        self.group.ask();
        let _ = timeout(EXIT_GRACE_PERIOD, self.child.wait()).await;
        self.group.kill();
        let _ = self.child.kill().await;
    }
}

/// A server's process and those that it started.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ProcessGroup(Option<u32>);

#[cfg(unix)]
impl ProcessGroup {
    fn ask(self) {
        self.signal(rustix::process::Signal::TERM);
    }

    /// Ends all of them at once.
    pub(super) fn kill(self) {
        self.signal(rustix::process::Signal::KILL);
    }

    fn signal(self, signal: rustix::process::Signal) {
        let leader = self.0.and_then(|pid| i32::try_from(pid).ok()).and_then(rustix::process::Pid::from_raw);
        if let Some(leader) = leader {
            // Those that have gone need no signal.
            let _ = rustix::process::kill_process_group(leader, signal);
        }
    }
}

#[cfg(not(unix))]
impl ProcessGroup {
    fn ask(self) {}

    /// Here, a process ends when whoever holds it lets go.
    pub(super) fn kill(self) {}
}
