//! A gateway that is ready to start.

use std::sync::Arc;

use tersely_core::Mode;
use tersely_engine::Engine;
use tersely_gateway::{Compressor, Error, GatewaySettings, Keeper, Live};
use tersely_store::{SettingError, Store};
use tersely_telemetry::{JournalSettings, Telemetry, journal};
use tersely_terminal::fault::CommandFault;
use tokio::runtime::Runtime;

use crate::saved::Saved;
use crate::settings;

/// A gateway that is ready to start.
pub(crate) struct ReadyGateway {
    /// Where it stands.
    pub(crate) settings: GatewaySettings,
    /// Where tool results are sent to be shortened, if they are.
    pub(crate) compressor: Option<String>,
    /// What it does to requests; it can be told otherwise while it runs.
    pub(crate) rewrite: Arc<Live>,
}

impl ReadyGateway {
    /// A gateway that does as `meant`.
    pub(crate) fn new(meant: settings::AllSettings) -> Result<Self, CommandFault> {
        let store = Store::open(&meant.keeping.store).map_err(|error| store_fault(&error))?;
        let keeper = Keeper::new(store, meant.keeping.header);
        let place = meant.compressor.as_ref().map(|compressor| compressor.endpoint.url());
        let asked = meant.compressor.map(|settings| Compressor::new(settings, &meant.gateway, &keeper));
        let asked = asked.transpose().map_err(|error| compressor_fault(&error))?;
        let live = Live::new(Engine::new(meant.engine)).keeping(keeper).remembering(meant.memo);
        let live = match asked {
            Some(compressor) => live.asking(compressor),
            None => live,
        };
        let settings = GatewaySettings { telemetry: telemetry(meant.seen.events)?, ..meant.gateway };
        Ok(Self { settings, compressor: place, rewrite: Arc::new(live) })
    }

    /// How far it goes, for people to read.
    pub(crate) fn mode(&self) -> Mode {
        self.rewrite.engine().settings().plan.mode
    }

    /// What whoever starts it should know: where results go, and what may become of files.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        let sends = self.compressor.as_ref();
        let sends = sends.map(|url| format!("new tool results are sent to {url} to be shortened"));
        let masks = "redact_secrets is true: secrets are masked everywhere, in files too, so an agent may write masks \
                     into your files; Aider and Cline, which write files from what the model answers, will";
        let masks = self.rewrite.engine().seals().then(|| masks.to_owned());
        sends.into_iter().chain(masks)
    }

    /// What it has saved so far.
    pub(crate) fn saved(&self) -> Saved {
        Saved::new(self.rewrite.totals())
    }
}

/// Where events go.
fn telemetry(events: Option<JournalSettings>) -> Result<Telemetry, CommandFault> {
    let Some(settings) = events else { return Ok(Telemetry::default()) };
    let path = settings.path.clone();
    let fault = |error| {
        let what = format!("cannot write events to {}: {error}", path.display());
        CommandFault::unable(what, "set events.file to a file that can be written, or leave it out")
    };
    journal(settings).map(|file| Telemetry::new(vec![Box::new(file)])).map_err(fault)
}

/// Why texts cannot be kept as the settings say.
pub(crate) fn store_fault(error: &SettingError) -> CommandFault {
    CommandFault::unable(error.to_string(), "fix the settings under store; `tersely config show` lists them")
}

/// Why results cannot be sent where the settings say.
fn compressor_fault(error: &Error) -> CommandFault {
    CommandFault::unable(error.to_string(), "fix the settings under remote; `tersely config show` lists them")
}

/// The threads that a gateway runs on.
pub(crate) fn runtime() -> Result<Runtime, CommandFault> {
    let hint = "close other programs, or raise the limits on processes and open files (ulimit -a)";
    let fault = |error| CommandFault::unable(format!("cannot start threads: {error}"), hint);
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(fault)
}
