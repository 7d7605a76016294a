//! The record of one body: what was found in it, what it cost and what it costs now.

pub(crate) mod report;
pub(crate) mod result;
pub(crate) mod tokens;
