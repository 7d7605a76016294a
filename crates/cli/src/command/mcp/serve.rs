//! `tersely mcp serve`: serves many MCP servers at one address, each on its own path.

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Map, Value};
use tersely_agents::clients::jsonc;
use tersely_engine::Engine;
use tersely_gateway::{
    Display, GatewaySettings, HistorySource, McpServer, McpServers, McpWork, Originals, serve_mcp,
};
use tersely_settings::server::{ServerDraft, is_plain};
use tersely_settings::{self as settings, Flags, SettingSources};
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::output;

use crate::command::mcp::StructuredArg;
use crate::command::serve::{exposure, stand, url};
use crate::gateway::{recorded, runtime, store_fault, telemetry, unrecorded};
use crate::history;
use crate::reload::{follow_tenants, tls};

/// The default port.
const PORT: u16 = 8788;

const EXAMPLES: &str = "\
Examples:
  tersely mcp serve --server docs=https://mcp.example.com/mcp
  tersely mcp serve --from ~/.cursor/mcp.json
  claude mcp add --transport http docs http://127.0.0.1:8788/mcp/docs

After the first SIGINT or SIGTERM, the server lets running responses finish, then exits with code 0. A second signal stops it immediately (exit code: 128 plus the signal number).";

/// Expose MCP servers over HTTP at /mcp/NAME, with fewer tokens in their results
///
/// The servers come from `mcp.servers` in the configuration file and from `--from` and `--server`. A server with a URL
/// receives every request except calls to `expand_context`. A client's credentials are sent only to the server that the
/// client calls. A server with a command runs as a separate process for each session.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("upstream", |arg| arg.hide(true)),
    mut_arg("listen", |arg| arg.help("The address to listen on; default: 127.0.0.1:8788")),
)]
pub(crate) struct ServeServersArgs {
    #[command(flatten)]
    pub flags: Flags,
    /// What to do with structured content that only repeats the text of a result
    #[arg(long, value_name = "WHAT", default_value = "auto")]
    pub structured: StructuredArg,
    /// Add all servers from this client configuration file; may be repeated
    #[arg(long, value_name = "FILE")]
    pub from: Vec<PathBuf>,
    /// Add a server with this name and URL; may be repeated
    #[arg(long = "server", value_name = "NAME=URL")]
    pub servers: Vec<String>,
}

/// Serves until stopped.
pub(crate) fn run(args: &ServeServersArgs) -> Result<ExitCode, Stop> {
    if args.flags.upstream.is_some() {
        let hint = "name servers instead: --server NAME=URL";
        return Err(CommandFault::unable(
            "--upstream cannot be used here, because every server has its own address",
            hint,
        )
        .into());
    }
    let sources = SettingSources::of_server(&args.flags);
    let loaded = settings::load(&sources).map_err(settings::fault)?.default_port(PORT);
    let meant = loaded.settings.clone();
    let servers = servers(meant.servers.clone(), args)?;
    let keeper = Originals::open(&meant.keeping.store).map_err(|error| store_fault(&error))?;
    let recorded = recorded(history::of_server(&sources, &meant))?;
    let telemetry = telemetry(&meant, Some(keeper.watch()), recorded.clone())?;
    let display = Display { history: recorded.clone().map(HistorySource::Sink), ..Display::default() };
    let gateway = GatewaySettings { telemetry, display, tls: tls(meant.tls.as_ref())?, ..meant.gateway };
    let work = McpWork { engine: Engine::new(meant.engine), copies: args.structured.into(), keeper };
    let hello = |address| hello(&gateway, address, &servers);
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        follow_tenants(sources, &loaded, gateway.tenants.clone());
        let serving = |listener, stop| serve_mcp(gateway.clone(), work, servers.clone(), listener, stop);
        stand(&gateway, hello, serving).await
    });
    runtime.shutdown_background();
    if let Some(lost) = recorded.as_ref().and_then(unrecorded) {
        output::note(&format!("tersely: {lost}"))?;
    }
    ended
}

/// The servers from the settings, from clients' files and from the command line; later sources override earlier ones.
fn servers(mut servers: McpServers, args: &ServeServersArgs) -> Result<McpServers, CommandFault> {
    for file in &args.from {
        servers.extend(of_file(file)?);
    }
    for named in &args.servers {
        let (name, url) = named.split_once('=').ok_or_else(|| {
            CommandFault::unable(format!("--server {named}: the name is missing"), "write NAME=URL")
        })?;
        let draft = ServerDraft { url: url.to_owned(), ..ServerDraft::default() };
        servers.insert(name.to_owned(), finish(name, draft)?);
    }
    if servers.is_empty() {
        let hint = "set mcp.servers in the configuration file, or use --from ~/.cursor/mcp.json or --server docs=https://mcp.example.com/mcp";
        return Err(CommandFault::unable("no servers to serve", hint));
    }
    if let Some(name) = servers.keys().find(|name| !is_plain(name)) {
        let hint = "use letters, digits, \".\", \"-\" and \"_\"";
        return Err(CommandFault::unable(format!("the name {name:?} cannot be part of a path"), hint));
    }
    Ok(servers)
}

/// The servers in a client's configuration file. The formats of all supported clients are accepted.
fn of_file(file: &Path) -> Result<McpServers, CommandFault> {
    let place = file.display();
    let fault = |why: String| {
        CommandFault::unable(format!("{place}: {why}"), "name an MCP configuration file of a client")
    };
    let text = fs::read_to_string(file).map_err(|error| fault(error.to_string()))?;
    let value: Value =
        serde_json::from_str(&jsonc::plain(&text)).map_err(|error| fault(format!("not JSON: {error}")))?;
    let found = ["mcpServers", "servers", "mcp"].iter().find_map(|key| value.get(*key)?.as_object());
    let found =
        found.ok_or_else(|| fault("it contains no servers (mcpServers, servers or mcp)".to_owned()))?;
    found.iter().map(|(name, entry)| Ok((name.clone(), finish(name, draft(entry))?))).collect()
}

/// Reads a server entry of a client's file. If the entry has both a URL and a command, the URL is used.
fn draft(entry: &Value) -> ServerDraft {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let table = |key: &str| entry.get(key).and_then(Value::as_object).map(texts);
    if let Some(url) = text("url").or_else(|| text("httpUrl")) {
        let headers = table("headers").unwrap_or_default();
        return ServerDraft { url: url.to_owned(), headers, ..ServerDraft::default() };
    }
    let words = |key: &str| match entry.get(key) {
        Some(Value::String(word)) => vec![word.clone()],
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let env = table("env").or_else(|| table("environment")).unwrap_or_default();
    ServerDraft { command: words("command"), args: words("args"), env, ..ServerDraft::default() }
}

fn texts(table: &Map<String, Value>) -> BTreeMap<String, String> {
    let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    table.iter().filter_map(text).collect()
}

fn finish(name: &str, draft: ServerDraft) -> Result<McpServer, CommandFault> {
    let hint = "give the server a command, or a URL such as https://mcp.example.com/mcp";
    draft.finish().map_err(|why| CommandFault::unable(format!("server {name}: {why}"), hint))
}

fn hello(settings: &GatewaySettings, address: SocketAddr, servers: &McpServers) -> String {
    let url = url(settings, address);
    let paths = servers.keys().map(|name| format!("\n  {url}/mcp/{name}")).collect::<Vec<_>>().concat();
    format!("tersely: ready on {url}{}{paths}", exposure(settings, address))
}
