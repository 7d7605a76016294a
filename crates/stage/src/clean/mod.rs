//! Cleans every text, before anything else: removes terminal control sequences and binary data.

mod ansi;
mod binary;

use crate::stage::Stage;

/// Applied to every text, in this order.
pub static CLEAN: &[&dyn Stage] = &[&ansi::Ansi, &binary::Binary];
