//! Families: cuts for the output of particular tools, which keep the important lines and omit those that only show
//! that a tool ran.
//!
//! A family omits detail and leaves a marker that gives the amount. It keeps errors, failures, the first warning of
//! each kind, verdicts, counts and the last lines; if it cannot distinguish success from failure, it declines. The
//! pipeline does the rest: it rejects an edit that loses a line with an error signal, and keeps the original
//! available.

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

/// Every family, in the order in which they are tried; the first that proposes an edit wins.
///
/// `ci` strips the prefixes of a build log's lines and passes the rest to the family of the tool that ran, so it
/// comes before the families of such tools.
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
