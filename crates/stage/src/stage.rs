//! Defines stages. A stage proposes an edit; the pipeline measures, checks and accepts it.

use crate::call::Call;
use crate::class::{CutClass, Omission};
use crate::plan::{Loss, Mode, Plan, Reader};
use crate::room::Room;

/// The context of a stage.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The settings.
    pub plan: &'a Plan,
    /// The call that the text answers.
    pub call: Call<'a>,
    /// The class up to which text may be omitted.
    pub class: CutClass,
    /// Approximate number of bytes to keep where content is omitted.
    pub room: usize,
}

impl<'a> Scene<'a> {
    /// A scene in which everything beyond a few pages may be omitted.
    #[must_use]
    pub const fn of(plan: &'a Plan, call: Call<'a>) -> Self {
        Self { plan, call, class: CutClass::Content, room: DEFAULT_ROOM_BYTES }
    }

    /// True when text of this class may be omitted.
    #[must_use]
    pub fn may_omit(&self, class: CutClass) -> bool {
        class <= self.class
    }
}

/// The default number of bytes to keep.
const DEFAULT_ROOM_BYTES: usize = 12_000;

/// A proposed edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The new text; for an exact edit, the part below its mark.
    pub text: String,
    /// The loss.
    pub loss: Loss,
    /// For an exact edit, a few words on one line that `restore` needs in addition to the text.
    pub note: String,
}

/// One transform: no state, no clock, no way to fail.
pub trait Stage: Sync {
    /// The name used in marks, reports and settings.
    fn name(&self) -> &'static str;

    /// The first mode that runs it.
    fn mode(&self) -> Mode;

    /// The weakest reader that may get its output.
    fn reader(&self) -> Reader {
        Reader::Small
    }

    /// True when file contents stay unchanged, so that an edit still matches them.
    fn keeps_text(&self) -> bool {
        false
    }

    /// True when a lossy edit omits whole lines, so that lines with errors can be searched for.
    fn cuts_lines(&self) -> bool {
        true
    }

    /// True when each output line means the same wherever it appears: neither a head nor another line adds to it.
    fn lines_stand_alone(&self) -> bool {
        false
    }

    /// What it omits, by class, in increasing order; nothing for a form. A stage that omits more than one class asks
    /// the scene how far it may go.
    fn leaves(&self) -> &'static [Omission] {
        &[]
    }

    /// The minimum saving in percent of the text, because any notation costs its reader something.
    fn least_percent(&self) -> usize {
        2
    }

    /// The edit that it proposes for the text.
    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit>;

    /// The text that one of its exact edits came from; `None` if there is no room for it.
    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let _ = (room, note, text);
        None
    }
}
