//! The general transforms. A stage proposes; the pipeline measures, checks and accepts.

use crate::call::Call;
use crate::class::{CutClass, Left};
use crate::plan::{Loss, Mode, Plan, Reader};
use crate::room::Room;

/// What a stage sees beside the text.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The settings.
    pub plan: &'a Plan,
    /// The call that the text answers.
    pub call: Call<'a>,
    /// The most that may be left out of it.
    pub class: CutClass,
    /// About how many of its bytes stay where content is left out.
    pub room: usize,
}

impl<'a> Scene<'a> {
    /// Where anything may be left out of what is longer than a few pages.
    #[must_use]
    pub const fn of(plan: &'a Plan, call: Call<'a>) -> Self {
        Self { plan, call, class: CutClass::Content, room: ROOM }
    }

    /// True when what is of this class may be left out.
    #[must_use]
    pub fn leaves_out(&self, class: CutClass) -> bool {
        class <= self.class
    }
}

/// What stays unless something else is said.
const ROOM: usize = 12_000;

/// A proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What the text would become; of an exact edit, the part below its mark.
    pub text: String,
    /// What would be lost.
    pub loss: Loss,
    /// For an exact edit, what `restore` needs beside the text; a few words, on one line.
    pub note: String,
}

/// One transform: no state, no clock, no way to fail.
pub trait Stage: Sync {
    /// Its name everywhere: marks, reports, settings.
    fn name(&self) -> &'static str;

    /// The first mode that runs it.
    fn mode(&self) -> Mode;

    /// The weakest reader that is given what it writes.
    fn reader(&self) -> Reader {
        Reader::Small
    }

    /// True when a file's own text stays as it is, so that an edit of it still matches.
    fn keeps_text(&self) -> bool {
        false
    }

    /// True when an edit that leaves detail out leaves whole lines out, so that lines with errors can be looked for.
    fn cuts_lines(&self) -> bool {
        true
    }

    /// True when a line that it shows means the same wherever it stands: no head and no other line adds to it.
    fn lines_stand_alone(&self) -> bool {
        false
    }

    /// What it leaves out, class by class, the least of them first; nothing for a form. A stage that leaves out more than
    /// one class asks the scene how far it may go.
    fn leaves(&self) -> &'static [Left] {
        &[]
    }

    /// What it must save to be taken, in percent of the text: a notation costs its reader something, too.
    fn least_percent(&self) -> usize {
        2
    }

    /// What it would make of the text.
    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit>;

    /// The text that an exact edit of its own came from; `None` when there is no room for it.
    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let _ = (room, note, text);
        None
    }
}
