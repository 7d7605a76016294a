//! Cleans every text before any other stage: removes terminal control sequences and binary data.

mod ansi;
mod binary;

use crate::stage::Stage;

/// The stages applied to every text, in this order.
pub static CLEAN: &[&dyn Stage] = &[&ansi::Ansi, &binary::Binary];
