//! Shortens Terraform output: keeps every change, the plan's summary and errors; counts refreshed resources and
//! attributes whose values are not known yet.

use crate::class::{CutClass, Omission};
use crate::cut::family::sift::{LineFate, sift};
use crate::plan::Mode;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// The cut for plans and applies of Terraform and `OpenTofu`.
pub(super) struct Terraform;

impl Stage for Terraform {
    fn name(&self) -> &'static str {
        "terraform"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Noise, &[READ, WAITING]), (CutClass::Content, &[UNKNOWN])]
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        let known = text.contains_any(&SIGNS);
        if known { sift(scene, text, |line| fate(scene, line)) } else { None }
    }
}

const SIGNS: [&str; 4] =
    [": Refreshing state...", ": Read complete after ", "(known after apply)", ": Still creating... ["];

const READ: &str = "state that was read";
const WAITING: &str = "waiting";
const UNKNOWN: &str = "new attributes known after apply";

fn fate(scene: Scene<'_>, line: &str) -> LineFate {
    match line.split_once(": ") {
        Some((address, words)) if is_address(address) => state(words),
        _ if scene.may_omit(CutClass::Content) && is_unknown(line) => LineFate::Noise(UNKNOWN),
        _ => LineFate::Keep,
    }
}

/// True for the address of a resource: `module.x.aws_instance.web["a"]`.
fn is_address(text: &str) -> bool {
    text.contains('.') && !text.starts_with(' ') && !text.contains(": ")
}

/// The fate of a line that reports the status of a resource.
fn state(words: &str) -> LineFate {
    let begins = |start: &str| words.starts_with(start);
    if begins("Refreshing state...") || begins("Reading...") || begins("Read complete after ") {
        LineFate::Noise(READ)
    } else if begins("Still ") && words.contains("elapsed]") {
        LineFate::Noise(WAITING)
    } else {
        LineFate::Keep
    }
}

/// True for a new attribute whose value is not known yet: `+ arn = (known after apply)`.
fn is_unknown(line: &str) -> bool {
    line.trim_start().strip_prefix("+ ").is_some_and(|rest| {
        rest.split_once('=')
            .is_some_and(|(name, value)| value.trim() == "(known after apply)" && !name.trim().contains(' '))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::family::proof::{apply, check};

    /// Behaviour 3.15.
    #[test]
    fn a_plan_shows_every_change() {
        check(
            &Terraform,
            "data.aws_ami.base: Reading...\ndata.aws_ami.base: Read complete after 1s [id=ami-1]\naws_vpc.main: Refreshing state... [id=vpc-1]\n\
             aws_subnet.a[\"x\"]: Refreshing state... [id=subnet-1]\n\nTerraform will perform the following actions:\n\n  # aws_instance.web will be created\n\
             \x20 + resource \"aws_instance\" \"web\" {\n      + ami  = \"ami-1\"\n      + arn  = (known after apply)\n      + id   = (known after apply)\n    }\n\n\
             \x20 # aws_vpc.main must be replaced\n      ~ id = \"vpc-1\" -> (known after apply)\n\nPlan: 1 to add, 0 to change, 1 to destroy.\n\
             │ Error: Invalid value\naws_instance.web: Still creating... [10s elapsed]\naws_instance.web: Still creating... [20s elapsed]\naws_instance.web: Creation complete after 21s [id=i-1]\n",
            "[4 lines left out: state that was read]\n\nTerraform will perform the following actions:\n\n  # aws_instance.web will be created\n\
             \x20 + resource \"aws_instance\" \"web\" {\n      + ami  = \"ami-1\"\n[2 lines left out: new attributes known after apply]\n    }\n\n\
             \x20 # aws_vpc.main must be replaced\n      ~ id = \"vpc-1\" -> (known after apply)\n\nPlan: 1 to add, 0 to change, 1 to destroy.\n\
             │ Error: Invalid value\n[2 lines left out: waiting]\naws_instance.web: Creation complete after 21s [id=i-1]\n",
        );
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in
            ["", "a: Still here\n", "(known after apply)\né = (known after apply)\n", ": Refreshing state..."]
        {
            assert_eq!(apply(&Terraform, text), None, "{text}");
        }
    }
}
