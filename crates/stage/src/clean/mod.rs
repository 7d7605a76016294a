//! What is done to every text, in the order in which it is: the terminal's codes and raw bytes go.

mod ansi;
mod binary;

use crate::stage::Stage;

/// Every text goes through these, first to last.
pub static CLEAN: &[&dyn Stage] = &[&ansi::Ansi, &binary::Binary];
