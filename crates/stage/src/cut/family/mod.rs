//! What is known of single tools: what of their output tells, and what merely shows that they ran.
//!
//! A family leaves detail out and says so where it stood, with how much. It keeps errors, failures, the first of
//! each warning, verdicts, counts and the last lines; where it cannot tell success from failure it declines.
//! The pipeline looks after the rest: an edit that loses a line with an error signal is not taken, and the
//! original can be fetched back.

mod cargo;
mod ci;
mod compiler;
mod docker;
mod git;
mod html;
mod kubectl;
mod packages;
mod page_snapshot;
mod progress;
#[cfg(test)]
mod proof;
mod rustc;
mod sheet;
pub(super) mod sift;
mod step;
mod terraform;
mod test;

use crate::cut::{preview, skim};
use crate::stage::Stage;

/// Every family, in the order in which they are asked; the first that has something to say is heard.
///
/// `ci` takes the prefixes off a build's lines and asks the others about what is below, so it comes before them.
pub static FAMILIES: &[&dyn Stage] = &[
    &html::Html,
    &page_snapshot::PageSnapshot,
    &ci::Ci { families: &FAMILIES },
    &cargo::Cargo,
    &test::Test,
    &test::junit::Junit,
    &compiler::Compiler,
    &git::GitDiff,
    &git::GitLog,
    &git::GitRefs,
    &docker::Docker,
    &terraform::Terraform,
    &kubectl::Kubectl,
    &packages::Packages,
    &progress::Progress,
    &preview::Preview,
    &skim::Skim,
];
