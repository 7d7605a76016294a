//! Adds up requests by tenant, key and project, as OpenTelemetry metrics.

use std::collections::BTreeMap;

use tersely_account::{AttributionLabels, AttributionTable, RequestSums};

use crate::event::RequestEvent;
use crate::metrics::dollars;
use crate::otel::instrument::{
    InstrumentName, TENANT_AFTER, TENANT_BEFORE, TENANT_COST, TENANT_FAILED, TENANT_FETCHED, TENANT_REQUESTS,
};
use crate::otel::message::{Attribute, PointValue};

/// The sums of each tenant. There can be thousands, so they are found by their labels.
#[derive(Default)]
pub(crate) struct TenantSums {
    known: AttributionTable,
    sums: BTreeMap<AttributionLabels, RequestSums>,
}

impl TenantSums {
    /// Adds one request.
    pub(crate) fn add(&mut self, event: &RequestEvent) {
        *self.sums.entry(self.known.labels(&event.attribution)).or_default() += event.sums();
    }

    /// The series of a metric; `None` if it is not one by tenant, or if there was no request yet.
    pub(crate) fn series(&self, name: InstrumentName) -> Option<Vec<(Vec<Attribute>, PointValue)>> {
        if self.sums.is_empty() {
            return None;
        }
        if name == TENANT_COST {
            return Some(self.sums.iter().flat_map(|(labels, sums)| cost(labels, sums)).collect());
        }
        let count: fn(&RequestSums) -> u64 = match name {
            TENANT_REQUESTS => |sums| sums.requests,
            TENANT_FAILED => |sums| sums.failed,
            TENANT_BEFORE => |sums| sums.before,
            TENANT_AFTER => |sums| sums.after,
            TENANT_FETCHED => |sums| sums.fetched,
            _ => return None,
        };
        let point = |sums: &RequestSums| PointValue::Whole(i64::try_from(count(sums)).unwrap_or(i64::MAX));
        Some(self.sums.iter().map(|(labels, sums)| (attributes(labels), point(sums))).collect())
    }
}

fn cost(labels: &AttributionLabels, sums: &RequestSums) -> Vec<(Vec<Attribute>, PointValue)> {
    let one = |kind: &'static str, billionths: u64| {
        let mut all = attributes(labels);
        all.push(Attribute::text("tersely.kind", kind));
        (all, PointValue::Float(dollars(billionths)))
    };
    if sums.priced == 0 {
        return Vec::new();
    }
    vec![one("paid", sums.cost.paid), one("without", sums.cost.without)]
}

fn attributes(labels: &AttributionLabels) -> Vec<Attribute> {
    vec![
        Attribute::text("tersely.tenant", &*labels.tenant),
        Attribute::text("tersely.key", &*labels.key),
        Attribute::text("tersely.project", &*labels.project),
    ]
}
