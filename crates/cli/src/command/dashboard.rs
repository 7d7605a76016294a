//! `tersely dashboard`: shows in a browser what `tersely run` has recorded.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use tersely_gateway::{HistorySource, serve_dashboard};
use tersely_settings::{self as settings, Flags, SettingSources};
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::output;

use crate::command::stats::placeless;
use crate::gateway::{ReadyGateway, runtime};
use crate::history;
use crate::signals::Signals;

const EXAMPLES: &str = "\
Examples:
  tersely dashboard
  tersely dashboard --listen 127.0.0.1:0

Press Ctrl-C to stop the dashboard. `tersely serve` serves the same page at the address in `admin.listen`.";

/// Show savings live in a browser
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DashboardArgs {
    /// The address to listen on
    #[arg(long, value_name = "ADDR", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, 9465)))]
    pub listen: SocketAddr,
    /// The configuration file; default: the first tersely.toml or tersely.yaml found
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Serves the page until stopped.
pub(crate) fn run(args: &DashboardArgs) -> Result<ExitCode, Stop> {
    let flags = Flags { config: args.config.clone(), ..Flags::default() };
    let sources = SettingSources::new(&flags);
    let mut meant = settings::load_telling(&sources)?.settings;
    let Some(file) = history::file(&sources, &meant.seen.history) else { return Err(placeless().into()) };
    meant.gateway.admin.listen = Some(args.listen);
    // The dashboard forwards no requests, so it has no events to write.
    meant.seen.events = None;
    let ready = ReadyGateway::new(meant, None)?;
    let mut shown = ready.settings.clone();
    shown.display.history = Some(HistorySource::File(file));
    runtime()?.block_on(async {
        let mut signals = Signals::ending()?;
        let stop = async move {
            signals.next().await;
        };
        let hello = |here: SocketAddr| {
            // If stderr is closed, nobody reads the message.
            let _ = output::note(&format!("tersely: http://{here}/_tersely/ (press Ctrl-C to stop)"));
        };
        let hint = "choose another address: tersely dashboard --listen 127.0.0.1:0";
        let fault = |error: tersely_gateway::Error| CommandFault::unable(error.to_string(), hint);
        serve_dashboard(&shown, hello, stop).await.map_err(fault)?;
        Ok(ExitCode::SUCCESS)
    })
}
