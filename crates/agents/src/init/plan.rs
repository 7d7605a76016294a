//! A file that is to be written, and the receipts for it.

use std::path::{Path, PathBuf};

use tersely_terminal::fault::CommandFault;

use crate::edit::{ClientFile, create, show};
use crate::receipt::{Receipt, Receipts};

/// A file that is to be written.
#[derive(Debug)]
pub(super) struct PlannedFile {
    path: PathBuf,
    /// As it is, if it is there.
    file: Option<ClientFile>,
    /// What it is to hold.
    pub(super) text: String,
    /// What is kept so that it can be undone.
    pub(super) receipts: Vec<Receipt>,
    /// For whose eyes it is, if it is new.
    mode: u32,
}

impl PlannedFile {
    /// A file as it is; it may not be there.
    pub(super) fn read(path: &Path, limit: u64, mode: u32) -> Result<Self, CommandFault> {
        // A link that leads nowhere is somebody's mistake, and not ours to replace.
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

    /// Writes it. The receipts are kept first: what is recorded and was not written does no harm.
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
