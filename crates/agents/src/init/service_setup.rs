//! Sets up a permanent gateway: first a service, which must be seen to restart by itself, then the clients' settings.

use std::net::{SocketAddr, TcpListener};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use tersely_settings::{self as settings, AllSettings, Flags, SettingSources};
use tersely_terminal::fault::{CommandFault, Stop};
use tersely_terminal::output;

use crate::clients::{Client, ClientEnvironment, HOOKED, INSIDE};
use crate::edit::{SETTINGS_LIMIT, create};
use crate::init::address;
use crate::init::plan::PlannedFile;
use crate::init::service::{self, ServiceKeeper, ServiceSpec};
use crate::init::{InitArgs, InitPlan, Verify, full_path, program, write};
use crate::receipt::{Receipt, ReceiptKind, Receipts};
use crate::running_gateway::is_ours;

/// The maximum time for a gateway to become ready.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(20);

/// Delay between two checks.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Our variables that need no note: `init` uses them itself, or they are not settings.
const HEARD: [&str; 4] = ["TERSELY_LISTEN", "TERSELY_HISTORY_RECORD", INSIDE, HOOKED];

/// Installs a service, and points clients at it.
pub(super) fn run(
    args: &InitArgs,
    environment: &ClientEnvironment,
    clients: Vec<&'static dyn Client>,
    mut receipts: Receipts,
    verify: Verify<'_>,
) -> Result<ExitCode, Stop> {
    let keeper = ServiceKeeper::here().map_err(|why| {
        let hint =
            "run `tersely init` without --service: aliases need no service, and no client depends on one";
        CommandFault::unable(format!("cannot keep a gateway running on this machine: {why}"), hint)
    })?;
    let meant = load_settings(args)?;
    let listen = meant.gateway.listen;
    let unit = unit(keeper, environment, listen, &receipts)?;
    let is_stopped = !unit.is_changed() && keeper.process().is_none();
    let mut plan = InitPlan { clients, files: vec![unit], notes: unheard(environment), is_stopped };
    plan.address(environment, &format!("http://{listen}"), &receipts);
    let is_without_client = plan.files.len() == 1;
    plan.add_status_line(args, environment, &program(environment)?, &receipts);
    plan.show(args)?;
    if is_without_client {
        let hint = "run `tersely init` without --service: aliases work for every agent";
        return Err(CommandFault::no("no agent has settings that can point to a service", hint).into());
    }
    ensure_free(keeper, listen)?;
    if is_stopped {
        output::note(
            "the service is not running, but agents are configured to use it; Tersely would restart it",
        )?;
    }
    let is_written = plan.is_due() && plan.ask(args)?;
    if is_written {
        establish(keeper, &plan.files[0], &meant, &mut receipts)?;
        write(&plan.files[1..], &mut receipts)?;
        output::note("Done. Restart your agents to use the gateway. To undo this: tersely uninstall")?;
        if let Some(advice) = keeper.advice() {
            output::note(advice)?;
        }
    }
    plan.end(args, is_written, || verify(meant, Some(listen), environment, &args.consent))
}

/// Notes about variables of this shell that the service does not see.
fn unheard(environment: &ClientEnvironment) -> Vec<String> {
    let is_unheard = |name: &&String| name.starts_with("TERSELY_") && !HEARD.contains(&name.as_str());
    let names: Vec<_> = environment.vars.keys().filter(is_unheard).cloned().collect();
    if names.is_empty() {
        return Vec::new();
    }
    let names = names.join(", ");
    vec![format!(
        "{names}: set only in this shell; to use it in the service, add it to ~/.config/tersely/tersely.toml"
    )]
}

/// Returns an error if another program listens at the address: another gateway there would answer even if the service
/// cannot start.
fn ensure_free(keeper: ServiceKeeper, listen: SocketAddr) -> Result<(), CommandFault> {
    if keeper.process().is_some() || TcpListener::bind(listen).is_ok() {
        return Ok(());
    }
    let hint = "stop it, or choose another port, for example: tersely init --service --listen 127.0.0.1:8788";
    Err(CommandFault::unable(format!("another program already listens on {listen}"), hint))
}

/// The settings of the gateway. Only the address can be set by an argument.
fn load_settings(args: &InitArgs) -> Result<AllSettings, CommandFault> {
    let sources = SettingSources::new(&Flags { listen: args.way.door.listen.clone(), ..Flags::default() });
    let meant = settings::load(&sources).map_err(settings::fault)?.settings;
    let listen = meant.gateway.listen;
    if listen.ip().is_loopback() && listen.port() != 0 {
        return Ok(meant);
    }
    let message = format!("{listen} must be a fixed address that only this machine can reach");
    Err(CommandFault::unable(
        message,
        "pass such an address, for example: tersely init --service --listen 127.0.0.1:8787",
    ))
}

/// The planned service file. A file that we did not write is not replaced.
fn unit(
    keeper: ServiceKeeper,
    environment: &ClientEnvironment,
    listen: SocketAddr,
    receipts: &Receipts,
) -> Result<PlannedFile, CommandFault> {
    let mut file = PlannedFile::read(&keeper.file(environment), SETTINGS_LIMIT, 0o600)?;
    let (program, listen) = (full_path(environment)?, listen.to_string());
    let spec = ServiceSpec { program: &program, listen: &listen, variables: service::variables(environment) };
    let text = keeper.text(&spec);
    let mut receipt = Receipt::new(ReceiptKind::Service, "", file.path());
    let earlier = receipts.find(&receipt);
    if earlier.is_some_and(|it| !it.added.split([' ', '\n', '<', '>']).any(|word| word == listen)) {
        let message = format!("the service already exists, at an address other than {listen}");
        let hint =
            "to move it, run `tersely uninstall` first; to leave it there, name its address with --listen";
        return Err(CommandFault::no(message, hint));
    }
    let is_ours = earlier.is_some_and(|earlier| earlier.added == file.text);
    if !file.is_new() && file.text != text && !is_ours {
        let message =
            format!("{}: exists already, and was not written by `tersely init`", file.path().display());
        let hint = "remove it if you no longer need it, or run `tersely init` without --service";
        return Err(CommandFault::no(message, hint));
    }
    (receipt.added, receipt.is_new) = (text.clone(), true);
    file.text = text;
    file.receipts = vec![receipt];
    Ok(file)
}

impl InitPlan {
    /// Adds the changes that point each client at the gateway.
    fn address(&mut self, environment: &ClientEnvironment, url: &str, receipts: &Receipts) {
        for client in self.clients.clone() {
            match address::plan(client, environment, url, receipts) {
                Ok((file, notes)) => {
                    self.files.push(file);
                    self.notes.extend(notes);
                }
                Err(why) => {
                    let name = client.name();
                    self.notes.push(format!(
                        "{name}: left unchanged, because {why}; start it with: tersely run {name}"
                    ));
                }
            }
        }
    }
}

/// Starts the service, and checks that it restarts after a kill. If it does not, the service is removed again, and no
/// client is changed.
fn establish(
    keeper: ServiceKeeper,
    unit: &PlannedFile,
    meant: &AllSettings,
    receipts: &mut Receipts,
) -> Result<(), Stop> {
    if !unit.is_changed() && keeper.process().is_some() && is_up(keeper, meant, None)? {
        return Ok(());
    }
    let earlier = unit.receipts.first().and_then(|receipt| receipts.find(receipt)).cloned();
    unit.write(receipts)?;
    let Err(why) = prove(keeper, unit, meant)? else { return Ok(()) };
    let hint = "run `tersely init` without --service, or see `tersely doctor`";
    if let Some(earlier) = earlier {
        create(unit.path(), &earlier.added, 0o600)?;
        receipts.add(earlier)?;
        let _ = keeper.start(unit.path());
        let message = format!("the earlier service was restored, and no client was changed: {why}");
        return Err(CommandFault::unable(message, hint).into());
    }
    let _ = keeper.stop();
    if std::fs::remove_file(unit.path()).is_ok() {
        unit.receipts.iter().try_for_each(|receipt| receipts.forget(receipt))?;
    }
    let _ = keeper.forget();
    let message = format!("the service was removed again, and no client was changed: {why}");
    Err(CommandFault::unable(message, hint).into())
}

/// Checks that the service answers, and that it answers again from another process after a kill. Otherwise returns the
/// reason.
fn prove(keeper: ServiceKeeper, unit: &PlannedFile, meant: &AllSettings) -> Result<Result<(), String>, Stop> {
    if let Err(why) = keeper.start(unit.path()) {
        return Ok(Err(why));
    }
    let listen = meant.gateway.listen;
    if !is_up(keeper, meant, None)? {
        return Ok(Err(format!("it did not respond at {listen}")));
    }
    let first = keeper.process();
    if let Err(why) = keeper.kill() {
        return Ok(Err(why));
    }
    if !is_up(keeper, meant, first)? {
        return Ok(Err("it did not restart after its process was killed".to_owned()));
    }
    output::note(&format!("the service responds at {listen}, and restarted after its process was killed"))?;
    Ok(Ok(()))
}

/// Waits until the service runs in a process other than `not` and its gateway answers. False after a timeout.
fn is_up(keeper: ServiceKeeper, meant: &AllSettings, not: Option<u32>) -> Result<bool, Stop> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let end = Instant::now() + STARTUP_TIMEOUT;
    while Instant::now() < end {
        let process = keeper.process();
        let is_new = process.is_some() && (not.is_none() || process != not);
        if is_new && runtime.block_on(is_ours(&meant.gateway, meant.gateway.listen)) {
            return Ok(true);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(false)
}
