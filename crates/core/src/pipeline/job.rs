//! One result to compress, with the settings that apply to it, and which stages those settings let run.

use tersely_stage::cut::Filter;
use tersely_stage::{Call, CutClass, Loss, Mode, Plan, Scene, Stage};

use crate::pipeline::reference::EscapeScope;
use crate::pipeline::run::StageRun;

/// What every attempt to compress one text has in common. Attempts differ in the plan, the class and the room.
#[derive(Clone, Copy)]
pub(super) struct Job<'j> {
    pub(super) plan: Plan,
    call: Call<'j>,
    /// True for a file that an agent may edit. Computed once, because it means parsing the command.
    verbatim: bool,
    /// The user's own filter for this call, if any.
    pub(super) filter: Option<&'j Filter>,
    /// The highest class of detail that stages may cut.
    class: CutClass,
    /// Bytes of content that a stage keeps when it cuts content.
    room: usize,
}

impl<'j> Job<'j> {
    /// A job for a result that no agent edits and no filter is for.
    pub(super) fn new(plan: &Plan, call: Call<'j>) -> Self {
        Self { plan: *plan, call, verbatim: false, filter: None, class: CutClass::Content, room: 0 }
    }

    /// The same for the result of this call: finds its filter, and whether an agent may edit the text.
    pub(super) fn with_filters(self, filters: &'j [Filter], text: &str) -> Self {
        let filter = filters.iter().find(|filter| filter.is_for(&self.call));
        Self { verbatim: self.call.is_verbatim(text), filter, ..self }
    }

    /// The same job in standard mode.
    pub(super) fn standard(self) -> Self {
        Self { plan: Plan { mode: Mode::Standard, ..self.plan }, ..self }
    }

    /// The same job with less loss allowed.
    pub(super) fn with_loss(self, loss: Loss) -> Self {
        Self { plan: Plan { loss, ..self.plan }, ..self }
    }

    /// The same job that cuts up to `class`, and keeps `room` bytes of content.
    pub(super) fn with_class(self, class: CutClass, room: usize) -> Self {
        Self { class, room, ..self }
    }

    /// The same job for a text that is sent below the line `head`, which takes some of the bytes that may be sent. `None`
    /// if it takes more than half of them.
    pub(super) fn below_head(self, head: &str) -> Option<Self> {
        let max_bytes = self.plan.max_bytes;
        if self.plan.loss < Loss::Detail || max_bytes == 0 {
            return Some(self);
        }
        let left = max_bytes.checked_sub(head.len()).filter(|left| left * 2 >= max_bytes)?;
        Some(Self { plan: Plan { max_bytes: left, ..self.plan }, ..self })
    }

    /// Offers the text to every stage of a table that may run.
    pub(super) fn offer(self, stages: &[&dyn Stage], run: &mut StageRun<'_>) {
        for stage in stages.iter().filter(|stage| self.may_run(**stage)) {
            run.offer(*stage, self.scene());
        }
    }

    /// What a stage is told about the job.
    pub(super) fn scene(&self) -> Scene<'_> {
        Scene { plan: &self.plan, call: self.call, class: self.class, room: self.room }
    }

    /// True when mode, class and kind of text let a stage run.
    pub(super) fn may_run(self, stage: &dyn Stage) -> bool {
        let classes = stage.leaves();
        let within = classes.is_empty() || classes.iter().any(|(class, _)| *class <= self.class);
        within && stage.mode() <= self.plan.mode && (stage.keeps_text() || !self.is_verbatim())
    }

    /// True when a stage may cut detail from the text.
    pub(super) fn may_cut(self) -> bool {
        self.plan.loss == Loss::Detail && self.plan.mode >= Mode::Standard && !self.is_verbatim()
    }

    /// True when the text must stay quotable: an agent may edit the file. Aggressive mode takes that risk.
    pub(super) fn is_verbatim(self) -> bool {
        self.verbatim && self.plan.mode < Mode::Aggressive
    }

    /// Where text that imitates our marks is escaped.
    pub(super) fn escape_scope(self, text: &str) -> EscapeScope {
        if self.call.origin(text).is_masked() { EscapeScope::Everywhere } else { EscapeScope::Ambiguous }
    }
}
