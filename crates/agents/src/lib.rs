//! Points coding agents at a gateway, for one run or permanently, and can undo the changes exactly.
//!
//! [`clients`] contains each agent's own variables, arguments and files; [`init`], [`mcp_install`] and [`uninstall`]
//! change files of other programs. Every change is recorded as a [`Receipt`] before it is made.

pub mod clients;
mod edit;
mod folder_lock;
pub mod init;
pub mod mcp_install;
mod receipt;
mod running_gateway;
pub mod uninstall;

pub use edit::{Consent, SettingPlace, ask};
pub use receipt::{Receipt, ReceiptKind, Receipts};
pub use running_gateway::{is_ours, local};
