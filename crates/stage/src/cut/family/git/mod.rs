//! Shortens git output: keeps every changed line that a person wrote and every commit's subject, and counts the
//! rest.

mod file;
mod hunk;
mod lock;
mod log;
mod patch;
mod refs;

use crate::class::{CutClass, Omission};
use crate::plan::{Loss, Mode};
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// The cut for diffs, alone or below the commits they belong to.
pub(super) struct GitDiff;

impl Stage for GitDiff {
    fn name(&self) -> &'static str {
        "git diff"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    /// A changed line that mentions an error is code, and may be cut. Git's own messages are outside the files and
    /// are kept.
    fn cuts_lines(&self) -> bool {
        false
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Content, &["unchanged", "removed", "lock files and what else a tool wrote"])]
    }

    fn apply(&self, _: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        let short = patch::shorten(text)?;
        (short.len() < text.len()).then_some(Edit { text: short, loss: Loss::Detail, note: String::new() })
    }
}

/// The cut for logs in git's full format.
pub(super) struct GitLog;

impl Stage for GitLog {
    fn name(&self) -> &'static str {
        "git log"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Further, &[log::BODIES])]
    }

    fn apply(&self, _: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        let text = log::shorten(text)?;
        Some(Edit { text, loss: Loss::Detail, note: String::new() })
    }
}

/// The cut for lists of branches, tags and objects.
pub(super) struct GitRefs;

impl Stage for GitRefs {
    fn name(&self) -> &'static str {
        "git refs"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Content, &["the rest of hashes"])]
    }

    fn apply(&self, _: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        let text = if text.contains_any(&refs::WORDS) { refs::shorten(text) } else { None }?;
        Some(Edit { text, loss: Loss::Detail, note: String::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::family::proof::{apply, check};

    const HEAD: &str = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n";

    #[test]
    fn a_lock_file_shows_names_and_versions() {
        check(
            &GitDiff,
            "commit 1\n\n    bump\n\ndiff --git a/pnpm-lock.yaml b/pnpm-lock.yaml\nindex 1..2 100644\n--- a/pnpm-lock.yaml\n+++ b/pnpm-lock.yaml\n\
             @@ -1,9 +1,9 @@ importers:\n         version: 3.5.3\n       left:\n-        specifier: ^4.5.0\n-        version: 4.5.0\n+        specifier: 4.6.0\n+        version: 4.6.0\n       right:\n         specifier: 1.0.0\n         version: 1.0.0\n\n\n\
             @@ -20,5 +20,5 @@ packages:\n \n-  left@4.5.0:\n-    resolution: {integrity: sha512-aaaa==}\n+  left@4.6.0:\n+    resolution: {integrity: sha512-bbbb==}\n     engines: {node: '>=14'}\n \n\
             @@ -40,2 +40,2 @@ snapshots:\n-  left@4.5.0:\n+  left@4.6.0:\n     optional: true\n\
             \ncommit 2\n",
            "commit 1\n\n    bump\n\ndiff --git a/pnpm-lock.yaml b/pnpm-lock.yaml\nindex 1..2 100644\n--- a/pnpm-lock.yaml\n+++ b/pnpm-lock.yaml\n\
             [17 lines left out: lock file, 5 added and 5 removed; names and versions stay]\n\
             \x20      left:\n-        specifier: ^4.5.0\n-        version: 4.5.0\n+        specifier: 4.6.0\n+        version: 4.6.0\n\
             -  left@4.5.0:\n+  left@4.6.0:\n\
             \ncommit 2\n",
        );
    }

    #[test]
    fn a_minified_file_shows_its_beginning() {
        let long = "x".repeat(5000);
        let text = format!(
            "diff --git a/w/a.min.js b/w/a.min.js\nindex 1..2 100644\n--- a/w/a.min.js\n+++ b/w/a.min.js\n@@ -1,2 +1,2 @@\n-{long}\n-// a\n+{long}Error: y\n+// b\n{HEAD}@@ -1 +1 @@\n-a\n+b\n"
        );
        check(
            &GitDiff,
            &text,
            &format!(
                "diff --git a/w/a.min.js b/w/a.min.js\nindex 1..2 100644\n--- a/w/a.min.js\n+++ b/w/a.min.js\n\
                 [3 lines left out: minified file, 2 added and 2 removed; the first changes stay]\n-// a\n+// b\n{HEAD}@@ -1 +1 @@\n-a\n+b\n"
            ),
        );
    }

    #[test]
    fn changes_stay_and_long_removals_are_counted() {
        let removed = (0..40).map(|at| format!("-old {at}\n")).collect::<Vec<_>>().concat();
        let shown = apply(&GitDiff, &format!("{HEAD}@@ -1,41 +1,2 @@\n a\n{removed}+new\n")).unwrap();
        assert!(shown.contains("-old 7\n[24 lines left out: removed]\n-old 32\n"), "{shown}");
        assert!(shown.ends_with("-old 39\n+new\n"), "{shown}");
        assert_eq!(apply(&GitDiff, &format!("{HEAD}@@ -1 +1,2 @@\n a\n+new\n")), None);
    }

    #[test]
    fn missing_context_is_said_once() {
        let hunk = |at: usize| {
            let same = " unchanged\n".repeat(3);
            format!("@@ -{at},7 +{at},7 @@\n{same}-{}\n+D\n{same}", "d".repeat(9_000))
        };
        let shown = apply(&GitDiff, &format!("{HEAD}{}{}", hunk(10), hunk(30))).unwrap();
        assert!(
            shown.starts_with("[8 lines left out: unchanged, here and below]\ndiff --git a/x b/x\n"),
            "{shown}"
        );
        assert_eq!(shown.matches("left out").count(), 1);
    }

    #[test]
    fn what_git_says_between_files_stays() {
        let text = format!("{HEAD}@@ -1 +1 @@\n-a\n+b\nfatal: bad object\nwarning: é\n{HEAD}@@ garbage\n");
        assert_eq!(apply(&GitDiff, &text), None);
        let removed = (0..60).map(|at| format!("-old {at}\n")).collect::<Vec<_>>().concat();
        let shown =
            apply(&GitDiff, &format!("{HEAD}@@ -1,60 +0,0 @@\n{removed}fatal: bad object\n")).unwrap();
        assert!(shown.ends_with("-old 59\nfatal: bad object\n"), "{shown}");
    }

    fn log(commits: usize) -> String {
        let hash = "0123456789abcdef0123456789abcdef01234567";
        let body = "\n    one\n    two failed\n    three\n    four\n    five\n    six\n    error: seven\n    eight\n    nine\n";
        (0..commits)
            .map(|at| format!("commit {hash}\nAuthor: A B <a@b.c>\nDate:   Mon May 4 10:44:15 2026 -0700\n\n    subject {at}\n    {body}\n"))
            .collect::<Vec<_>>()
            .concat()
    }

    /// Behaviour 17.9.
    #[test]
    fn a_long_log_keeps_subjects_and_usable_hashes() {
        let shown = apply(&GitLog, &log(40)).unwrap();
        let head = "[40 commits: 12 characters of the hash, date, author, subject]\n\
                    [320 lines left out: bodies of commits]\n\
                    0123456789ab Mon May 4 10:44:15 2026 -0700 A B: subject 0\n    error: seven\n0123456789ab ";
        assert!(shown.starts_with(head), "{shown}");
        assert_eq!(shown.matches(" A B: subject ").count(), 40);
        assert_eq!(shown.matches("    error: seven\n").count(), 40);
        assert_eq!(apply(&GitLog, &log(3)), None);
    }

    #[test]
    fn long_lists_of_refs_have_short_hashes() {
        let line = |at: usize| format!("{:040x} commit\trefs/tags/v{at}\n", at * 0x0123_4567_89ab);
        let text = (0..20).map(line).collect::<Vec<_>>().concat();
        let shown = apply(&GitRefs, &text).unwrap();
        assert!(shown.starts_with("[20 hashes cut to 12 characters, the rest of each left out]\n000000000000 commit\trefs/tags/v0\n"), "{shown}");
        assert_eq!(shown.lines().count(), 21);
        let odd = format!("{text}{:040x} commit\trefs/error: fatal\n", 7);
        assert!(apply(&GitRefs, &odd).unwrap().ends_with(&format!("{:040x} commit\trefs/error: fatal\n", 7)));
        assert_eq!(apply(&GitRefs, &(0..9).map(line).collect::<Vec<_>>().concat()), None);
        assert_eq!(apply(&GitRefs, &text.replace("refs/tags/", "").replace("commit", "sha")), None);
    }

    /// Behaviour 17.1.
    #[test]
    fn odd_commits_are_left_alone() {
        for text in [
            "commit 日本語\n",
            "commit \n",
            "commit 日",
            "diff --git ",
            "diff --git a b\n@@ -1,é +1 @@\n",
            "\ndiff --git é b/\n@@",
        ] {
            assert_eq!(apply(&GitLog, text), None);
            assert_eq!(apply(&GitDiff, text), None);
        }
        let odd = log(40).replace("A B <", "é日<").replace("subject", "日本語");
        assert!(
            apply(&GitLog, &format!("commit 日本語\n{odd}")).is_none_or(|shown| shown.contains("日本語 39"))
        );
    }
}
