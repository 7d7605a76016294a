//! Finds installed clients and their versions.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use tersely_agents::clients::CLIENTS;
use tersely_gateway::find_program;

use crate::command::doctor::finding::Finding;
use crate::command::doctor::home::EmptyHome;

/// The time limit for a client's version check.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(10);

/// Starts all version checks at once, because some take seconds.
pub(crate) fn start() -> Vec<(&'static str, Receiver<Finding>)> {
    let ask = |name: &'static str, install: &'static str| {
        let (tell, told) = channel();
        thread::spawn(move || tell.send(version(name, install)));
        (name, told)
    };
    CLIENTS.iter().map(|client| ask(client.name(), client.install().unwrap_or_default())).collect()
}

/// Collects the results of the version checks.
pub(crate) fn look(asked: Vec<(&'static str, Receiver<Finding>)>) -> Vec<Finding> {
    let end = Instant::now() + PROGRAM_TIMEOUT;
    let wait = |(name, told): (&'static str, Receiver<Finding>)| {
        let left = end.saturating_duration_since(Instant::now());
        told.recv_timeout(left)
            .unwrap_or_else(|_| Finding::open(name, "installed, but printed no version in time"))
    };
    asked.into_iter().map(wait).collect()
}

fn version(name: &str, install: &str) -> Finding {
    let ran = EmptyHome::new().and_then(|home| {
        let mut command = Command::new(find_program(OsStr::new(name)));
        home.move_in(&mut command).arg("--version").stdin(Stdio::null()).output()
    });
    match ran {
        Ok(ran) if ran.status.success() => {
            let said = String::from_utf8_lossy(&ran.stdout);
            let said = said.lines().next().unwrap_or_default().trim();
            Finding::good(name, said).public(format!("{name}: {}", number(said)))
        }
        Ok(ran) => Finding::bad(name, format!("does not start: {name} --version exited with {}", ran.status))
            .public(format!("{name}: does not start ({})", ran.status)),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Finding::open(name, format!("not installed; to install: {install}"))
                .public(format!("{name}: not installed"))
        }
        Err(error) => Finding::bad(name, format!("does not start: {error}"))
            .public(format!("{name}: does not start ({})", error.kind())),
    }
}

/// The version number in a program's output. The program may be a script of the user's, so the output can be anything.
fn number(said: &str) -> &str {
    let is_number = |word: &&str| {
        word.starts_with(|it: char| it.is_ascii_digit())
            && word.len() <= 20
            && word.bytes().all(|it| it.is_ascii_digit() || it == b'.')
    };
    said.split([' ', 'v', '-', '(']).find(is_number).unwrap_or("installed")
}
