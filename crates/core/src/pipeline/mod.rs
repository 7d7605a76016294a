//! One text through: what stages propose is measured, checked, taken and put on record, and can be undone.

pub(crate) mod budget;
pub(crate) mod compress;
pub(crate) mod escape;
pub(crate) mod footer;
pub(crate) mod ledger;
pub(crate) mod outcome;
pub(crate) mod reference;
pub(crate) mod restore;
mod run;
mod sight;
pub(crate) mod substitute;
pub(crate) mod worth;
pub(crate) mod wrap;
mod write;
