//! A job: one result to compress, the settings that apply to it, and the stages that these settings allow.

use tersely_stage::cut::Filter;
use tersely_stage::{Call, CutClass, Loss, Mode, Plan, Scene, Stage};

use crate::pipeline::reference::EscapeScope;
use crate::pipeline::run::StageRun;

/// The parameters of one attempt to compress a text. Attempts at the same text differ in the plan, the class and the
/// room.
#[derive(Clone, Copy)]
pub(super) struct Job<'j> {
    pub(super) plan: Plan,
    call: Call<'j>,
    /// True for a file that an agent may edit. Computed only once, because it requires parsing the command.
    verbatim: bool,
    /// The user's own filter for this call, if any.
    pub(super) filter: Option<&'j Filter>,
    /// The highest class of detail that stages may cut.
    class: CutClass,
    /// The number of bytes that a stage keeps when it cuts content.
    room: usize,
}

impl<'j> Job<'j> {
    /// A job for a result that no agent edits and no filter applies to.
    pub(super) fn new(plan: &Plan, call: Call<'j>) -> Self {
        Self { plan: *plan, call, verbatim: false, filter: None, class: CutClass::Content, room: 0 }
    }

    /// The same job with the first of the user's filters that matches the call, and with the flag for a file that an
    /// agent may edit.
    pub(super) fn with_filters(self, filters: &'j [Filter], text: &str) -> Self {
        let filter = filters.iter().find(|filter| filter.is_for(&self.call));
        Self { verbatim: self.call.is_verbatim(text), filter, ..self }
    }

    /// The same job in standard mode.
    pub(super) fn standard(self) -> Self {
        Self { plan: Plan { mode: Mode::Standard, ..self.plan }, ..self }
    }

    /// The same job with this maximum loss.
    pub(super) fn with_loss(self, loss: Loss) -> Self {
        Self { plan: Plan { loss, ..self.plan }, ..self }
    }

    /// The same job, cutting detail up to `class` and keeping `room` bytes of content.
    pub(super) fn with_class(self, class: CutClass, room: usize) -> Self {
        Self { class, room, ..self }
    }

    /// The same job for a text that is sent below the line `head`, with the limit reduced by the size of that line.
    /// `None` if the line takes more than half of the limit.
    pub(super) fn below_head(self, head: &str) -> Option<Self> {
        let max_bytes = self.plan.max_bytes;
        if self.plan.loss < Loss::Detail || max_bytes == 0 {
            return Some(self);
        }
        let left = max_bytes.checked_sub(head.len()).filter(|left| left * 2 >= max_bytes)?;
        Some(Self { plan: Plan { max_bytes: left, ..self.plan }, ..self })
    }

    /// Offers the text to every stage in `stages` that may run.
    pub(super) fn offer(self, stages: &[&dyn Stage], run: &mut StageRun<'_>) {
        for stage in stages.iter().filter(|stage| self.may_run(**stage)) {
            run.offer(*stage, self.scene());
        }
    }

    /// The information about the job that stages get.
    pub(super) fn scene(&self) -> Scene<'_> {
        Scene { plan: &self.plan, call: self.call, class: self.class, room: self.room }
    }

    /// True when mode, class and kind of text allow a stage to run.
    pub(super) fn may_run(self, stage: &dyn Stage) -> bool {
        let classes = stage.leaves();
        let within = classes.is_empty() || classes.iter().any(|(class, _)| *class <= self.class);
        within && stage.mode() <= self.plan.mode && (stage.keeps_text() || !self.is_verbatim())
    }

    /// True when a stage may cut detail from the text.
    pub(super) fn may_cut(self) -> bool {
        self.plan.loss == Loss::Detail && self.plan.mode >= Mode::Standard && !self.is_verbatim()
    }

    /// True when an agent may edit the file and so must be able to quote the text exactly. Aggressive mode ignores
    /// this.
    pub(super) fn is_verbatim(self) -> bool {
        self.verbatim && self.plan.mode < Mode::Aggressive
    }

    /// Where imitations of our marks are escaped.
    pub(super) fn escape_scope(self, text: &str) -> EscapeScope {
        if self.call.origin(text).is_masked() { EscapeScope::Everywhere } else { EscapeScope::Ambiguous }
    }
}
