//! Edits other programs' files: read with a size limit, patched in a few places, shown as a diff, and written back.

mod consent;
mod diff;
mod file;
pub(crate) mod list_item;
mod member;
mod patch;
pub(crate) mod scan;
mod setting;
mod top;

pub use consent::{Consent, ask};
pub(crate) use file::{ClientFile, FileEdit, SETTINGS_LIMIT, create, show};
pub(crate) use patch::{Patch, apply};
pub(crate) use scan::TextFault;
pub use setting::SettingPlace;
pub(crate) use setting::{SettingsShape, is_same_value};
