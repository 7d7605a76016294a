//! Provides checks that the tests of exact stages share.

use crate::call::Call;
use crate::plan::Plan;
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// The edit that a stage proposes for a text.
pub(crate) fn apply(stage: &dyn Stage, text: &str) -> Option<Edit> {
    stage.apply(Scene::of(&Plan::default(), Call::default()), &TextView::new(text))
}

/// The text that a stage writes for `text`.
pub(crate) fn becomes(stage: &dyn Stage, text: &str) -> Option<String> {
    apply(stage, text).map(|edit| edit.text)
}

/// Restores the original text from an edit.
pub(crate) fn back(stage: &dyn Stage, edit: &Edit) -> Option<String> {
    read(stage, &edit.note, &edit.text)
}

/// Restores the original text from a note and a body.
pub(crate) fn read(stage: &dyn Stage, note: &str, body: &str) -> Option<String> {
    stage.restore(Room::of(body), note, body)
}

/// Checks the note and the body that a stage writes for a text, and that the text can be restored.
pub(crate) fn check(stage: &dyn Stage, text: &str, note: &str, body: &str) {
    let edit = apply(stage, text).unwrap_or_else(|| panic!("declined {text:?}"));
    assert_eq!((edit.note.as_str(), edit.text.as_str()), (note, body));
    assert_eq!(read(stage, note, body).as_deref(), Some(text));
}

/// Lines that are unusual for every form: blank lines, lines in other notations, and lines that imitate our notation.
pub(crate) const ODD: &[&str] = &[
    "",
    "\r",
    " x",
    "  x",
    "x/",
    "--",
    "[2 lines as they came:]",
    "[1 line as it came:]",
    "é\t/ü",
    "[layout1 search]",
    "x",
    "./",
];

/// Checks that a few unusual lines, in every order around usual ones, are restored.
pub(crate) fn check_odd(stage: &dyn Stage, odd: &[&str], usual: &str) {
    for first in odd {
        for second in odd {
            for end in ["", "\n", "\n\n"] {
                let text = format!("{first}\n{usual}\n{second}\n{first}\n{usual}\n{usual}\n{second}{end}");
                let edit = apply(stage, &text).unwrap_or_else(|| panic!("declined {text:?}"));
                let back = back(stage, &edit);
                assert_eq!(back.as_deref(), Some(&*text), "{}\n{}", edit.note, edit.text);
            }
        }
    }
}

/// Checks that restoring notes and bodies that no stage wrote does not panic.
pub(crate) fn read_foreign(stage: &dyn Stage) {
    for note in ["", "nonsense", "; ", "each", "each a 1 b c unless said", "goes on at level 99999999999"] {
        for body in [
            "",
            "\n",
            "[9 lines as they came:]\n",
            "[99999999999999999999 lines as they came:]",
            " x",
            "/",
            "- 1",
            "  \n   é",
        ] {
            let _ = read(stage, note, body);
        }
    }
}
