//! Reads along with an upstream's answer: what it says was counted, and nothing else. No byte waits for that or changes.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tersely_account::TokenUsage;
use tersely_engine::Fetched;
use tersely_wire::usage::{UsageReader, UsageWords};

use crate::http::content_encoding::Coding;
use crate::http::decompress::{PIECE, Undo};
use crate::worker_pool::guarded;

/// How much of an answer is read along, without its coding. What a model says in one is a thousandth of that.
const MOST: usize = 64 << 20;

/// How much is held of an answer whose coding can only be undone at its end.
const HELD: usize = 2 << 20;

/// What comes to be known of a request while its answer is being sent. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunningBill(Arc<Mutex<BillSoFar>>);

/// What is known so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct BillSoFar {
    /// What the provider counted in each round; nothing where its answer does not say.
    pub(crate) rounds: Vec<Option<TokenUsage>>,
    /// What the model fetched back.
    pub(crate) fetched: Fetched,
}

impl RunningBill {
    /// What is known now.
    pub(crate) fn so_far(&self) -> BillSoFar {
        self.now().clone()
    }

    /// Takes note of what a model fetched back.
    pub(crate) fn fetch(&self, fetched: Fetched) {
        self.now().fetched = fetched;
    }

    fn now(&self) -> MutexGuard<'_, BillSoFar> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BillSoFar {
    /// What the rounds from this one on cost.
    pub(crate) fn from(&self, round: usize) -> TokenUsage {
        let mut all = TokenUsage::default();
        for usage in self.rounds.iter().skip(round).flatten() {
            all += *usage;
        }
        all
    }

    /// True when the answer to each round says what was counted.
    pub(crate) fn is_told(&self) -> bool {
        !self.rounds.is_empty() && self.rounds.iter().all(Option::is_some)
    }
}

/// How the answers to a request are read along.
#[derive(Clone, Debug)]
pub(crate) struct Tapping {
    pub(crate) words: &'static UsageWords,
    pub(crate) bill: RunningBill,
}

impl Tapping {
    /// Reads along with an answer that comes in this coding.
    pub(crate) fn on(&self, coding: Coding) -> Tap {
        let undo = (coding != Coding::Identity).then(|| Undo::new(coding, HELD));
        let reader = Some(UsageReader::new(self.words));
        Tap { undo, reader, left: MOST, bill: Some(self.bill.clone()) }
    }
}

/// Reads along with one answer.
pub(crate) struct Tap {
    undo: Option<Undo>,
    /// Nothing once the answer turned out to be none that can be read along.
    reader: Option<UsageReader>,
    /// How much more is read.
    left: usize,
    /// Until the answer is over.
    bill: Option<RunningBill>,
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tap")
    }
}

impl Tap {
    /// Takes bytes of the answer, as they came. Whatever goes wrong, it only goes blind.
    pub(crate) fn see(&mut self, bytes: &[u8]) {
        if self.reader.is_some() && !matches!(guarded(|| self.read(bytes)), Ok(Some(()))) {
            (self.reader, self.undo) = (None, None);
        }
    }

    fn read(&mut self, bytes: &[u8]) -> Option<()> {
        let Self { undo, reader, left, .. } = self;
        let Some(undo) = undo else { return show(reader, left, bytes) };
        let mut plain = Vec::new();
        for piece in bytes.chunks(PIECE) {
            undo.feed(piece, &mut plain).ok()?;
            show(reader, left, &plain)?;
            plain.clear();
        }
        Some(())
    }

    /// The answer is over, or nobody waits for more of it.
    pub(crate) fn end(&mut self) {
        let Some(bill) = self.bill.take() else { return };
        let rest = guarded(|| {
            let Self { undo: Some(undo), reader, left, .. } = self else { return };
            let mut plain = Vec::new();
            // What was cut off may have said enough.
            let _ = undo.finish(&mut plain);
            let _ = show(reader, left, &plain);
        });
        let reader = self.reader.take().filter(|_| rest.is_ok());
        bill.now().rounds.push(reader.and_then(|reader| reader.usage()));
    }
}

/// Shows plain bytes to a reader, unless they are too many.
fn show(reader: &mut Option<UsageReader>, left: &mut usize, bytes: &[u8]) -> Option<()> {
    *left = left.checked_sub(bytes.len())?;
    reader.as_mut()?.see(bytes);
    Some(())
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn tapping() -> Tapping {
        let words =
            tersely_wire::claimed_provider("/v1/chat/completions").and_then(tersely_wire::Provider::counts);
        Tapping { words: words.unwrap(), bill: RunningBill::default() }
    }

    /// What is known of an answer of these bytes in this coding.
    fn read(coding: Coding, bytes: &[u8], step: usize) -> Option<TokenUsage> {
        let tapping = tapping();
        let mut tap = tapping.on(coding);
        bytes.chunks(step).for_each(|piece| tap.see(piece));
        drop(tap);
        let bill = tapping.bill.so_far();
        assert_eq!(bill.rounds.len(), 1);
        bill.rounds[0]
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(text).unwrap();
        gzip.finish().unwrap()
    }

    const ANSWER: &[u8] = br#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4}}"#;

    #[test]
    fn a_coded_answer_is_read_too() {
        let counted = Some(TokenUsage { input: 9, output: 4, ..TokenUsage::default() });
        let zstd = ruzstd::encoding::compress_to_vec(ANSWER, ruzstd::encoding::CompressionLevel::Fastest);
        for step in [1, 10, 1000] {
            assert_eq!(read(Coding::Identity, ANSWER, step), counted);
            assert_eq!(read(Coding::Gzip, &gzip(ANSWER), step), counted);
            assert_eq!(read(Coding::Zstd, &zstd, step), counted);
        }
        let cut = gzip(ANSWER);
        assert_eq!(read(Coding::Gzip, &cut[..cut.len() - 4], 7), counted, "all was said before the sum");
    }

    #[test]
    fn what_cannot_be_read_counts_nothing() {
        for coding in [Coding::Gzip, Coding::Brotli, Coding::Zstd, Coding::Deflate, Coding::Other] {
            assert_eq!(read(coding, ANSWER, 5), None, "{coding:?}");
            assert_eq!(read(coding, &[0xff; 9000], 4096), None, "{coding:?}");
        }
        assert_eq!(read(Coding::Identity, b"", 1), None);
    }

    #[test]
    fn what_is_too_long_counts_nothing() {
        let bomb = gzip(&[vec![b' '; MOST + 1], ANSWER.to_vec()].concat());
        assert_eq!(read(Coding::Gzip, &bomb, 4096), None);
    }
}
