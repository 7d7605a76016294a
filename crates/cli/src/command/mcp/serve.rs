//! `tersely mcp serve`: many MCP servers behind one address, each on a path of its own.

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Map, Value};
use tersely_engine::Engine;
use tersely_gateway::{McpServer, McpServers, McpWork, Originals, StartedServer, serve_mcp};
use tersely_terminal::fault::{CommandFault, Stop};

use crate::command::mcp::StructuredArg;
use crate::command::run::jsonc;
use crate::command::serve::{exposure, local, stand};
use crate::gateway::{runtime, store_fault};
use crate::settings::{self, Flags, SettingSources};

const EXAMPLES: &str = "\
Examples:
  tersely mcp serve --server docs=https://mcp.example.com/mcp
  tersely mcp serve --from ~/.cursor/mcp.json
  claude mcp add --transport http docs http://127.0.0.1:8787/mcp/docs

The first SIGINT or SIGTERM lets running answers finish (exit code 0). A second one ends at once (128 + signal).";

/// Serve MCP servers over HTTP, each at /mcp/NAME, so that their results cost fewer tokens
///
/// Servers with a URL get every request except calls of `expand_context`; a client's credentials go only to the server
/// that it calls. Servers that are commands are started for each session.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, mut_arg("upstream", |arg| arg.hide(true)))]
pub(crate) struct ServeServersArgs {
    #[command(flatten)]
    pub flags: Flags,
    /// What to do with structured results that only repeat the text
    #[arg(long, value_name = "WHAT", default_value = "auto")]
    pub structured: StructuredArg,
    /// A client's configuration file whose servers to serve; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub from: Vec<PathBuf>,
    /// A server's name and URL; may be given more than once
    #[arg(long = "server", value_name = "NAME=URL")]
    pub servers: Vec<String>,
}

/// Serves until told to stop.
pub(crate) fn run(args: &ServeServersArgs) -> Result<ExitCode, Stop> {
    if args.flags.upstream.is_some() {
        let hint = "name servers instead: --server NAME=URL";
        return Err(CommandFault::unable("--upstream: every server has an address of its own", hint).into());
    }
    let servers = servers(args)?;
    let meant = settings::load(&SettingSources::new(&args.flags)).map_err(settings::fault)?.settings;
    let keeper = Originals::open(&meant.keeping.store).map_err(|error| store_fault(&error))?;
    let work = McpWork { engine: Engine::new(meant.engine), copies: args.structured.into(), keeper };
    let hello = |address| hello(address, &servers);
    let runtime = runtime()?;
    let ended = runtime.block_on(stand(&meant.gateway, hello, |listener, stop| {
        serve_mcp(meant.gateway.clone(), work, servers.clone(), listener, stop)
    }));
    runtime.shutdown_background();
    ended
}

/// The servers that were named, and those of the files.
fn servers(args: &ServeServersArgs) -> Result<McpServers, CommandFault> {
    let mut servers = McpServers::new();
    for file in &args.from {
        servers.extend(of_file(file)?);
    }
    for named in &args.servers {
        let (name, url) = named
            .split_once('=')
            .ok_or_else(|| CommandFault::unable(format!("--server {named}: no name"), "write NAME=URL"))?;
        servers.insert(name.to_owned(), remote(name, url)?);
    }
    if servers.is_empty() {
        let hint = "for example: tersely mcp serve --from ~/.cursor/mcp.json, or --server docs=https://mcp.example.com/mcp";
        return Err(CommandFault::unable("no servers to serve", hint));
    }
    if let Some(name) = servers.keys().find(|name| !is_plain(name)) {
        let hint = "use letters, digits, \".\", \"-\" and \"_\"";
        return Err(CommandFault::unable(format!("the name {name:?} cannot be part of a path"), hint));
    }
    Ok(servers)
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
}

/// The servers in a client's file, whichever client it is.
fn of_file(file: &Path) -> Result<McpServers, CommandFault> {
    let place = file.display();
    let fault =
        |why: String| CommandFault::unable(format!("{place}: {why}"), "name a client's MCP configuration");
    let text = fs::read_to_string(file).map_err(|error| fault(error.to_string()))?;
    let value: Value = serde_json::from_str(&jsonc::plain(&text))
        .map_err(|error| fault(format!("this is not JSON: {error}")))?;
    let found = ["mcpServers", "servers", "mcp"].iter().find_map(|key| value.get(*key)?.as_object());
    let found =
        found.ok_or_else(|| fault("there are no servers in it (mcpServers, servers or mcp)".to_owned()))?;
    found.iter().map(|(name, entry)| Ok((name.clone(), server(name, entry)?))).collect()
}

fn server(name: &str, entry: &Value) -> Result<McpServer, CommandFault> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    if let Some(url) = text("url").or_else(|| text("httpUrl")) {
        return remote(name, url);
    }
    let mut words = match entry.get("command") {
        Some(Value::String(program)) => vec![program.clone()],
        Some(Value::Array(words)) => {
            words.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    };
    if words.is_empty() {
        let hint = "give it a command or a url";
        return Err(CommandFault::unable(
            format!("the server {name} says neither what to run nor where it is"),
            hint,
        ));
    }
    let program = words.remove(0);
    let args = entry.get("args").and_then(Value::as_array).into_iter().flatten();
    words.extend(args.filter_map(|arg| arg.as_str().map(str::to_owned)));
    let env = ["env", "environment"].iter().find_map(|key| entry.get(*key)?.as_object());
    Ok(McpServer::Started(StartedServer {
        program,
        args: words,
        env: env.map(variables).unwrap_or_default(),
    }))
}

fn variables(env: &Map<String, Value>) -> BTreeMap<String, String> {
    let variable = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    env.iter().filter_map(variable).collect()
}

fn remote(name: &str, url: &str) -> Result<McpServer, CommandFault> {
    let fault = |error: tersely_gateway::Error| {
        CommandFault::unable(
            format!("the server {name}: {error}"),
            "write a URL such as https://mcp.example.com/mcp",
        )
    };
    url.parse().map(McpServer::Remote).map_err(fault)
}

fn hello(address: SocketAddr, servers: &McpServers) -> String {
    let url = format!("http://{}", local(address));
    let paths = servers.keys().map(|name| format!("\n  {url}/mcp/{name}")).collect::<Vec<_>>().concat();
    format!("tersely: ready on {url}{}{paths}", exposure(address))
}
