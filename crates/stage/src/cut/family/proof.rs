//! What the tests of families hold in common.

use crate::call::Call;
use crate::plan::{Loss, Plan};
use crate::signal;
use crate::stage::{Scene, Stage};

/// Holds what is left of a text, and that its errors are among it.
pub(super) fn check(family: &dyn Stage, text: &str, shown: &str) {
    assert_eq!(apply(family, text).as_deref(), Some(shown), "{text:?}");
    assert!(!family.cuts_lines() || signal::all_kept(text, shown));
}

/// What a family makes of a text when nothing is known of the call.
pub(super) fn apply(family: &dyn Stage, text: &str) -> Option<String> {
    let edit = family.apply(Scene::of(&Plan::default(), Call::default()), text)?;
    assert_eq!(edit.loss, Loss::Detail);
    Some(edit.text)
}

/// Holds that nothing is made of a text.
pub(super) fn declines(family: &dyn Stage, text: &str) {
    assert_eq!(apply(family, text), None, "{text:?}");
}

/// So many lines, each written by `line`.
pub(super) fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}
