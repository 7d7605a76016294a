//! Undoes one recorded change.

use std::fs;
use std::path::PathBuf;

use tersely_terminal::fault::CommandFault;

use crate::edit::{
    ClientFile, FileEdit, Patch, SETTINGS_LIMIT, SettingPlace, SettingsShape, TextFault, is_same_value,
    list_item,
};
use crate::init::{BEGIN, END, ServiceKeeper, block_place, foreign_lines};
use crate::mcp_install::WrappedServers;
use crate::receipt::{Receipt, ReceiptKind};

/// The outcome for one recorded change.
#[derive(Debug)]
pub(super) struct UndoReport {
    pub(super) kind: ReceiptKind,
    pub(super) file: PathBuf,
    pub(super) state: UndoState,
    /// The outcome in words, for the user.
    pub(super) words: String,
}

/// Whether a change is undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UndoState {
    /// It will be removed.
    Due,
    /// It was removed.
    Removed,
    /// Someone else already removed or replaced it.
    Gone,
    /// It is still there, and has to be removed by hand.
    Left,
}

impl UndoState {
    /// The name of the state in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Due => "remove",
            Self::Removed => "removed",
            Self::Gone => "gone",
            Self::Left => "left",
        }
    }
}

/// The action that undoes a recorded change.
enum UndoAction {
    /// Change a file.
    Edit(FileEdit),
    /// Remove a file that contains nothing else.
    Remove(FileEdit),
    /// Unwrap MCP servers.
    Unwrap(Box<WrappedServers>),
    /// Stop a service, and remove its file unless it was changed.
    Stop(ServiceKeeper, Option<FileEdit>),
    /// Nothing.
    Nothing,
}

/// Reports what would be done, without doing it.
pub(super) fn look(receipt: &Receipt) -> UndoReport {
    match way(receipt) {
        Ok((UndoAction::Nothing, words)) => report(receipt, UndoState::Gone, words),
        Ok((_, words)) => report(receipt, UndoState::Due, words),
        Err(fault) => report_left(receipt, &fault),
    }
}

/// Undoes the change, and reports what was done.
pub(super) fn undo(receipt: &Receipt) -> UndoReport {
    let acted = way(receipt).and_then(|(way, words)| {
        let state = if matches!(way, UndoAction::Nothing) { UndoState::Gone } else { UndoState::Removed };
        let more = act(way)?;
        Ok(report(receipt, state, more.map_or_else(|| words.clone(), |more| format!("{words}; {more}"))))
    });
    acted.unwrap_or_else(|fault| report_left(receipt, &fault))
}

fn act(way: UndoAction) -> Result<Option<String>, CommandFault> {
    match way {
        UndoAction::Nothing => {}
        UndoAction::Edit(edit) => edit.write()?,
        UndoAction::Remove(edit) => edit.remove()?,
        UndoAction::Unwrap(servers) => return servers.unwrap_all().map(Some),
        UndoAction::Stop(keeper, file) => {
            let stopped = keeper.stop();
            if let Some(file) = file {
                file.remove()?;
            }
            let _ = keeper.forget();
            // A service that does not run need not be stopped.
            if let (Err(why), Some(process)) = (stopped, keeper.process()) {
                return Ok(Some(format!(
                    "process {process} is still running, because it could not be stopped: {why}"
                )));
            }
        }
    }
    Ok(None)
}

fn way(receipt: &Receipt) -> Result<(UndoAction, String), CommandFault> {
    if receipt.file.symlink_metadata().is_err() && receipt.kind != ReceiptKind::Service {
        return Ok((UndoAction::Nothing, "the file no longer exists".to_owned()));
    }
    match receipt.kind {
        ReceiptKind::Block => block(receipt),
        ReceiptKind::Setting => setting(receipt),
        ReceiptKind::Item => item(receipt),
        ReceiptKind::File => whole_file(receipt),
        ReceiptKind::Service => service(receipt),
        ReceiptKind::Servers => servers(receipt),
    }
}

/// Plans how to undo the lines in a shell's startup file.
fn block(receipt: &Receipt) -> Result<(UndoAction, String), CommandFault> {
    let file = ClientFile::read(&receipt.file, SETTINGS_LIMIT)?;
    let place = block_place(&file.text).map_err(|()| {
        let message = format!(
            "the lines {BEGIN} and {END} do not match; edit the file and remove what `tersely init` wrote"
        );
        CommandFault::unable(message, "")
    })?;
    let Some(place) = place else {
        return Ok((UndoAction::Nothing, "the lines are already gone".to_owned()));
    };
    // We inserted a line break in front of our lines. If other lines follow ours, they still need it.
    let is_last = place.end == file.text.len();
    let whole = file.text[..place.end].strip_suffix(receipt.added.as_str()).map(str::len);
    let place = whole.filter(|_| is_last).map_or(place.clone(), |start| start..place.end);
    // Lines that someone else wrote between ours stay.
    let text = foreign_lines(&receipt.added, &file.text[place.clone()]);
    let words = if text.is_empty() { "" } else { "; what you wrote between them stays" };
    Ok((cut(receipt, file, Patch { place, text }), format!("the lines of `tersely init`{words}")))
}

/// Plans how to undo a value in a client's settings.
fn setting(receipt: &Receipt) -> Result<(UndoAction, String), CommandFault> {
    let file = ClientFile::read(&receipt.file, SETTINGS_LIMIT)?;
    let (shape, setting) = (SettingsShape::of(&receipt.file), &receipt.setting);
    let name = setting.name();
    let unable = |why: &str| CommandFault::unable(format!("{why}; remove {name} yourself"), "");
    let stands = shape.value(&file.text, &setting.path).map_err(|fault| unable(fault.words()))?;
    match stands {
        None => return Ok((UndoAction::Nothing, format!("{name} is no longer set"))),
        Some(value) if !is_same_value(&value, &setting.value) => {
            return Ok((UndoAction::Nothing, format!("{name} has another value now, which is kept")));
        }
        Some(_) => {}
    }
    let patch =
        shape.cut(&file.text, &setting.path, &receipt.added).map_err(|fault| unable(fault.words()))?;
    let patch = patch.ok_or_else(|| unable("it is written in a way that cannot be undone here"))?;
    Ok((cut(receipt, file, patch), format!("{}: {name}", receipt.client)))
}

/// Plans how to undo an item of a list in a client's settings.
fn item(receipt: &Receipt) -> Result<(UndoAction, String), CommandFault> {
    let file = ClientFile::read(&receipt.file, SETTINGS_LIMIT)?;
    let SettingPlace { path, value } = &receipt.setting;
    let name = receipt.setting.name();
    let unable =
        |why: &str| CommandFault::unable(format!("{why}; remove Tersely's entry in {name} yourself"), "");
    let faulty = |fault: TextFault| unable(&fault.words(&file.text));
    if list_item::find(&file.text, path, value).map_err(faulty)?.is_none() {
        return Ok((UndoAction::Nothing, format!("Tersely's entry in {name} is gone or has changed")));
    }
    let patch = list_item::cut(&file.text, path, value, &receipt.added).map_err(faulty)?;
    let patch = patch.ok_or_else(|| unable("it is written in a way that cannot be undone here"))?;
    Ok((cut(receipt, file, patch), format!("{}: Tersely's entry in {name}", receipt.client)))
}

/// Plans how to undo a file of our own.
fn whole_file(receipt: &Receipt) -> Result<(UndoAction, String), CommandFault> {
    let file = ClientFile::read(&receipt.file, SETTINGS_LIMIT)?;
    if file.text != receipt.added {
        return Ok((UndoAction::Nothing, "the file has changed since, so it is kept".to_owned()));
    }
    Ok((UndoAction::Remove(FileEdit::new(file, Vec::new())), format!("{}: the file", receipt.client)))
}

/// The action that applies the patch, or that removes the file if we created it and nothing else is left in it.
fn cut(receipt: &Receipt, file: ClientFile, patch: Patch) -> UndoAction {
    let edit = FileEdit::new(file, vec![patch]);
    if receipt.is_new && edit.after().trim().is_empty() {
        UndoAction::Remove(edit)
    } else {
        UndoAction::Edit(edit)
    }
}

fn service(receipt: &Receipt) -> Result<(UndoAction, String), CommandFault> {
    let keeper = ServiceKeeper::of(&receipt.file);
    if fs::symlink_metadata(&receipt.file).is_err() {
        return Ok((UndoAction::Stop(keeper, None), "the service; its file no longer exists".to_owned()));
    }
    let file = ClientFile::read(&receipt.file, SETTINGS_LIMIT)?;
    if file.text != receipt.added {
        let words = "the service is stopped; its file has changed since, so it is kept";
        return Ok((UndoAction::Stop(keeper, None), words.to_owned()));
    }
    Ok((
        UndoAction::Stop(keeper, Some(FileEdit::new(file, Vec::new()))),
        "the service, and its file".to_owned(),
    ))
}

fn servers(receipt: &Receipt) -> Result<(UndoAction, String), CommandFault> {
    let servers = WrappedServers::read(receipt)?;
    let client = &receipt.client;
    Ok(match servers.count() {
        0 => (UndoAction::Nothing, format!("{client}: no server goes through Tersely any more")),
        1 => (UndoAction::Unwrap(Box::new(servers)), format!("{client}: Tersely in front of 1 server")),
        count => {
            (UndoAction::Unwrap(Box::new(servers)), format!("{client}: Tersely in front of {count} servers"))
        }
    })
}

fn report(receipt: &Receipt, state: UndoState, words: String) -> UndoReport {
    UndoReport { kind: receipt.kind, file: receipt.file.clone(), state, words }
}

fn report_left(receipt: &Receipt, fault: &CommandFault) -> UndoReport {
    let name = receipt.file.display().to_string();
    let words = fault.message.strip_prefix(&format!("{name}: ")).unwrap_or(&fault.message).to_owned();
    report(receipt, UndoState::Left, words)
}
