//! A gateway that is ready to start.

use std::sync::Arc;

use tersely_core::Mode;
use tersely_engine::Engine;
use tersely_gateway::{GatewaySettings, Keeper, Live};
use tersely_store::{SettingError, Store};
use tersely_terminal::fault::CommandFault;
use tokio::runtime::Runtime;

use crate::saved::Saved;
use crate::settings;

/// A gateway that is ready to start.
pub(crate) struct ReadyGateway {
    /// Where it stands.
    pub(crate) settings: GatewaySettings,
    /// What it does to requests; it can be told otherwise while it runs.
    pub(crate) rewrite: Arc<Live>,
}

impl ReadyGateway {
    /// A gateway that does as `meant`.
    pub(crate) fn new(meant: settings::AllSettings) -> Result<Self, CommandFault> {
        let store = Store::open(&meant.keeping.store).map_err(|error| store_fault(&error))?;
        let keeper = Keeper::new(store, meant.keeping.header);
        let live = Live::new(Engine::new(meant.engine)).keeping(keeper).remembering(meant.memo);
        Ok(Self { settings: meant.gateway, rewrite: Arc::new(live) })
    }

    /// How far it goes, for people to read.
    pub(crate) fn mode(&self) -> Mode {
        self.rewrite.engine().settings().plan.mode
    }

    /// What whoever starts it should know before an agent edits files.
    pub(crate) fn warning(&self) -> Option<&'static str> {
        self.rewrite.engine().seals().then_some(
            "redact_secrets is true: secrets are masked everywhere, in files too, so an agent may write masks \
             into your files; Aider and Cline, which write files from what the model answers, will"
        )
    }

    /// What it has saved so far.
    pub(crate) fn saved(&self) -> Saved {
        Saved::new(self.rewrite.totals())
    }
}

/// Why texts cannot be kept as the settings say.
pub(crate) fn store_fault(error: &SettingError) -> CommandFault {
    CommandFault::unable(error.to_string(), "fix the settings under store; `tersely config show` lists them")
}

/// The threads that a gateway runs on.
pub(crate) fn runtime() -> Result<Runtime, CommandFault> {
    let hint = "close other programs, or raise the limits on processes and open files (ulimit -a)";
    let fault = |error| CommandFault::unable(format!("cannot start threads: {error}"), hint);
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(fault)
}
