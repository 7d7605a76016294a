//! Assembles a gateway from settings: engine, store, telemetry and history.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tersely_account::PriceTable;
use tersely_core::Mode;
use tersely_engine::Engine;
use tersely_gateway::{
    ColdWatch, Collector, Compressor, Display, EngineRewriter, Error, GatewaySettings, HistorySource, Keeper,
};
use tersely_history::{HistorySettings, HistorySink};
use tersely_settings::{AllSettings, SeenParts};
use tersely_store::{SettingError, Store, StoreCounts, StoreWatch};
use tersely_telemetry::{EventSink, EventSums, SideNumbers, StoreNumbers, Telemetry, journal, read_prices};
use tersely_terminal::fault::CommandFault;
use tersely_terminal::number::many;
use tokio::runtime::Runtime;

use crate::signals::outlive_limits;
use crate::summary::Savings;

/// A gateway that is ready to start.
pub(crate) struct ReadyGateway {
    /// The listener, upstreams, limits and timeouts.
    pub(crate) settings: GatewaySettings,
    /// The URL of the external compressor, if there is one.
    pub(crate) compressor: Option<String>,
    /// The rewriter of requests. Its engine can be replaced while the gateway runs.
    pub(crate) rewrite: Arc<EngineRewriter>,
    /// The history, if requests are recorded.
    history: Option<HistorySink>,
    /// The sums over all requests.
    sums: EventSums,
}

/// The time limit for recording the last requests. It is longer than the wait for a file that another process has
/// locked, so that the reason can still be reported.
const RECORD_TIMEOUT: Duration = Duration::from_secs(4);

impl ReadyGateway {
    /// Creates a gateway with these settings that records its requests in `history`.
    pub(crate) fn new(meant: AllSettings, history: Option<HistorySettings>) -> Result<Self, CommandFault> {
        let mut sinks = sinks(&meant)?;
        let store = Store::open(&meant.keeping.store).map_err(|error| store_fault(&error))?;
        let keeper = Keeper::new(store, meant.keeping.header);
        let store = keeper.watch();
        let place = meant.compressor.as_ref().map(|compressor| compressor.endpoint.url());
        let asked = meant.compressor.map(|settings| Compressor::new(settings, &meant.gateway, &keeper));
        let asked = asked.transpose().map_err(|error| compressor_fault(&error))?;
        let live = EngineRewriter::new(Engine::new(meant.engine)).keeping(keeper).remembering(meant.memo);
        let prices = prices(&meant.seen)?;
        let live = match live.store() {
            Some(store) => live.clearing(ColdWatch::new(&store, prices.clone())),
            None => live,
        };
        let live = match asked {
            Some(compressor) => live.asking(compressor),
            None => live,
        };
        let live = Arc::new(live);
        let history = recorded(history)?;
        sinks.extend(history.clone().map(|sink| Box::new(sink) as _));
        let (engine, store_shown) = (Some(live.shared_engine()), live.store());
        let display =
            Display { history: history.clone().map(HistorySource::Sink), engine, store: store_shown };
        let totals = Arc::clone(&live);
        let look = move || {
            let totals = totals.totals();
            let (compressor_calls, compressor_tokens) = (totals.compressors.calls, totals.compressors.tokens);
            let (store, compressor) = (Some(store_numbers(&store)), totals.remote);
            SideNumbers { store, compressor_calls, compressor_tokens, compressor }
        };
        let sums = EventSums::default();
        sinks.push(Box::new(sums.clone()));
        let telemetry = Telemetry::beside(prices, sinks, Box::new(look));
        let settings = GatewaySettings { telemetry, display, ..meant.gateway };
        Ok(Self { settings, compressor: place, rewrite: live, history, sums })
    }

    /// Waits briefly until the last requests are recorded. Returns a warning if they cannot be recorded.
    pub(crate) fn finish(&self) -> Option<String> {
        self.history.as_ref().and_then(unrecorded)
    }

    /// The compression mode.
    pub(crate) fn mode(&self) -> Mode {
        self.rewrite.engine().settings().plan.mode
    }

    /// Warnings to print at startup: where results are sent, and how masking may affect files.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        let sends = self.compressor.as_ref();
        let sends = sends.map(|url| format!("new tool results are sent to {url} for compression"));
        let masks = "redact_secrets is true: secrets are masked everywhere, including in files, so an agent may write \
                     masks into your files; Aider and Cline will, because they write files from the model's response";
        let masks = self.rewrite.engine().seals().then(|| masks.to_owned());
        sends.into_iter().chain(masks)
    }

    /// The savings so far.
    pub(crate) fn savings(&self) -> Savings {
        Savings::new(self.rewrite.totals(), self.sums.sums())
    }
}

/// Starts a history with these settings, if there are any.
pub(crate) fn recorded(settings: Option<HistorySettings>) -> Result<Option<HistorySink>, CommandFault> {
    settings.map(HistorySink::start).transpose().map_err(|error| history_fault(&error))
}

/// Waits briefly until the last requests are recorded. Returns a warning if they cannot be recorded.
pub(crate) fn unrecorded(history: &HistorySink) -> Option<String> {
    let waiting = history.finish(RECORD_TIMEOUT);
    let lost = history.dropped() + waiting;
    let usual = if waiting > 0 {
        "the file could not be written in time"
    } else {
        "too many requests at the same time"
    };
    let why = history.fault().unwrap_or(usual);
    (lost > 0).then(|| {
        format!(
            "missing from the history: {}: {why} (to record nothing, set history.record to \"off\")",
            many(lost, "request")
        )
    })
}

fn history_fault(error: &io::Error) -> CommandFault {
    CommandFault::unable(format!("cannot record a history: {error}"), "set history.record to \"off\"")
}

/// Telemetry for a server that talks to no model.
pub(crate) fn telemetry(
    meant: &AllSettings,
    store: Option<StoreWatch>,
    history: Option<HistorySink>,
) -> Result<Telemetry, CommandFault> {
    let mut sinks = sinks(meant)?;
    sinks.extend(history.map(|sink| Box::new(sink) as _));
    let look = move || SideNumbers { store: store.as_ref().map(store_numbers), ..SideNumbers::default() };
    Ok(Telemetry::beside(prices(&meant.seen)?, sinks, Box::new(look)))
}

/// Event sinks other than the log and the metrics.
fn sinks(meant: &AllSettings) -> Result<Vec<Box<dyn EventSink>>, CommandFault> {
    let mut sinks: Vec<Box<dyn EventSink>> = Vec::new();
    if let Some(settings) = &meant.seen.events {
        let fault = |error| {
            let what = format!("cannot write events to {}: {error}", settings.path.display());
            CommandFault::unable(what, "set events.file to a writable file, or remove the setting")
        };
        sinks.push(Box::new(journal(settings.clone()).map_err(fault)?));
    }
    if let Some(settings) = &meant.collector {
        let hint = "fix the settings under otel, proxy and authorities; `tersely config show` lists them";
        let fault = |error: Error| CommandFault::unable(error.to_string(), hint);
        sinks.push(Box::new(Collector::start(&meant.gateway, settings.clone()).map_err(fault)?));
    }
    Ok(sinks)
}

fn store_numbers(store: &StoreWatch) -> StoreNumbers {
    let StoreCounts { hits, misses, kept, failures, spoiled, took } = store.counts();
    StoreNumbers { is_up: store.is_up(), hits, misses, kept, failures, spoiled, took }
}

/// The price table. Entries in the user's file override built-in ones.
pub(crate) fn prices(seen: &SeenParts) -> Result<PriceTable, CommandFault> {
    let Some(path) = &seen.prices else { return Ok(PriceTable::known()) };
    let read = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let own = read.and_then(|text| read_prices(&text).map_err(|fault| fault.to_string()));
    own.map_err(|why| {
        let what = format!("cannot read prices from {}: {why}", path.display());
        CommandFault::unable(what, "fix the file that prices.file names, or remove the setting")
    })
}

/// The error for invalid store settings.
pub(crate) fn store_fault(error: &SettingError) -> CommandFault {
    CommandFault::unable(error.to_string(), "fix the settings under store; `tersely config show` lists them")
}

/// The error for invalid compressor settings.
fn compressor_fault(error: &Error) -> CommandFault {
    CommandFault::unable(error.to_string(), "fix the settings under remote; `tersely config show` lists them")
}

/// The Tokio runtime of a gateway.
pub(crate) fn runtime() -> Result<Runtime, CommandFault> {
    let hint = "close other programs, or raise the limits on processes and open files (ulimit -a)";
    let fault = |error| CommandFault::unable(format!("cannot start threads: {error}"), hint);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(fault)?;
    outlive_limits(&runtime);
    Ok(runtime)
}
