//! A planned change of one file, with its receipts.

use std::path::{Path, PathBuf};

use tersely_terminal::fault::CommandFault;

use crate::edit::{ClientFile, create, show};
use crate::receipt::{Receipt, Receipts};

/// A planned change of one file.
#[derive(Debug)]
pub(super) struct PlannedFile {
    path: PathBuf,
    /// The existing file, if there is one.
    file: Option<ClientFile>,
    /// The new content.
    pub(super) text: String,
    /// The receipts that are needed to undo the change.
    pub(super) receipts: Vec<Receipt>,
    /// Permissions of a new file.
    mode: u32,
}

impl PlannedFile {
    /// Reads a file. The file may be missing.
    pub(super) fn read(path: &Path, limit: u64, mode: u32) -> Result<Self, CommandFault> {
        // A dangling link is probably a mistake, and is not replaced.
        let file = if path.symlink_metadata().is_ok() { Some(ClientFile::read(path, limit)?) } else { None };
        if let Some(file) = &file {
            file.ensure_ready()?;
        }
        let text = file.as_ref().map(|file| file.text.clone()).unwrap_or_default();
        Ok(Self { path: path.to_owned(), file, text, receipts: Vec::new(), mode })
    }

    /// Adds a receipt. If an earlier one for the same place created the file, so does this one.
    pub(super) fn add(&mut self, receipts: &Receipts, mut receipt: Receipt) {
        receipt.is_new = receipts.find(&receipt).map_or(self.is_new(), |earlier| earlier.is_new);
        self.receipts.push(receipt);
    }

    /// The path of the file.
    pub(super) fn path(&self) -> &Path {
        self.file.as_ref().map_or(&self.path, |file| &file.path)
    }

    /// True if the file does not exist yet.
    pub(super) fn is_new(&self) -> bool {
        self.file.is_none()
    }

    /// True if there is a change to write.
    pub(super) fn is_changed(&self) -> bool {
        self.text != self.before()
    }

    /// The changes, in colour.
    pub(super) fn show(&self) -> String {
        show(self.path(), self.before(), &self.text)
    }

    /// Writes the file. The receipts are stored first, because a receipt for a change that was not made does no harm.
    pub(super) fn write(&self, receipts: &mut Receipts) -> Result<(), CommandFault> {
        let earlier: Vec<_> = self.receipts.iter().map(|receipt| receipts.find(receipt).cloned()).collect();
        for receipt in &self.receipts {
            receipts.add(receipt.clone())?;
        }
        let written = match &self.file {
            Some(file) => file.replace(&self.text),
            None => create(&self.path, &self.text, self.mode),
        };
        if written.is_err() {
            for (receipt, earlier) in self.receipts.iter().zip(earlier) {
                match earlier {
                    Some(earlier) => receipts.add(earlier)?,
                    None => receipts.forget(receipt)?,
                }
            }
        }
        written
    }

    fn before(&self) -> &str {
        self.file.as_ref().map_or("", |file| file.text.as_str())
    }
}
