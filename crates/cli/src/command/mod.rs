//! The commands: each has its own module, with its arguments.

mod audit;
mod completions;
mod compress;
mod config;
mod count;
mod dashboard;
mod decode;
mod doctor;
mod encode;
mod eval;
mod extproc;
mod filter;
mod help;
mod hook;
mod http;
mod init;
mod library;
mod man;
mod mcp;
mod provider;
mod purge;
mod run;
mod serve;
mod show;
mod stats;
mod statusline;
mod uninstall;
mod why;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use tersely_terminal::fault::Stop;

const EXAMPLES: &str = "\
Examples:
  tersely audit                   Estimate savings on your past conversations
  tersely run claude              Start an agent through Tersely
  tersely stats                   Show the savings so far
  git log | tersely compress      Show what a model would read

Exit codes: 0 success, 1 negative result, 2 could not run.";

/// Cuts the tokens that your agent spends on tool output.
#[derive(Debug, Parser)]
#[command(name = "tersely", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct TerselyArgs {
    #[command(subcommand)]
    pub command: TerselyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TerselyCommand {
    Init(init::InitArgs),
    Run(run::RunArgs),
    Serve(serve::ServeArgs),
    Mcp(Box<mcp::McpArgs>),
    Hook(hook::HookArgs),
    Show(show::ShowTextArgs),
    Http(http::HttpArgs),
    Extproc(extproc::ExtprocArgs),
    Stats(stats::StatsArgs),
    Why(why::WhyArgs),
    Statusline(statusline::StatuslineArgs),
    Dashboard(dashboard::DashboardArgs),
    Purge(purge::PurgeArgs),
    Doctor(doctor::DoctorArgs),
    Audit(audit::AuditArgs),
    Eval(Box<eval::EvalArgs>),
    Compress(compress::CompressArgs),
    Encode(encode::EncodeArgs),
    Decode(decode::DecodeArgs),
    Count(count::CountArgs),
    #[command(hide = true)]
    Library(library::LibraryArgs),
    Filter(filter::FilterArgs),
    Config(config::ConfigArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    Uninstall(uninstall::UninstallArgs),
}

/// Parses the process's arguments and runs the command.
pub(crate) fn start() -> Result<ExitCode, Stop> {
    let matches = help::parse(TerselyArgs::command());
    run(&TerselyArgs::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()))
}

fn run(args: &TerselyArgs) -> Result<ExitCode, Stop> {
    match &args.command {
        TerselyCommand::Init(args) => init::run(args),
        TerselyCommand::Run(args) => run::run(args),
        TerselyCommand::Serve(args) => serve::run(args),
        TerselyCommand::Mcp(args) => mcp::run(args),
        TerselyCommand::Hook(args) => hook::run(args),
        TerselyCommand::Show(args) => show::run(args),
        TerselyCommand::Http(args) => http::run(args),
        TerselyCommand::Extproc(args) => extproc::run(args),
        TerselyCommand::Stats(args) => stats::run(args),
        TerselyCommand::Why(args) => why::run(args),
        TerselyCommand::Statusline(args) => statusline::run(args),
        TerselyCommand::Dashboard(args) => dashboard::run(args),
        TerselyCommand::Purge(args) => purge::run(args),
        TerselyCommand::Doctor(args) => doctor::run(args),
        TerselyCommand::Audit(args) => audit::run(args),
        TerselyCommand::Eval(args) => eval::run(args),
        TerselyCommand::Compress(args) => compress::run(args),
        TerselyCommand::Encode(args) => encode::run(args),
        TerselyCommand::Decode(args) => decode::run(args),
        TerselyCommand::Count(args) => count::run(args),
        TerselyCommand::Library(args) => library::run(args),
        TerselyCommand::Filter(args) => filter::run(args),
        TerselyCommand::Config(args) => config::run(args),
        TerselyCommand::Completions(args) => completions::run(args, TerselyArgs::command()),
        TerselyCommand::Man(args) => man::run(args, TerselyArgs::command()),
        TerselyCommand::Uninstall(args) => uninstall::run(args),
    }
}
