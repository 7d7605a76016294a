//! The ways in which an agent's tool results can go through Tersely, and the question which one the user wants.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use tersely_terminal::fault::{CommandFault, Stop};

use crate::init::InitArgs;
use crate::receipt::{ReceiptKind, Receipts};

/// Flags that choose a way.
#[derive(Debug, clap::Args)]
pub(super) struct DoorFlags {
    /// Add hooks that compress tool results (claude and opencode only); the agents keep their server addresses and
    /// usage meters
    #[arg(long, conflicts_with_all = ["service", "verify"])]
    pub(super) hook: bool,
    /// Install a gateway as a service (systemd or launchd), and point the agents' settings to it
    #[arg(long)]
    pub(super) service: bool,
    /// The address that the service listens on; default: the same as for `tersely serve`
    #[arg(long, value_name = "ADDR", requires = "service")]
    pub(super) listen: Option<String>,
}

/// A way through Tersely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Door {
    /// Aliases that start agents with `tersely run`.
    Run,
    /// Hooks of the agents.
    Hook,
    /// A gateway that starts by itself.
    Service,
}

/// What each way can do.
const WAYS: &str = "\
Agents can use Tersely in three ways:

                          1 run             2 hook            3 service
  what init installs      aliases           hooks             service, settings
  agents                  all               claude, opencode  most
  agent's usage meters    hidden            kept              hidden
  command output          compressed        compressed        compressed
  MCP server results      compressed        compressed        compressed
  failed commands         compressed        unchanged         compressed
  repeated results        by reference      repeated          by reference
  file reads              unchanged         unchanged         unchanged
  omitted text            expand_context    `tersely show`    expand_context
  tersely why             yes               no                yes
";

impl Door {
    /// The way that the flags choose, or the user; without a terminal it is `run`.
    pub(super) fn choose(args: &InitArgs, has_hook: bool) -> Result<Self, Stop> {
        match (args.way.door.service, args.way.door.hook) {
            (true, _) => return Ok(Self::Service),
            (_, true) => return Ok(Self::Hook),
            _ => {}
        }
        let is_asked = has_hook && !args.json && !args.consent.yes && !args.consent.dry_run;
        if is_asked && io::stdin().is_terminal() { Self::ask() } else { Ok(Self::Run) }
    }

    fn ask() -> Result<Self, Stop> {
        let mut asked = io::stderr().lock();
        write!(asked, "{WAYS}\nWhich one? [1] ")?;
        asked.flush()?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        match answer.trim() {
            "" | "1" | "run" => Ok(Self::Run),
            "2" | "hook" => Ok(Self::Hook),
            "3" | "service" => Ok(Self::Service),
            other => {
                let message = format!("unknown choice {other:?}");
                Err(CommandFault::unable(message, "answer 1, 2 or 3").into())
            }
        }
    }

    /// Returns an error if another way is already installed: with two, every result would go through both.
    pub(super) fn ensure_only(self, receipts: &Receipts) -> Result<(), CommandFault> {
        let installed = receipts.all.iter().filter_map(|receipt| Self::of(receipt.kind));
        let Some(other) = installed.into_iter().find(|door| *door != self) else { return Ok(()) };
        let stands = match other {
            Self::Run => "aliases",
            Self::Hook => "hooks",
            Self::Service => "a service",
        };
        let message = format!("agents already use Tersely, through {stands} of an earlier `tersely init`");
        Err(CommandFault::no(message, "to choose another way, run `tersely uninstall` first"))
    }

    fn of(kind: ReceiptKind) -> Option<Self> {
        match kind {
            ReceiptKind::Block => Some(Self::Run),
            ReceiptKind::Item | ReceiptKind::File => Some(Self::Hook),
            ReceiptKind::Service => Some(Self::Service),
            ReceiptKind::Setting | ReceiptKind::Servers => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::receipt::Receipt;

    #[test]
    fn a_way_is_known_by_what_it_wrote() {
        let kinds = [
            (ReceiptKind::Block, Some(Door::Run)),
            (ReceiptKind::Item, Some(Door::Hook)),
            (ReceiptKind::File, Some(Door::Hook)),
            (ReceiptKind::Service, Some(Door::Service)),
            (ReceiptKind::Setting, None),
            (ReceiptKind::Servers, None),
        ];
        for (kind, written) in kinds {
            let receipt = Receipt::new(kind, "claude", Path::new("/f"));
            assert_eq!(Door::of(receipt.kind), written);
        }
    }

    #[test]
    fn the_table_fits_a_terminal() {
        assert!(WAYS.lines().all(|line| line.len() <= 80), "{WAYS}");
        let rows = WAYS.lines().skip(3);
        let columns = |line: &str| line.split("  ").filter(|part| !part.trim().is_empty()).count();
        assert!(rows.into_iter().all(|row| columns(row) == 4), "{WAYS}");
    }
}
