//! Defines stages. A stage proposes an edit; the pipeline measures it, checks it, and accepts or rejects it.

use crate::call::Call;
use crate::class::{CutClass, Omission};
use crate::plan::{Loss, Mode, Plan, Reader};
use crate::room::Room;
use crate::view::TextView;

/// The context in which a stage runs.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The plan for the result.
    pub plan: &'a Plan,
    /// The call that produced the text.
    pub call: Call<'a>,
    /// Text of this class and of the classes before it may be omitted.
    pub class: CutClass,
    /// The approximate number of bytes to keep when content is omitted.
    pub room: usize,
}

impl<'a> Scene<'a> {
    /// A scene in which everything beyond a few pages may be omitted.
    #[must_use]
    pub const fn of(plan: &'a Plan, call: Call<'a>) -> Self {
        Self { plan, call, class: CutClass::Content, room: DEFAULT_ROOM_BYTES }
    }

    /// True when a cut may omit all that it ever omits, and no content, of which more may go where there is less room.
    /// If such a cut declines a text here, it declines it in every scene.
    #[must_use]
    pub fn exhausts(&self, cut: &dyn Stage) -> bool {
        let is_final = |class: CutClass| class < CutClass::Content && self.may_omit(class);
        let classes = cut.leaves();
        !classes.is_empty() && !cut.asks_others() && classes.iter().all(|(class, _)| is_final(*class))
    }

    /// True when text of this class may be omitted.
    #[must_use]
    pub fn may_omit(&self, class: CutClass) -> bool {
        class <= self.class
    }
}

/// The default number of bytes to keep when content is omitted.
const DEFAULT_ROOM_BYTES: usize = 12_000;

/// A proposed edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The new text. For an exact edit, this is the text below the edit's mark.
    pub text: String,
    /// How much information the edit loses.
    pub loss: Loss,
    /// For an exact edit, a few words on one line that `restore` needs in addition to the text.
    pub note: String,
}

/// A transform without state. It uses no clock and cannot fail.
pub trait Stage: Sync {
    /// The name used in marks, reports and settings.
    fn name(&self) -> &'static str;

    /// The first mode that runs the stage.
    fn mode(&self) -> Mode;

    /// The weakest reader that may get the stage's output.
    fn reader(&self) -> Reader {
        Reader::Small
    }

    /// True when the stage keeps file contents unchanged, so that a later edit still matches them.
    fn keeps_text(&self) -> bool {
        false
    }

    /// True when a lossy edit omits whole lines, so that a check can search for lost lines with errors.
    fn cuts_lines(&self) -> bool {
        true
    }

    /// True when each output line has the same meaning wherever it appears, independent of a head or other lines.
    fn lines_stand_alone(&self) -> bool {
        false
    }

    /// The text that the stage omits, by class in increasing order; empty for a form. A stage that omits several
    /// classes asks the scene which of them it may omit.
    fn leaves(&self) -> &'static [Omission] {
        &[]
    }

    /// True when the stage passes text on to other stages, so that it may omit what they omit.
    fn asks_others(&self) -> bool {
        false
    }

    /// The minimum saving in percent of the text. A minimum is needed because any notation takes a reader some effort.
    fn least_percent(&self) -> usize {
        2
    }

    /// The edit that the stage proposes for `text`, if any.
    fn apply(&self, scene: Scene<'_>, text: &TextView<'_>) -> Option<Edit>;

    /// Restores the text from which an exact edit of this stage was made; `None` if there is too little room.
    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let _ = (room, note, text);
        None
    }
}
