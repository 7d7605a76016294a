//! Fits our token counts to those of a provider.

use crate::numbers::{count, float};
use crate::recording::{BodyShape, RecordedTurn};

/// A linear fit: a provider counts `head` tokens in front of the messages, and `scale` tokens for each of ours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenFit {
    /// The number of tokens in front of the messages.
    pub head: f64,
    /// The number of the provider's tokens for each token of ours.
    pub scale: f64,
}

/// The range of plausible scales: vocabularies do not differ by more than this.
const SCALES: [f64; 2] = [0.8, 2.0];

/// The default size of the head of a client's requests, used if no usage was reported.
const HEAD: f64 = 12_000.0;

impl TokenFit {
    /// Fits a line to the reported usage of requests and our counts of them.
    pub(crate) fn of(shape: BodyShape, turns: &[RecordedTurn], ours: &[u64]) -> Self {
        // Only Claude's vocabulary differs noticeably from ours.
        let usual = if shape == BodyShape::Messages { 1.2 } else { 1.0 };
        let points: Vec<_> = turns
            .iter()
            .zip(ours)
            .filter_map(|(turn, ours)| Some((float(*ours), float(turn.billed?.read()))))
            .filter(|(_, theirs)| *theirs > 0.0)
            .collect();
        if points.is_empty() {
            return Self { head: HEAD, scale: usual };
        }
        let scale = slope(&points).unwrap_or(usual).clamp(SCALES[0], SCALES[1]);
        let offsets = points.iter().map(|(ours, theirs)| theirs - scale * ours).collect();
        Self { head: median(offsets).max(0.0), scale }
    }

    /// Converts our count of the messages to the provider's count of the whole request.
    pub(crate) fn tokens(&self, ours: u64) -> u64 {
        count(self.head + self.scale * float(ours))
    }

    /// Converts our count to the provider's, without adding the head.
    pub(crate) fn scaled(&self, ours: u64) -> u64 {
        count(self.scale * float(ours))
    }
}

/// The median slope between distant points, which is robust against outliers.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let far = points.len().div_ceil(2);
    let pairs = points.iter().zip(points.iter().skip(far));
    let slopes: Vec<_> = pairs
        .filter(|((x, _), (later, _))| later - x > 500.0)
        .map(|((x, y), (later, above))| (above - y) / (later - x))
        .collect();
    (!slopes.is_empty()).then(|| median(slopes))
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {

    use super::*;
    use tersely_account::TokenUsage;

    fn turns(counts: &[u64]) -> Vec<RecordedTurn> {
        let billed = |input| Some(TokenUsage { input, ..TokenUsage::default() });
        counts
            .iter()
            .map(|input| RecordedTurn { billed: billed(*input), ..RecordedTurn::default() })
            .collect()
    }

    #[test]
    fn a_line_is_found_though_some_counts_are_odd() {
        let ours: Vec<u64> = (0..20).map(|at| at * 1_000).collect();
        let mut theirs: Vec<u64> = ours.iter().map(|ours| 15_000 + ours * 5 / 4).collect();
        theirs[7] = 100;
        theirs[12] = 900_000;
        let fit = TokenFit::of(BodyShape::Messages, &turns(&theirs), &ours);
        assert!((fit.scale - 1.25).abs() < 0.01 && (fit.head - 15_000.0).abs() < 10.0, "{fit:?}");
        assert_eq!((fit.tokens(8_000), fit.scaled(8_000)), (25_000, 10_000));
    }

    #[test]
    fn without_counts_the_usual_is_taken() {
        let fit = TokenFit::of(BodyShape::Responses, &[RecordedTurn::default()], &[5]);
        assert_eq!(fit, TokenFit { head: HEAD, scale: 1.0 });
        let one = TokenFit::of(BodyShape::Messages, &turns(&[20_000]), &[5_000]);
        assert_eq!(one, TokenFit { head: 14_000.0, scale: 1.2 });
    }
}
