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

Exits with the exit code of the server or, if a signal ended it, with 128 plus the signal number.";

const INSTALL_EXAMPLES: &str = "\
Examples:
  tersely mcp install --client claude --server files --dry-run
  tersely mcp install --client codex --all
  tersely mcp install --client vscode --file .vscode/mcp.json --all --yes
  tersely mcp uninstall --client codex --all";

/// Wrap an MCP server to reduce the tokens in its results
///
/// In your client's configuration, put `tersely mcp --` before the command that starts the server. Messages pass
/// through unchanged, with two exceptions: tool results are shortened, and an added tool, `expand_context`, lets the
/// model fetch omitted text.
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
    /// What to do with structured content that only repeats the text of a result
    #[arg(long, value_name = "WHAT", default_value = "auto")]
    pub structured: StructuredArg,
    /// The command that starts the server, with its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// What else can be done with servers.
#[derive(Debug, Subcommand)]
pub(crate) enum McpAction {
    /// Make Tersely wrap the MCP servers in a client's configuration
    ///
    /// Shows the changes and asks for confirmation before writing them. Keeps the rest of the file unchanged, byte for
    /// byte, and saves a backup of the original file next to it. Servers that have a URL instead of a command are
    /// skipped.
    #[command(after_help = INSTALL_EXAMPLES)]
    Install(InstallArgs),
    /// Stop wrapping the MCP servers in a client's configuration
    ///
    /// Reverts exactly what `mcp install` wrote, and keeps all later changes.
    #[command(after_help = INSTALL_EXAMPLES)]
    Uninstall(InstallArgs),
    Serve(Box<ServeServersArgs>),
}

/// What to do with structured content that only repeats the text of a result
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum StructuredArg {
    /// Send both the text and the structured content
    Keep,
    /// Send only the text if the tool declares no output schema, or if the client prefers structured content (Claude
    /// Code, Codex)
    Auto,
    /// Send only the text, and remove output schemas from the list of tools
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
