//! Metrics whose values are read from the gateway at each scrape instead of being counted here.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use crate::side::{SideLook, StoreNumbers};

/// Collects the gateway's numbers that do not belong to a single request.
pub(crate) struct Beside(pub(crate) SideLook);

impl fmt::Debug for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Beside")
    }
}

impl Collector for Beside {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let numbers = (self.0)();
        let mut count = |name, about, count: u64| -> fmt::Result {
            ConstCounter::new(count).encode(encoder.encode_descriptor(
                name,
                about,
                None,
                MetricType::Counter,
            )?)
        };
        count("compressor_calls", "Calls to an external compressor", numbers.compressor_calls)?;
        count(
            "compressor_tokens",
            "Tokens used by calls to an external compressor",
            numbers.compressor_tokens,
        )?;
        let about = "Results meant for an external compressor, by outcome";
        let mut results =
            encoder.encode_descriptor("compressor_results", about, None, MetricType::Counter)?;
        for (outcome, count) in numbers.compressor.each() {
            ConstCounter::new(count).encode(results.encode_family(&[("outcome", outcome.name())])?)?;
        }
        numbers.store.map_or(Ok(()), |store| encode_store(&mut encoder, &store))
    }
}

fn encode_store(encoder: &mut DescriptorEncoder<'_>, store: &StoreNumbers) -> fmt::Result {
    let about = "1 if the store works; 0 while any part of it is bypassed because of failures";
    let up = encoder.encode_descriptor("store_up", about, None, MetricType::Gauge)?;
    ConstGauge::new(i64::from(store.is_up)).encode(up)?;
    let about = "Calls to the store, by outcome; every spoiled call also counts as a miss";
    let mut calls = encoder.encode_descriptor("store_calls", about, None, MetricType::Counter)?;
    for (outcome, count) in [
        ("hit", store.hits),
        ("miss", store.misses),
        ("kept", store.kept),
        ("failed", store.failures),
        ("spoiled", store.spoiled),
    ] {
        ConstCounter::new(count).encode(calls.encode_family(&[("outcome", outcome)])?)?;
    }
    let about = "Total duration of all calls to the store";
    let seconds = encoder.encode_descriptor("store_call_seconds", about, None, MetricType::Counter)?;
    ConstCounter::new(store.took.as_secs_f64()).encode(seconds)
}
