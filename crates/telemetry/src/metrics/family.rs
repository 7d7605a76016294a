//! Labelled metrics, and their registration.
//!
//! Label values are our own words or come from a bounded table, so the number of series is bounded whatever clients
//! send.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::{Metric, Registry};

/// Nanodollars in a dollar.
const BILLION: f64 = 1e9;

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
pub(crate) struct ByProvider {
    pub(crate) provider: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
pub(crate) struct ByStage {
    pub(crate) stage: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
pub(crate) struct ByKind {
    pub(crate) provider: &'static str,
    pub(crate) kind: &'static str,
}

/// A counter for each set of labels.
pub(crate) type CounterFamily<L> = Family<L, Counter>;

/// Creates a metric and registers it.
pub(crate) fn counted<M: Metric + Clone + Default>(to: &mut Registry, name: &str, about: &str) -> M {
    let metric = M::default();
    to.register(name, about, metric.clone());
    metric
}

pub(crate) fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[expect(clippy::cast_precision_loss, reason = "an estimate, which no request brings near 2^53")]
pub(crate) fn dollars(billionths: u64) -> f64 {
    billionths as f64 / BILLION
}
