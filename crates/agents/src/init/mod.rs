//! `tersely init`: finds the agents on a machine and, with the user's consent, makes them start through Tersely.
//!
//! A client must still work if the gateway is down. So clients start through `tersely run`, which has its own gateway.
//! A client's settings refer to a permanent gateway only after its service has been seen to restart by itself.

mod address;
mod door;
mod hook;
mod plan;
mod service;
mod service_setup;
mod shell;
mod status_line;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};
use tersely_settings::{self as settings, AllSettings, Flags, SettingSources};
use tersely_terminal::fault::{CommandFault, NO, Stop};
use tersely_terminal::output;

use crate::clients::{CLIENTS, Client, ClientEnvironment, LocalEndpoints};
use crate::edit::Consent;
use crate::init::door::{Door, DoorFlags};
use crate::init::plan::PlannedFile;
use crate::receipt::Receipts;

pub(crate) use service::ServiceKeeper;
pub(crate) use shell::{BEGIN, END, block_place, foreign_lines};

const EXAMPLES: &str = "\
Examples:
  tersely init --dry-run
  tersely init
  tersely init --hook --statusline
  tersely init --service --verify
  tersely uninstall

Exit codes: 1 if you declined or no agent was found; 2 if init could not ask for confirmation or could not write the changes.";

/// Set up the agents on this machine to use Tersely
///
/// Finds your agents, shows the planned changes, asks for confirmation, writes the changes, and explains how to undo
/// them. By default, init adds aliases such as claude='tersely run claude' to the startup files of your shells. If the
/// tersely program is missing, the agents start as usual. Instead of aliases, --hook adds hooks to the agents' settings,
/// and --service installs a gateway that starts automatically. `tersely uninstall` undoes all of these changes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct InitArgs {
    #[command(flatten)]
    way: InitWay,
    /// After setup, check that the gateway is ready; if an API key is set and you agree, also list a provider's models
    /// through the gateway
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    consent: Consent,
    /// Print the result as a JSON object
    #[arg(long)]
    json: bool,
}

/// How clients are sent through Tersely, and what they show of it.
#[derive(Debug, clap::Args)]
struct InitWay {
    #[command(flatten)]
    door: DoorFlags,
    /// Also show savings in Claude Code's status line, unless you already have a custom one
    #[arg(long)]
    statusline: bool,
}

/// Sends a real request through a gateway with these settings: the gateway at the address or, without an address, one
/// that is started for this purpose. True if everything succeeded.
pub type Verify<'v> =
    &'v dyn Fn(AllSettings, Option<SocketAddr>, &ClientEnvironment, &Consent) -> Result<bool, Stop>;

/// The planned changes.
struct InitPlan {
    /// The clients that were found.
    clients: Vec<&'static dyn Client>,
    files: Vec<PlannedFile>,
    /// Notes about what is left unchanged, and why.
    notes: Vec<String>,
    /// True if the service is installed but not running.
    is_stopped: bool,
}

/// Runs the command.
///
/// # Errors
/// If no agent is found, or nothing can be written.
pub fn run(args: &InitArgs, verify: Verify<'_>) -> Result<ExitCode, Stop> {
    let environment = ClientEnvironment::around(&[]);
    let clients = installed_clients(&environment);
    if clients.is_empty() {
        let names: Vec<_> = CLIENTS.iter().map(|client| client.name()).collect();
        let hint = "install one first; any other agent starts with `tersely run -- CMD`";
        return Err(CommandFault::no(format!("no agent found on PATH: {}", names.join(", ")), hint).into());
    }
    ensure_installed()?;
    let receipts = if args.consent.dry_run { Receipts::look() } else { Receipts::open() }?;
    let has_hook = clients.iter().any(|client| hook::CLIENTS.contains(&client.name()));
    let door = Door::choose(args, has_hook)?;
    door.ensure_only(&receipts)?;
    match door {
        Door::Run => alias(args, &environment, clients, receipts, verify),
        Door::Hook => hook::run(args, &environment, clients, receipts),
        Door::Service => service_setup::run(args, &environment, clients, receipts, verify),
    }
}

/// Parts of paths where programs are downloaded for a single run and removed later.
const PASSING: [&str; 3] = ["/_npx/", "/archive-v0/", "/.cache/pipx/"];

/// Refuses to run from a temporary folder, because the files that are written contain the path of the program.
fn ensure_installed() -> Result<(), CommandFault> {
    let path = std::env::current_exe().unwrap_or_default();
    let plain = path.to_string_lossy().replace('\\', "/");
    if PASSING.iter().any(|folder| plain.contains(folder)) {
        let message = format!("{} was fetched for this one run", path.display());
        let hint = "install it first, for example with `npm install -g tersely` or `uv tool install tersely`";
        return Err(CommandFault::no(message, hint));
    }
    Ok(())
}

/// Makes clients start through `tersely run`, by aliases.
fn alias(
    args: &InitArgs,
    environment: &ClientEnvironment,
    clients: Vec<&'static dyn Client>,
    mut receipts: Receipts,
    verify: Verify<'_>,
) -> Result<ExitCode, Stop> {
    let program = program(environment)?;
    let (clients, notes) = runnable(environment, clients);
    let names: Vec<_> = clients.iter().map(|client| client.name()).collect();
    let Some(name) = names.first() else {
        let hint = "any other agent starts with `tersely run -- CMD`";
        return Err(CommandFault::no(notes.join("\n"), hint).into());
    };
    let paths = shell::files(environment);
    let mut plan = InitPlan { clients, files: Vec::new(), notes, is_stopped: false };
    for path in &paths {
        match shell::plan(path, &program, &names, &receipts) {
            Ok(planned) => {
                plan.files.extend(planned.file);
                plan.notes.extend(planned.notes);
            }
            Err(fault) => plan.notes.push(format!("left alone: {}", fault.message)),
        }
    }
    let is_without_alias = plan.files.is_empty();
    plan.add_status_line(args, environment, &program, &receipts);
    plan.show(args)?;
    if is_without_alias {
        let hint = format!("without an alias, start agents with: {program} run {name}");
        return Err(
            CommandFault::no("found no bash, zsh or fish configuration file for an alias", hint).into()
        );
    }
    let is_written = plan.is_due() && plan.ask(args)?;
    if is_written {
        write(&plan.files, &mut receipts)?;
        output::note(&format!(
            "Done. In a new shell, `{name}` starts through Tersely, and `command {name}` starts without it.\n\
             To undo this: tersely uninstall"
        ))?;
    }
    plan.end(args, is_written, || {
        let sources = SettingSources::new(&Flags::default());
        let meant = settings::load_telling(&sources)?.settings;
        verify(meant, None, environment, &args.consent)
    })
}

impl InitPlan {
    /// True if there is something to do.
    fn is_due(&self) -> bool {
        self.is_stopped || self.files.iter().any(PlannedFile::is_changed)
    }

    /// Adds Claude Code's status line, or a note that there is one to be had.
    fn add_status_line(
        &mut self,
        args: &InitArgs,
        environment: &ClientEnvironment,
        program: &str,
        receipts: &Receipts,
    ) {
        if !self.clients.iter().any(|client| client.name() == status_line::CLIENT) {
            return;
        }
        if args.way.statusline {
            self.notes.extend(status_line::plan(environment, program, &mut self.files, receipts).err());
        } else {
            self.notes.extend(status_line::offer(environment));
        }
    }

    /// Prints the agents found, the planned changes, and what is left unchanged.
    fn show(&self, args: &InitArgs) -> Result<(), Stop> {
        let names: Vec<_> = self.clients.iter().map(|client| client.name()).collect();
        output::note(&format!("found: {}", names.join(", ")))?;
        for note in &self.notes {
            output::note(note)?;
        }
        if !self.is_due() && !self.files.is_empty() {
            output::note("nothing to change: Tersely is already set up")?;
        }
        for file in self.files.iter().filter(|file| file.is_changed() && !args.json) {
            output::with_colors(&file.show())?;
        }
        Ok(())
    }

    fn ask(&self, args: &InitArgs) -> Result<bool, Stop> {
        let agreed = args.consent.confirm("Write this?");
        if !matches!(agreed, Ok(true)) && args.json {
            output::result(&self.json(false, None).to_string())?;
        }
        agreed
    }

    /// Verifies with `--verify`, reports, and returns the exit code.
    fn end(
        &self,
        args: &InitArgs,
        is_written: bool,
        verify: impl FnOnce() -> Result<bool, Stop>,
    ) -> Result<ExitCode, Stop> {
        let is_declined = self.is_due() && !is_written;
        if is_declined {
            if !args.consent.dry_run {
                output::note("nothing was written")?;
            }
            return Ok(ExitCode::from(if args.consent.dry_run { 0 } else { NO }));
        }
        let verified = if args.verify && !args.consent.dry_run { Some(verify()?) } else { None };
        if args.json {
            output::result(&self.json(is_written, verified).to_string())?;
        }
        Ok(ExitCode::from(if verified == Some(false) { NO } else { 0 }))
    }

    fn json(&self, is_written: bool, verified: Option<bool>) -> Value {
        let names: Vec<_> = self.clients.iter().map(|client| client.name()).collect();
        let changed = self.files.iter().filter(|file| file.is_changed());
        let files: Vec<_> =
            changed.map(|file| json!({ "file": file.path(), "new": file.is_new() })).collect();
        json!({
            "clients": names, "files": files, "written": is_written, "verified": verified, "notes": self.notes,
        })
    }
}

/// Writes all files. An error states whether other files were already written.
fn write(files: &[PlannedFile], receipts: &mut Receipts) -> Result<(), CommandFault> {
    let changed = files.iter().filter(|file| file.is_changed());
    for (at, file) in changed.enumerate() {
        file.write(receipts).map_err(|fault| {
            if at == 0 {
                return fault;
            }
            let message = format!("{}; other files had already been written", fault.message);
            CommandFault::unable(message, "to undo that: tersely uninstall")
        })?;
    }
    Ok(())
}

/// The clients that `tersely run` can start here, and why it cannot start the others. An alias must not break a client.
fn runnable(
    environment: &ClientEnvironment,
    clients: Vec<&'static dyn Client>,
) -> (Vec<&'static dyn Client>, Vec<String>) {
    let mut notes = Vec::new();
    let mut is_able = |client: &&'static dyn Client| {
        let pointed = client.point(environment, &mut LocalEndpoints::default());
        notes.extend(
            pointed
                .as_ref()
                .err()
                .map(|fault| format!("{}: left unchanged, because {}", client.name(), fault.message)),
        );
        pointed.is_ok()
    };
    let able = clients.into_iter().filter(|client| is_able(client)).collect();
    (able, notes)
}

/// The clients that are installed on PATH.
fn installed_clients(environment: &ClientEnvironment) -> Vec<&'static dyn Client> {
    CLIENTS.into_iter().filter(|client| on_path(environment, client.name()).is_some()).collect()
}

/// Finds a command on PATH.
fn on_path(environment: &ClientEnvironment, name: &str) -> Option<PathBuf> {
    let folders = std::env::split_paths(environment.var("PATH")?).filter(|folder| folder.is_absolute());
    let ends: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ".bat"] } else { &[""] };
    let mut files =
        folders.flat_map(|folder| ends.iter().map(move |end| folder.join(format!("{name}{end}"))));
    files.find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    let Ok(about) = file.metadata() else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    about.is_file() && may_run
}

/// The command for this program in a shell: its name if it is on PATH, else its full path.
fn program(environment: &ClientEnvironment) -> Result<String, CommandFault> {
    if on_path(environment, "tersely").is_some() {
        return Ok("tersely".to_owned());
    }
    full_path(environment)
}

/// The full path of this program. A path found on PATH is preferred, because a link there stays valid after an update.
fn full_path(environment: &ClientEnvironment) -> Result<String, CommandFault> {
    let own = std::env::current_exe().ok();
    let real = |path: &PathBuf| path.canonicalize().ok();
    let named = on_path(environment, "tersely").filter(|named| real(named) == own.as_ref().and_then(real));
    let path = named.or(own).and_then(|path| path.to_str().map(str::to_owned));
    let hint = "run it from a path that is UTF-8";
    path.ok_or_else(|| CommandFault::unable("the path of this program cannot be read", hint))
}
