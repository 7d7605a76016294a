//! The `expand_context` tool: adds it to requests, and answers its calls from the originals of the same request.
//!
//! A client sends the whole conversation with every request, so the request contains the originals of all cut results.
//! If the provider keeps the conversation instead, a store contains the originals of earlier requests.

use std::collections::{BTreeMap, HashMap, HashSet};

use tersely_core::discover;
use tersely_core::expand::{self, ExpandRequest};
use tersely_core::{Loss, O200k, Outcome};
use tersely_wire::hidden::{HiddenAsk, HiddenNames, HiddenTool, ResponseFraming, ResponseWatch, ToolHiding};
use tersely_wire::{HistoryPlace, Insertion, Provider, Reading};

use crate::panic_guard::catch_panic;
use crate::tools::discovery::ToolCatalog;
use crate::tools::discovery::{CALL, SEARCH, ToolIndex};

/// The definition of the tool: the same bytes in every request.
pub const TOOL: HiddenTool =
    HiddenTool { name: expand::NAME, description: expand::DESCRIPTION, parameters: expand::PARAMETERS };

/// The hidden tools of a request, and the originals for their answers.
#[derive(Clone)]
pub struct HiddenTools {
    /// How the tools are hidden.
    pub way: HiddenWay,
    /// Originals of the results that were cut.
    pub kept: Vec<KeptOriginal>,
}

/// How tools are hidden in a request and in its response.
#[derive(Clone)]
pub struct HiddenWay {
    /// How tools are hidden in the provider's format.
    pub hides: &'static ToolHiding,
    /// The names of the hidden tools.
    pub names: HiddenNames,
    /// The tools that the model can find by a search.
    pub shed: Option<ToolCatalog>,
}

const EXPAND: HiddenNames = HiddenNames::new(&[TOOL.name]);
const DISCOVER: HiddenNames = HiddenNames::new(&[SEARCH.name, CALL.name]);
const BOTH: HiddenNames = HiddenNames::new(&[TOOL.name, SEARCH.name, CALL.name]);

impl HiddenWay {
    /// The hidden tools of a request that offers expansion, discovery or both.
    pub(crate) fn of(
        expands: Option<&'static ToolHiding>,
        discovers: Option<(&'static ToolHiding, ToolCatalog)>,
    ) -> Option<Self> {
        match (expands, discovers) {
            (Some(hides), None) => Some(Self { hides, names: EXPAND, shed: None }),
            (None, Some((hides, shed))) => Some(Self { hides, names: DISCOVER, shed: Some(shed) }),
            (Some(hides), Some((_, shed))) => Some(Self { hides, names: BOTH, shed: Some(shed) }),
            (None, None) => None,
        }
    }

    /// A watcher for the response, which removes calls of the hidden tools.
    #[must_use]
    pub fn watch(&self, framing: ResponseFraming, history: HistoryPlace) -> Box<dyn ResponseWatch> {
        let watch = self.hides.watch(self.names, framing, history);
        match &self.shed {
            Some(shed) => shed.bridges.bridge(shed.calls.clone(), framing, watch),
            None => watch,
        }
    }
}

/// The original of a result that was cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptOriginal {
    /// The id with which the model requests the original.
    pub id: String,
    /// The whole text, with secrets masked.
    pub text: String,
    /// The stage that cut most.
    pub stage: &'static str,
}

/// The amount of text that models fetched back, by the stage that had cut it.
pub type Fetches = BTreeMap<&'static str, Fetch>;

/// How much was fetched back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fetch {
    /// Number of calls.
    pub calls: u64,
    /// Tokens of the answers.
    pub tokens: u64,
}

/// The stage name for texts that an earlier request cut.
pub const ELSEWHERE: &str = "elsewhere";

/// The stage name for calls without an answer: nothing is kept under their id, or they cannot be read.
pub const UNANSWERED: &str = "unanswered";

/// The stage name for searches for hidden tools.
pub const DISCOVERY: &str = "discovery";

/// Adds the tool to a body, if the tool can be hidden in the provider's format.
pub(crate) fn offer(
    provider: &Provider,
    path: &str,
    reading: &Reading<'_>,
) -> Option<(&'static ToolHiding, Insertion)> {
    let hides = provider.hides(path)?;
    // An unreadable body is reported later, when its results are searched for.
    Some((hides, hides.offer(&TOOL, reading).ok()??))
}

impl KeptOriginal {
    /// The original of an outcome, if it was cut.
    pub(crate) fn of(outcome: Outcome<'_>) -> Option<Self> {
        let lossy = outcome.ledger.steps.iter().filter(|step| step.loss == Loss::Detail);
        let most = lossy.max_by_key(|step| step.before.saturating_sub(step.after));
        let stage = most.map_or(ELSEWHERE, |step| step.stage);
        let original = outcome.original?;
        Some(Self { id: original.id, text: original.text.into_owned(), stage })
    }
}

/// The maximum number of calls that are answered in one turn. The model must repeat the others.
const MAX_CALLS: usize = 16;

/// The number of bytes that may be shown of any text, however short it is.
const MIN_SHOWN_BYTES: usize = 16 << 10;

/// The answers to the calls of one response.
///
/// A few calls must not multiply the size of a request, so each text is shown only once: the parts that are shown must
/// not add up to more than its length.
#[derive(Debug, Default)]
pub struct Answers {
    kept: Vec<KeptOriginal>,
    /// The calls that were already answered.
    answered: HashSet<ExpandRequest>,
    /// The number of bytes shown, for each text by its id, and in total.
    shown: HashMap<String, usize>,
    all: usize,
    fetches: Fetches,
    /// The tools that a search can find.
    tools: ToolIndex,
}

impl Answers {
    /// Creates answers that use these originals.
    #[must_use]
    pub fn new(kept: Vec<KeptOriginal>) -> Self {
        Self { kept, ..Self::default() }
    }

    /// Also answers searches for the hidden tools of a body.
    #[must_use]
    pub fn searching(self, shed: &ToolCatalog, body: &[u8]) -> Self {
        Self { tools: shed.index(body), ..self }
    }

    /// The ids in these calls for which there is no original here.
    #[must_use]
    pub fn unknown(&self, asks: &[HiddenAsk]) -> Vec<String> {
        let asks = asks.iter().take(MAX_CALLS).filter(|ask| ask.tool == TOOL.name);
        let requests = asks.filter_map(|ask| ExpandRequest::read(&ask.input).ok());
        requests.map(|request| request.id().to_owned()).filter(|id| self.find(id).is_none()).collect()
    }

    /// Adds a text that was found in a store.
    pub fn add(&mut self, id: String, text: String) {
        self.kept.push(KeptOriginal { id, text, stage: ELSEWHERE });
    }

    /// The answers to the calls of a turn. All answers of a response together must not exceed `room` bytes.
    ///
    /// A call that was already answered is not answered again. If answering fails, the call still gets an error
    /// message, because providers reject a call without an answer.
    pub fn answer(&mut self, room: usize, asks: &[HiddenAsk]) -> Vec<String> {
        let answer = |(at, ask): (usize, &HiddenAsk)| {
            let (stage, text, tokens) =
                catch_panic(|| self.answer_one(room, at, ask)).unwrap_or_else(failure_answer);
            let fetch = self.fetches.entry(stage).or_default();
            fetch.calls += 1;
            fetch.tokens += u64::try_from(tokens).unwrap_or(u64::MAX);
            text
        };
        asks.iter().enumerate().map(answer).collect()
    }

    /// The amount of text fetched so far.
    #[must_use]
    pub fn fetches(&self) -> &Fetches {
        &self.fetches
    }

    /// The stage, the answer and its number of tokens for the call at this index of a turn.
    fn answer_one(&mut self, room: usize, at: usize, ask: &HiddenAsk) -> (&'static str, String, usize) {
        let (stage, text) = match ask.tool.as_str() {
            _ if at >= MAX_CALLS => (UNANSWERED, expand::TOO_MANY.to_owned()),
            discover::SEARCH => (DISCOVERY, self.search_tools(room, &ask.input)),
            discover::CALL => (DISCOVERY, discover::NO_CALL.to_owned()),
            _ => self.text(room, &ask.input),
        };
        let tokens = O200k.count(&text);
        (stage, text, tokens)
    }

    fn search_tools(&mut self, room: usize, input: &str) -> String {
        let text = self.tools.search(input);
        if text.len() + self.all > room {
            return expand::NO_ROOM.to_owned();
        }
        self.all += text.len();
        text
    }

    fn text(&mut self, room: usize, input: &str) -> (&'static str, String) {
        let request = match ExpandRequest::read(input) {
            Ok(request) => request,
            Err(why) => return (UNANSWERED, why.to_owned()),
        };
        let Some(kept) = self.kept.iter().find(|kept| kept.id == request.id()) else {
            return (UNANSWERED, expand::unknown(request.id()));
        };
        if self.answered.contains(&request) {
            return (kept.stage, expand::REPEATED.to_owned());
        }
        let text = request.show(&kept.text);
        let shown = self.shown.entry(kept.id.clone()).or_default();
        if text.len() + *shown > kept.text.len().max(MIN_SHOWN_BYTES) {
            return (kept.stage, expand::SHOWN.to_owned());
        }
        if text.len() + self.all > room {
            return (kept.stage, expand::NO_ROOM.to_owned());
        }
        *shown += text.len();
        self.all += text.len();
        self.answered.insert(request);
        (kept.stage, text.into_owned())
    }

    fn find(&self, id: &str) -> Option<&KeptOriginal> {
        self.kept.iter().find(|kept| kept.id == id)
    }
}

/// The answer to a call when answering it fails.
fn failure_answer() -> (&'static str, String, usize) {
    (UNANSWERED, expand::FAILED.to_owned(), O200k.count(expand::FAILED))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(input: &str) -> HiddenAsk {
        HiddenAsk { id: "call_1".to_owned(), tool: TOOL.name.to_owned(), input: input.to_owned() }
    }

    fn answer(answers: &mut Answers, input: &str) -> String {
        answers.answer(usize::MAX, &[ask(input)]).remove(0)
    }

    fn answers() -> Answers {
        let kept = KeptOriginal {
            id: "shadow_1".to_owned(),
            text: "one\ntwo\nthree\n".to_owned(),
            stage: "excerpt",
        };
        Answers::new(vec![kept])
    }

    /// Behaviour 6.6: the same part is not shown twice, but another part of the same text is.
    #[test]
    fn the_same_question_is_answered_once() {
        let mut answers = answers();
        assert_eq!(answer(&mut answers, r#"{"id":"shadow_1"}"#), "one\ntwo\nthree\n");
        assert_eq!(answer(&mut answers, r#"{"id":"shadow_1"}"#), expand::REPEATED);
        assert_eq!(answer(&mut answers, r#"{"id":"shadow_1","lines":"2"}"#), "two\n");
        assert_eq!(answers.fetches()["excerpt"].calls, 3);
    }

    /// Behaviour 6.8.
    #[test]
    fn what_is_not_known_is_answered_plainly() {
        let mut answers = answers();
        let text = answer(&mut answers, r#"{"id":"shadow_2"}"#);
        assert!(text.starts_with("Nothing is kept under \"shadow_2\"."), "{text}");
        assert!(answer(&mut answers, "{").starts_with("Give the id"));
        assert_eq!(answers.unknown(&[ask(r#"{"id":"shadow_2"}"#), ask("{")]), ["shadow_2"]);
        answers.add("shadow_2".to_owned(), "found".to_owned());
        assert_eq!(answer(&mut answers, r#"{"id":"shadow_2"}"#), "found");
        assert_eq!((answers.fetches()[ELSEWHERE].calls, answers.fetches()[UNANSWERED].calls), (1, 2));
    }

    /// Answers for one text of ten thousand lines of a hundred bytes each.
    fn long() -> Answers {
        let text = format!("{}\n", "x".repeat(99)).repeat(10_000);
        Answers::new(vec![KeptOriginal { id: "shadow_1".to_owned(), text, stage: "excerpt" }])
    }

    fn lines(range: &str) -> HiddenAsk {
        ask(&format!(r#"{{"id":"shadow_1","lines":"{range}"}}"#))
    }

    #[test]
    fn a_text_is_shown_once_in_however_many_parts() {
        let mut answers = long();
        let turn: Vec<_> = (1..=10).map(|n| lines(&format!("{}-{}", n * 900 - 899, n * 900))).collect();
        assert!(answers.answer(usize::MAX, &turn).iter().all(|text| text.len() == 90_000));
        let next = answers.answer(usize::MAX, &[lines("1-"), lines("2-1002"), lines("9001-")]);
        assert_eq!((&*next[0], &*next[1]), (expand::SHOWN, expand::SHOWN));
        assert_eq!(next[2].len(), 100_000);
        assert_eq!(answers.answer(usize::MAX, &[lines("9-9")]), [expand::SHOWN]);
    }

    #[test]
    fn a_short_text_may_be_shown_again() {
        let mut answers = answers();
        for part in ["", r#","lines":"1-3""#, r#","lines":"1-2""#, r#","search":"t""#] {
            assert_ne!(answer(&mut answers, &format!(r#"{{"id":"shadow_1"{part}}}"#)), expand::SHOWN);
        }
    }

    #[test]
    fn a_turn_has_so_many_calls_and_answers_so_much_room() {
        let turn: Vec<_> = (1..=300).map(|line| lines(&format!("{line}-{line}"))).collect();
        let texts = long().answer(usize::MAX, &turn);
        assert!(texts[..MAX_CALLS].iter().all(|text| text.len() == 100));
        assert!(texts[MAX_CALLS..].iter().all(|text| text == expand::TOO_MANY));
        let texts = long().answer(250, &turn[..4]);
        assert_eq!((texts[1].len(), &*texts[2], &*texts[3]), (100, expand::NO_ROOM, expand::NO_ROOM));
    }
}
