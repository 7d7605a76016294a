//! What is remembered of a conversation: its latest request, and where it was cleared.

use std::fmt::Write;

use tersely_engine::ClearPoint;

use crate::llm::cold::chain::MessageChain;

/// The maximum number of points that are remembered.
const MAX_POINTS: usize = 32;

/// What is remembered of a conversation. It contains hashes and numbers, and no text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ColdRecord {
    latest: Option<LatestRequest>,
    points: Vec<RecordedPoint>,
}

/// The latest request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LatestRequest {
    messages: usize,
    chain: u64,
    /// When the provider's cache is gone, in milliseconds since 1970.
    gone_ms: u64,
}

/// A point at which the conversation was cleared, and the hash of its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RecordedPoint {
    point: ClearPoint,
    chain: u64,
}

/// What a record says of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ColdLook {
    /// Where its conversation was cleared.
    pub(super) points: Vec<ClearPoint>,
    /// True when it follows the latest request, so that nobody else has served the conversation since.
    pub(super) is_next: bool,
    /// True when the provider's cache is gone.
    pub(super) is_cold: bool,
}

impl ColdRecord {
    /// What is known about a request with these messages at this time.
    pub(super) fn look(&self, chain: &MessageChain, now_ms: u64) -> ColdLook {
        let fits = |it: &&RecordedPoint| chain.hash(it.point.messages) == Some(it.chain);
        let mut points: Vec<_> = self.points.iter().filter(fits).map(|it| it.point).collect();
        points.sort_by_key(|point| point.messages);
        let next = self.latest.filter(|latest| {
            chain.hash(latest.messages) == Some(latest.chain) && chain.turns_since(latest.messages) <= 1
        });
        ColdLook { points, is_next: next.is_some(), is_cold: next.is_some_and(|it| it.gone_ms < now_ms) }
    }

    /// Remembers that a request was answered; the cache lives until then, or as long as a replica said whose clock is
    /// ahead.
    pub(super) fn end(&mut self, chain: &MessageChain, gone_ms: u64) {
        let messages = chain.len();
        if let Some(chain) = chain.hash(messages) {
            let known = self.latest.map(|latest| latest.gone_ms).filter(|known| *known < u64::MAX);
            let gone_ms = gone_ms.max(known.unwrap_or(0));
            self.latest = Some(LatestRequest { messages, chain, gone_ms });
        }
    }

    /// Remembers that a request is on its way: it may keep the cache alive, whatever becomes of it.
    pub(super) fn touch(&mut self, gone_ms: u64) {
        if let Some(latest) = &mut self.latest {
            latest.gone_ms = latest.gone_ms.max(gone_ms);
        }
    }

    /// Remembers that the conversation was cleared. The oldest point makes room.
    pub(super) fn add_point(&mut self, point: ClearPoint, chain: u64) {
        let recorded = RecordedPoint { point, chain };
        if !self.points.contains(&recorded) {
            self.points.push(recorded);
        }
        let surplus = self.points.len().saturating_sub(MAX_POINTS);
        self.points.drain(..surplus);
    }

    /// The record as text: a line for the latest request, and one for each point.
    pub(super) fn encode(&self) -> String {
        let mut text = String::from("1\n");
        if let Some(LatestRequest { messages, chain, gone_ms }) = self.latest {
            let _ = writeln!(text, "latest {messages} {chain} {gone_ms}");
        }
        for RecordedPoint { point: ClearPoint { messages, least }, chain } in &self.points {
            let _ = writeln!(text, "point {messages} {chain} {least}");
        }
        text
    }

    /// Reads a record; `None` if another release has written it.
    pub(super) fn decode(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut record = Self::default();
        if lines.next()? != "1" {
            return None;
        }
        for line in lines.take(MAX_POINTS + 1) {
            let mut words = line.split(' ');
            let kind = words.next()?;
            let [messages, chain, third] =
                [words.next()?, words.next()?, words.next()?].map(|word| word.parse::<u64>().ok());
            let (messages, chain, third) = (usize::try_from(messages?).ok()?, chain?, third?);
            match kind {
                "latest" => record.latest = Some(LatestRequest { messages, chain, gone_ms: third }),
                "point" => {
                    let least = usize::try_from(third).ok()?;
                    record.points.push(RecordedPoint { point: ClearPoint { messages, least }, chain });
                }
                _ => return None,
            }
        }
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tersely_account::{PartMark, PromptMarks};

    use super::*;

    /// A conversation of this many messages, the model's at odd places; from `branch` on they differ.
    fn marks(messages: usize, branch: usize) -> Arc<PromptMarks> {
        let mark = |at: usize| PartMark {
            hash: at as u64 + if at >= branch { 1_000 } else { 0 },
            is_model: at % 2 == 1,
            ..PartMark::default()
        };
        Arc::new(PromptMarks { messages: (0..messages).map(mark).collect(), ..PromptMarks::default() })
    }

    fn look(record: &ColdRecord, messages: usize, branch: usize, now: u64) -> ColdLook {
        let marks = marks(messages, branch);
        record.look(&MessageChain::of(&marks), now)
    }

    const NO: usize = usize::MAX;

    /// A record of a conversation that was cleared at its 41st message, and answered last at its 45th.
    fn record() -> ColdRecord {
        let mut record = ColdRecord::default();
        let [cleared, latest] = [41, 45].map(|count| marks(count, NO));
        let (cleared, latest) = (MessageChain::of(&cleared), MessageChain::of(&latest));
        record.add_point(ClearPoint { messages: 41, least: 500 }, cleared.hash(41).unwrap());
        record.end(&latest, 1_000);
        record
    }

    #[test]
    fn a_request_is_cold_if_it_follows_the_latest_one_after_the_cache_is_gone() {
        let record = record();
        assert!(!look(&record, 47, NO, 1_000).is_cold);
        assert!(look(&record, 47, NO, 1_001).is_cold);
        assert!(look(&record, 45, NO, 1_001).is_cold, "the same request again");
        assert!(!look(&record, 49, NO, 9_999).is_next, "somebody else has served a turn in between");
        assert!(!look(&record, 47, 44, 9_999).is_next, "another branch");
        assert!(!look(&record, 43, NO, 9_999).is_next, "back to an earlier message");
        assert!(!ColdRecord::default().look(&MessageChain::of(&marks(47, NO)), 9_999).is_cold);
    }

    #[test]
    fn what_was_cleared_stays_cleared_in_its_own_branch() {
        let record = record();
        let point = ClearPoint { messages: 41, least: 500 };
        for messages in [41, 45, 47, 99] {
            assert_eq!(look(&record, messages, NO, 0).points, [point], "{messages}");
            assert_eq!(look(&record, messages, 41, 0).points, [point], "a branch behind the point");
            assert_eq!(look(&record, messages, 20, 0).points, [], "a branch before it");
        }
        assert_eq!(look(&record, 40, NO, 0).points, []);
    }

    #[test]
    fn a_clock_that_is_slow_does_not_shorten_the_life_of_a_cache() {
        let mut record = record();
        let marks = marks(47, NO);
        record.end(&MessageChain::of(&marks), 400);
        assert!(!look(&record, 49, NO, 1_000).is_cold && look(&record, 49, NO, 1_001).is_cold);
        record.end(&MessageChain::of(&marks), u64::MAX);
        assert!(!look(&record, 49, NO, u64::MAX - 1).is_cold, "it does not say how long it lives");
        record.end(&MessageChain::of(&marks), 2_000);
        assert!(look(&record, 49, NO, 2_001).is_cold);
    }

    #[test]
    fn a_request_on_its_way_keeps_the_cache_alive() {
        let mut record = record();
        record.touch(2_000);
        record.touch(1_500);
        assert!(!look(&record, 47, NO, 2_000).is_cold && look(&record, 47, NO, 2_001).is_cold);
    }

    #[test]
    fn a_record_is_read_as_it_was_written_and_no_other() {
        let record = record();
        assert_eq!(ColdRecord::decode(&record.encode()), Some(record.clone()));
        assert_eq!(ColdRecord::decode("1\n"), Some(ColdRecord::default()));
        let text = record.encode();
        for other in [
            "",
            "2\n",
            "1\nlatest 1 2",
            "1\npoint a 2 3",
            "1\nelse 1 2 3",
            "1\npoint 99999999999999999999 2 3",
        ] {
            assert_eq!(ColdRecord::decode(other), None, "{other}");
        }
        for end in 0..text.len() {
            let _ = ColdRecord::decode(&text[..end]);
        }
    }

    #[test]
    fn so_many_points_are_remembered() {
        let mut record = ColdRecord::default();
        for messages in 1..200 {
            record.add_point(ClearPoint { messages, least: 1 }, 7);
            record.add_point(ClearPoint { messages, least: 1 }, 7);
        }
        assert_eq!(record.points.len(), MAX_POINTS);
        assert_eq!(record.points.last().unwrap().point.messages, 199);
    }
}
