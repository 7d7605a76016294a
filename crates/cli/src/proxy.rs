//! A gateway that is ready to start, and what it has saved so far.

use std::fmt;
use std::sync::Arc;

use tersely_core::Mode;
use tersely_engine::Engine;
use tersely_gateway::{Live, Settings, Totals};
use tokio::runtime::Runtime;

use crate::fault::Fault;
use crate::settings;
use crate::share::Share;

/// A gateway that is ready to start.
pub(crate) struct Proxy {
    /// Where it stands.
    pub(crate) settings: Settings,
    /// What it does to requests; it can be told otherwise while it runs.
    pub(crate) rewrite: Arc<Live>,
}

impl Proxy {
    /// A gateway that does as `meant`.
    pub(crate) fn new(meant: settings::Settings) -> Self {
        Self { settings: meant.gateway, rewrite: Arc::new(Live::new(Engine::new(meant.engine))) }
    }

    /// How far it goes, for people to read.
    pub(crate) fn mode(&self) -> Mode {
        self.rewrite.engine().settings().policy.mode
    }

    /// What it has saved so far.
    pub(crate) fn saved(&self) -> Saved {
        let Totals { requests, before, after, .. } = self.rewrite.totals();
        Saved { requests, before, after }
    }
}

/// What was saved, in tokens of tool results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Saved {
    /// Requests that were looked at.
    pub(crate) requests: u64,
    /// What their tool results came with.
    pub(crate) before: u64,
    /// What was sent.
    pub(crate) after: u64,
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |tokens: u64| usize::try_from(tokens).unwrap_or(usize::MAX);
        let share = Share::saved(size(self.before), size(self.after));
        let many = if self.requests == 1 { "request" } else { "requests" };
        write!(f, "{} {many}, tool results ", grouped(self.requests))?;
        write!(f, "{} → {} tokens, {share} saved", grouped(self.before), grouped(self.after))
    }
}

/// The threads that a gateway runs on.
pub(crate) fn runtime() -> Result<Runtime, Fault> {
    let hint = "close other programs, or raise the limits on processes and open files (ulimit -a)";
    let fault = |error| Fault::unable(format!("no threads can be started: {error}"), hint);
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(fault)
}

/// A number that can be read: 12,345.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_saved_fits_a_line() {
        let check = |requests, before, after, line: &str| {
            assert_eq!(Saved { requests, before, after }.to_string(), line);
        };
        check(1, 0, 0, "1 request, tool results 0 → 0 tokens, 0.0 % saved");
        check(
            1204,
            1_000_000,
            250_000,
            "1,204 requests, tool results 1,000,000 → 250,000 tokens, 75.0 % saved",
        );
    }
}
