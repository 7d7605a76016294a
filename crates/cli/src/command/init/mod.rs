//! `tersely init`: finds the clients on a machine, and makes them start through Tersely, once someone said yes.
//!
//! A gateway that is down must not stop a client. So clients start through `tersely run`, which brings its own; a client's
//! settings name a gateway only once a service was seen to come back by itself.

mod address;
mod plan;
mod service;
mod shell;
mod standing;
mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};
use tersely_terminal::fault::{CommandFault, NO, Stop};
use tersely_terminal::output;

use crate::command::init::plan::PlannedFile;
use crate::command::run::{CLIENTS, Client, World};
use crate::edit::Consent;
use crate::receipt::{ReceiptKind, Receipts};
use crate::settings::{self, Flags, SettingSources};

pub(crate) use address::SETTINGS_LIMIT;
pub(crate) use service::ServiceKeeper;
pub(crate) use shell::{BEGIN, END, RC_LIMIT, block_place};

const EXAMPLES: &str = "\
Examples:
  tersely init --dry-run
  tersely init
  tersely init --service --verify
  tersely uninstall

Exit codes: 1 if the answer was no or nothing was found, 2 if nothing could be written or nobody could be asked.";

/// Make the agents on this machine start through Tersely
///
/// Finds them, shows what it would write, asks, writes, and says how to undo it. Writes aliases such as
/// claude='tersely run claude' into the files that your shells read. With --service it installs a gateway that starts
/// by itself instead, and points the agents' own settings at it. `tersely uninstall` undoes both.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    way: InitWay,
    /// Then ask a gateway whether it is ready and, with your consent and key, a provider through it which models it has
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    consent: Consent,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// How clients come through Tersely.
#[derive(Debug, clap::Args)]
struct InitWay {
    /// Install a gateway that starts by itself (systemd, launchd), and point the agents' settings at it
    #[arg(long)]
    service: bool,
    /// The address of that gateway; default: that of `tersely serve`
    #[arg(long, value_name = "ADDR", requires = "service")]
    listen: Option<String>,
}

/// What would be done.
struct InitPlan {
    /// The clients that were found.
    clients: Vec<&'static dyn Client>,
    files: Vec<PlannedFile>,
    /// What is not done, and why.
    notes: Vec<String>,
}

/// Sets up what was asked for.
pub(crate) fn run(args: &InitArgs) -> Result<ExitCode, Stop> {
    let world = World::around(&[]);
    let clients = found(&world);
    if clients.is_empty() {
        let names: Vec<_> = CLIENTS.iter().map(|client| client.name()).collect();
        let hint = "install one first; any other agent starts with `tersely run -- CMD`";
        return Err(CommandFault::no(format!("no agent found on PATH: {}", names.join(", ")), hint).into());
    }
    let receipts = Receipts::open()?;
    ensure_one_way(args, &receipts)?;
    if args.way.service {
        standing::run(args, &world, clients, receipts)
    } else {
        alias(args, &world, clients, receipts)
    }
}

/// Two ways at once would send every request through two gateways.
fn ensure_one_way(args: &InitArgs, receipts: &Receipts) -> Result<(), CommandFault> {
    let other = if args.way.service { ReceiptKind::Block } else { ReceiptKind::Service };
    if receipts.all.iter().any(|receipt| receipt.kind == other) {
        let message = "the agents already come through Tersely in another way";
        return Err(CommandFault::no(message, "run `tersely uninstall` first"));
    }
    Ok(())
}

/// Makes clients start through `tersely run`, by aliases.
fn alias(
    args: &InitArgs,
    world: &World,
    clients: Vec<&'static dyn Client>,
    mut receipts: Receipts,
) -> Result<ExitCode, Stop> {
    let program = program(world)?;
    let names: Vec<_> = clients.iter().map(|client| client.name()).collect();
    let paths = shell::files(world);
    let mut plan = InitPlan { clients, files: Vec::new(), notes: Vec::new() };
    for path in &paths {
        let planned = shell::plan(path, &program, &names, &receipts)?;
        plan.files.push(planned.file);
        plan.notes.extend(planned.notes);
    }
    if paths.is_empty() {
        plan.notes
            .push(format!("no file of a shell was found; start agents with: {program} run {}", names[0]));
    }
    plan.show(args)?;
    let is_written = plan.is_changed() && plan.agreed(args)?;
    if is_written {
        let mut changed = plan.files.iter().filter(|file| file.is_changed());
        changed.try_for_each(|file| file.write(&mut receipts))?;
        let name = names[0];
        output::note(&format!(
            "written. Open a new shell, then `{name}` starts through Tersely, and `command {name}` without it.\n\
             To undo it: tersely uninstall"
        ))?;
    }
    plan.end(args, is_written, || {
        let sources = SettingSources::new(&Flags::default());
        let meant = settings::load(&sources).map_err(settings::fault)?.settings;
        verify::run(meant, None, world, &args.consent)
    })
}

impl InitPlan {
    fn is_changed(&self) -> bool {
        self.files.iter().any(PlannedFile::is_changed)
    }

    /// Says what was found, what would be written, and what not.
    fn show(&self, args: &InitArgs) -> Result<(), Stop> {
        let names: Vec<_> = self.clients.iter().map(|client| client.name()).collect();
        output::note(&format!("found: {}", names.join(", ")))?;
        for note in &self.notes {
            output::note(note)?;
        }
        if !self.is_changed() {
            output::note("nothing to change: it is set up already")?;
        }
        for file in self.files.iter().filter(|file| file.is_changed() && !args.json) {
            output::styled(&file.show())?;
        }
        Ok(())
    }

    fn agreed(&self, args: &InitArgs) -> Result<bool, Stop> {
        let agreed = args.consent.given("Write this?");
        if !matches!(agreed, Ok(true)) && args.json {
            output::result(&self.json(false).to_string())?;
        }
        agreed
    }

    /// Verifies if that was asked for, reports, and gives the exit code.
    fn end(
        &self,
        args: &InitArgs,
        is_written: bool,
        verify: impl FnOnce() -> Result<bool, Stop>,
    ) -> Result<ExitCode, Stop> {
        let is_declined = self.is_changed() && !is_written;
        if is_declined {
            if !args.consent.dry_run {
                output::note("nothing was written")?;
            }
            return Ok(ExitCode::from(if args.consent.dry_run { 0 } else { NO }));
        }
        let is_well = args.consent.dry_run || !args.verify || verify()?;
        if args.json {
            output::result(&self.json(is_written).to_string())?;
        }
        Ok(ExitCode::from(if is_well { 0 } else { NO }))
    }

    fn json(&self, is_written: bool) -> Value {
        let names: Vec<_> = self.clients.iter().map(|client| client.name()).collect();
        let changed = self.files.iter().filter(|file| file.is_changed());
        let files: Vec<_> =
            changed.map(|file| json!({ "file": file.path(), "new": file.is_new() })).collect();
        json!({ "clients": names, "files": files, "written": is_written, "notes": self.notes })
    }
}

/// The clients that are on PATH.
fn found(world: &World) -> Vec<&'static dyn Client> {
    CLIENTS.into_iter().filter(|client| on_path(world, client.name()).is_some()).collect()
}

/// Where a command is that PATH leads to.
fn on_path(world: &World, name: &str) -> Option<PathBuf> {
    let folders = std::env::split_paths(world.var("PATH")?).filter(|folder| folder.is_absolute());
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

/// How a shell starts this program: by its name where PATH leads to it, or by its full path.
fn program(world: &World) -> Result<String, CommandFault> {
    if on_path(world, "tersely").is_some() {
        return Ok("tersely".to_owned());
    }
    full_path()
}

/// The full path of this program.
fn full_path() -> Result<String, CommandFault> {
    let path = std::env::current_exe().ok().and_then(|path| path.to_str().map(str::to_owned));
    let hint = "run it from a path that is UTF-8";
    path.ok_or_else(|| CommandFault::unable("the path of this program cannot be read", hint))
}
