//! Reads the token usage from an upstream's response while it is forwarded, without delaying or changing a byte.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tersely_account::{CacheDiagnosis, TokenUsage};
use tersely_engine::Fetches;
use tersely_wire::usage::{UsageReader, UsageWords};

use crate::http::content_encoding::Coding;
use crate::http::decompress::{Decompressor, INPUT_CHUNK_BYTES};
use crate::worker_pool::catch_panic;

/// The maximum number of decoded bytes to read; a model's response usually has about a thousandth of that.
const MAX_TAPPED_BYTES: usize = 64 << 20;

/// The maximum number of bytes to buffer of a response that can only be decoded when it is complete.
const MAX_HELD_BYTES: usize = 2 << 20;

/// The token usage of a request, which is updated while its response is sent. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunningBill(Arc<Mutex<BillSoFar>>);

/// The token usage so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct BillSoFar {
    /// The usage that the provider reported for each round; `None` if it reported none.
    pub(crate) rounds: Vec<Option<TokenUsage>>,
    /// The texts that the model fetched back.
    pub(crate) fetched: Fetches,
    /// What the provider says about its cache in the first round.
    pub(crate) diagnosis: Option<CacheDiagnosis>,
}

impl RunningBill {
    /// A copy of the usage so far.
    pub(crate) fn so_far(&self) -> BillSoFar {
        self.now().clone()
    }

    /// Records the texts that a model fetched back.
    pub(crate) fn fetch(&self, fetched: Fetches) {
        self.now().fetched = fetched;
    }

    fn now(&self) -> MutexGuard<'_, BillSoFar> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BillSoFar {
    /// The total usage of this round and all later rounds.
    pub(crate) fn from(&self, round: usize) -> TokenUsage {
        let mut all = TokenUsage::default();
        for usage in self.rounds.iter().skip(round).flatten() {
            all += *usage;
        }
        all
    }

    /// True if the provider reported the usage of every round.
    pub(crate) fn is_told(&self) -> bool {
        !self.rounds.is_empty() && self.rounds.iter().all(Option::is_some)
    }
}

/// How the responses to a request are read.
#[derive(Clone, Debug)]
pub(crate) struct TapConfig {
    pub(crate) words: &'static UsageWords,
    pub(crate) bill: RunningBill,
}

impl TapConfig {
    /// Creates a tap for a response in this coding.
    pub(crate) fn on(&self, coding: Coding) -> UsageTap {
        let decoder = (coding != Coding::Identity).then(|| Decompressor::new(coding, MAX_HELD_BYTES));
        let reader = Some(UsageReader::new(self.words));
        UsageTap { decoder, reader, left: MAX_TAPPED_BYTES, bill: Some(self.bill.clone()) }
    }
}

/// Reads the token usage from one response.
pub(crate) struct UsageTap {
    decoder: Option<Decompressor>,
    /// The reader; `None` once the response has turned out to be unreadable.
    reader: Option<UsageReader>,
    /// The number of bytes that may still be read.
    left: usize,
    /// The bill in which the usage is recorded at the end.
    bill: Option<RunningBill>,
}

impl fmt::Debug for UsageTap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tap")
    }
}

impl UsageTap {
    /// Reads bytes of the response in their encoded form. After any error, the tap stops reading.
    pub(crate) fn see(&mut self, bytes: &[u8]) {
        if self.reader.is_some() && !matches!(catch_panic(|| self.read(bytes)), Ok(Some(()))) {
            (self.reader, self.decoder) = (None, None);
        }
    }

    fn read(&mut self, bytes: &[u8]) -> Option<()> {
        let Self { decoder, reader, left, .. } = self;
        let Some(decoder) = decoder else { return show(reader, left, bytes) };
        let mut plain = Vec::new();
        for piece in bytes.chunks(INPUT_CHUNK_BYTES) {
            decoder.feed(piece, &mut plain).ok()?;
            show(reader, left, &plain)?;
            plain.clear();
        }
        Some(())
    }

    /// Records the usage when the response has ended or was abandoned.
    pub(crate) fn end(&mut self) {
        let Some(bill) = self.bill.take() else { return };
        let rest = catch_panic(|| {
            let Self { decoder: Some(decoder), reader, left, .. } = self else { return };
            let mut plain = Vec::new();
            // Even a truncated response may contain the usage.
            let _ = decoder.finish(&mut plain);
            let _ = show(reader, left, &plain);
        });
        let reader = self.reader.take().filter(|_| rest.is_ok());
        let mut bill = bill.now();
        if bill.rounds.is_empty() {
            bill.diagnosis = reader.as_ref().and_then(|reader| reader.diagnosis().cloned());
        }
        bill.rounds.push(reader.and_then(|reader| reader.usage()));
    }
}

/// Passes decoded bytes to the reader, up to the limit.
fn show(reader: &mut Option<UsageReader>, left: &mut usize, bytes: &[u8]) -> Option<()> {
    *left = left.checked_sub(bytes.len())?;
    reader.as_mut()?.see(bytes);
    Some(())
}

impl Drop for UsageTap {
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

    fn tap_config() -> TapConfig {
        let words =
            tersely_wire::claimed_provider("/v1/chat/completions").map(tersely_wire::Provider::counts);
        TapConfig { words: words.unwrap(), bill: RunningBill::default() }
    }

    /// The usage that a tap finds in `bytes`, which are in this coding.
    fn read(coding: Coding, bytes: &[u8], step: usize) -> Option<TokenUsage> {
        let tap_config = tap_config();
        let mut tap = tap_config.on(coding);
        bytes.chunks(step).for_each(|piece| tap.see(piece));
        drop(tap);
        let bill = tap_config.bill.so_far();
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
        let bomb = gzip(&[vec![b' '; MAX_TAPPED_BYTES + 1], ANSWER.to_vec()].concat());
        assert_eq!(read(Coding::Gzip, &bomb, 4096), None);
    }
}
