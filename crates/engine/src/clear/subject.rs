//! What a result is about: a file, or the output of a command.

use std::collections::HashSet;

use tersely_core::{Origin, ToolKind};
use tersely_wire::Slot;

use crate::slot_call::call;

/// The maximum number of names in a command that are taken for files.
const MAX_FILES: usize = 64;

/// What a result is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Subject<'s> {
    /// The contents of a file.
    File(&'s str),
    /// The output of a call with these arguments.
    Call(&'s str, &'s str),
}

impl<'s> Subject<'s> {
    /// What a result is about, if its call says so.
    pub(super) fn of(slot: &'s Slot<'_>) -> Option<Self> {
        let command = slot.call.command.as_deref()?;
        match call(slot).tool_kind() {
            // What is written is in the call itself, as a whole.
            ToolKind::Read | ToolKind::Write => Some(Self::File(command)),
            ToolKind::Edit => None,
            _ => Some(Self::Call(&slot.call.tool, command)),
        }
    }

    /// The file, if the result shows one.
    pub(super) fn file(self) -> Option<&'s str> {
        match self {
            Self::File(file) => Some(file),
            Self::Call(..) => None,
        }
    }
}

/// Files that were edited.
#[derive(Default)]
pub(super) struct EditedFiles<'s>(HashSet<&'s str>);

impl<'s> EditedFiles<'s> {
    /// Adds what a call has edited.
    pub(super) fn add(&mut self, slot: &'s Slot<'_>) {
        let is_edit = call(slot).tool_kind() == ToolKind::Edit || call(slot).origin("") == Origin::Edit;
        if let Some(command) = slot.call.command.as_deref().filter(|_| is_edit) {
            self.0.extend(files(command));
        }
    }

    /// True when the result shows one of these files.
    pub(super) fn concern(&self, slot: &Slot<'_>) -> bool {
        let command = slot.call.command.as_deref().unwrap_or_default();
        let is_named = || files(command).any(|file| self.0.contains(file));
        !self.0.is_empty() && call(slot).origin("") == Origin::File && is_named()
    }
}

/// The names of files in a path or a command, without their directories: one call may name a file by its whole path, and
/// another from the directory where it is.
fn files(command: &str) -> impl Iterator<Item = &str> {
    let is_end = |sign: char| sign.is_whitespace() || "\"'`;|&<>()=,:".contains(sign);
    let names = command.split(is_end).map(|word| word.rsplit(['/', '\\']).next().unwrap_or(word));
    let is_file = |name: &&str| name.len() > 2 && name.trim_matches('.').contains('.');
    let whole = (!command.contains(is_end)).then(|| command.rsplit(['/', '\\']).next()).flatten();
    whole.into_iter().chain(names.filter(is_file)).take(MAX_FILES)
}
