//! `tersely mcp`: wraps an MCP server so that its results take fewer tokens.

mod serve;
mod wrap;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use tersely_agents::mcp_install::{self as install, InstallArgs};
use tersely_settings::Flags;
use tersely_terminal::fault::Stop;
use tersely_wire::mcp::StructuredCopies;

use crate::command::mcp::serve::ServeServersArgs;

const EXAMPLES: &str = "\
Examples:
  tersely mcp -- npx -y @modelcontextprotocol/server-filesystem ~/code
  tersely mcp --mode safe -- uvx mcp-server-git --repository .
  tersely mcp serve --from ~/.cursor/mcp.json
  claude mcp add files -- tersely mcp -- npx -y @modelcontextprotocol/server-filesystem ~/code
  tersely mcp install --client claude --all

Exits with the server's own exit code, or 128 + signal if a signal ended it.";

const INSTALL_EXAMPLES: &str = "\
Examples:
  tersely mcp install --client claude --server files --dry-run
  tersely mcp install --client codex --all
  tersely mcp install --client vscode --file .vscode/mcp.json --all --yes
  tersely mcp uninstall --client codex --all";

/// Wrap an MCP server so that its results cost fewer tokens
///
/// Put it before the server's command in a client's configuration. Messages pass unchanged, except that tool results
/// are shortened and one tool is added, `expand_context`, with which the model fetches what was omitted.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, mut_arg("listen", |arg| arg.hide(true)), mut_arg("upstream", |arg| arg.hide(true)))]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true
)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub action: Option<McpAction>,
    #[command(flatten)]
    pub flags: Flags,
    /// What to do with structured results that only repeat the text
    #[arg(long, value_name = "WHAT", default_value = "auto")]
    pub structured: StructuredArg,
    /// The server's command and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// What else can be done with servers.
#[derive(Debug, Subcommand)]
pub(crate) enum McpAction {
    /// Put Tersely before the servers in a client's configuration
    ///
    /// Shows the changes and asks before it writes. Everything else in the file stays byte for byte, and the file as it
    /// was is kept beside it. Servers that are reached by a URL are skipped.
    #[command(after_help = INSTALL_EXAMPLES)]
    Install(InstallArgs),
    /// Undo `install` in a client's configuration
    ///
    /// Undoes what install wrote, byte for byte. Later changes stay.
    #[command(after_help = INSTALL_EXAMPLES)]
    Uninstall(InstallArgs),
    Serve(Box<ServeServersArgs>),
}

/// What to do with structured results that only repeat the text.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum StructuredArg {
    /// Send both
    Keep,
    /// Send the text alone if the tool declares no output schema, or if the client prefers the structured part (Claude
    /// Code, Codex)
    Auto,
    /// Send the text alone, and remove output schemas from the list of tools
    Drop,
}

impl From<StructuredArg> for StructuredCopies {
    fn from(typed: StructuredArg) -> Self {
        match typed {
            StructuredArg::Keep => Self::Keep,
            StructuredArg::Auto => Self::Auto,
            StructuredArg::Drop => Self::Drop,
        }
    }
}

/// Runs the subcommand.
pub(crate) fn run(args: &McpArgs) -> Result<ExitCode, Stop> {
    match &args.action {
        None => wrap::run(args),
        Some(McpAction::Install(args)) => install::install(args),
        Some(McpAction::Uninstall(args)) => install::uninstall(args),
        Some(McpAction::Serve(args)) => serve::run(args),
    }
}
