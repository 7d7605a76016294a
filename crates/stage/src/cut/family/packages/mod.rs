//! Shortens the output of package managers: keeps installed packages and failures, and counts downloads.

mod node;
mod python;
mod system;

use crate::class::{CutClass, Omission};
use crate::cut::family::sift::{LineFate, sift};
use crate::lines;
use crate::plan::Mode;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// The cut for installations by npm, pnpm, yarn, pip, uv, apt, go and similar tools.
pub(super) struct Packages;

impl Stage for Packages {
    fn name(&self) -> &'static str {
        "packages"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn leaves(&self) -> &'static [Omission] {
        &OMISSIONS
    }

    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if !lines::lines(text).any(|line| fate(line) != LineFate::Keep) {
            return None;
        }
        let mut seen = WarningCounts::default();
        sift(scene, text, |line| seen.fate(line))
    }
}

const OMISSIONS: [Omission; 2] = [
    (
        CutClass::Noise,
        &[
            "build steps",
            "downloads",
            "notices",
            "npm's own log",
            "progress",
            "requests",
            "requirements that were there already",
            "unpacking",
        ],
    ),
    (CutClass::Further, FURTHER),
];

/// Descriptions of warnings that occur in large numbers.
pub(super) const FURTHER: &[&str] = &["more deprecation warnings", "more peer dependency warnings"];

/// Maximum number of warnings shown of each kind; the others are counted.
const MAX_WARNINGS: usize = 5;

/// The number of warnings so far, by kind.
#[derive(Default)]
pub(super) struct WarningCounts {
    kinds: Vec<(&'static str, usize)>,
}

impl WarningCounts {
    /// The fate of a line of any package manager. The first warnings of each kind are kept.
    pub(super) fn fate(&mut self, line: &str) -> LineFate {
        match fate(line) {
            LineFate::Known(what) if self.count(what) <= MAX_WARNINGS => LineFate::Keep,
            fate => fate,
        }
    }

    fn count(&mut self, what: &'static str) -> usize {
        if !self.kinds.iter().any(|(kind, _)| *kind == what) {
            self.kinds.push((what, 0));
        }
        let seen = self.kinds.iter_mut().find(|(kind, _)| *kind == what);
        seen.map_or(0, |(_, count)| {
            *count += 1;
            *count
        })
    }
}

/// The fate of a line, regardless of the lines before it.
fn fate(line: &str) -> LineFate {
    [node::fate, python::fate, system::fate]
        .iter()
        .map(|fate| fate(line))
        .find(|fate| *fate != LineFate::Keep)
        .unwrap_or(LineFate::Keep)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::family::proof::{apply, check};

    #[test]
    fn npm_shows_its_first_deprecations_and_its_verdict() {
        let mut text =
            String::from("npm http fetch GET 200 https://r/x 12ms\nnpm http fetch GET 200 https://r/y 9ms\n");
        text.extend((0..9).map(|at| format!("npm warn deprecated old{at}@1.0.0: no longer kept\n")));
        text.push_str(
            "npm error code E404\nnpm notice\nnpm notice New major version of npm!\nadded 9 packages in 3s\n\n\
             2 packages are looking for funding\n  run `npm fund` for details\n\nfound 0 vulnerabilities\n",
        );
        let shown = "[2 lines left out: requests]\n\
            npm warn deprecated old0@1.0.0: no longer kept\nnpm warn deprecated old1@1.0.0: no longer kept\n\
            npm warn deprecated old2@1.0.0: no longer kept\nnpm warn deprecated old3@1.0.0: no longer kept\n\
            npm warn deprecated old4@1.0.0: no longer kept\n[4 lines left out: more deprecation warnings]\n\
            npm error code E404\n[4 lines left out: notices, here and below]\nadded 9 packages in 3s\n\n\nfound 0 vulnerabilities\n";
        check(&Packages, &text, shown);
    }

    #[test]
    fn pnpm_and_yarn_lose_their_progress() {
        check(
            &Packages,
            "Progress: resolved 1, reused 0, downloaded 0, added 0\nProgress: resolved 9, reused 0, downloaded 2, added 0\n\
             Packages: +9\n+++++++++\nProgress: resolved 9, reused 0, downloaded 9, added 9, done\n\
             ➤ YN0013: │ a@npm:1.0.0 can't be found in the cache and will be fetched from the remote registry\n\
             ➤ YN0013: │ b@npm:1.0.0 can't be found in the cache and will be fetched from the remote registry\nDone in 2s\n",
            "[3 lines left out: progress, here and below]\nPackages: +9\n\
             Progress: resolved 9, reused 0, downloaded 9, added 9, done\n[2 lines left out: downloads]\nDone in 2s\n",
        );
    }

    /// Behaviour 3.15.
    #[test]
    fn pip_keeps_what_it_collects_installs_and_misses() {
        check(
            &Packages,
            "Requirement already satisfied: a in ./lib (1.0)\nRequirement already satisfied: b in ./lib (1.0)\n\
             Collecting x>=2\n  Downloading x-2.0-py3-none-any.whl (4 kB)\n     ━━━━━━━━ 4.0/4.0 kB 1.0 MB/s eta 0:00:00\n\
             Collecting y\n  Using cached y-1.tar.gz (3 kB)\n  Installing build dependencies: started\n\
             \x20 Installing build dependencies: finished with status 'error'\n  error: subprocess-exited-with-error\n\
             ERROR: No matching distribution found for z\nSuccessfully installed x-2.0\n",
            "[2 lines left out: requirements that were there already]\nCollecting x>=2\n\
             [3 lines left out: downloads, here and below]\nCollecting y\n  Installing build dependencies: started\n\
             \x20 Installing build dependencies: finished with status 'error'\n  error: subprocess-exited-with-error\n\
             ERROR: No matching distribution found for z\nSuccessfully installed x-2.0\n",
        );
    }

    #[test]
    fn apt_and_go_lose_their_downloads() {
        check(
            &Packages,
            "Get:1 http://deb/debian stable InRelease [99 kB]\nHit:2 http://deb/debian stable\n\
             E: Unable to locate package nosuch\nSelecting previously unselected package curl.\n\
             Preparing to unpack .../curl_8_amd64.deb ...\nUnpacking curl (8) ...\nSetting up curl (8) ...\n\
             go: downloading example.com/x v1.2.3\ngo: downloading example.com/y v1.0.0\ngo: example.com/z: not found\n",
            "[4 lines left out: downloads, here and below]\nE: Unable to locate package nosuch\n\
             [3 lines left out: unpacking]\nSetting up curl (8) ...\ngo: example.com/z: not found\n",
        );
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in ["", "Collecting evidence\nof things\n", "{\"name\":\"x\"}", "npm\n#\n➤\n━\nGet: é\n"]
        {
            assert_eq!(apply(&Packages, text), None, "{text}");
        }
    }
}
