//! Shortens the output of container builds and pulls: keeps steps, their output, verdicts and errors; counts layer
//! transfers and cached steps.

use std::collections::BTreeSet;

use crate::class::{CutClass, Omission};
use crate::cut::family::packages::{self, WarningCounts};
use crate::cut::family::sift::{LineFate, sift};
use crate::plan::Mode;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// The cut for builds, pulls and pushes of images, and for compose.
pub(super) struct Docker;

impl Stage for Docker {
    fn name(&self) -> &'static str {
        "docker"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn leaves(&self) -> &'static [Omission] {
        &OMISSIONS
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if !text.contains_any(&SIGNS) {
            return None;
        }
        let steps = Steps::of(text);
        let mut seen = WarningCounts::default();
        sift(scene, text, |line| match step(line) {
            Some((id, words)) => steps.fate(id, words, &mut seen),
            None => plain(line),
        })
    }
}

const OMISSIONS: [Omission; 2] = [
    (
        CutClass::Noise,
        &["cached steps", "loading of the context", "layers", "states on the way", "layer ids"],
    ),
    (CutClass::Further, packages::FURTHER),
];

/// Strings of which every relevant output contains at least one.
const SIGNS: [&str; 8] = [
    "[internal] load",
    ": Pull complete",
    ": Already exists",
    ": Pulling fs layer",
    ": Layer already exists",
    ": Pushed",
    "\nStep 1/",
    " Container ",
];

/// The numbers of build steps that are cached, internal or failed. Cached and internal steps are shown only if they
/// fail.
struct Steps {
    cached: BTreeSet<u32>,
    internal: BTreeSet<u32>,
    failed: BTreeSet<u32>,
}

impl Steps {
    fn of(text: &str) -> Self {
        let ids = |is: fn(&str) -> bool| {
            text.lines().filter_map(step).filter(|(_, words)| is(words)).map(|(id, _)| id).collect()
        };
        Self {
            cached: ids(|words| words == "CACHED"),
            internal: ids(|words| words.starts_with("[internal] ") || words.starts_with("[auth] ")),
            failed: ids(|words| words.starts_with("ERROR") || words.starts_with("CANCELED")),
        }
    }

    fn fate(&self, id: u32, words: &str, seen: &mut WarningCounts) -> LineFate {
        if self.failed.contains(&id) {
            LineFate::Keep
        } else if self.cached.contains(&id) {
            LineFate::Noise("cached steps")
        } else if self.internal.contains(&id) {
            LineFate::Noise("loading of the context")
        } else if is_layer(words) {
            LineFate::Noise("layers")
        } else {
            seen.fate(without_seconds(words))
        }
    }
}

/// Parses `#12 words` into the number of the step and the words.
fn step(line: &str) -> Option<(u32, &str)> {
    let (id, words) = line.strip_prefix('#')?.split_once(' ')?;
    Some((id.parse().ok()?, words.trim_end()))
}

/// Removes the seconds in front of a command's output: `1.234 words`.
fn without_seconds(words: &str) -> &str {
    match words.split_once(' ') {
        Some((time, said))
            if time.contains('.') && time.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') =>
        {
            said
        }
        _ => words,
    }
}

/// True for a line about a layer transfer within a build.
fn is_layer(words: &str) -> bool {
    let begins = |start: &str| words.starts_with(start);
    begins("sha256:") && (words.contains("B / ") || words.ends_with("done"))
        || begins("extracting sha256:")
        || begins("resolve ")
        || begins("transferring ")
        || begins("exporting layers")
        || begins("exporting manifest")
        || begins("exporting config")
        || begins("exporting attestation")
        || begins("preparing layers for inline cache")
}

/// The fate of a line outside the numbered steps.
fn plain(line: &str) -> LineFate {
    if is_transfer(line) {
        LineFate::Noise("layers")
    } else if is_passing(line) {
        LineFate::Noise("states on the way")
    } else if is_classic(line) {
        LineFate::Noise("layer ids")
    } else {
        LineFate::Keep
    }
}

/// States of a layer during a pull or push.
const STATES: [&str; 12] = [
    "Pulling fs layer",
    "Waiting",
    "Verifying Checksum",
    "Download complete",
    "Pull complete",
    "Already exists",
    "Preparing",
    "Pushed",
    "Layer already exists",
    "Downloading [",
    "Extracting [",
    "Pushing [",
];

/// True for a line about a layer transfer: `a1b2c3d4e5f6: Pull complete`.
fn is_transfer(line: &str) -> bool {
    let Some((id, state)) = line.trim_start().split_once(": ") else {
        return line.trim_start().split_once(' ').is_some_and(|(id, state)| is_id(id) && is_state(state));
    };
    is_id(id)
        && (is_state(state)
            || state.starts_with("Mounted from ")
            || state.starts_with("Downloading  ")
            || state.starts_with("Extracting  "))
}

fn is_id(word: &str) -> bool {
    word.len() == 12 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// True for a state, with or without figures after it.
fn is_state(words: &str) -> bool {
    STATES.iter().any(|state| {
        words
            .strip_prefix(state)
            .is_some_and(|rest| state.ends_with('[') || rest.is_empty() || rest.starts_with(' '))
    })
}

/// True for a state that a later line supersedes: ` Container web-1  Creating`.
fn is_passing(line: &str) -> bool {
    let words = line.trim_start();
    let subject = ["Container ", "Network ", "Volume ", "Image "].iter().any(|noun| words.starts_with(noun));
    subject
        && ["Creating", "Starting", "Stopping", "Removing", "Waiting", "Recreate", "Building", "Pulling"]
            .iter()
            .any(|state| words.ends_with(state))
}

/// True for messages about layers that the classic builder prints between its steps.
fn is_classic(line: &str) -> bool {
    line.strip_prefix(" ---> ").is_some_and(|id| is_id(id) || id.starts_with("Running in "))
        || line
            .strip_prefix("Removing intermediate container ")
            .or_else(|| line.strip_prefix(" ---> Removed intermediate container "))
            .is_some_and(is_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::family::proof::{apply, check};

    /// Behaviour 3.15.
    #[test]
    fn a_build_shows_steps_output_and_failure() {
        check(
            &Docker,
            "#0 building with \"default\" instance using docker driver\n\n\
             #1 [internal] load build definition from Dockerfile\n#1 transferring dockerfile: 600B done\n#1 DONE 0.0s\n\n\
             #2 [internal] load metadata for docker.io/library/node:20\n#2 DONE 1.1s\n\n\
             #3 [1/4] FROM docker.io/library/node:20@sha256:aa\n#3 resolve docker.io/library/node:20@sha256:aa 0.0s done\n\
             #3 sha256:bb 1.05MB / 30.2MB 0.2s\n#3 sha256:bb 30.2MB / 30.2MB 0.9s done\n#3 extracting sha256:bb 1.2s done\n#3 DONE 3.1s\n\n\
             #4 [2/4] WORKDIR /app\n#4 CACHED\n\n\
             #5 [3/4] RUN npm ci\n#5 0.812 npm http fetch GET 200 https://r/a\n#5 0.913 npm http fetch GET 200 https://r/b\n\
             #5 1.204 npm error code E401\n#5 ERROR: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1\n\
             ------\nERROR: failed to solve\n",
            "#0 building with \"default\" instance using docker driver\n\n\
             [5 lines left out: loading of the context, here and below]\n\n\n\
             #3 [1/4] FROM docker.io/library/node:20@sha256:aa\n[4 lines left out: layers]\n#3 DONE 3.1s\n\n\
             [2 lines left out: cached steps]\n\n\
             #5 [3/4] RUN npm ci\n#5 0.812 npm http fetch GET 200 https://r/a\n#5 0.913 npm http fetch GET 200 https://r/b\n\
             #5 1.204 npm error code E401\n#5 ERROR: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1\n\
             ------\nERROR: failed to solve\n",
        );
    }

    #[test]
    fn a_pull_shows_its_digest() {
        check(
            &Docker,
            "7: Pulling from library/redis\na1b2c3d4e5f6: Pulling fs layer\na1b2c3d4e5f6: Downloading [==>   ]  1.2MB/30MB\n\
             a1b2c3d4e5f6: Verifying Checksum\na1b2c3d4e5f6: Pull complete\nb1b2c3d4e5f6: Already exists\n\
             c1b2c3d4e5f6: error pulling image configuration\nDigest: sha256:dd\nStatus: Downloaded newer image for redis:7\n",
            "7: Pulling from library/redis\n[5 lines left out: layers]\n\
             c1b2c3d4e5f6: error pulling image configuration\nDigest: sha256:dd\nStatus: Downloaded newer image for redis:7\n",
        );
    }

    #[test]
    fn compose_shows_where_it_arrived() {
        check(
            &Docker,
            " Network app  Creating\n Network app  Created\n Container db-1  Creating\n Container db-1  Created\n Container db-1  Starting\n \
             Container db-1  Started\n Container web-1  Starting\nError response from daemon: port is already allocated\n",
            "[4 lines left out: states on the way, here and below]\n Network app  Created\n Container db-1  Created\n \
             Container db-1  Started\nError response from daemon: port is already allocated\n",
        );
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in
            ["", "# Title\n#1 issue\n", "a Container \né: Pushed\n", "#é [internal] load\n#99999999999 x\n"]
        {
            assert_eq!(apply(&Docker, text), None, "{text}");
        }
    }
}
