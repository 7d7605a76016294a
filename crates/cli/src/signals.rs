//! Receives signals, and forwards them to a child process.

#[cfg(unix)]
pub(crate) use unix::{Signals, forward, outlive_limits};

#[cfg(not(unix))]
pub(crate) use other::{Signals, forward, outlive_limits};

#[cfg(unix)]
mod unix {
    use std::future::poll_fn;
    use std::io;
    use std::task::Poll;

    use rustix::process::{Pid, Signal, kill_process};
    use tokio::runtime::Runtime;
    use tokio::signal::unix::{self, SignalKind};

    use super::Terminal;
    use tersely_terminal::fault::CommandFault;

    /// Signals that this process handles.
    pub(crate) struct Signals(Vec<(SignalKind, unix::Signal)>);

    impl Signals {
        /// Receives SIGINT and SIGTERM.
        pub(crate) fn ending() -> Result<Self, CommandFault> {
            Self::of(&[SignalKind::interrupt(), SignalKind::terminate()])
        }

        /// Receives all signals that a command in a terminal may get.
        pub(crate) fn all() -> Result<Self, CommandFault> {
            let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
            let more = [SignalKind::hangup(), SignalKind::quit()];
            let own = [SignalKind::user_defined1(), SignalKind::user_defined2()];
            Self::of(&[kinds, more, own].concat())
        }

        fn of(kinds: &[SignalKind]) -> Result<Self, CommandFault> {
            let heard = kinds.iter().map(|kind| Ok((*kind, unix::signal(*kind)?)));
            heard.collect::<io::Result<_>>().map(Self).map_err(|error| {
                CommandFault::unable(
                    format!("cannot listen for signals: {error}"),
                    "close other programs and try again",
                )
            })
        }

        /// Waits for the next signal, and returns its number.
        pub(crate) async fn next(&mut self) -> i32 {
            poll_fn(|cx| {
                let heard = |(kind, signal): &mut (SignalKind, unix::Signal)| {
                    signal.poll_recv(cx).is_ready().then(|| kind.as_raw_value())
                };
                self.0.iter_mut().find_map(heard).map_or(Poll::Pending, Poll::Ready)
            })
            .await
        }
    }

    /// Makes writes fail when the file size limit (`ulimit -f`) is reached, instead of ending this process. Child
    /// processes still get the signal.
    pub(crate) fn outlive_limits(runtime: &Runtime) {
        let _inside = runtime.enter();
        // The handler stays installed until the process exits. If it cannot be installed, nothing changes.
        let _ = unix::signal(SignalKind::from_raw(Signal::XFSZ.as_raw()));
    }

    /// Forwards a signal to a process. Does nothing if the process has exited.
    ///
    /// A terminal sends its own signals (Ctrl-C, Ctrl-\) to both processes. With `shared`, those are not forwarded.
    pub(crate) fn forward(signal: i32, to: Option<u32>, shared: Terminal) {
        let typed = [SignalKind::interrupt().as_raw_value(), SignalKind::quit().as_raw_value()];
        if shared == Terminal::Shared && typed.contains(&signal) {
            return;
        }
        let pid = to.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(signal)) {
            let _ = kill_process(pid, signal);
        }
    }
}

#[cfg(not(unix))]
mod other {
    use super::Terminal;
    use tersely_terminal::fault::CommandFault;

    /// The only signal on this platform: Ctrl-C.
    pub(crate) struct Signals;

    impl Signals {
        pub(crate) fn ending() -> Result<Self, CommandFault> {
            Ok(Self)
        }

        pub(crate) fn all() -> Result<Self, CommandFault> {
            Ok(Self)
        }

        pub(crate) async fn next(&mut self) -> i32 {
            let _ = tokio::signal::ctrl_c().await;
            2
        }
    }

    /// Does nothing, because this platform has no such limit.
    pub(crate) fn outlive_limits(_: &tokio::runtime::Runtime) {}

    /// Does nothing, because the console sends Ctrl-C to both processes.
    pub(crate) fn forward(_: i32, _: Option<u32>, _: Terminal) {}
}

/// SIGTERM, which asks a process to exit.
pub(crate) const TERMINATE: i32 = 15;

/// Whether a terminal sends its signals to both this process and its child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Terminal {
    Shared,
    None,
}
