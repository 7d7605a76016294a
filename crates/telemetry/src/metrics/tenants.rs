//! Metrics by tenant, key and project: who sent what, what was saved of it, and what it cost.

use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use tersely_account::{AttributionLabels, AttributionTable};

use crate::event::RequestEvent;
use crate::metrics::family::{CounterFamily, counted, dollars};

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ByTenant {
    tenant: String,
    key: String,
    project: String,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ByTenantKind {
    tenant: String,
    key: String,
    project: String,
    kind: &'static str,
}

/// Metrics by tenant. Their sums are those of all requests.
pub(crate) struct TenantMetrics {
    known: Mutex<AttributionTable>,
    requests: CounterFamily<ByTenant>,
    failed: CounterFamily<ByTenant>,
    before: CounterFamily<ByTenant>,
    after: CounterFamily<ByTenant>,
    fetched: CounterFamily<ByTenant>,
    cost: Family<ByTenantKind, Counter<f64, AtomicU64>>,
}

impl TenantMetrics {
    pub(crate) fn new(to: &mut Registry) -> Self {
        Self {
            known: Mutex::default(),
            requests: counted(to, "tenant_requests", "Requests, by tenant, key and project"),
            failed: counted(to, "tenant_requests_failed", "Failed requests, by tenant, key and project"),
            before: counted(to, "tenant_tokens_before", "Tokens in whole requests, as received"),
            after: counted(to, "tenant_tokens_after", "Tokens in whole requests, as sent"),
            fetched: counted(to, "tenant_tokens_fetched", "Tokens used to fetch omitted text back"),
            cost: counted(
                to,
                "tenant_cost_estimate_dollars",
                "Estimated cost of requests at list prices, as sent and without Tersely",
            ),
        }
    }

    pub(crate) fn add(&self, event: &RequestEvent) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let labels = known.labels(&event.attribution);
        drop(known);
        let AttributionLabels { tenant, key, project } = labels;
        let [tenant, key, project] = [tenant, key, project].map(String::from);
        let of = ByTenant { tenant, key, project };
        let sums = event.sums();
        for (family, count) in [
            (&self.requests, sums.requests),
            (&self.failed, sums.failed),
            (&self.before, sums.before),
            (&self.after, sums.after),
            (&self.fetched, sums.fetched),
        ] {
            family.get_or_create(&of).inc_by(count);
        }
        if sums.priced == 0 {
            return;
        }
        for (kind, cost) in [("paid", sums.cost.paid), ("without", sums.cost.without)] {
            let ByTenant { tenant, key, project } = of.clone();
            let of = ByTenantKind { tenant, key, project, kind };
            self.cost.get_or_create(&of).inc_by(dollars(cost));
        }
    }
}
