//! Shortens logs of GitHub Actions: shows each step under one heading, and omits the time of every line and the
//! runner's own work.
//!
//! The rest of a step is the output of the tool that the step ran, so that tool's family shortens it further.

mod setup;
mod step;

use std::collections::{HashMap, VecDeque};

use self::setup::Setup;
use self::step::CiStep;
use self::step::StepLine;
use crate::class::{CutClass, Omission};
use crate::cut::family::sift::KeptLines;
use crate::plan::{Loss, Mode};
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;
use crate::{omit, signal};

/// The cut for the log of a run, with or without the names of job and step on each line.
pub(super) struct Ci {
    /// The families that shorten the steps; `ci` itself is skipped if listed.
    pub(super) families: &'static &'static [&'static dyn Stage],
}

impl Stage for Ci {
    fn name(&self) -> &'static str {
        NAME
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Noise, setup::WORDS)]
    }

    fn asks_others(&self) -> bool {
        true
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        let steps = step::steps(text)?;
        let times = steps.iter().map(|step| step.times).sum();
        let mut out = omit::things(times, "times", setup::TIMES);
        out.push('\n');
        for step in &steps {
            out.push_str(&step.heading());
            out.push_str(&self.body(scene, step));
        }
        Some(Edit { text: out, loss: Loss::Detail, note: String::new() })
    }
}

const NAME: &str = "ci";

impl Ci {
    /// The text to show for a step.
    fn body(&self, scene: Scene<'_>, step: &CiStep<'_>) -> String {
        let mut kept = KeptLines::default();
        let mut setup = Setup::default();
        step.lines.iter().for_each(|line| kept.line(line.text, setup.fate(line.text.trim_end())));
        let text = kept.text();
        let text = self.families.iter().find_map(|family| ask(*family, scene, &text)).unwrap_or(text);
        with_whole_errors(step, &text)
    }
}

/// The lines of `text`, in which lines with errors get their prefixes back, because the time of an error matters.
fn with_whole_errors(step: &CiStep<'_>, text: &str) -> String {
    let mut errors: HashMap<&str, VecDeque<&str>> = HashMap::new();
    let tells =
        |line: &&StepLine<'_>| [line.text, line.whole].into_iter().any(|it| signal::find(it).is_some());
    for line in step.lines.iter().filter(tells) {
        errors.entry(line.text).or_default().push_back(line.whole);
    }
    let whole = |line| errors.get_mut(line).and_then(VecDeque::pop_front).unwrap_or(line);
    text.split_inclusive('\n').map(whole).collect()
}

/// The text of a step, shortened by a tool's family. `None` if the result is not shorter or loses an error.
fn ask(family: &dyn Stage, scene: Scene<'_>, text: &str) -> Option<String> {
    let is_beyond = family.leaves().iter().all(|(class, _)| !scene.may_omit(*class));
    if family.name() == NAME || family.reader() > scene.plan.reader || is_beyond {
        return None;
    }
    let edit = family.apply(scene, &TextView::new(text))?;
    let holds = !family.cuts_lines() || signal::all_kept(text, &edit.text);
    (edit.text.len() < text.len() && holds).then_some(edit.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::family::FAMILIES;
    use crate::cut::family::proof::{apply, check};

    static CI: Ci = Ci { families: &FAMILIES };

    fn log(head: &str, lines: &[&str]) -> String {
        let timed =
            |(at, line): (usize, &&str)| format!("{head}2026-02-04T07:13:{:02}.1234567Z {line}\n", at + 10);
        lines.iter().enumerate().map(timed).collect()
    }

    /// Behaviour 3.15.
    #[test]
    fn a_failing_step_is_whole_under_its_heading() {
        let setup = [
            "Current runner version: '2.331.0'",
            "##[group]Operating System",
            "Ubuntu",
            "24.04.3",
            "##[endgroup]",
            "Prepare workflow directory",
            "Complete job name: test",
        ];
        let run = [
            "##[group]Run make check",
            "make check",
            "shell: /usr/bin/bash -e {0}",
            "env:",
            "  CI_KIND: full",
            "  LANG: C",
            "##[endgroup]",
            "checking",
            "x.c:1: error: no such thing",
            "##[error]Process completed with exit code 2.",
        ];
        check(
            &CI,
            &(log("test\tSet up job\t\u{feff}", &setup) + &log("test\tCheck\t", &run)),
            "[17 times left out: a step's start and length stand above it]\n\
             [test / Set up job, 2026-02-04T07:13:10Z, 6 s]\n[6 lines left out: setup of the runner]\nComplete job name: test\n\
             [test / Check, 2026-02-04T07:13:10Z, 9 s]\n##[group]Run make check\nmake check\n\
             [4 lines left out: shell and environment]\n##[endgroup]\nchecking\n\
             test\tCheck\t2026-02-04T07:13:18.1234567Z x.c:1: error: no such thing\n\
             test\tCheck\t2026-02-04T07:13:19.1234567Z ##[error]Process completed with exit code 2.\n",
        );
    }

    #[test]
    fn trouble_within_setup_stays() {
        let lines = [
            "##[group]Fetching the repository",
            "[command]/usr/bin/git fetch",
            "fatal: repository not found",
            "##[warning]Retrying",
            "##[endgroup]",
            "##[group]Run actions/setup-go@v5",
            "with:",
            "  go-version: 1.26",
            "##[endgroup]",
        ];
        let shown = apply(&CI, &log("", &lines)).unwrap();
        assert!(
            shown.contains("Z fatal: repository not found\n") && shown.contains("##[warning]Retrying\n"),
            "{shown}"
        );
        assert!(shown.contains("##[group]Run actions/setup-go@v5\n"), "{shown}");
    }

    #[test]
    fn a_steps_own_tool_is_asked() {
        let mut lines = vec!["##[group]Run pip install x", "##[endgroup]"];
        lines.extend(["Requirement already satisfied: a in ./lib (1.0)"; 9]);
        let shown = apply(&CI, &log("", &lines)).unwrap();
        assert!(shown.ends_with("[9 lines left out: requirements that were there already]\n"), "{shown}");
    }

    #[test]
    fn other_texts_are_left_alone() {
        let foreign = log("", &["INFO a"; 20]);
        let few = log("a\tb\t", &["##[group]x"]);
        for text in ["", "\u{feff}", "a\tb\té", "2026-02-04T07:13:56.961866éZ x\n", &foreign, &few] {
            assert_eq!(apply(&CI, text), None, "{text}");
        }
    }
}
