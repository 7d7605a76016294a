//! The pipeline: offers a text to the stages, checks, measures and records their proposals, and restores compressed
//! texts.

pub(crate) mod budget;
pub(crate) mod clear;
pub(crate) mod compress;
pub(crate) mod escape;
pub(crate) mod footer;
mod job;
pub(crate) mod ledger;
mod mode;
pub(crate) mod outcome;
pub(crate) mod reference;
pub(crate) mod restore;
mod run;
pub(crate) mod substitute;
mod visible_lines;
pub(crate) mod worth;
pub(crate) mod wrap;
mod write;
