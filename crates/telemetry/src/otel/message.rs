//! The OpenTelemetry protocol messages that we send; field names and numbers are the protocol's.
//!
//! The official crate pulls in the whole SDK, so the few messages we need are declared here. Tests decode them with
//! that crate.

use prost::{Message, Oneof};

/// The body posted to `/v1/traces`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct TraceExport {
    #[prost(message, repeated, tag = "1")]
    pub(crate) resource_spans: Vec<ResourceSpans>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    pub(crate) resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) scope_spans: Vec<ScopeSpans>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ScopeSpans {
    #[prost(message, optional, tag = "1")]
    pub(crate) scope: Option<OtelScope>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) spans: Vec<OtelSpan>,
}

/// A span: an operation with a start and an end.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct OtelSpan {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    pub(crate) parent_span_id: Vec<u8>,
    #[prost(string, tag = "5")]
    pub(crate) name: String,
    #[prost(int32, tag = "6")]
    pub(crate) kind: i32,
    #[prost(fixed64, tag = "7")]
    pub(crate) start: u64,
    #[prost(fixed64, tag = "8")]
    pub(crate) end: u64,
    #[prost(message, repeated, tag = "9")]
    pub(crate) attributes: Vec<Attribute>,
    #[prost(message, optional, tag = "15")]
    pub(crate) status: Option<SpanStatus>,
    #[prost(fixed32, tag = "16")]
    pub(crate) flags: u32,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct SpanStatus {
    #[prost(int32, tag = "3")]
    pub(crate) code: i32,
}

/// The body posted to `/v1/metrics`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct MetricExport {
    #[prost(message, repeated, tag = "1")]
    pub(crate) resource_metrics: Vec<ResourceMetrics>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ResourceMetrics {
    #[prost(message, optional, tag = "1")]
    pub(crate) resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) scope_metrics: Vec<ScopeMetrics>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ScopeMetrics {
    #[prost(message, optional, tag = "1")]
    pub(crate) scope: Option<OtelScope>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) metrics: Vec<Instrument>,
}

/// A metric with all its series.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Instrument {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    pub(crate) description: String,
    #[prost(string, tag = "3")]
    pub(crate) unit: String,
    #[prost(oneof = "InstrumentData", tags = "7, 9")]
    pub(crate) data: Option<InstrumentData>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum InstrumentData {
    #[prost(message, tag = "7")]
    Sum(SumData),
    #[prost(message, tag = "9")]
    Histogram(HistogramData),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct SumData {
    #[prost(message, repeated, tag = "1")]
    pub(crate) points: Vec<SumPoint>,
    #[prost(int32, tag = "2")]
    pub(crate) temporality: i32,
    #[prost(bool, tag = "3")]
    pub(crate) is_monotonic: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct SumPoint {
    #[prost(fixed64, tag = "2")]
    pub(crate) start: u64,
    #[prost(fixed64, tag = "3")]
    pub(crate) time: u64,
    #[prost(oneof = "PointValue", tags = "4, 6")]
    pub(crate) value: Option<PointValue>,
    #[prost(message, repeated, tag = "7")]
    pub(crate) attributes: Vec<Attribute>,
}

#[derive(Clone, Copy, PartialEq, Oneof)]
pub(crate) enum PointValue {
    #[prost(double, tag = "4")]
    Float(f64),
    #[prost(sfixed64, tag = "6")]
    Whole(i64),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct HistogramData {
    #[prost(message, repeated, tag = "1")]
    pub(crate) points: Vec<HistogramPoint>,
    #[prost(int32, tag = "2")]
    pub(crate) temporality: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct HistogramPoint {
    #[prost(fixed64, tag = "2")]
    pub(crate) start: u64,
    #[prost(fixed64, tag = "3")]
    pub(crate) time: u64,
    #[prost(fixed64, tag = "4")]
    pub(crate) count: u64,
    #[prost(double, optional, tag = "5")]
    pub(crate) sum: Option<f64>,
    #[prost(fixed64, repeated, tag = "6")]
    pub(crate) buckets: Vec<u64>,
    #[prost(double, repeated, tag = "7")]
    pub(crate) bounds: Vec<f64>,
    #[prost(message, repeated, tag = "9")]
    pub(crate) attributes: Vec<Attribute>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Resource {
    #[prost(message, repeated, tag = "1")]
    pub(crate) attributes: Vec<Attribute>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct OtelScope {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    pub(crate) version: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Attribute {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) value: Option<AttributeValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct AttributeValue {
    #[prost(oneof = "ValueKind", tags = "1, 3, 4")]
    pub(crate) value: Option<ValueKind>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum ValueKind {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(int64, tag = "3")]
    Whole(i64),
    #[prost(double, tag = "4")]
    Float(f64),
}

impl Attribute {
    /// A text attribute.
    pub(crate) fn text(key: &str, value: impl Into<String>) -> Self {
        Self::of(key, ValueKind::Text(value.into()))
    }

    /// An integer attribute.
    pub(crate) fn whole(key: &str, value: u64) -> Self {
        Self::of(key, ValueKind::Whole(i64::try_from(value).unwrap_or(i64::MAX)))
    }

    /// A floating-point attribute.
    pub(crate) fn float(key: &str, value: f64) -> Self {
        Self::of(key, ValueKind::Float(value))
    }

    fn of(key: &str, value: ValueKind) -> Self {
        Self { key: key.to_owned(), value: Some(AttributeValue { value: Some(value) }) }
    }
}
