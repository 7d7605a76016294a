//! Shared checks for the tests of families.

use crate::call::Call;
use crate::plan::{Loss, Plan};
use crate::signal;
use crate::stage::{Scene, Stage};
use crate::view::TextView;

/// Checks that a family shortens `text` to `shown`, and that `shown` contains all errors.
pub(super) fn check(family: &dyn Stage, text: &str, shown: &str) {
    assert_eq!(apply(family, text).as_deref(), Some(shown), "{text:?}");
    assert!(!family.cuts_lines() || signal::all_kept(text, shown));
}

/// The text that a family proposes for the result of an unknown call.
pub(super) fn apply(family: &dyn Stage, text: &str) -> Option<String> {
    let edit = family.apply(Scene::of(&Plan::default(), Call::default()), &TextView::new(text))?;
    assert_eq!(edit.loss, Loss::Detail);
    Some(edit.text)
}

/// Checks that a family declines a text.
pub(super) fn declines(family: &dyn Stage, text: &str) {
    assert_eq!(apply(family, text), None, "{text:?}");
}

/// Concatenates `count` lines, each written by `line`.
pub(super) fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}
