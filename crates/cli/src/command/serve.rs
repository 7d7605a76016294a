//! `tersely serve`: runs a gateway until stopped.

use std::error::Error as _;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tersely_agents::{is_ours, local};
use tersely_engine::{Engine, EngineSettings};
use tersely_gateway::{
    EngineRewriter, Error, GatewaySettings, InboundTls, TenantList, Upstream, Vendor, bind, serve,
};
use tersely_settings::watch::{self, News};
use tersely_settings::{self as settings, Flags, LoadedSettings, SettingSources};
use tersely_telemetry::log;
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::output;
use tokio::net::TcpListener;
use tokio::select;
use tokio::sync::oneshot;

use crate::gateway::{ReadyGateway, runtime};
use crate::history;
use crate::reload::{adopt, follow_files, tls};
use crate::signals::{Signals, TERMINATE};

/// The default port.
const PORT: u16 = 8787;

const EXAMPLES: &str = "\
Examples:
  tersely serve
  tersely serve --listen 127.0.0.1:0 --upstream http://127.0.0.1:11434
  ANTHROPIC_BASE_URL=http://127.0.0.1:8787 claude

After the first SIGINT or SIGTERM, the gateway lets running responses finish, then exits with code 0. A second signal stops it immediately (exit code: 128 plus the signal number).";

/// Start a gateway between agents and model providers
///
/// Forwards each request to the public address of the provider that the request path indicates, or forwards all
/// requests to one upstream. Compresses tool results on the way. Adds the tool `expand_context` to requests that have
/// many tools, unless `--loss` is `form` or `none`. Leaves the rest of each request unchanged.
///
/// Reloads its configuration file on SIGHUP and whenever the file changes. If the new file is invalid, the gateway
/// rejects it and keeps the old settings. Health probes can use /healthz and /readyz. After SIGTERM, /readyz returns
/// 503, but the gateway still accepts new requests for the duration of `timeouts.notice`. The gateway then lets running
/// responses finish.
///
/// If it listens on a loopback address, the gateway accepts only requests addressed to this machine's own host names or
/// to a name in `hosts`. On every address, the gateway rejects requests from web pages that `origins` does not allow.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub flags: Flags,
}

/// Serves until stopped.
pub(crate) fn run(args: &ServeArgs) -> Result<ExitCode, Stop> {
    begin(&args.flags, PORT, hello, |proxy, listener, stop| {
        serve(proxy.settings.clone(), Arc::clone(&proxy.rewrite) as _, listener, stop)
    })
}

/// Starts a gateway with these settings, and returns when it has stopped.
pub(crate) fn begin<S>(
    flags: &Flags,
    port: u16,
    hello: fn(&ReadyGateway, SocketAddr) -> String,
    serve: impl FnOnce(&ReadyGateway, TcpListener, StopSign) -> S,
) -> Result<ExitCode, Stop>
where
    S: Future<Output = Result<(), Error>>,
{
    let sources = SettingSources::of_server(flags);
    let loaded = settings::load(&sources).map_err(settings::fault)?.default_port(port);
    for notice in &loaded.notices {
        output::note(&format!("note: {notice}"))?;
    }
    let runtime = runtime()?;
    let log = log::start(loaded.settings.seen.log);
    output::divert_notes(log.notes());
    let history = history::of_server(&sources, &loaded.settings);
    let mut proxy = ReadyGateway::new(loaded.settings.clone(), history)?;
    proxy.settings.tls = tls(loaded.settings.tls.as_ref())?;
    let ended = runtime.block_on(async {
        follow(sources, &loaded, Arc::clone(&proxy.rewrite), proxy.settings.tenants.clone());
        let serving = |listener, stop| serve(&proxy, listener, stop);
        stand(&proxy.settings, |address| hello(&proxy, address), serving).await
    });
    // After a second signal, requests that are still being rewritten are not awaited.
    runtime.shutdown_background();
    let saved = proxy.savings();
    if ended.is_ok() && saved.requests() > 0 {
        // If stderr is closed, nobody reads the message.
        let _ = output::note(&format!("tersely: {saved}"));
    }
    if let Some(lost) = proxy.finish() {
        let _ = output::note(&format!("tersely: {lost}"));
    }
    ended
}

/// Applies changed settings while the gateway runs. Changes of network, store, limits, timeouts and telemetry need a restart.
fn follow(sources: SettingSources, loaded: &LoadedSettings, live: Arc<EngineRewriter>, tenants: TenantList) {
    let mut changes = watch::watch(sources, loaded, |news| {
        // If stderr is closed, nobody reads the message.
        let _ = output::note(&match news {
            News::Changed => {
                "tersely: applied the new settings; changes to network, store, limits, timeouts and telemetry need a restart"
                    .to_owned()
            }
            News::Refused(why) => {
                format!("tersely: the new settings are invalid; keeping the old ones\n{why}")
            }
        });
    });
    tokio::spawn(async move {
        while changes.changed().await.is_ok() {
            // The connection to a compressor keeps its first settings, so that its answers keep the same cache keys.
            let strategy = live.engine().settings().strategy.clone();
            let new = Arc::clone(&changes.borrow_and_update());
            live.swap(Engine::new(EngineSettings { strategy, ..new.engine.clone() }));
            adopt(&tenants, &new.gateway.tenants);
        }
    });
}

/// Resolves when the server should stop, with the time during which it still accepts requests.
pub(crate) type StopSign = Pin<Box<dyn Future<Output = Duration> + Send>>;

/// Listens, prints the startup message, and serves until stopped.
pub(crate) async fn stand<S>(
    settings: &GatewaySettings,
    hello: impl FnOnce(SocketAddr) -> String,
    serve: impl FnOnce(TcpListener, StopSign) -> S,
) -> Result<ExitCode, Stop>
where
    S: Future<Output = Result<(), Error>>,
{
    let mut signals = Signals::ending()?;
    let listener = match bind(settings).await {
        Ok(listener) => listener,
        Err(error) => return Err(unavailable(settings, &error).await.into()),
    };
    let hello = hello(listener.local_addr()?);
    settings.tls.clone().map(|tls| tokio::spawn(follow_files(tls)));
    let (stop, stopped) = oneshot::channel();
    let serving = serve(listener, Box::pin(async move { stopped.await.unwrap_or_default() }));
    tokio::pin!(serving);
    // The first poll applies the settings; the server is ready only after that.
    select! {
        biased;
        ended = &mut serving => return done(ended),
        () = std::future::ready(()) => output::note(&hello)?,
    }
    let signal = select! {
        ended = &mut serving => return done(ended),
        signal = signals.next() => signal,
    };
    // After Ctrl-C, a person is waiting. After SIGTERM, a load balancer may send more requests until it notices.
    let notice = if signal == TERMINATE { settings.timeouts.notice } else { Duration::ZERO };
    output::note(&goodbye(notice))?;
    // The receiver no longer exists if the server has just ended.
    let _ = stop.send(notice);
    select! {
        ended = serving => done(ended),
        signal = signals.next() => Ok(ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX))),
    }
}

fn goodbye(notice: Duration) -> String {
    let before = match notice {
        Duration::ZERO => String::new(),
        notice => format!("accepting requests for another {notice:?}, then "),
    };
    format!("tersely: {before}letting running responses finish; a second signal stops them")
}

fn done(ended: Result<(), Error>) -> Result<ExitCode, Stop> {
    let hint = "fix that setting and start again; `tersely doctor` checks the setup";
    ended.map(|()| ExitCode::SUCCESS).map_err(|error| CommandFault::unable(error.to_string(), hint).into())
}

/// The error for an address that cannot be listened on, with advice.
async fn unavailable(settings: &GatewaySettings, error: &Error) -> CommandFault {
    let listen = settings.listen;
    let kind = error.source().and_then(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    match kind {
        Some(io::ErrorKind::AddrInUse) if is_ours(settings, listen).await => CommandFault::unable(
            format!("Tersely is already running on {listen}"),
            "use that gateway, stop it, or choose another port, such as --listen 127.0.0.1:0",
        ),
        Some(io::ErrorKind::AddrInUse) => CommandFault::unable(
            format!("another program already listens on {listen}"),
            "choose another port, such as --listen 127.0.0.1:0",
        ),
        Some(io::ErrorKind::PermissionDenied) => CommandFault::unable(
            format!("permission denied: cannot listen on {listen}"),
            "choose a port above 1023, such as --listen 127.0.0.1:8787",
        ),
        Some(io::ErrorKind::AddrNotAvailable) => CommandFault::unable(
            format!("{listen} is not an address of this machine"),
            "use 127.0.0.1 to accept only this machine, or 0.0.0.0 to accept anyone who can reach it",
        ),
        _ => CommandFault::unable(error.to_string(), "choose another address with --listen"),
    }
}

/// The message printed at startup: the address, where requests go, and how to point clients at the gateway.
fn hello(proxy: &ReadyGateway, address: SocketAddr) -> String {
    let url = url(&proxy.settings, address);
    let ready =
        format!("tersely: ready on {url}, {} mode; {}", proxy.mode().name(), targets(&proxy.settings));
    let open = exposure(&proxy.settings, address);
    let warnings: String = proxy.warnings().flat_map(|warning| ["\n  ".to_owned(), warning]).collect();
    format!(
        "{ready}{open}{warnings}\n  \
         claude    ANTHROPIC_BASE_URL={url} ENABLE_TOOL_SEARCH=true claude\n  \
         codex     codex -c openai_base_url='\"{url}/v1\"'\n  \
         gemini    GOOGLE_GEMINI_BASE_URL={url} gemini\n  \
         others    OPENAI_BASE_URL={url}/v1, or: tersely run CMD{}",
        numbers(&proxy.settings)
    )
}

/// A line with the address of the metrics, if they are served.
pub(crate) fn numbers(settings: &GatewaySettings) -> String {
    let listen = settings.admin.listen.map(local);
    listen.map_or_else(String::new, |address| format!("\n  metrics   http://{address}/metrics"))
}

/// Where each provider's requests go, or a single address if it is the same for all providers.
fn targets(settings: &GatewaySettings) -> String {
    let urls = Vendor::ALL.map(|provider| settings.upstreams.of(provider).map(Upstream::url));
    if let Some(url) = urls[0].as_ref().filter(|_| urls.iter().all(|other| *other == urls[0])) {
        return format!("all to {url}");
    }
    let named = Vendor::ALL.iter().zip(urls);
    let named = named.filter_map(|(provider, url)| Some(format!("{} to {}", provider.name(), url?)));
    named.collect::<Vec<_>>().join(", ")
}

/// A line about who can reach the gateway, if that is not obvious.
pub(crate) fn exposure(settings: &GatewaySettings, address: SocketAddr) -> &'static str {
    let shows = settings.tls.as_ref().is_some_and(InboundTls::asks_clients);
    match (settings.tenants.is_empty(), shows) {
        (false, true) => "\n  clients must present a certificate and be a known tenant",
        (false, false) => "\n  requests need a tenant's key in the x-tersely-key header",
        (true, true) => "\n  clients must present a certificate",
        (true, false) if address.ip().is_loopback() => "",
        (true, false) => "\n  anyone who can reach this machine can use the gateway",
    }
}

/// The URL of the gateway for clients on this machine.
pub(crate) fn url(settings: &GatewaySettings, address: SocketAddr) -> String {
    let scheme = if settings.tls.is_some() { "https" } else { "http" };
    format!("{scheme}://{}", local(address))
}
