//! Recognises log lines about the work of a runner before and after the steps of a workflow.

use crate::cut::family::sift::LineFate;

/// Titles of groups whose lines are the same in every run, each with the description used when the group is omitted.
const GROUPS: [(&str, &str); 18] = [
    ("Runner Image Provisioner", RUNNER),
    ("Operating System", RUNNER),
    ("Runner Image", RUNNER),
    ("VM Image", RUNNER),
    ("Virtual Environment", RUNNER),
    ("GITHUB_TOKEN Permissions", RUNNER),
    ("Environment details", RUNNER),
    ("Installed versions", RUNNER),
    ("Getting Git version info", CHECKOUT),
    ("Initializing the repository", CHECKOUT),
    ("Disabling automatic garbage collection", CHECKOUT),
    ("Setting up auth", CHECKOUT),
    ("Fetching the repository", CHECKOUT),
    ("Determining the checkout info", CHECKOUT),
    ("Checking out the ref", CHECKOUT),
    ("Fetching submodules", CHECKOUT),
    ("Persisting credentials", CHECKOUT),
    ("Removing auth", CHECKOUT),
];

const RUNNER: &str = "setup of the runner";
const CHECKOUT: &str = "checkout";
const INPUTS: &str = "inputs of actions";
const SHELL: &str = "shell and environment";
const CACHES: &str = "caches";
const DOWNLOADS: &str = "downloads";
const DEBUGGING: &str = "debugging of the runner";
pub(super) const TIMES: &str = "a step's start and length stand above it";

/// All descriptions of omitted lines.
pub(super) const WORDS: &[&str] = &[RUNNER, CHECKOUT, INPUTS, SHELL, CACHES, DOWNLOADS, DEBUGGING, TIMES];

/// Prefixes of lines outside groups, each with the description used when such a line is omitted.
const LINES: [(&str, &str); 16] = [
    ("Current runner version: ", RUNNER),
    ("Runner name: ", RUNNER),
    ("Runner group name: ", RUNNER),
    ("Machine name: ", RUNNER),
    ("Secret source: ", RUNNER),
    ("Prepare workflow directory", RUNNER),
    ("Prepare all required actions", RUNNER),
    ("Getting action download info", RUNNER),
    ("Download action repository '", RUNNER),
    ("[command]/usr/bin/git ", CHECKOUT),
    ("[command]/usr/bin/tar ", CACHES),
    ("Temporarily overriding HOME=", CHECKOUT),
    ("Adding repository directory to the temporary git global config", CHECKOUT),
    ("Deleting the contents of '", CHECKOUT),
    ("Removing SSH command configuration", CHECKOUT),
    ("Removing HTTP extra header", CHECKOUT),
];

/// The current group in a step's log.
#[derive(Default)]
pub(super) struct Setup {
    group: Group,
}

#[derive(Default, Clone, Copy)]
enum Group {
    #[default]
    None,
    /// A group that is omitted, with its description.
    Dull(&'static str),
    /// The script that is about to run: first its text, then the shell's settings.
    Script,
    Settings,
}

impl Setup {
    pub(super) fn fate(&mut self, line: &str) -> LineFate {
        if let Some(title) = line.strip_prefix("##[group]") {
            return self.open(title);
        }
        if line == "##[endgroup]" {
            return self.close();
        }
        match self.group {
            Group::None => outside(line),
            Group::Dull(what) => LineFate::Noise(what),
            Group::Script if line.starts_with("shell: ") || line == "env:" => {
                self.group = Group::Settings;
                LineFate::Noise(SHELL)
            }
            Group::Settings => LineFate::Noise(SHELL),
            Group::Script => LineFate::Keep,
        }
    }

    /// Begins a group. For an action, the inputs are omitted, but the line with its name is kept.
    fn open(&mut self, title: &str) -> LineFate {
        let dull = GROUPS.iter().find(|(start, _)| title.starts_with(start));
        self.group = match (dull, title.strip_prefix("Run ")) {
            (Some((_, what)), _) => Group::Dull(what),
            (None, Some(name)) if is_action(name) => Group::Dull(INPUTS),
            (None, Some(_)) => Group::Script,
            (None, None) => Group::None,
        };
        dull.map_or(LineFate::Keep, |(_, what)| LineFate::Noise(what))
    }

    fn close(&mut self) -> LineFate {
        match std::mem::take(&mut self.group) {
            Group::Dull(what) => LineFate::Noise(what),
            _ => LineFate::Keep,
        }
    }
}

/// True for `owner/name@version`.
fn is_action(name: &str) -> bool {
    !name.contains(' ') && name.contains('@') && name.contains('/')
}

fn outside(line: &str) -> LineFate {
    if line.starts_with("Received ") && line.ends_with("MBs/sec") {
        return LineFate::Noise(DOWNLOADS);
    }
    if line.starts_with("##[debug]") {
        return LineFate::Noise(DEBUGGING);
    }
    let known = LINES.iter().find(|(start, _)| line.starts_with(start));
    known.map_or(LineFate::Keep, |(_, what)| LineFate::Noise(what))
}
