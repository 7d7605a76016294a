//! The tool by which a model fetches back what was left out: put into its requests, and answered from them.
//!
//! A request carries all that was left out of it, so its own originals are at hand, and only they can be named.
//! A store is asked for what an earlier request left out, where the provider keeps the conversation.

use std::collections::{BTreeMap, HashSet};

use tersely_core::expand::{self, Wish};
use tersely_core::{Loss, O200k, Outcome, Tokens};
use tersely_wire::Provider;
use tersely_wire::hidden::{Ask, Hides, Tool};

/// The tool, as every model is told of it: the same bytes in every request.
pub const TOOL: Tool =
    Tool { name: expand::NAME, description: expand::DESCRIPTION, parameters: expand::PARAMETERS };

/// A request in which the tool is hidden.
#[derive(Clone)]
pub struct Hidden {
    /// How that is done in its shape.
    pub hides: &'static dyn Hides,
    /// What was left out of it.
    pub kept: Vec<Kept>,
}

/// A text of which something was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// What the model asks for it by.
    pub id: String,
    /// The whole of it, with secrets masked.
    pub text: String,
    /// The stage that left most out.
    pub stage: &'static str,
}

/// What was fetched back, by the stage that had left it out.
pub type Fetched = BTreeMap<&'static str, Fetch>;

/// How much was fetched back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fetch {
    /// How often the model asked.
    pub calls: u64,
    /// Tokens of the answers.
    pub tokens: u64,
}

/// The stage of texts that an earlier request left out, and of questions that nothing answers.
pub const ELSEWHERE: &str = "elsewhere";

/// The body with the tool in it, where one can be hidden.
pub(crate) fn offer(
    provider: &dyn Provider,
    path: &str,
    body: &[u8],
) -> Option<(&'static dyn Hides, Vec<u8>)> {
    let hides = provider.hides(path)?;
    // A body that cannot be read is reported where its results are looked for.
    Some((hides, hides.offer(&TOOL, body).ok()??))
}

impl Kept {
    /// What was left out of an outcome, if something was.
    pub(crate) fn of(outcome: Outcome<'_>) -> Option<Self> {
        let lossy = outcome.steps.iter().filter(|step| step.loss == Loss::Detail);
        let most = lossy.max_by_key(|step| step.before.saturating_sub(step.after));
        let stage = most.map_or(ELSEWHERE, |step| step.stage);
        let original = outcome.original?;
        Some(Self { id: original.id, text: original.text.into_owned(), stage })
    }
}

/// The answers to one response's questions.
#[derive(Debug, Default)]
pub struct Answers {
    kept: Vec<Kept>,
    given: HashSet<Wish>,
    fetched: Fetched,
}

impl Answers {
    /// Answers from these texts.
    #[must_use]
    pub fn new(kept: Vec<Kept>) -> Self {
        Self { kept, ..Self::default() }
    }

    /// The names among the questions that are not known here.
    #[must_use]
    pub fn unknown(&self, asks: &[Ask]) -> Vec<String> {
        let wishes = asks.iter().filter_map(|ask| Wish::read(&ask.input).ok());
        wishes.map(|wish| wish.id().to_owned()).filter(|id| self.find(id).is_none()).collect()
    }

    /// Adds a text that was found elsewhere.
    pub fn add(&mut self, id: String, text: String) {
        self.kept.push(Kept { id, text, stage: ELSEWHERE });
    }

    /// What the model gets for a question; a question that was answered before is not answered again.
    pub fn answer(&mut self, ask: &Ask) -> String {
        let (stage, text) = self.text(&ask.input);
        let fetch = self.fetched.entry(stage).or_default();
        fetch.calls += 1;
        fetch.tokens += u64::try_from(O200k.count(&text)).unwrap_or(u64::MAX);
        text
    }

    /// What was fetched so far.
    #[must_use]
    pub fn fetched(&self) -> &Fetched {
        &self.fetched
    }

    fn text(&mut self, input: &str) -> (&'static str, String) {
        let wish = match Wish::read(input) {
            Ok(wish) => wish,
            Err(why) => return (ELSEWHERE, why.to_owned()),
        };
        let Some(kept) = self.find(wish.id()) else { return (ELSEWHERE, expand::unknown(wish.id())) };
        let (stage, text) = (kept.stage, wish.show(&kept.text).into_owned());
        if self.given.insert(wish) { (stage, text) } else { (stage, expand::REPEATED.to_owned()) }
    }

    fn find(&self, id: &str) -> Option<&Kept> {
        self.kept.iter().find(|kept| kept.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(input: &str) -> Ask {
        Ask { id: "call_1".to_owned(), input: input.to_owned() }
    }

    fn answers() -> Answers {
        let kept = Kept { id: "shadow_1".to_owned(), text: "one\ntwo\nthree\n".to_owned(), stage: "excerpt" };
        Answers::new(vec![kept])
    }

    /// Contract 6.6: the same is not given twice; another part of the same text is.
    #[test]
    fn the_same_question_is_answered_once() {
        let mut answers = answers();
        assert_eq!(answers.answer(&ask(r#"{"id":"shadow_1"}"#)), "one\ntwo\nthree\n");
        assert_eq!(answers.answer(&ask(r#"{"id":"shadow_1"}"#)), expand::REPEATED);
        assert_eq!(answers.answer(&ask(r#"{"id":"shadow_1","lines":"2"}"#)), "two\n");
        assert_eq!(answers.fetched()["excerpt"].calls, 3);
    }

    /// Contract 6.8.
    #[test]
    fn what_is_not_known_is_answered_plainly() {
        let mut answers = answers();
        let text = answers.answer(&ask(r#"{"id":"shadow_2"}"#));
        assert!(text.starts_with("Nothing is kept under \"shadow_2\"."), "{text}");
        assert!(answers.answer(&ask("{")).starts_with("Give the id"));
        assert_eq!(answers.unknown(&[ask(r#"{"id":"shadow_2"}"#), ask("{")]), ["shadow_2"]);
        answers.add("shadow_2".to_owned(), "found".to_owned());
        assert_eq!(answers.answer(&ask(r#"{"id":"shadow_2"}"#)), "found");
        assert_eq!(answers.fetched()[ELSEWHERE].calls, 3);
    }
}
