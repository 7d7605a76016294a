//! One tool result through all stages.

use std::borrow::Cow;

use crate::stage::redact::{self, Mask};
use crate::stage::{self, Edit, STAGES, Scene, Stage};
use crate::{Call, Loss, Mode, Outcome, Plan, Step, Tokens, mark, wrap};

/// Never fails, never returns more tokens than it was given, and gives the same bytes for the same arguments.
pub fn compress<'a>(plan: &Plan, tokens: &dyn Tokens, call: Call<'_>, text: &'a str) -> Outcome<'a> {
    if plan.mode == Mode::Disabled {
        return Outcome { text: Cow::Borrowed(text), redacted: 0, steps: Vec::new() };
    }
    let Some((sealed, redacted)) = seal(plan, tokens, text) else { return best(plan, tokens, call, text) };
    let Outcome { text, steps, .. } = best(plan, tokens, call, &sealed);
    Outcome { text: Cow::Owned(text.into_owned()), redacted, steps }
}

/// The text without its secrets, and how many there were, before a stage sees it and whatever the plan allows to lose.
///
/// Words tell the reader most; where they would cost more than the secrets did, stars stand instead.
fn seal(plan: &Plan, tokens: &dyn Tokens, text: &str) -> Option<(String, usize)> {
    let secrets = if plan.redact { redact::find(text) } else { Vec::new() };
    if secrets.is_empty() {
        return None;
    }
    let named = redact::mask(text, &secrets, Mask::Named);
    let fits = tokens.count_within(&named, tokens.count(text)).is_some();
    let sealed = if fits { named } else { redact::mask(text, &secrets, Mask::Stars) };
    Some((sealed, secrets.len()))
}

/// The better of two ways: the text as it stands, and what stands in its wrapping.
fn best<'a>(plan: &Plan, tokens: &dyn Tokens, call: Call<'_>, text: &'a str) -> Outcome<'a> {
    let whole = stages(plan, tokens, call, text);
    let inside =
        (plan.mode >= Mode::Standard).then(|| unwrapped(plan, tokens, call, (text, &whole))).flatten();
    inside.unwrap_or(whole)
}

/// What becomes of a text that is wrapped in JSON, seen without its wrapping, if it beats `whole`.
///
/// What the text cost, and what it costs as a whole, is known from the steps where there are any.
fn unwrapped(
    plan: &Plan,
    tokens: &dyn Tokens,
    call: Call<'_>,
    (text, whole): (&str, &Outcome<'_>),
) -> Option<Outcome<'static>> {
    let (note, inside) = wrap::unwrap(text)?;
    let inside = stages(plan, tokens, call, &inside);
    let loss = inside.loss();
    let marked = mark::mark(stage::WRAPPED, &note, &inside.text);
    if loss > whole.loss() || (loss == Loss::None && restore(&marked).as_deref() != Some(text)) {
        return None;
    }
    let before = whole.steps.first().map_or_else(|| tokens.count(text), |step| step.before);
    let limit = whole.steps.last().map_or(before, |step| step.after);
    let after = tokens.count_within(&marked, limit.checked_sub(1)?)?;
    let first = Step { stage: stage::WRAPPED, before, after, loss };
    let steps = std::iter::once(first).chain(inside.steps).collect();
    Some(Outcome { text: Cow::Owned(marked), redacted: 0, steps })
}

/// The text through every stage that the plan runs.
fn stages<'a>(plan: &Plan, tokens: &dyn Tokens, call: Call<'_>, text: &'a str) -> Outcome<'a> {
    let mut run =
        Run { plan, tokens, text: Cow::Borrowed(text), cost: None, marked: false, steps: Vec::new() };
    let verbatim = call.reads_file() && plan.mode < Mode::Aggressive;
    let runs = |stage: &&&dyn Stage| stage.mode() <= plan.mode && (stage.keeps_text() || !verbatim);
    for stage in STAGES.iter().filter(runs) {
        run.offer(*stage, Scene { plan, call });
    }
    run.finish()
}

/// The text that `text`, as `compress` sent it, came from; `None` when it is marked as ours and is not.
///
/// Exact edits are undone byte for byte; a text that no exact stage changed comes back as it was.
#[must_use]
pub fn restore(text: &str) -> Option<Cow<'_, str>> {
    match mark::read(text) {
        Some(marked) if marked.number == 1 && marked.stage().0 == stage::WRAPPED => {
            wrap::rewrap(marked.stage().1, &peel(marked.body)?).map(Cow::Owned)
        }
        _ => peel(text),
    }
}

/// The text below one mark that is not that of a wrapping.
fn peel(text: &str) -> Option<Cow<'_, str>> {
    let Some(marked) = mark::read(text) else { return Some(Cow::Borrowed(text)) };
    if marked.number > 1 {
        return Some(Cow::Owned(marked.numbered(marked.number - 1)));
    }
    match marked.stage() {
        (stage::TEXT, "") => Some(Cow::Owned(marked.body.to_owned())),
        (name, note) => stage::find(name)?.restore(note, marked.body).map(Cow::Owned),
    }
}

/// True when `text` begins with a mark of ours.
#[must_use]
pub fn is_marked(text: &str) -> bool {
    mark::read(text).is_some()
}

/// `text` under a mark that says it is as it came, for readers that would take it for something else.
#[must_use]
pub fn as_text(text: &str) -> String {
    mark::mark(stage::TEXT, "", text)
}

/// A text on its way through the stages.
struct Run<'a, 'p> {
    plan: &'p Plan,
    tokens: &'p dyn Tokens,
    text: Cow<'a, str>,
    /// What the text costs, once it was counted.
    cost: Option<usize>,
    /// True once an exact stage has put its mark on the text: what follows would hide it.
    marked: bool,
    steps: Vec<Step>,
}

impl<'a> Run<'a, '_> {
    /// Lets a stage propose, and takes what is allowed, true and cheaper.
    fn offer(&mut self, stage: &dyn Stage, scene: Scene<'_>) {
        if self.marked {
            return;
        }
        let Some(edit) = stage.apply(scene, &self.text) else { return };
        if edit.loss > self.plan.loss || !self.holds(stage, &edit) {
            return;
        }
        let exact = edit.loss == Loss::None;
        let text = if exact { mark::mark(stage.name(), &edit.note, &edit.text) } else { edit.text };
        let before = self.cost();
        let Some(after) = self.tokens.count_within(&text, before.saturating_sub(1)) else { return };
        self.steps.push(Step { stage: stage.name(), before, after, loss: edit.loss });
        self.text = Cow::Owned(text);
        self.cost = Some(after);
        self.marked = exact;
    }

    /// True when an edit that claims to be exact is.
    fn holds(&self, stage: &dyn Stage, edit: &Edit) -> bool {
        edit.loss != Loss::None || stage.restore(&edit.note, &edit.text).as_deref() == Some(&*self.text)
    }

    fn cost(&mut self) -> usize {
        *self.cost.get_or_insert_with(|| self.tokens.count(&self.text))
    }

    fn finish(self) -> Outcome<'a> {
        let escaped = if self.marked { None } else { mark::escape(&self.text) };
        Outcome { text: escaped.map_or(self.text, Cow::Owned), redacted: 0, steps: self.steps }
    }
}
