//! One tool result through all stages.

use std::borrow::Cow;

use tersely_stage::clean::CLEAN;
use tersely_stage::cut::{CAPS, CUTS, FAMILIES, Filter, REST};
use tersely_stage::form::NUMBERED;
use tersely_stage::{Call, CutClass, Loss, Mode, Plan, Redaction, Room, Scene, Stage};

use crate::pipeline::footer::WRAPPED;
use crate::pipeline::ledger::{self, Ledger, Step};
use crate::pipeline::outcome::Outcome;
use crate::pipeline::reference::{Original, Telling};
use crate::pipeline::restore::{BYTE_ORDER, unsigned};
use crate::pipeline::run::StageRun;
use crate::pipeline::wrap::Wrapped;
use crate::pipeline::{budget, footer, run, sight, worth, wrap};
use crate::redact;
use crate::tokens::O200k;

/// Never fails, never returns more tokens than it was given, and gives the same bytes for the same arguments.
pub fn compress<'a>(plan: &Plan, call: Call<'_>, text: &'a str) -> Outcome<'a> {
    compress_filtered(plan, &[], call, text)
}

/// The same, where people have said what to leave out of their own tools' output: the first of their filters that is for
/// the call goes before what we know of the tool.
pub fn compress_filtered<'a>(plan: &Plan, filters: &[Filter], call: Call<'_>, text: &'a str) -> Outcome<'a> {
    if plan.mode <= Mode::Observe {
        return Outcome::unchanged(text);
    }
    let filter = filters.iter().find(|filter| filter.is_for(&call));
    let job = Job { verbatim: call.is_verbatim(text), filter, ..Job::new(plan, call) };
    match (seal(plan, call, text), plan.takes(text.len())) {
        (None, true) => job.send(text),
        (None, false) => leave(plan, call, text),
        (Some((sealed, redacted)), true) => Outcome { redacted, ..job.send(&sealed).into_owned() },
        (Some((sealed, redacted)), false) => Outcome { redacted, ..leave(plan, call, &sealed).into_owned() },
    }
}

/// A text that no stage is to see: only what plays our marks in it is told from them.
pub fn leave<'a>(plan: &Plan, call: Call<'_>, text: &'a str) -> Outcome<'a> {
    let job = Job::new(plan, call);
    let bare = text.strip_prefix(BYTE_ORDER).unwrap_or(text);
    job.show(StageRun::new(Cow::Borrowed(bare)), bare, text)
}

/// The text without its secrets, and how many there were, before a stage sees it, before a limit of size is asked, and
/// whatever the plan allows to lose. A mask says in words what it is, whatever that costs.
#[must_use]
pub fn seal(plan: &Plan, call: Call<'_>, text: &str) -> Option<(String, usize)> {
    let masks = match plan.redact {
        Redaction::Off => false,
        Redaction::Usual => call.origin(text).is_masked(),
        Redaction::All => true,
    };
    let secrets = if masks { redact::find(text) } else { Vec::new() };
    (!secrets.is_empty()).then(|| (redact::mask(text, &secrets), secrets.len()))
}

/// What all ways of compressing a text have in common.
#[derive(Clone, Copy)]
pub(super) struct Job<'j> {
    pub(super) plan: Plan,
    call: Call<'j>,
    /// True for a file that an agent may edit. Found out once: a command has to be taken apart for that.
    verbatim: bool,
    /// What someone said to leave out.
    filter: Option<&'j Filter>,
    /// The most that may be left out.
    class: CutClass,
    /// How many bytes stay where content is.
    room: usize,
}

impl<'j> Job<'j> {
    /// What becomes of the result of a call that nobody edits, and that nobody said anything about.
    fn new(plan: &Plan, call: Call<'j>) -> Self {
        Self { plan: *plan, call, verbatim: false, filter: None, class: CutClass::Content, room: 0 }
    }

    /// The text as it is sent: what lost detail names its original, what plays our marks is told from them.
    fn send(self, text: &str) -> Outcome<'_> {
        let plain = text.strip_prefix(BYTE_ORDER).unwrap_or(text);
        let run = self.best(plain);
        if run.loss() < Loss::Detail {
            return self.show(run, plain, text);
        }
        self.refer(run, text)
            .unwrap_or_else(|| Job { plan: Plan { loss: Loss::Form, ..self.plan }, ..self }.send(text))
    }

    /// What a run that left nothing out makes of a text; `plain` is the text without the mark of its byte order.
    fn show<'a>(self, mut run: StageRun<'a>, plain: &str, text: &'a str) -> Outcome<'a> {
        let shown = match run.shown(self.telling(text)) {
            shown if plain.len() == text.len() => shown,
            shown if shown == plain => Cow::Borrowed(text),
            shown => Cow::Owned(format!("{BYTE_ORDER}{shown}")),
        };
        let ledger = self.ledger(&mut run, &shown, text);
        Outcome { text: shown, redacted: 0, ledger, original: None }
    }

    /// What is shown of a text under the name of its original, if that is still cheaper.
    fn refer<'a>(self, mut run: StageRun<'a>, text: &'a str) -> Option<Outcome<'a>> {
        let original = Original::of(Cow::Borrowed(text));
        let sent = original.refer(&run.shown(self.telling(text)));
        if sent.len() > text.len() {
            return None;
        }
        let mut ledger = Ledger::ended(run.steps.first()?.before, std::mem::take(&mut run.steps));
        let after = Some(run.cost_of(&sent)).filter(|after| *after < ledger.before)?;
        ledger.settle(after);
        Some(Outcome { text: Cow::Owned(sent), redacted: 0, ledger, original: Some(original) })
    }

    /// The account of a run that is sent as `shown`; `text` is what came.
    fn ledger(self, run: &mut StageRun<'_>, shown: &str, text: &str) -> Ledger {
        if shown == text && run.steps.is_empty() && shown != run.text {
            // The mark of the byte order, which no stage sees.
            return Ledger::of(O200k.count(text));
        }
        let cost = run.cost();
        let steps = std::mem::take(&mut run.steps);
        let mut ledger = Ledger::ended(steps.first().map_or(cost, |step| step.before), steps);
        if shown != run.text {
            ledger.settle(run.cost_of(shown));
        }
        ledger
    }

    /// What the plan's mode makes of a text, or what its neighbour does: a stronger mode never saves less than a milder
    /// one, and never shows more.
    fn best<'a>(self, text: &'a str) -> StageRun<'a> {
        if !budget::is_within(text) {
            return self.capped(StageRun::new(Cow::Borrowed(text)));
        }
        match self.plan.mode {
            Mode::Disabled | Mode::Observe | Mode::Standard => self.own(text),
            Mode::Safe => self.safe(text),
            Mode::Aggressive => self.aggressive(text),
        }
    }

    /// What stands in the text's wrapping if that costs less, else the text as it stands. Where detail is left out anyway,
    /// cutting the text and nothing else is another way.
    fn own<'a>(self, text: &'a str) -> StageRun<'a> {
        let mut clean = self.cleaned(text);
        let inside = self.unwrapped(text, &mut clean);
        let mut run = inside.unwrap_or_else(|| self.capped(self.pass(&clean)));
        if run.left == Some(CutClass::Content) {
            let mut cut = self.capped(clean);
            if cut.loss() == Loss::Detail && cut.cost() < run.cost() {
                return cut;
            }
        }
        run
    }

    /// The text without codes. One that is too long is cut if the standard mode leaves as much out of it, or written as that
    /// mode writes it if it fits so.
    fn safe<'a>(self, text: &'a str) -> StageRun<'a> {
        let clean = self.cleaned(text);
        let cut = self.capped(clean.clone());
        if cut.steps.len() == clean.steps.len() {
            return clean;
        }
        let standard = self.standard().own(text);
        let milder = standard.loss() == Loss::Detail
            && sight::lines(text, &standard.text) <= sight::lines(text, &cut.text);
        if milder {
            return cut;
        }
        // What is all there in fewer bytes need not be cut.
        let is_whole = standard.loss() < Loss::Detail && standard.len() <= self.plan.max_bytes;
        if is_whole { standard } else { clean }
    }

    /// The same without any loss.
    pub(super) fn exact(self) -> Self {
        Self { plan: Plan { loss: Loss::None, ..self.plan }, ..self }
    }

    fn standard(self) -> Self {
        Self { plan: Plan { mode: Mode::Standard, ..self.plan }, ..self }
    }

    /// The mode's own way if it saves more and shows no more, else the standard one.
    fn aggressive<'a>(self, text: &'a str) -> StageRun<'a> {
        let mut standard = self.standard().own(text);
        let mut own = self.own(text);
        let saves = match own.left {
            Some(class) if own.left > standard.left => {
                worth::pays(self.plan.mode, class, standard.cost(), own.cost())
            }
            _ => own.cost() < standard.cost(),
        };
        let stronger = saves && sight::lines(text, &own.text) <= sight::lines(text, &standard.text);
        if stronger { own } else { standard }
    }

    /// What becomes of a text that is wrapped in JSON, seen without its wrapping, if it beats `whole`.
    fn unwrapped<'a>(self, text: &'a str, whole: &mut StageRun<'_>) -> Option<StageRun<'a>> {
        let Wrapped { head, note, inside } = wrap::unwrap(text)?;
        let inside = self.below(&head)?.capped(self.pass(&self.cleaned(&inside)));
        let (loss, left) = (inside.loss(), inside.left);
        let marked = footer::sign(WRAPPED, &note, &[&head, "\n", &*inside.ended()].concat());
        let back = || unsigned(Room::of(&marked), &marked);
        if marked.len() > text.len() || loss == Loss::None && back().as_deref() != Some(text) {
            return None;
        }
        let before = whole.steps.first().map_or_else(|| O200k.count(text), |step| step.before);
        let (cost, mode) = (whole.cost(), self.plan.mode);
        // What can be shown whole without its wrapping is, though it could be cut within.
        let most = match whole.left {
            Some(class) if left < whole.left => cost.max(worth::shown_whole(mode, class)).min(before),
            _ => cost,
        };
        let after = O200k.count_within(&marked, most.checked_sub(run::LEAST)?)?;
        let pays = |class| cost > worth::shown_whole(mode, class) && worth::pays(mode, class, cost, after);
        if left.is_some_and(|class| left > whole.left && !pays(class)) {
            return None;
        }
        let first = Step { stage: WRAPPED, before, after, loss };
        let steps = ledger::wrapped(first, &inside.steps);
        Some(StageRun::marked((marked, after), steps).without(left))
    }

    /// The same for a text below a line that takes a part of the most that may be sent; `None` if it takes most of that.
    fn below(self, head: &str) -> Option<Self> {
        let most = self.plan.max_bytes;
        if self.plan.loss < Loss::Detail || most == 0 {
            return Some(self);
        }
        let left = most.checked_sub(head.len()).filter(|left| left * 2 >= most)?;
        Some(Self { plan: Plan { max_bytes: left, ..self.plan }, ..self })
    }

    /// How far what plays our marks is told from them.
    fn telling(self, text: &str) -> Telling {
        if self.call.origin(text).is_masked() { Telling::Everywhere } else { Telling::Verbatim }
    }

    /// A clean text through every stage that the plan runs: with all its detail, and then without what is of one class
    /// after the other, for as long as it is too long to be shown whole and that pays.
    fn pass<'a>(self, clean: &StageRun<'a>) -> StageRun<'a> {
        let mut run = clean.clone();
        self.write(&mut run);
        let mut cut = clean.clone();
        for class in CutClass::ALL.into_iter().filter(|_| self.leaves_out()) {
            if run.cost() <= worth::shown_whole(self.plan.mode, class) {
                break;
            }
            let job = Self { class, room: worth::room(self.plan.mode, cut.len(), run.cost()), ..self };
            let next = job.brief(clean);
            if next.text == cut.text {
                continue;
            }
            cut = next;
            let mut brief = cut.clone();
            job.write(&mut brief);
            if worth::pays(self.plan.mode, class, run.cost(), brief.cost()) {
                run = brief.without(class);
            }
        }
        run
    }

    /// The text as every stage gets it. Where several ways are tried, it is counted here once for all of them.
    fn cleaned<'a>(self, text: &'a str) -> StageRun<'a> {
        let mut run = StageRun::new(Cow::Borrowed(text));
        self.offer(CLEAN, &mut run);
        if self.leaves_out() {
            run.cost();
        }
        run
    }

    /// True when a stage may leave detail out of the text.
    pub(super) fn leaves_out(self) -> bool {
        self.plan.loss == Loss::Detail && self.plan.mode >= Mode::Standard && !self.verbatim()
    }

    /// The text without the detail that a stage knows to leave out.
    fn brief<'a>(self, run: &StageRun<'a>) -> StageRun<'a> {
        let mut brief = run.clone();
        if let Some(filter) = self.filter {
            self.offer(&[filter], &mut brief);
        }
        let filtered = brief.steps.len() > run.steps.len();
        self.offer(CUTS, &mut brief);
        if !filtered {
            self.ask_families(&mut brief);
        }
        self.offer(REST, &mut brief);
        brief
    }

    /// Lets the families propose, until one is heard.
    fn ask_families(self, run: &mut StageRun<'_>) {
        let steps = run.steps.len();
        for family in FAMILIES {
            if run.steps.len() == steps {
                self.offer(&[*family], run);
            }
        }
    }

    /// The text, cut if it is still too long to send; an exact form is then no longer one, and loses its mark. File
    /// text is never cut.
    fn capped<'a>(self, run: StageRun<'a>) -> StageRun<'a> {
        let numbered = run.steps.iter().any(|step| step.stage == NUMBERED);
        let is_file = self.verbatim() || numbered && self.plan.mode < Mode::Aggressive;
        if self.plan.loss < Loss::Detail || run.len() <= self.plan.max_bytes || is_file {
            return run;
        }
        let mut cut = run.unmarked();
        self.offer(CAPS, &mut cut);
        if cut.steps.len() > run.steps.len() { cut.without(CutClass::Content) } else { run }
    }

    /// Lets every stage of a table propose that the plan runs.
    fn offer(self, stages: &[&dyn Stage], run: &mut StageRun<'_>) {
        for stage in stages.iter().filter(|stage| self.runs(**stage)) {
            run.offer(*stage, self.scene());
        }
    }

    pub(super) fn scene(&self) -> Scene<'_> {
        Scene { plan: &self.plan, call: self.call, class: self.class, room: self.room }
    }

    /// True when the plan runs a stage.
    pub(super) fn runs(self, stage: &dyn Stage) -> bool {
        let left = stage.leaves();
        let within = left.is_empty() || left.iter().any(|(class, _)| *class <= self.class);
        within && stage.mode() <= self.plan.mode && (stage.keeps_text() || !self.verbatim())
    }

    /// True when the text is a file that an agent may edit.
    fn verbatim(self) -> bool {
        self.verbatim && self.plan.mode < Mode::Aggressive
    }
}
