//! Decodes our exports with OpenTelemetry's own messages.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::{HistogramDataPoint, Metric, metric, number_data_point};
use opentelemetry_proto::tonic::trace::v1::{Span, span::SpanKind};
use prost::Message;
use tersely_account::{
    Attribution, FetchSum, RequestCost, RequestRecord, ShownName, StageSaving, TokenChange, TokenUsage,
};
use tersely_telemetry::{OtelBook, RequestEnd, RequestEvent, SpanIds, TraceContext, Verb};

const START: Duration = Duration::from_hours(500_000);

fn event(id: u64) -> RequestEvent {
    RequestEvent {
        at: UNIX_EPOCH + START,
        provider: Some("vertex"),
        model: ShownName::of("m-1"),
        session: Some(0xabc),
        status: 200,
        end: RequestEnd::Answered,
        took: Duration::from_millis(30),
        record: RequestRecord {
            result_tokens: TokenChange { before: 100, after: 60 },
            request_tokens: Some(TokenChange { before: 500, after: 470 }),
            stages: vec![
                StageSaving { stage: "search", texts: 1, saved: 50 },
                StageSaving { stage: "numbered", texts: 1, saved: -10 },
            ],
            fetched: vec![FetchSum { stage: "search", calls: 2, tokens: 30 }],
            usage: Some(TokenUsage {
                input: 5,
                cache_read: 400,
                cache_write: 10,
                output: 20,
                reasoning: 8,
                ..TokenUsage::default()
            }),
            cost: Some(RequestCost { paid: 1_500_000_000, without: 2_000_000_000 }),
            ..RequestRecord::default()
        },
        ..RequestEvent::new(id, Verb::of("POST"))
    }
}

fn book() -> OtelBook {
    OtelBook::new(SpanIds::default(), &[("service.name".to_owned(), "tersely".to_owned())], 10)
}

fn spans(book: &mut OtelBook) -> Vec<Span> {
    let Some(bytes) = book.take_traces(100) else { return Vec::new() };
    let request = ExportTraceServiceRequest::decode(&bytes[..]).expect("spans");
    let scopes = request.resource_spans.into_iter().flat_map(|it| it.scope_spans);
    scopes.flat_map(|scope| scope.spans).collect()
}

fn metrics(book: &OtelBook, now: SystemTime) -> Vec<Metric> {
    let request = ExportMetricsServiceRequest::decode(&book.metrics(now)[..]).expect("metrics");
    let scopes = request.resource_metrics.into_iter().flat_map(|it| it.scope_metrics);
    scopes.flat_map(|scope| scope.metrics).collect()
}

fn shown(attributes: &[KeyValue]) -> Vec<String> {
    let value = |it: &KeyValue| match it.value.as_ref().and_then(|it| it.value.as_ref()) {
        Some(any_value::Value::StringValue(text)) => text.clone(),
        Some(any_value::Value::IntValue(number)) => number.to_string(),
        Some(any_value::Value::DoubleValue(number)) => number.to_string(),
        _ => String::new(),
    };
    attributes.iter().map(|it| format!("{}={}", it.key, value(it))).collect()
}

fn histograms<'m>(metrics: &'m [Metric], name: &str) -> &'m [HistogramDataPoint] {
    let found = metrics.iter().find(|metric| metric.name == name).and_then(|it| it.data.as_ref());
    let Some(metric::Data::Histogram(data)) = found else { return &[] };
    &data.data_points
}

#[test]
fn a_call_of_a_model_is_a_span_by_the_conventions() {
    let mut book = book();
    assert!(book.enter(&event(7)));
    let all = spans(&mut book);
    let [span] = &all[..] else { panic!("{all:?}") };
    assert_eq!((span.name.as_str(), span.kind()), ("chat m-1", SpanKind::Client));
    let start = u64::try_from(START.as_nanos()).unwrap();
    assert_eq!((span.start_time_unix_nano, span.end_time_unix_nano), (start, start + 30_000_000));
    assert_eq!((span.trace_id.len(), span.span_id.len(), span.parent_span_id.len()), (16, 8, 0));
    assert!(span.status.is_none());
    let said = shown(&span.attributes);
    for expected in [
        "gen_ai.operation.name=chat",
        "gen_ai.provider.name=gcp.vertex_ai",
        "gen_ai.request.model=m-1",
        "gen_ai.conversation.id=0000000000000abc",
        "gen_ai.usage.input_tokens=415",
        "gen_ai.usage.output_tokens=20",
        "gen_ai.usage.cache_read.input_tokens=400",
        "gen_ai.usage.cache_write.input_tokens=10",
        "gen_ai.usage.cache_creation.input_tokens=10",
        "gen_ai.usage.reasoning.output_tokens=8",
        "http.request.method=POST",
        "http.response.status_code=200",
        "tersely.request.tokens.before=500",
        "tersely.request.tokens.after=470",
        "tersely.result.tokens.after=60",
    ] {
        assert!(said.iter().any(|it| it == expected), "{expected} is not in {said:?}");
    }
    assert!(spans(&mut book).is_empty(), "each is taken once");
}

#[test]
fn a_request_that_fails_says_why_and_saves_nothing() {
    let mut book = book();
    book.enter(&RequestEvent { status: 502, end: RequestEnd::Upstream, ..event(1) });
    book.enter(&RequestEvent { status: 429, ..event(2) });
    book.enter(&RequestEvent { status: 200, end: RequestEnd::Left, provider: None, ..event(3) });
    let said: Vec<_> =
        spans(&mut book).iter().map(|it| (it.status.is_some(), shown(&it.attributes))).collect();
    let has = |n: usize, what: &str| said[n].1.iter().any(|it| it.starts_with(what));
    assert!(
        said[0].0
            && has(0, "error.type=upstream")
            && !has(0, "gen_ai.usage")
            && !has(0, "tersely.request.tokens")
    );
    assert!(said[1].0 && has(1, "error.type=429"));
    assert!(!said[2].0 && !has(2, "error.type") && !has(2, "gen_ai."));
}

#[test]
fn a_trace_goes_on_if_somebody_records_it() {
    let (trace, parent) = (0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736_u128, 0xf067_u64);
    let mut book = book();
    for (id, is_sampled) in [(1, true), (2, false)] {
        let trace = Some(TraceContext { trace, parent, is_sampled });
        assert!(book.enter(&RequestEvent { trace, ..event(id) }));
    }
    let all = spans(&mut book);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].trace_id, trace.to_be_bytes());
    assert_eq!(all[0].parent_span_id, parent.to_be_bytes());
}

#[test]
fn spans_have_names_of_their_own_that_can_be_told_beforehand() {
    let ids = SpanIds::default();
    let mut book = OtelBook::new(ids.clone(), &[], 10);
    book.enter(&event(1));
    book.enter(&event(2));
    let all = spans(&mut book);
    assert_eq!(all[0].span_id, ids.span(1).to_be_bytes());
    assert_ne!(all[0].span_id, all[1].span_id);
    assert_ne!(all[0].trace_id, all[1].trace_id);
    assert_ne!(SpanIds::default().span(1), ids.span(1), "another process has others");
}

#[test]
fn metrics_add_up_and_stay_when_spans_are_taken() {
    let mut book = book();
    let now = SystemTime::now();
    book.enter(&event(1));
    spans(&mut book);
    metrics(&book, now);
    book.enter(&event(2));
    book.enter(&RequestEvent { status: 500, ..event(3) });
    let all = metrics(&book, now);
    let sums: Vec<String> = all.iter().flat_map(sums).collect();
    for expected in [
        "tersely.requests tersely.provider=vertex tersely.end=answered: 3",
        "tersely.request.tokens.before tersely.provider=vertex: 1000",
        "tersely.request.tokens.after tersely.provider=vertex: 940",
        "tersely.result.tokens.after tersely.provider=vertex: 120",
        "tersely.stage.tokens.saved tersely.stage=search: 100",
        "tersely.stage.tokens.saved tersely.stage=numbered: -20",
        "tersely.expansions tersely.stage=search: 4",
        "tersely.cost tersely.provider=vertex tersely.kind=paid: 3",
        "tersely.cost tersely.provider=vertex tersely.kind=without: 4",
    ] {
        assert!(sums.iter().any(|it| it == expected), "{expected} is not in {sums:#?}");
    }
    let usage = histograms(&all, "gen_ai.client.token.usage");
    let input = usage.iter().find(|it| shown(&it.attributes).contains(&"gen_ai.token.type=input".to_owned()));
    let input = input.unwrap();
    assert_eq!((input.count, input.sum), (2, Some(830.0)));
    // The bucket from 256 to 1024.
    assert_eq!((input.bucket_counts.iter().sum::<u64>(), input.bucket_counts[5]), (2, 2));
    assert_eq!(input.bucket_counts.len(), input.explicit_bounds.len() + 1);
    assert_eq!(
        histograms(&all, "gen_ai.client.operation.duration").iter().map(|it| it.count).sum::<u64>(),
        3
    );
}

fn sums(metric: &Metric) -> Vec<String> {
    let Some(metric::Data::Sum(data)) = &metric.data else { return Vec::new() };
    let value = |value| match value {
        Some(number_data_point::Value::AsInt(number)) => number.to_string(),
        Some(number_data_point::Value::AsDouble(number)) => number.to_string(),
        None => String::new(),
    };
    let line = |labels: Vec<String>, value: String| format!("{} {}: {value}", metric.name, labels.join(" "));
    data.data_points.iter().map(|it| line(shown(&it.attributes), value(it.value))).collect()
}

#[test]
fn whatever_clients_name_takes_bounded_room() {
    let mut book = book();
    let mut lost = 0;
    for n in 0..5_000 {
        let is_entered =
            book.enter(&RequestEvent { model: ShownName::of(&format!("model-{n}")), ..event(n) });
        lost += u32::from(!is_entered);
    }
    assert_eq!((book.waiting(), lost), (10, 4_990));
    let all = metrics(&book, SystemTime::now());
    // A hundred models, and one series for all others.
    assert_eq!(histograms(&all, "gen_ai.client.operation.duration").len(), 101);
}

#[test]
fn a_clock_that_is_set_back_makes_no_time_run_backwards() {
    let mut book = book();
    book.enter(&RequestEvent { at: UNIX_EPOCH - Duration::from_secs(5), ..event(1) });
    let all = spans(&mut book);
    assert_eq!((all[0].start_time_unix_nano, all[0].end_time_unix_nano), (0, 30_000_000));
    let all = metrics(&book, UNIX_EPOCH);
    let duration = &histograms(&all, "gen_ai.client.operation.duration")[0];
    assert!(duration.start_time_unix_nano > 0 && duration.time_unix_nano >= duration.start_time_unix_nano);
}

/// The points of a sum, each with its attributes.
fn points(metrics: &[Metric], name: &str) -> Vec<(String, f64)> {
    let found = metrics.iter().find(|metric| metric.name == name).and_then(|it| it.data.as_ref());
    let Some(metric::Data::Sum(data)) = found else { return Vec::new() };
    let value = |value: Option<number_data_point::Value>| match value {
        Some(number_data_point::Value::AsInt(count)) => f64::from(i32::try_from(count).expect("small")),
        Some(number_data_point::Value::AsDouble(sum)) => sum,
        None => 0.0,
    };
    let all = data.data_points.iter();
    all.map(|point| (shown(&point.attributes).join(" "), value(point.value))).collect()
}

/// Behaviour 13.30 and 13.31: a collector gets tenants that add up, and a bounded number of them.
#[test]
fn tenants_are_told_apart_up_to_a_bound() {
    let of = |tenant: &str| Attribution { tenant: ShownName::of(tenant), ..Attribution::default() };
    let mut book = book();
    book.enter(&RequestEvent { attribution: of("a"), ..event(1) });
    book.enter(&RequestEvent { attribution: of("a"), ..event(2) });
    book.enter(&RequestEvent { attribution: of("b"), ..event(3) });
    book.enter(&RequestEvent { attribution: of("b"), status: 500, ..event(4) });
    let all = metrics(&book, SystemTime::now());
    let label = |tenant: &str| format!("tersely.tenant={tenant} tersely.key=none tersely.project=none");
    assert_eq!(points(&all, "tersely.tenant.requests"), [(label("a"), 2.0), (label("b"), 2.0)]);
    assert_eq!(points(&all, "tersely.tenant.requests.failed"), [(label("a"), 0.0), (label("b"), 1.0)]);
    assert_eq!(points(&all, "tersely.tenant.tokens.before"), [(label("a"), 1000.0), (label("b"), 500.0)]);
    assert_eq!(points(&all, "tersely.tenant.tokens.after"), [(label("a"), 940.0), (label("b"), 470.0)]);
    assert_eq!(points(&all, "tersely.tenant.tokens.fetched"), [(label("a"), 60.0), (label("b"), 30.0)]);
    let paid = format!("{} tersely.kind=paid", label("a"));
    assert!(points(&all, "tersely.tenant.cost").contains(&(paid, 3.0)));
    for at in 0..10_000 {
        book.enter(&RequestEvent { attribution: of(&format!("t{at}")), ..event(at) });
    }
    let all = points(&metrics(&book, SystemTime::now()), "tersely.tenant.requests");
    assert_eq!((all.len(), all.iter().map(|(_, count)| count).sum::<f64>()), (1_001, 10_004.0));
}
