//! A planned change of one file, with its receipts.

use std::path::{Path, PathBuf};

use tersely_terminal::fault::CommandFault;

use crate::edit::{ClientFile, create, show};
use crate::receipt::{Receipt, Receipts};

/// A planned change of one file.
#[derive(Debug)]
pub(super) struct PlannedFile {
    path: PathBuf,
    /// The existing file, if any.
    file: Option<ClientFile>,
    /// The new content.
    pub(super) text: String,
    /// The receipts by which it can be undone.
    pub(super) receipts: Vec<Receipt>,
    /// Permissions of a new file.
    mode: u32,
}

impl PlannedFile {
    /// Reads a file, which may not exist.
    pub(super) fn read(path: &Path, limit: u64, mode: u32) -> Result<Self, CommandFault> {
        // A dangling link is somebody's mistake, and is not replaced.
        let file = if path.symlink_metadata().is_ok() { Some(ClientFile::read(path, limit)?) } else { None };
        if let Some(file) = &file {
            file.ensure_ready()?;
        }
        let text = file.as_ref().map(|file| file.text.clone()).unwrap_or_default();
        Ok(Self { path: path.to_owned(), file, text, receipts: Vec::new(), mode })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        self.file.as_ref().map_or(&self.path, |file| &file.path)
    }

    /// True if there is no such file.
    pub(super) fn is_new(&self) -> bool {
        self.file.is_none()
    }

    /// True if something is to be written.
    pub(super) fn is_changed(&self) -> bool {
        self.text != self.before()
    }

    /// The changes, in colour.
    pub(super) fn show(&self) -> String {
        show(self.path(), self.before(), &self.text)
    }

    /// Writes it. The receipts are stored first: a receipt for a change that was not made does no harm.
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
