//! Adds up requests since the start: how they ended and what they cost.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tersely_account::{LimitRise, MAX_LIMITS, RequestSums};

use crate::event::RequestEvent;
use crate::sink::EventSink;

/// Totals of all requests since the start.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct BillSums {
    /// Requests to models.
    pub sums: RequestSums,
    /// The number of requests for which the provider reported usage.
    pub billed: u64,
    /// Failed requests by status.
    pub failed: BTreeMap<u16, u64>,
    /// How far each window of the account rose.
    pub limits: Vec<LimitRise>,
}

/// An event sink that adds up events. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct EventSums(Arc<Mutex<BillSums>>);

impl EventSums {
    /// The current totals.
    #[must_use]
    pub fn sums(&self) -> BillSums {
        self.now().clone()
    }

    fn now(&self) -> MutexGuard<'_, BillSums> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSink for EventSums {
    fn name(&self) -> &'static str {
        "sums"
    }

    fn hear(&self, event: &Arc<RequestEvent>) {
        self.now().add(event);
    }

    fn dropped(&self) -> u64 {
        0
    }
}

impl BillSums {
    fn add(&mut self, event: &RequestEvent) {
        // A request that names no model, such as one for the list of models, costs nothing.
        if event.model.is_none() {
            return;
        }
        self.sums += event.sums();
        self.watch_limits(event);
        if event.is_success() {
            self.billed += u64::from(event.record.usage.is_some());
        } else {
            *self.failed.entry(event.status).or_default() += 1;
        }
    }

    fn watch_limits(&mut self, event: &RequestEvent) {
        for limit in event.record.limits.iter().filter(|limit| limit.kind.is_window()) {
            if let Some(rise) = self.limits.iter_mut().find(|rise| rise.latest.kind == limit.kind) {
                rise.see(*limit);
            } else if self.limits.len() < MAX_LIMITS {
                // Upstreams decide which windows there are, so their number is bounded.
                self.limits.push(LimitRise::new(*limit));
            }
        }
    }

    /// Successful model requests without usage from the provider.
    #[must_use]
    pub fn untold(&self) -> u64 {
        self.sums.requests - self.sums.failed - self.billed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{RequestEnd, Verb};
    use tersely_account::{RequestCost, RequestRecord, ShownName, TokenUsage};

    #[test]
    fn only_what_succeeded_costs() {
        let sums = EventSums::default();
        let tell = |status: u16, billed: Option<u64>, end: RequestEnd| {
            let billed = billed.map(|input| TokenUsage { input, ..TokenUsage::default() });
            let cost = billed.map(|billed| RequestCost { paid: billed.input, without: billed.input * 2 });
            let model = ShownName::of("m");
            sums.hear(&Arc::new(RequestEvent {
                model,
                status,
                end,
                record: RequestRecord { usage: billed, cost, ..RequestRecord::default() },
                ..RequestEvent::new(1, Verb::of("POST"))
            }));
        };
        tell(200, Some(10), RequestEnd::Answered);
        tell(200, Some(5), RequestEnd::Left);
        tell(200, None, RequestEnd::Answered);
        tell(429, Some(99), RequestEnd::Answered);
        tell(502, None, RequestEnd::Upstream);
        sums.hear(&Arc::new(RequestEvent { status: 404, ..RequestEvent::new(2, Verb::of("GET")) }));
        let all = sums.sums();
        assert_eq!((all.billed, all.untold(), all.sums.priced, all.sums.usage.input), (2, 1, 2, 15));
        assert_eq!(all.sums.cost, RequestCost { paid: 15, without: 30 });
        assert_eq!(all.failed.into_iter().collect::<Vec<_>>(), [(429, 1), (502, 1)]);
    }
}
