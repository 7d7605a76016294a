//! `tersely http`: serves a JSON API in the form that each client requests.

use std::net::SocketAddr;
use std::process::ExitCode;

use tersely_gateway::{GatewaySettings, Upstream, serve_api};
use tersely_settings::{self as settings, Flags, SettingSources};
use tersely_terminal::fault::{CommandFault, Stop};

use crate::command::serve::{exposure, stand, url};
use crate::gateway::{runtime, telemetry};
use crate::reload::{follow_tenants, tls};

/// The default port.
const PORT: u16 = 8789;

const EXAMPLES: &str = "\
Examples:
  tersely http --upstream http://127.0.0.1:8000
  curl -H 'X-Prefer-Format: toon' http://127.0.0.1:8789/items
  curl -H 'Accept-Encoding: stc' http://127.0.0.1:8789/items";

/// Serve a JSON API in a compact form: STC, TOON or terse
///
/// To request a form, a client sends the header `Accept-Encoding: stc` or `Accept: text/toon`, or sets
/// `X-Prefer-Format` to `toon`, `stc`, `terse` or `json`. The client gets the requested form if it represents the
/// response exactly and takes fewer tokens than compact JSON. All other responses pass through unchanged.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HttpArgs {
    /// The URL of the API
    #[arg(long, value_name = "URL")]
    pub upstream: String,
    /// The address to listen on; default: 127.0.0.1:8789
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<String>,
    /// The configuration file; default: the first tersely.toml or tersely.yaml found
    #[arg(long, value_name = "FILE")]
    pub config: Option<std::path::PathBuf>,
}

/// Serves until stopped.
pub(crate) fn run(args: &HttpArgs) -> Result<ExitCode, Stop> {
    let flags = Flags {
        config: args.config.clone(),
        listen: args.listen.clone(),
        upstream: Some(args.upstream.clone()),
        ..Flags::default()
    };
    let sources = SettingSources::of_server(&flags);
    let loaded = settings::load(&sources).map_err(settings::fault)?.default_port(PORT);
    let (telemetry, tls) = (telemetry(&loaded.settings, None, None)?, tls(loaded.settings.tls.as_ref())?);
    let settings = GatewaySettings { telemetry, tls, ..loaded.settings.gateway.clone() };
    let Some(upstream) = settings.upstreams.rest().map(Upstream::url) else {
        return Err(CommandFault::unable("no upstream is set", "name the API with --upstream URL").into());
    };
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        follow_tenants(sources, &loaded, settings.tenants.clone());
        let hello = |address| hello(&settings, address, &upstream);
        stand(&settings, hello, |listener, stop| serve_api(settings.clone(), listener, stop)).await
    });
    runtime.shutdown_background();
    ended
}

fn hello(settings: &GatewaySettings, address: SocketAddr, upstream: &str) -> String {
    format!("tersely: ready on {}, for {upstream}{}", url(settings, address), exposure(settings, address))
}
