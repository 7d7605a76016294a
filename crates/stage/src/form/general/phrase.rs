//! Finds repeated phrases that are worth a name.
//!
//! A phrase contains both halves of a pair of brackets or quotes or neither, and only whole fields if it spans several.
//! It contains no JSON key, severity level or line end.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt as _};

use crate::form::general::cost::{Cost, Costs, TOKEN};
use crate::form::general::pair::{ENDS, KEY, LineWords, OPENS, SEPARATES, TAG, WordPair, sign};
use crate::form::general::select::{Bounds, Rules, Selection, choose};
use crate::form::general::span::Span;
use crate::form::general::word::{self, BLANK, BREAK, KEPT, NO_END, NO_START, REAL};

/// The minimum saving of a phrase.
const MIN_GAIN: Cost = 6 * TOKEN;

/// The cost of a name in the text, and the cost of a line in the list in addition to its phrase.
const NAME_COST: Cost = TOKEN * 13 / 10;
const ENTRY_COST: Cost = 4 * TOKEN;

/// The maximum number of phrases in a text.
const MAX_PHRASES: usize = 60;

/// A part of a text that is searched for phrases, and whether that part must stay unchanged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passage {
    pub(super) span: Span,
    pub(super) is_kept: bool,
}

/// A phrase, and the places where its name replaces it.
pub(super) struct NamedPhrase<'a> {
    pub(super) text: &'a str,
    pub(super) places: Vec<Span>,
    /// For each place, the index of its passage.
    pub(super) passages: Vec<usize>,
}

/// Finds phrases in passages of a text, in order of first occurrence.
pub(super) fn find<'a>(
    text: &'a str,
    costs: &Costs,
    passages: &[Passage],
    max_count: usize,
) -> Vec<NamedPhrase<'a>> {
    let words = PhraseWords::read(text, costs, passages);
    let chosen =
        choose(&words.symbols, &words, &Bounds { max_count: max_count.min(MAX_PHRASES), min_gain: MIN_GAIN });
    let mut chosen = unlike(&words, chosen);
    chosen.sort_by_key(|chosen| chosen.places[0]);
    let phrase = |chosen: &Selection| {
        let span = |place: &usize| Span {
            start: words.spans[*place].start,
            end: words.spans[place + chosen.length - 1].end,
        };
        let places: Vec<Span> = chosen.places.iter().map(span).collect();
        let passages = chosen.places.iter().map(|place| words.passages[*place] as usize).collect();
        NamedPhrase { text: &text[places[0].from()..places[0].to()], places, passages }
    };
    chosen.iter().map(phrase).collect()
}

/// Of any two phrases of equal length that differ in a single byte, drops the one that saves less.
fn unlike(words: &PhraseWords<'_>, chosen: Vec<Selection>) -> Vec<Selection> {
    let text = |chosen: &Selection| {
        let first = chosen.places[0];
        &words.text[words.spans[first].from()..words.spans[first + chosen.length - 1].to()]
    };
    let mut kept: Vec<Selection> = Vec::with_capacity(chosen.len());
    for next in chosen {
        let twin = kept.iter().any(|other| is_twin(text(other), text(&next)));
        if !twin {
            kept.push(next);
        }
    }
    kept
}

fn is_twin(one: &str, two: &str) -> bool {
    one.len() == two.len() && one.bytes().zip(two.bytes()).filter(|(one, two)| one != two).count() == 1
}

struct PhraseWords<'a> {
    text: &'a str,
    symbols: Vec<u32>,
    spans: Vec<Span>,
    /// For each word, its byte if it has only one; see `sign`.
    signs: Vec<u8>,
    flags: Vec<u8>,
    pairs: Vec<WordPair>,
    edges: Vec<u8>,
    /// Room for the brackets that are open in a passage.
    open: Vec<(usize, u8)>,
    /// For each word, the index of its passage.
    passages: Vec<u32>,
    /// For each word, the total cost of the words in front of it.
    costs: Vec<Cost>,
}

impl<'a> PhraseWords<'a> {
    fn read(text: &'a str, costs: &Costs, passages: &[Passage]) -> Self {
        // The approximate number of words.
        let room = passages.iter().map(|passage| passage.span.len() / 3 + 1).sum();
        let mut words = Self {
            text,
            symbols: Vec::with_capacity(room),
            spans: Vec::with_capacity(room),
            signs: Vec::with_capacity(room),
            flags: Vec::with_capacity(room),
            pairs: Vec::with_capacity(room),
            edges: Vec::with_capacity(room),
            open: Vec::new(),
            passages: Vec::with_capacity(room),
            costs: Vec::with_capacity(room),
        };
        for (number, passage) in (0..).zip(passages) {
            words.read_passage(number, *passage);
        }
        words.number();
        let mut sum = 0;
        for span in &words.spans {
            words.costs.push(sum);
            sum += costs.cost(*span);
        }
        words.costs.push(sum);
        words
    }

    fn read_passage(&mut self, number: u32, passage: Passage) {
        let first = self.spans.len();
        let (mut at, end) = (passage.span.from(), passage.span.to());
        while at < end {
            let (next, flags) = word::next(self.text, at, end);
            self.spans.push(Span::new(at, next));
            self.signs.push(sign(&self.text.as_bytes()[at..next]));
            self.flags.push(flags | if passage.is_kept { KEPT } else { 0 });
            at = next;
        }
        let count = self.spans.len() - first;
        self.pairs.resize(self.spans.len(), WordPair::None);
        self.edges.resize(self.spans.len(), 0);
        self.passages.resize(self.spans.len(), number);
        LineWords {
            text: self.text,
            words: &self.spans[first..],
            signs: &self.signs[first..],
            flags: &mut self.flags[first..],
            pairs: &mut self.pairs[first..],
            edges: &mut self.edges[first..],
            open: &mut self.open,
        }
        .read();
        // The end of a passage is a word that is never part of a phrase.
        if count > 0 {
            let end = Span::new(passage.span.to(), passage.span.to());
            self.spans.push(end);
            self.signs.push(0);
            self.flags.push(BREAK);
            self.pairs.push(WordPair::None);
            self.edges.push(0);
            self.passages.push(number);
        }
    }

    /// Numbers the words: equal words get the same number, and each word that cannot be part of a phrase gets a unique
    /// one.
    fn number(&mut self) {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        // About half of the words are one byte: these need no hash.
        let mut signs = [None; 256];
        let mut next = 0;
        for ((span, flags), sign) in self.spans.iter().zip(&self.flags).zip(&self.signs) {
            let number = if flags & BREAK != 0 {
                next
            } else if *sign != 0 {
                *signs[usize::from(*sign)].get_or_insert(next)
            } else {
                *numbers.entry(span.of(self.text)).or_insert(next)
            };
            next += u32::from(number == next);
            self.symbols.push(number);
        }
    }

    fn trim(&self, mut range: Range<usize>) -> Range<usize> {
        while range.start < range.end
            && (self.flags[range.start] & (BLANK | NO_START) != 0 || self.edges[range.start] & TAG != 0)
        {
            range.start += 1;
        }
        while range.end > range.start
            && (self.flags[range.end - 1] & (BLANK | NO_END) != 0 || self.edges[range.end - 1] & KEY != 0)
        {
            range.end -= 1;
        }
        range
    }

    /// True when a word is half of a pair, and the other half is missing or outside the range.
    fn is_torn(&self, word: usize, range: &Range<usize>) -> bool {
        match self.pairs[word] {
            WordPair::None => false,
            WordPair::Half => true,
            WordPair::With(far) => !range.contains(&word.wrapping_add_signed(far as isize)),
        }
    }

    /// The first field separator in a range that is outside brackets and quotes.
    fn separator(&self, range: Range<usize>) -> Option<usize> {
        let mut word = range.start;
        while word < range.end {
            match self.pairs[word] {
                WordPair::With(far @ 1..) if word + (far as usize) < range.end => word += far as usize,
                _ if self.edges[word] & SEPARATES != 0 => return Some(word),
                _ => {}
            }
            word += 1;
        }
        None
    }

    fn last_separator(&self, range: Range<usize>) -> Option<usize> {
        let (mut from, mut last) = (range.start, None);
        while let Some(word) = self.separator(from..range.end) {
            last = Some(word);
            from = word + 1;
        }
        last
    }

    /// The range trimmed to words at which a phrase may start and end, and to whole fields if it contains a separator.
    fn whole_fields(&self, range: Range<usize>) -> Range<usize> {
        let mut range = self.trim(range);
        if range.is_empty() || self.separator(range.clone()).is_none() {
            return range;
        }
        if self.edges[range.start] & OPENS == 0 {
            range.start = self.separator(range.clone()).map_or(range.end, |word| word + 1);
        }
        if !range.is_empty()
            && self.edges[range.end - 1] & ENDS == 0
            && let Some(word) = self.last_separator(range.clone())
        {
            range.end = word;
        }
        self.trim(range)
    }
}

impl Rules for PhraseWords<'_> {
    /// The most expensive part that contains no half of a pair without the other half.
    fn best_part(&self, range: Range<usize>) -> Option<Range<usize>> {
        let range = self.trim(range);
        let mut best: Option<Range<usize>> = None;
        let mut start = range.start;
        for word in range.start..=range.end {
            if word < range.end && !self.is_torn(word, &range) {
                continue;
            }
            let part = self.whole_fields(start..word);
            start = word + 1;
            let cost = |part: &Range<usize>| self.cost(part.clone());
            if !part.is_empty() && best.as_ref().is_none_or(|best| cost(&part) > cost(best)) {
                best = Some(part);
            }
        }
        let best = best?;
        let is_real = best.clone().any(|word| self.flags[word] & REAL != 0);
        let is_torn = best.clone().any(|word| self.is_torn(word, &best));
        (is_real && !is_torn).then_some(best)
    }

    fn fits(&self, range: Range<usize>) -> bool {
        let free = self.flags[range.clone()].iter().all(|flags| flags & (BREAK | KEPT) == 0);
        let ends = self.edges[range.end - 1] & KEY == 0 && self.edges[range.start] & TAG == 0;
        let fields = || {
            self.separator(range.clone()).is_none()
                || self.edges[range.start] & OPENS != 0 && self.edges[range.end - 1] & ENDS != 0
        };
        free && ends && !range.clone().any(|word| self.is_torn(word, &range)) && fields()
    }

    fn cost(&self, range: Range<usize>) -> Cost {
        self.costs[range.end] - self.costs[range.start]
    }

    fn price(&self, cost: Cost) -> (Cost, Cost) {
        (cost - NAME_COST, cost + ENTRY_COST)
    }
}
