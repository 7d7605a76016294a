//! Git's own words once instead of on every line: blame, diffs, logs, statistics.
//!
//! Hunks and lines of code stay as they are: they are read, and edits must match them.

mod author;
mod blame;
mod diff;
mod stat;

use crate::plan::{Loss, Mode};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};

pub(crate) use blame::Blame;

/// Diffs, logs and their statistics.
pub(crate) struct Git;

impl Stage for Git {
    fn name(&self) -> &'static str {
        "git"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        let mut out = text.to_owned();
        let mut names = Vec::new();
        for fold in &FOLDS {
            let Some(folded) = (fold.write)(&out) else { continue };
            if (fold.read)(Room::of(&folded), &folded).as_ref() == Some(&out) {
                out = folded;
                names.push(fold.name);
            }
        }
        (!names.is_empty()).then(|| Edit { text: out, loss: Loss::None, note: names.join(", ") })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let mut out = text.to_owned();
        for name in note.rsplit(", ") {
            let fold = FOLDS.iter().find(|fold| fold.name == name)?;
            out = (fold.read)(room, &out)?;
        }
        Some(out)
    }
}

/// A rewriting of some of a text's lines.
struct Fold {
    /// What the mark says of it.
    name: &'static str,
    /// The text with such lines rewritten; `None` when there are none.
    write: fn(&str) -> Option<String>,
    /// Such a text as it was, if there is room for it.
    read: fn(Room, &str) -> Option<String>,
}

static FOLDS: [Fold; 3] = [
    Fold { name: "path once a file", write: diff::fold, read: diff::unfold },
    Fold { name: "mail once an author", write: author::fold, read: author::unfold },
    Fold { name: "aligned counts", write: stat::fold, read: stat::unfold },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;
    use crate::proof;

    pub(crate) fn check(stage: &dyn Stage, text: &str, note: &str, written: &str) {
        let plan = Plan::default();
        let edit = stage.apply(Scene { plan: &plan, call: Call::default() }, text).unwrap();
        assert_eq!((edit.note.as_str(), edit.text.as_str()), (note, written));
        assert_eq!(proof::back(stage, &edit).as_deref(), Some(text));
    }

    #[test]
    fn a_diff_says_each_path_once() {
        check(
            &Git,
            "diff --git a/x y.rs b/x y.rs\nindex 8827bd4c..379c3f0e 100644\n--- a/x y.rs\n+++ b/x y.rs\n@@ -1 +1 @@\n-a\n+b\n",
            "path once a file",
            "diff x y.rs index 8827bd4c..379c3f0e 100644\n@@ -1 +1 @@\n-a\n+b\n",
        );
        check(
            &Git,
            "diff --git a/n b/n\nnew file mode 100755\nindex 0000000..379c3f0\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+b\n\
             diff --git a/o b/o\ndeleted file mode 100644\nindex 379c3f0..0000000\n--- a/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-b",
            "path once a file",
            "diff n new file mode 100755 index 0000000..379c3f0\n@@ -0,0 +1 @@\n+b\n\
             diff o deleted file mode 100644 index 379c3f0..0000000\n@@ -1 +0,0 @@\n-b",
        );
    }

    #[test]
    fn a_log_says_each_mail_once() {
        check(
            &Git,
            "commit 1\nAuthor: A B <a@b.c>\nDate:   x\n\n    m\n\ncommit 2\nAuthor: A B <a@b.c>\n\ncommit 3\nAuthor: A B <d@e.f>\nAuthor: A B <a@b.c>\n",
            "mail once an author",
            "commit 1\nAuthor: A B <a@b.c>\nDate:   x\n\n    m\n\ncommit 2\nAuthor: A B\n\ncommit 3\nAuthor: A B <d@e.f>\nAuthor: A B <a@b.c>\n",
        );
    }

    #[test]
    fn statistics_lose_their_padding() {
        check(
            &Git,
            "top\n a/long.rs |  12 ++--\n b.rs      | 120 ++++\n c d.rs    |   0\n 3 files changed, 9 insertions(+)\n",
            "aligned counts",
            "top\na/long.rs 12 ++--\nb.rs 120 ++++\nc d.rs 0\n 3 files changed, 9 insertions(+)\n",
        );
    }

    #[test]
    fn what_looks_like_our_work_comes_back() {
        let header = "diff --git a/x b/x\nindex 88..37 100644\n--- a/x\n+++ b/x\n";
        let stat = " a.rs | 1 +\n b.rs | 2 +\n cc.rs | 3 +\n";
        for text in [
            format!("diff x index 88..37 100644\n{header}"),
            format!("{header}diff x index 88..37"),
            format!("a 3 +\n{stat}"),
            format!("{stat}b 4 -\n"),
            "Author: A <b>\nAuthor: A <b>\nAuthor: A\nAuthor: A <b>".to_owned(),
            header.replace('\n', "\r\n"),
            " a | 1 +\n b | 2 +\n c | 3 +".to_owned(),
        ] {
            let plan = Plan::default();
            if let Some(edit) = Git.apply(Scene { plan: &plan, call: Call::default() }, &text) {
                assert_eq!(proof::back(&Git, &edit).as_deref(), Some(&*text));
            }
        }
    }
}
