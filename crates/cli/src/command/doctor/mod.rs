//! `tersely doctor`: checks the configuration, the upstreams and the compression.

mod finding;
mod home;
mod place;
mod program;
mod reader;
mod report;
mod sample;
mod setup;
mod variable;

use std::process::ExitCode;

use serde_json::json;
use tersely_agents::clients::ClientEnvironment;
use tersely_settings::{self as settings, Flags, SettingSources};
use tersely_terminal::fault::{NO, Stop};
use tersely_terminal::output;

use crate::command::doctor::finding::{Finding, State};
use crate::gateway::{ReadyGateway, runtime};

const EXAMPLES: &str = "\
Examples:
  tersely doctor
  tersely doctor --report > report.md
  tersely doctor --json | jq '.findings[] | select(.state == \"bad\")'

Exit code 1: at least one check failed.";

/// Check your environment variables, upstreams and clients
///
/// Checks the environment variables that set server addresses for agents, tests whether every upstream responds, lists
/// the installed agents, and compresses a sample request. Never shows keys.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub flags: Flags,
    /// Print the result as a JSON object
    #[arg(long, conflicts_with = "report")]
    pub json: bool,
    /// For a bug report, print a summary without addresses, paths, keys or message text
    #[arg(long)]
    pub report: bool,
}

/// Runs all checks, and prints the findings.
pub(crate) fn run(args: &DoctorArgs) -> Result<ExitCode, Stop> {
    let sources = SettingSources::new(&args.flags);
    let loaded = settings::load_telling(&sources)?;
    let about = args.report.then(|| report::about(&sources, &loaded));
    let proxy = ReadyGateway::new(loaded.settings, None)?;
    let findings = findings(&proxy, &ClientEnvironment::around(&[]))?;
    let broken = findings.iter().any(|finding| finding.state == State::Bad);
    let text = match about {
        Some(about) => report::page(&findings, &about),
        None if args.json => json(&findings),
        None => finding::lines(&findings),
    };
    output::result(&text)?;
    Ok(if broken { ExitCode::from(NO) } else { ExitCode::SUCCESS })
}

fn findings(proxy: &ReadyGateway, environment: &ClientEnvironment) -> Result<Vec<Finding>, Stop> {
    let programs = program::start();
    let runtime = runtime()?;
    let (written, variables, places) = runtime.block_on(async {
        let settings = &proxy.settings;
        tokio::join!(setup::look(settings), variable::look(settings, environment), place::look(settings))
    });
    let sample = sample::look(proxy);
    let readers = reader::look(&proxy.rewrite.engine(), environment);
    Ok([written, variables, places, program::look(programs), readers, vec![sample]].concat())
}

fn json(findings: &[Finding]) -> String {
    let broken = findings.iter().filter(|finding| finding.state == State::Bad).count();
    let findings: Vec<_> = findings.iter().map(Finding::json).collect();
    json!({ "broken": broken, "findings": findings }).to_string()
}
