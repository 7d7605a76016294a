//! `tersely mcp install` and `uninstall`: wraps the MCP servers in a client's configuration, and unwraps them.

mod client;
mod entry;
mod json;
mod toml;
mod undo;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tersely_terminal::fault::{CommandFault, NO, Stop};
use tersely_terminal::{output, table};

use crate::clients::ClientEnvironment;
use crate::edit::{ClientFile, Consent, FileEdit, Patch, apply};
use crate::mcp_install::client::{FileShape, McpClient};
use crate::mcp_install::entry::{ServerEntry, Standing};

pub(crate) use undo::WrappedServers;

/// The maximum size of a JSON file, in bytes: Claude Code stores more than settings in its file.
const JSON_LIMIT: u64 = 32_000_000;

/// The maximum size of a TOML file, in bytes: parsing takes many times that much memory.
const TOML_LIMIT: u64 = 4_000_000;

/// Which configuration is changed, and how.
#[derive(Debug, clap::Args)]
pub struct InstallArgs {
    /// The client to configure
    #[arg(long)]
    client: McpClient,
    #[command(flatten)]
    servers: ServerChoice,
    /// The configuration file to change, such as a project's .mcp.json; default: the client's configuration file for
    /// this user
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    #[command(flatten)]
    consent: Consent,
}

/// The servers to change.
#[derive(Debug, clap::Args)]
struct ServerChoice {
    /// The name of a server to change; may be repeated
    #[arg(long, value_name = "NAME")]
    server: Vec<String>,
    /// Change all servers in the configuration file
    #[arg(long, conflicts_with = "server")]
    all: bool,
}

/// A client's file and the servers in it.
struct Scene {
    shape: FileShape,
    file: ClientFile,
    entries: Vec<ServerEntry>,
    /// The backup, if there is one: the file before its first server was wrapped.
    before: Option<(ClientFile, Vec<ServerEntry>)>,
    program: String,
}

/// Wraps servers.
///
/// # Errors
/// If the file cannot be read or changed, if the change could not be undone, or if there is nobody to ask.
pub fn install(args: &InstallArgs) -> Result<ExitCode, Stop> {
    let scene = Scene::open(args)?;
    let chosen = scene.select(&args.servers)?;
    let is_there = |entry: &&&ServerEntry| matches!(entry.standing(&scene.program), Standing::Wrapped(_));
    let already = chosen.iter().filter(is_there).count();
    for entry in &chosen {
        let why = match entry.standing(&scene.program) {
            Standing::Direct => continue,
            Standing::Wrapped(_) => "it already goes through Tersely",
            Standing::Tersely => "it is Tersely itself",
            Standing::Unfit(why) => why,
        };
        output::note(&format!("{}: skipped, because {why}", entry.label()))?;
    }
    let direct = chosen.into_iter().filter(|entry| entry.standing(&scene.program) == Standing::Direct);
    let direct: Vec<_> = direct.collect();
    let program = quote(&scene.program);
    let patches = direct.iter().flat_map(|entry| entry.wrap(&scene.file.text, &program)).collect::<Vec<_>>();
    if patches.is_empty() {
        output::note(&format!("{}: nothing to change", scene.file.path.display()))?;
        return Ok(ExitCode::from(if already > 0 { 0 } else { NO }));
    }
    let edit = FileEdit::new(scene.file.clone(), patches);
    scene.ensure_undone(&direct, edit.after())?;
    if !ask(&args.consent, &edit)? {
        return report_declined(&args.consent);
    }
    // An older backup is kept as long as any server that was wrapped after it is still wrapped.
    if scene.before.is_none() || scene.ours().is_empty() {
        scene.file.keep()?;
    }
    if let Err(fault) = undo::record(args.client, &scene.file.path) {
        output::note(&format!(
            "note: `tersely uninstall` will not undo this, because it could not be recorded: {}",
            fault.message
        ))?;
    }
    edit.write()?;
    let (count, kept) = (direct.len(), scene.file.backup());
    let servers = if count == 1 { "1 server goes" } else { &format!("{count} servers go") };
    output::note(&format!(
        "{servers} through Tersely after the client restarts; backup: {}",
        kept.display()
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Unwraps servers.
///
/// # Errors
/// If the file cannot be read or changed, or there is nobody to ask.
pub fn uninstall(args: &InstallArgs) -> Result<ExitCode, Stop> {
    let scene = Scene::open(args)?;
    let chosen = scene.select(&args.servers)?;
    let chosen = if args.servers.all { scene.ours() } else { chosen };
    let Some(edit) = scene.without(&chosen)? else {
        output::note(&format!("{}: nothing to change", scene.file.path.display()))?;
        return Ok(ExitCode::SUCCESS);
    };
    if !ask(&args.consent, &edit)? {
        return report_declined(&args.consent);
    }
    edit.write()?;
    output::note(&scene.farewell(args.client, edit.after(), &chosen)?)?;
    Ok(ExitCode::SUCCESS)
}

impl Scene {
    fn open(args: &InstallArgs) -> Result<Self, CommandFault> {
        Self::read(args.client, &find(args)?)
    }

    fn read(client: McpClient, path: &Path) -> Result<Self, CommandFault> {
        let shape = client.shape();
        let limit = match shape {
            FileShape::Json(_) => JSON_LIMIT,
            FileShape::Toml(_) => TOML_LIMIT,
        };
        let file = ClientFile::read(path, limit)?;
        let entries = servers(shape, &file.path, &file.text)?;
        let before = ClientFile::read(&file.backup(), limit).ok().and_then(|before| {
            let entries = servers(shape, &before.path, &before.text).ok()?;
            Some((before, entries))
        });
        let program = std::env::current_exe().ok().and_then(|path| path.to_str().map(str::to_owned));
        let hint = "run it from a path that is UTF-8";
        let program =
            program.ok_or_else(|| CommandFault::unable("the path of this program cannot be read", hint))?;
        Ok(Self { shape, file, entries, before, program })
    }

    /// The chosen servers; without a choice, an error that lists them.
    fn select(&self, choice: &ServerChoice) -> Result<Vec<&ServerEntry>, Stop> {
        let file = self.file.path.display();
        if self.entries.is_empty() {
            let hint = "add one with the client first, or name another file with --file";
            return Err(CommandFault::no(format!("{file}: contains no MCP servers"), hint).into());
        }
        if choice.server.is_empty() && !choice.all {
            output::result(&self.list())?;
            let hint =
                "add --all for all of them, or --server NAME for one; --server may be given more than once";
            return Err(CommandFault::no(format!("{file}: no server chosen"), hint).into());
        }
        if let Some(unknown) =
            choice.server.iter().find(|name| !self.entries.iter().any(|entry| entry.name == **name))
        {
            let known: Vec<_> = self.entries.iter().map(ServerEntry::label).collect();
            let message = format!("{file}: no server {unknown:?}; there are: {}", known.join(", "));
            return Err(CommandFault::no(message, "name one of these, or add --all for all of them").into());
        }
        let is_meant = |entry: &&ServerEntry| choice.all || choice.server.contains(&entry.name);
        Ok(self.entries.iter().filter(is_meant).collect())
    }

    fn list(&self) -> String {
        let row = |entry: &ServerEntry| {
            let state = match entry.standing(&self.program) {
                Standing::Direct => output::visible(entry.program()),
                Standing::Wrapped(_) => "goes through Tersely".to_owned(),
                Standing::Tersely => "is Tersely itself".to_owned(),
                Standing::Unfit(why) => format!("cannot: {why}"),
            };
            vec![entry.label(), state]
        };
        table::align("ll", &self.entries.iter().map(row).collect::<Vec<_>>())
    }

    /// The servers that are wrapped now but not in the backup.
    fn ours(&self) -> Vec<&ServerEntry> {
        let is_wrapped = |entry: &ServerEntry| matches!(entry.standing(&self.program), Standing::Wrapped(_));
        let earlier = self.before.iter().flat_map(|(_, entries)| entries).filter(|entry| is_wrapped(entry));
        let earlier: Vec<_> = earlier.collect();
        let is_ours = |entry: &&ServerEntry| is_wrapped(entry) && !earlier.iter().any(|it| it.is_same(entry));
        self.entries.iter().filter(is_ours).collect()
    }

    /// The patches that unwrap these servers.
    fn unwrap_patches(&self, text: &str, entries: &[&ServerEntry]) -> Vec<Patch> {
        let patches = entries.iter().flat_map(|entry| match entry.standing(&self.program) {
            Standing::Wrapped(own) => entry.unwrap_from(text, own),
            _ => Vec::new(),
        });
        patches.collect()
    }

    /// The edit that unwraps these servers; `None` if none of them is wrapped.
    fn without(&self, chosen: &[&ServerEntry]) -> Result<Option<FileEdit>, CommandFault> {
        let patches = self.unwrap_patches(&self.file.text, chosen);
        if patches.is_empty() {
            return Ok(None);
        }
        let edit = FileEdit::new(self.file.clone(), patches);
        servers(self.shape, &self.file.path, edit.after())?;
        Ok(Some(edit))
    }

    /// Reports the state of the file, and removes the backup once the file is equal to it.
    fn farewell(
        &self,
        client: McpClient,
        text: &str,
        chosen: &[&ServerEntry],
    ) -> Result<String, CommandFault> {
        let is_left = |entry: &&ServerEntry| !chosen.iter().any(|it| it.is_same(entry));
        let left = self.ours().into_iter().filter(is_left).count();
        if left == 0 {
            undo::forget(client, &self.file.path)?;
        }
        Ok(self.last_words(text, left))
    }

    fn last_words(&self, text: &str, left: usize) -> String {
        let backup = self.file.backup();
        let shown = backup.display();
        match &self.before {
            Some((before, _)) if before.text == text => std::fs::remove_file(&backup).map_or_else(
                |error| {
                    format!("the file is unchanged, but its backup {shown} could not be removed: {error}")
                },
                |()| "the file is restored, byte for byte, and its backup is removed".to_owned(),
            ),
            _ if left > 0 => format!("still going through Tersely: {left}; use --all to restore all servers"),
            Some(_) => format!("the file has other changes, which stay; so does its backup: {shown}"),
            None => "the servers start without Tersely; there was no backup to compare with".to_owned(),
        }
    }

    /// Returns an error for an edit that `uninstall` could not undo.
    fn ensure_undone(&self, changed: &[&ServerEntry], text: &str) -> Result<(), CommandFault> {
        let entries = servers(self.shape, &self.file.path, text)?;
        let is_changed = |entry: &&ServerEntry| changed.iter().any(|it| it.is_same(entry));
        let again: Vec<_> = entries.iter().filter(is_changed).collect();
        if apply(text, &mut self.unwrap_patches(text, &again)) == self.file.text {
            return Ok(());
        }
        let message = format!("{}: written in a way that could not be undone", self.file.path.display());
        Err(CommandFault::unable(
            message,
            "nothing was changed; please report this, and attach the file if you can",
        ))
    }
}

/// The path of the file to change.
fn find(args: &InstallArgs) -> Result<PathBuf, CommandFault> {
    let files = args
        .file
        .as_ref()
        .map_or_else(|| args.client.files(&ClientEnvironment::around(&[])), |it| vec![it.clone()]);
    let looked: Vec<_> = files.iter().map(|path| path.display().to_string()).collect();
    files.into_iter().find(|path| path.exists()).ok_or_else(|| {
        let hint = "add a server with the client first, or name its file with --file";
        CommandFault::unable(format!("no such file: {}", looked.join(", ")), hint)
    })
}

fn servers(shape: FileShape, path: &Path, text: &str) -> Result<Vec<ServerEntry>, CommandFault> {
    let found = match shape {
        FileShape::Json(paths) => json::servers(paths, text),
        FileShape::Toml(key) => toml::servers(key, text),
    };
    found.map_err(|fault| fault.fault(path, text))
}

/// Quotes a string in a way that is valid in both JSON and TOML.
fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// Shows the changes, and asks for consent.
fn ask(consent: &Consent, edit: &FileEdit) -> Result<bool, Stop> {
    output::with_colors(&edit.show())?;
    consent.confirm("Write this?")
}

fn report_declined(consent: &Consent) -> Result<ExitCode, Stop> {
    if consent.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    output::note("nothing was written")?;
    Ok(ExitCode::from(NO))
}
