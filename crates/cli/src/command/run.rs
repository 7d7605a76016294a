//! `tersely run`: runs a command with its own gateway, then prints the savings.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{ExitCode, ExitStatus};
use std::sync::Arc;

use tersely_agents::clients::{
    self, Client, ClientEnvironment, FolderTrust, INSIDE, LaunchOptions, LocalEndpoints, find_unconfirmed,
};
use tersely_gateway::find_program;
use tersely_settings::{self as settings, Flags, SettingSources};
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::output;
use tokio::process::{Child, Command};
use tokio::select;

use crate::gateway::{ReadyGateway, runtime};
use crate::history;
use crate::signals::{Signals, Terminal, forward};

const EXAMPLES: &str = "\
Examples:
  tersely run claude
  tersely run codex exec 'fix the failing test'
  tersely run --mode aggressive opencode
  tersely run -- python my_agent.py

Exits with the exit code of the command or, if a signal ended it, with 128 plus the signal number.";

/// Run an agent through a private gateway, then print the savings
///
/// Supports claude, codex, opencode, gemini, goose, cline, qwen, cn, copilot, droid, pi, kilo and aider. Forwards the
/// requests of these agents to the servers that they are configured to use, without changing the agents' files. For any
/// other command, `run` sets the environment variables that most programs and libraries read: `ANTHROPIC_BASE_URL`,
/// `OPENAI_BASE_URL`, `OPENAI_API_BASE`, `GOOGLE_GEMINI_BASE_URL`, `CODE_ASSIST_ENDPOINT` and `OLLAMA_HOST`.
///
/// Requests go to the same server as they would without Tersely: the one that an environment variable names; if there
/// is none, the one in `upstream` or `upstreams`; otherwise, the provider's public address. `--upstream` overrides all
/// of these choices. `run` leaves a variable unset if setting it could override a choice that you made elsewhere, for
/// example in `AZURE_OPENAI_ENDPOINT` or in a .env file.
///
/// `run` does not trust a server address that it finds in the current folder, for example in .claude/settings.json,
/// because a downloaded project could send your key to another server. Instead, `run` shows you the file and the host,
/// and asks whether to trust them. If you agree, it remembers your answer for this host and this exact file content. If
/// you decline, or if there is no terminal, the agent starts without Tersely.
///
/// If you start `run` inside another `run`, both use the outer gateway.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, mut_arg("listen", |arg| arg.hide(true)))]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub flags: Flags,
    /// Trust server addresses found in this folder (for example, in .claude/settings.json) without asking
    #[arg(long)]
    pub trust_folder: bool,
    /// The command to run, with its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// Runs the given command.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Stop> {
    if args.flags.listen.is_some() {
        let hint = "omit --listen; to start a gateway at a fixed address, use `tersely serve --listen ADDR`";
        return Err(CommandFault::unable("--listen: run always chooses a free port", hint).into());
    }
    let sources = SettingSources::new(&args.flags);
    let mut meant = settings::load_telling(&sources)?.settings;
    meant.gateway.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    // Two runs cannot listen on the same admin address; `tersely dashboard` shows all runs.
    meant.gateway.admin.listen = None;
    let Some((program, typed)) = args.command.split_first() else {
        return Err(CommandFault::unable("no command given", "for example: tersely run claude").into());
    };
    let (client, environment) = (clients::find_client(&name(program)), ClientEnvironment::around(typed));
    // With --upstream, addresses in files are ignored.
    let planted =
        if args.flags.upstream.is_some() { Vec::new() } else { client.planted_addresses(&environment) };
    let trust = if args.trust_folder { FolderTrust::Given } else { FolderTrust::Asked };
    let config = settings::user_folder(&sources);
    if let Some(address) = find_unconfirmed(planted, &environment, config.as_deref(), trust)? {
        output::note(&format!("tersely: {}", address.refusal(client.name(), &environment.folder)))?;
        return alone(client, program, typed);
    }
    let history = history::of_run(&sources, &meant.seen.history);
    let proxy = ReadyGateway::new(meant, history)?;
    for warning in proxy.warnings() {
        output::note(&format!("tersely: {warning}"))?;
    }
    let endpoints = LocalEndpoints::new(args.flags.upstream.as_deref(), &proxy.settings.upstreams);
    let mut endpoints = endpoints.inside(environment.var(INSIDE));
    let launch = client.point(&environment, &mut endpoints)?;
    start(&proxy, endpoints, &launch, client.install(), (program, typed))
}

/// Runs a command without a gateway.
fn alone(client: &dyn Client, program: &OsString, args: &[OsString]) -> Result<ExitCode, Stop> {
    let ended = runtime()?.block_on(async {
        let mut signals = Signals::all()?;
        let child = Command::new(find_program(program)).args(args).spawn();
        let mut child = child.map_err(|error| absent(client.install(), program, &error))?;
        wait(&mut child, &mut signals).await.map_err(Stop::from)
    });
    Ok(ExitCode::from(code(ended?)))
}

/// Runs a command through a gateway.
fn start(
    proxy: &ReadyGateway,
    endpoints: LocalEndpoints,
    launch: &LaunchOptions,
    install: Option<&str>,
    (program, args): (&OsString, &[OsString]),
) -> Result<ExitCode, Stop> {
    let runtime = runtime()?;
    let (places, is_nested) = (endpoints.places(), endpoints.is_nested());
    let ended = runtime.block_on(async {
        endpoints.serve(&proxy.settings, &(Arc::clone(&proxy.rewrite) as _))?;
        let mut wanted = Command::new(find_program(program));
        wanted.args(launch.arguments(args)).envs(launch.env.iter().map(|(name, value)| (name, value)));
        if !is_nested {
            wanted.env(INSIDE, if places.is_empty() { "1" } else { &places });
        }
        let mut signals = Signals::all()?;
        let mut child = wanted.spawn().map_err(|error| absent(install, program, &error))?;
        wait(&mut child, &mut signals).await.map_err(Stop::from)
    });
    runtime.shutdown_background();
    let code = code(ended?);
    if is_nested {
        return Ok(ExitCode::from(code));
    }
    output::note(&format!("tersely: {}", summary(proxy, launch)))?;
    if let Some(lost) = proxy.finish() {
        output::note(&format!("  {lost}"))?;
    }
    Ok(ExitCode::from(code))
}

/// The file name of a program, without its extension.
fn name(program: &OsString) -> String {
    Path::new(program).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

async fn wait(child: &mut Child, signals: &mut Signals) -> io::Result<ExitStatus> {
    let terminal = io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal();
    let terminal = if terminal { Terminal::Shared } else { Terminal::None };
    loop {
        let pid = child.id();
        select! {
            ended = child.wait() => return ended,
            signal = signals.next() => forward(signal, pid, terminal),
        }
    }
}

/// The exit code that a shell would report.
pub(crate) fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None;
    let code = status.code().or(signal.map(|signal: i32| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(u8::MAX)
}

fn summary(proxy: &ReadyGateway, launch: &LaunchOptions) -> String {
    let saved = proxy.savings();
    if saved.requests() > 0 {
        return saved.to_string();
    }
    let notes = launch.notes.iter().map(|note| format!("\n  {note}")).collect::<Vec<_>>().concat();
    format!("no requests came through; run `tersely doctor` to find out why{notes}")
}

/// The error for a command that did not start, with advice.
pub(crate) fn absent(install: Option<&str>, program: &OsString, error: &io::Error) -> CommandFault {
    let program = program.display();
    match (error.kind(), install) {
        (io::ErrorKind::NotFound, Some(install)) => {
            CommandFault::unable(format!("{program} is not installed"), format!("install it with: {install}"))
        }
        (io::ErrorKind::NotFound, None) => CommandFault::unable(
            format!("{program}: no such command"),
            "check the name, or give the full path",
        ),
        _ => CommandFault::unable(
            format!("cannot start {program}: {error}"),
            "check that you have permission to run it",
        ),
    }
}
