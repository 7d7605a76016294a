//! Exports requests to OpenTelemetry: spans and metrics, encoded as OTLP.

mod call;
mod ids;
mod instrument;
mod message;
mod span;
mod sums;
mod tenants;

use std::time::SystemTime;

use prost::Message;

pub use crate::otel::ids::SpanIds;

use crate::event::RequestEvent;
use crate::otel::message::{
    Attribute, MetricExport, OtelScope, OtelSpan, Resource, ResourceMetrics, ResourceSpans, ScopeMetrics,
    ScopeSpans, TraceExport,
};
use crate::otel::sums::OtelSums;

/// Spans and metrics collected for export.
pub struct OtelBook {
    resource: Resource,
    ids: SpanIds,
    sums: OtelSums,
    spans: Vec<OtelSpan>,
    /// Maximum number of queued spans.
    room: usize,
}

impl OtelBook {
    /// An empty book. `ids` assigns span ids, `about` contains the resource attributes, and `room` is the maximum
    /// number of queued spans.
    #[must_use]
    pub fn new(ids: SpanIds, about: &[(String, String)], room: usize) -> Self {
        let attributes = about.iter().map(|(key, value)| Attribute::text(key, value.as_str())).collect();
        let sums = OtelSums::new(SystemTime::now());
        Self { resource: Resource { attributes }, ids, sums, spans: Vec::new(), room }
    }

    /// Adds a request; returns false if its span was dropped because the queue is full.
    pub fn enter(&mut self, event: &RequestEvent) -> bool {
        self.sums.add(event);
        let fits = self.spans.len() < self.room;
        if fits {
            self.spans.extend(span::span(&self.ids, event));
        }
        fits || !span::is_recorded(event)
    }

    /// Number of queued spans.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.spans.len()
    }

    /// Takes up to `most` of the oldest spans, encoded for posting; `None` if the queue is empty.
    pub fn take_traces(&mut self, most: usize) -> Option<Vec<u8>> {
        if self.spans.is_empty() {
            return None;
        }
        let spans = self.spans.drain(..most.min(self.spans.len())).collect();
        let scope_spans = vec![ScopeSpans { scope: Some(scope()), spans }];
        let resource = Some(self.resource.clone());
        Some(TraceExport { resource_spans: vec![ResourceSpans { resource, scope_spans }] }.encode_to_vec())
    }

    /// All metrics at this time, encoded for posting.
    #[must_use]
    pub fn metrics(&self, now: SystemTime) -> Vec<u8> {
        let scope_metrics = vec![ScopeMetrics { scope: Some(scope()), metrics: self.sums.instruments(now) }];
        let resource = Some(self.resource.clone());
        MetricExport { resource_metrics: vec![ResourceMetrics { resource, scope_metrics }] }.encode_to_vec()
    }
}

fn scope() -> OtelScope {
    OtelScope { name: "tersely".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
}
