//! `tersely extproc`: an external processor for Envoy, which runs until stopped.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use tersely_agents::local;
use tersely_gateway::serve_processor;
use tersely_settings::Flags;
use tersely_terminal::fault::Stop;

use crate::command::serve::{begin, exposure, numbers};
use crate::gateway::ReadyGateway;

/// The default port.
const PORT: u16 = 8790;

const EXAMPLES: &str = "\
Examples:
  tersely extproc
  tersely extproc --listen 0.0.0.0:9000 --mode standard@1

After the first SIGINT or SIGTERM, the processor lets running requests finish, then exits with code 0. A second signal stops it immediately (exit code: 128 plus the signal number).";

/// Start an external processor for Envoy (`ext_proc`)
///
/// Envoy itself forwards the requests; the processor only replaces their bodies. The processor does not see the model's
/// responses, so it omits no detail, adds no tool, and masks secrets only with --redact-secrets. If the processor
/// fails, Envoy sends the request unchanged.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExtprocArgs {
    /// The address to listen on; default: 127.0.0.1:8790
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<String>,
    /// The configuration file; default: the first tersely.toml or tersely.yaml found
    #[arg(long, value_name = "FILE")]
    pub config: Option<std::path::PathBuf>,
    /// How much to compress tool results: disabled, observe, safe, standard or aggressive
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// What compression may discard: none (nothing) or form (layout only)
    #[arg(long, value_name = "LOSS")]
    pub loss: Option<String>,
    /// The kind of model that reads tool results: strong, small or auto (decided by the model name in the request)
    #[arg(long, value_name = "READER")]
    pub reader: Option<String>,
    /// Mask secrets everywhere in a request
    #[arg(long, value_name = "SWITCH", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub redact_secrets: Option<String>,
}

/// Serves until stopped.
pub(crate) fn run(args: &ExtprocArgs) -> Result<ExitCode, Stop> {
    let flags = Flags {
        config: args.config.clone(),
        listen: args.listen.clone(),
        mode: args.mode.clone(),
        loss: args.loss.clone(),
        reader: args.reader.clone(),
        redact_secrets: args.redact_secrets.clone(),
        ..Flags::default()
    };
    begin(&flags, PORT, hello, |ready, listener, stop| {
        serve_processor(ready.settings.clone(), Arc::clone(&ready.rewrite) as _, listener, stop)
    })
}

/// The message printed at startup.
fn hello(ready: &ReadyGateway, address: SocketAddr) -> String {
    let mode = ready.mode().name();
    let seals = if ready.rewrite.engine().seals() { SEALS } else { "" };
    format!(
        "tersely: ready on http://{}, {mode} mode; an external processor for Envoy{}{seals}{}",
        local(address),
        exposure(&ready.settings, address),
        numbers(&ready.settings)
    )
}

/// A warning for operators who turn on masking.
const SEALS: &str = "\n  redact_secrets is true: set failure_mode_allow to false; otherwise, Envoy forwards bodies that could not be searched for secrets";
