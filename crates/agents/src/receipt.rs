//! Records what Tersely wrote into other programs' files, so that `tersely uninstall` undoes exactly that.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tersely_settings::{self as settings, SettingSources};
use tersely_terminal::fault::CommandFault;

use crate::edit::{ClientFile, SETTINGS_LIMIT, SettingPlace, create, list_item};
use crate::folder_lock::RecordTurn;

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiptKind {
    /// Lines in a shell's startup file.
    Block,
    /// A value in a client's settings.
    Setting,
    /// An item of a list in a client's settings.
    Item,
    /// A file of its own.
    File,
    /// A service, and the file that describes it.
    Service,
    /// MCP servers of a client, wrapped in Tersely.
    Servers,
}

/// One recorded change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The kind of the change.
    pub kind: ReceiptKind,
    /// The client that the change was made for; empty if it was made for more than one.
    pub client: String,
    /// The changed file.
    pub file: PathBuf,
    /// The inserted bytes.
    pub added: String,
    /// The setting that the inserted bytes set, if any.
    pub setting: SettingPlace,
    /// True if the change created the file.
    pub is_new: bool,
}

/// All changes that have not been undone yet.
#[derive(Debug)]
pub struct Receipts {
    file: PathBuf,
    /// The receipts, oldest first.
    pub all: Vec<Receipt>,
    /// The lock, if the receipts will be changed: meanwhile no other process can open them for changes.
    _turn: Option<RecordTurn>,
}

const KINDS: [(ReceiptKind, &str); 6] = [
    (ReceiptKind::Block, "block"),
    (ReceiptKind::Setting, "setting"),
    (ReceiptKind::Item, "item"),
    (ReceiptKind::File, "file"),
    (ReceiptKind::Service, "service"),
    (ReceiptKind::Servers, "mcp"),
];

impl ReceiptKind {
    /// The name of the kind in the file and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

impl Receipt {
    /// A receipt for an existing file.
    #[must_use]
    pub fn new(kind: ReceiptKind, client: &str, file: &Path) -> Self {
        Self {
            kind,
            client: client.to_owned(),
            file: file.to_owned(),
            added: String::new(),
            setting: SettingPlace::default(),
            is_new: false,
        }
    }

    /// True if an item of a list, or a file of its own, is still as it was written.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        let Ok(file) = ClientFile::read(&self.file, SETTINGS_LIMIT) else { return false };
        let SettingPlace { path, value } = &self.setting;
        match self.kind {
            ReceiptKind::Item => matches!(list_item::find(&file.text, path, value), Ok(Some(_))),
            _ => file.text == self.added,
        }
    }

    /// True if both receipts are for the same place.
    fn is_same(&self, other: &Self) -> bool {
        let place = |it: &Self| (it.kind, it.client.clone(), it.file.clone(), it.setting.path.clone());
        place(self) == place(other)
    }

    fn json(&self) -> Value {
        json!({
            "kind": self.kind.name(), "client": self.client, "file": self.file, "added": self.added,
            "path": self.setting.path, "value": self.setting.value, "new": self.is_new,
        })
    }

    fn read(value: &Value) -> Option<Self> {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let kind = KINDS.iter().find(|(_, name)| value["kind"] == *name)?.0;
        let path = value["path"].as_array()?.iter().map(|key| key.as_str().map(str::to_owned));
        Some(Self {
            kind,
            client: text("client")?,
            file: PathBuf::from(text("file")?),
            added: text("added")?,
            setting: SettingPlace { path: path.collect::<Option<_>>()?, value: text("value")? },
            is_new: value["new"].as_bool()?,
        })
    }
}

impl Receipts {
    /// Opens the receipts for changes, under the lock. There may be none.
    ///
    /// # Errors
    /// If the receipts cannot be locked or read.
    pub fn open() -> Result<Self, CommandFault> {
        let turn = Self::file().as_deref().and_then(Path::parent).map(RecordTurn::take).transpose()?;
        Ok(Self { _turn: turn, ..Self::look()? })
    }

    /// Reads the receipts without the lock. There may be none.
    ///
    /// # Errors
    /// If the receipts cannot be read.
    pub fn look() -> Result<Self, CommandFault> {
        let file = Self::file().ok_or_else(|| {
            let hint = "set HOME or XDG_STATE_HOME; every change is recorded there, so that it can be undone";
            CommandFault::unable("there is no folder for recording changes", hint)
        })?;
        if !file.exists() {
            return Ok(Self { file, all: Vec::new(), _turn: None });
        }
        let text = ClientFile::read(&file, SETTINGS_LIMIT)?.text;
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let all = value["written"].as_array().map(|all| all.iter().map(Receipt::read).collect::<Option<_>>());
        let all = all.flatten().ok_or_else(|| {
            let hint = "this version cannot read it; to continue without it, move it elsewhere and undo the changes that it lists manually";
            CommandFault::unable(format!("{}: not a record written by tersely", file.display()), hint)
        })?;
        Ok(Self { file, all, _turn: None })
    }

    /// The path of the file of receipts, if there is a folder for it.
    #[must_use]
    pub fn file() -> Option<PathBuf> {
        let sources = SettingSources::new(&settings::Flags::default());
        settings::state_folder(&sources).map(|folder| folder.join("setup.json"))
    }

    /// Stores a receipt. It replaces an earlier one for the same place.
    ///
    /// # Errors
    /// If the receipts cannot be written.
    pub fn add(&mut self, receipt: Receipt) -> Result<(), CommandFault> {
        match self.all.iter_mut().find(|it| it.is_same(&receipt)) {
            Some(same) => *same = receipt,
            None => self.all.push(receipt),
        }
        self.save()
    }

    /// Removes a receipt after its change was undone.
    ///
    /// # Errors
    /// If the receipts cannot be written.
    pub fn forget(&mut self, receipt: &Receipt) -> Result<(), CommandFault> {
        let count = self.all.len();
        self.all.retain(|it| !it.is_same(receipt));
        if self.all.len() < count { self.save() } else { Ok(()) }
    }

    /// Finds the stored receipt for the same place.
    #[must_use]
    pub fn find(&self, receipt: &Receipt) -> Option<&Receipt> {
        self.all.iter().find(|it| it.is_same(receipt))
    }

    fn save(&self) -> Result<(), CommandFault> {
        if self.all.is_empty() {
            return match fs::remove_file(&self.file) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    let hint = "remove it yourself; all changes that it lists are undone";
                    Err(CommandFault::unable(format!("{}: {error}", self.file.display()), hint))
                }
                _ => Ok(()),
            };
        }
        let written: Vec<_> = self.all.iter().map(Receipt::json).collect();
        create(&self.file, &format!("{:#}\n", json!({ "written": written })), 0o600)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receipts_come_back_as_they_were_kept() {
        let file = std::env::temp_dir().join(format!("tersely-receipts-{}.json", std::process::id()));
        let mut receipts = Receipts { file: file.clone(), all: Vec::new(), _turn: None };
        let block =
            Receipt { added: "x\n".to_owned(), ..Receipt::new(ReceiptKind::Block, "", Path::new("/h/é")) };
        let setting = SettingPlace::new(&["env", "A"], "u");
        let value = Receipt {
            setting,
            is_new: true,
            ..Receipt::new(ReceiptKind::Setting, "claude", Path::new("/s"))
        };
        receipts.add(block.clone()).expect("a file");
        receipts.add(value.clone()).expect("a file");
        receipts.add(block.clone()).expect("the same again");
        let text = fs::read_to_string(&file).expect("a file");
        let read: Value = serde_json::from_str(&text).expect("JSON");
        let read: Vec<_> = read["written"].as_array().expect("a list").iter().map(Receipt::read).collect();
        assert_eq!(read, [Some(block.clone()), Some(value.clone())]);
        receipts.forget(&block).expect("a file");
        receipts.forget(&value).expect("a file");
        assert!(!file.exists());
    }
}
