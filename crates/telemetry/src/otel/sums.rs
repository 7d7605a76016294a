//! Adds up requests as OpenTelemetry metrics.
//!
//! The metrics are cumulative: if a collector misses an export, the next one includes its numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use crate::event::RequestEvent;
use crate::metrics::dollars;
use crate::otel::call::{ModelCall, error_type};
use crate::otel::instrument::{COST, DURATION, INSTRUMENTS, InstrumentName, InstrumentShape, USAGE};
use crate::otel::message::{
    Attribute, HistogramData, HistogramPoint, Instrument, InstrumentData, PointValue, SumData, SumPoint,
};
use crate::otel::span::nanos;
use crate::otel::tenants::TenantSums;
use tersely_account::{ShownName, StageSaving};

/// The protocol's value for cumulative temporality: everything since the start.
const CUMULATIVE: i32 = 2;

/// Maximum number of models with series of their own; the others share one.
const MODELS: usize = 100;

/// The attributes of one series. An instrument has few, so a linear search is enough.
type Labels = Vec<Attribute>;

/// Totals of all requests since the start.
pub(crate) struct OtelSums {
    since: SystemTime,
    sums: BTreeMap<InstrumentName, Vec<(Labels, PointValue)>>,
    histograms: BTreeMap<InstrumentName, Vec<(Labels, Buckets)>>,
    models: BTreeSet<String>,
    tenants: TenantSums,
}

#[derive(Default)]
struct Buckets {
    count: u64,
    sum: f64,
    counts: Vec<u64>,
}

impl OtelSums {
    /// Empty totals.
    pub(crate) fn new(since: SystemTime) -> Self {
        let (sums, histograms, models) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        Self { since, sums, histograms, models, tenants: TenantSums::default() }
    }

    /// Adds one request.
    pub(crate) fn add(&mut self, event: &RequestEvent) {
        let provider = || Attribute::text("tersely.provider", event.provider.unwrap_or("none"));
        self.count("tersely.requests", vec![provider(), Attribute::text("tersely.end", event.end.name())], 1);
        if let Some(missed) = event.missed {
            self.count("tersely.missed", vec![Attribute::text("tersely.reason", missed)], 1);
        }
        self.count("tersely.faults", Vec::new(), event.record.faults);
        self.count("tersely.secrets.masked", Vec::new(), event.record.redacted);
        self.tenants.add(event);
        self.call(event);
        if !event.is_success() {
            return;
        }
        for (name, count) in [
            ("tersely.request.tokens.before", event.record.total_tokens().before),
            ("tersely.request.tokens.after", event.record.total_tokens().after),
            ("tersely.result.tokens.before", event.record.result_tokens.before),
            ("tersely.result.tokens.after", event.record.result_tokens.after),
        ] {
            self.count(name, vec![provider()], count);
        }
        for StageSaving { stage, saved, .. } in &event.record.stages {
            self.whole("tersely.stage.tokens.saved", vec![Attribute::text("tersely.stage", *stage)], *saved);
        }
        for fetched in &event.record.fetched {
            let stage = vec![Attribute::text("tersely.stage", fetched.stage)];
            self.whole("tersely.expansions", stage, i64::try_from(fetched.calls).unwrap_or(i64::MAX));
        }
        if let Some(cost) = event.record.cost {
            for (kind, billionths) in [("paid", cost.paid), ("without", cost.without)] {
                self.cost(vec![provider(), Attribute::text("tersely.kind", kind)], billionths);
            }
        }
    }

    /// Adds the metrics of the semantic conventions.
    fn call(&mut self, event: &RequestEvent) {
        let Some(mut call) = ModelCall::of(event) else { return };
        if !event.model.as_ref().is_some_and(|model| self.knows(model)) {
            call = call.of_any_model();
        }
        let mut labels = call.attributes().to_vec();
        if let Some(tokens) = event.record.usage.filter(|_| event.is_success()) {
            for (kind, count) in [("input", tokens.read()), ("output", tokens.output)] {
                let kind = Attribute::text("gen_ai.token.type", kind);
                self.observe(USAGE, [labels.clone(), vec![kind]].concat(), float(count));
            }
        }
        labels.extend(error_type(event).map(|error| Attribute::text("error.type", error)));
        self.observe(DURATION, labels, event.took.as_secs_f64());
    }

    /// True for the first [`MODELS`] models. Clients can send any number of model names.
    fn knows(&mut self, model: &ShownName) -> bool {
        if self.models.len() < MODELS {
            self.models.insert(model.as_str().to_owned());
        }
        self.models.contains(model.as_str())
    }

    fn count(&mut self, name: InstrumentName, labels: Labels, count: usize) {
        self.whole(name, labels, i64::try_from(count).unwrap_or(i64::MAX));
    }

    fn whole(&mut self, name: InstrumentName, labels: Labels, count: i64) {
        let value = series(self.sums.entry(name).or_default(), labels, || PointValue::Whole(0));
        if let PointValue::Whole(sum) = value {
            *sum = sum.saturating_add(count);
        }
    }

    fn cost(&mut self, labels: Labels, billionths: u64) {
        let value = series(self.sums.entry(COST).or_default(), labels, || PointValue::Float(0.0));
        if let PointValue::Float(sum) = value {
            *sum += dollars(billionths);
        }
    }

    fn observe(&mut self, name: InstrumentName, labels: Labels, value: f64) {
        let bounds = InstrumentShape::named(name).map_or(&[][..], |shape| shape.bounds);
        let seen = series(self.histograms.entry(name).or_default(), labels, Buckets::default);
        seen.count += 1;
        seen.sum += value;
        seen.counts.resize(bounds.len() + 1, 0);
        seen.counts[bounds.partition_point(|bound| *bound < value)] += 1;
    }

    /// All metrics at this time, or at the start if the clock was set back.
    pub(crate) fn instruments(&self, now: SystemTime) -> Vec<Instrument> {
        let times = (nanos(self.since), nanos(now.max(self.since)));
        let written = INSTRUMENTS.iter().filter_map(|shape| {
            let data = self.sum(shape, times).or_else(|| self.histogram(shape, times))?;
            Some(Instrument {
                name: shape.name.to_owned(),
                description: shape.about.to_owned(),
                unit: shape.unit.to_owned(),
                data: Some(data),
            })
        });
        written.collect()
    }

    fn sum(&self, shape: &InstrumentShape, (start, time): (u64, u64)) -> Option<InstrumentData> {
        let point = |(labels, value): (Labels, PointValue)| SumPoint {
            start,
            time,
            value: Some(value),
            attributes: labels,
        };
        let points: Vec<_> = match self.sums.get(shape.name) {
            Some(known) => known.iter().cloned().map(point).collect(),
            None => self.tenants.series(shape.name)?.into_iter().map(point).collect(),
        };
        let is_monotonic = !shape.falls;
        Some(InstrumentData::Sum(SumData { points, temporality: CUMULATIVE, is_monotonic }))
    }

    fn histogram(&self, shape: &InstrumentShape, (start, time): (u64, u64)) -> Option<InstrumentData> {
        let points = self.histograms.get(shape.name)?.iter().map(|(labels, seen)| HistogramPoint {
            start,
            time,
            count: seen.count,
            sum: Some(seen.sum),
            buckets: seen.counts.clone(),
            bounds: shape.bounds.to_vec(),
            attributes: labels.clone(),
        });
        Some(InstrumentData::Histogram(HistogramData { points: points.collect(), temporality: CUMULATIVE }))
    }
}

/// The series with these labels; inserts `new` if there is none.
fn series<T>(all: &mut Vec<(Labels, T)>, labels: Labels, new: impl FnOnce() -> T) -> &mut T {
    let at = all.iter().position(|(known, _)| *known == labels).unwrap_or_else(|| {
        all.push((labels, new()));
        all.len() - 1
    });
    &mut all[at].1
}

#[expect(clippy::cast_precision_loss, reason = "counts of tokens and costs of requests are far below 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}
