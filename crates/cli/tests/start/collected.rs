//! Tests the OpenTelemetry export against a collector that decodes OpenTelemetry's own messages.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::{Metric, metric, number_data_point};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use serde_json::Value;
use tersely_testing::pace::at_most;

use crate::seen::{events, free, lines};
use crate::stage::{Running, start, turn};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

/// A request received by a server.
pub(crate) struct Got {
    path: String,
    headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

/// A server that answers every request with success, and reports what it received.
pub(crate) fn server() -> (SocketAddr, Receiver<Got>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let (tell, got) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let tell = tell.clone();
            thread::spawn(move || {
                let mut reader = BufReader::new(stream);
                while let Some(request) = read(&mut reader) {
                    let _ = tell.send(request);
                    let answer =
                        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
                    let _ = reader.get_mut().write_all(answer.as_bytes());
                }
            });
        }
    });
    (address, got)
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Got> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let mut headers = BTreeMap::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").and_then(|it| it.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Got { path: line.split(' ').nth(1)?.to_owned(), headers, body })
}

fn ask(address: &str, more: &str, body: &str) {
    let mut stream = TcpStream::connect(address).expect("a gateway");
    let length = body.len();
    let head = format!("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n{more}");
    stream.write_all(format!("{head}connection: close\r\n\r\n{body}").as_bytes()).expect("it is sent");
    stream.read_to_string(&mut String::new()).expect("an answer");
}

fn gateway(upstream: &str, env: &[(&str, &str)]) -> (Running, String) {
    let url = format!("http://{upstream}");
    let served = start(&["serve", "--listen", "127.0.0.1:0", "--upstream", &url], env);
    let address = served.address();
    (served, address)
}

fn attribute(attributes: &[KeyValue], key: &str) -> Value {
    let found = attributes.iter().find(|it| it.key == key);
    match found.and_then(|it| it.value.as_ref()?.value.as_ref()) {
        Some(any_value::Value::StringValue(text)) => text.as_str().into(),
        Some(any_value::Value::IntValue(number)) => (*number).into(),
        Some(any_value::Value::DoubleValue(number)) => (*number).into(),
        _ => Value::Null,
    }
}

/// The sum over all series of a metric, or the number of values in its histograms.
fn total(metrics: &[Metric], name: &str) -> i64 {
    let found = metrics.iter().find(|metric| metric.name == name).and_then(|metric| metric.data.as_ref());
    match found {
        Some(metric::Data::Sum(sum)) => {
            let value = |value| match value {
                Some(number_data_point::Value::AsInt(number)) => number,
                _ => 0,
            };
            sum.data_points.iter().map(|point| value(point.value)).sum()
        }
        Some(metric::Data::Histogram(all)) => {
            all.data_points.iter().map(|point| i64::try_from(point.count).unwrap_or(i64::MAX)).sum()
        }
        _ => 0,
    }
}

/// Behaviour 13.23: spans and metrics agree with events.
#[test]
fn a_collector_gets_what_events_say() {
    let ((upstream, seen), (collector, got)) = (server(), server());
    let (endpoint, path) = (format!("http://{collector}"), events("otel"));
    let file = path.to_string_lossy();
    let (mut served, address) = gateway(
        &upstream.to_string(),
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint),
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20hush"),
            ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test"),
            ("TERSELY_OTEL_INTERVAL", "200ms"),
            ("TERSELY_EVENTS_FILE", &file),
        ],
    );
    let (body, _) = turn();
    ask(&address, &format!("traceparent: 00-{TRACE}-{CALLER}-01\r\n"), &body);
    ask(&address, "", &body);
    ask(&address, &format!("traceparent: 00-{TRACE}-{CALLER}-00\r\n"), &body);
    // Three requests, and the new result of the first.
    let told = lines(&path, 4);
    let told: Vec<_> = told.into_iter().filter(|line| line["kind"] == "request").collect();
    let (spans, metrics) = heard(&got, 2, 3);
    served.signal("INT");
    assert_eq!(served.code(), Some(0));

    for span in &spans {
        let id = attribute(&span.attributes, "tersely.request.id");
        let event = told.iter().find(|event| event["id"] == id).expect("an event");
        agree(span, event);
    }
    let sent = |n: usize| -> i64 {
        told.iter()
            .map(|it| it["request_tokens"][["before", "after"][n]].as_i64())
            .map(Option::unwrap_or_default)
            .sum()
    };
    assert_eq!(total(&metrics, "tersely.request.tokens.before"), sent(0));
    assert_eq!(total(&metrics, "tersely.request.tokens.after"), sent(1));
    assert_eq!(total(&metrics, "tersely.requests"), 3);
    assert_eq!(total(&metrics, "gen_ai.client.operation.duration"), 3);

    // Where we export a span, the upstream gets it as parent; otherwise the client's header is passed on.
    let parents: Vec<_> = seen.try_iter().map(|it| it.headers.get("traceparent").cloned()).collect();
    let ours = spans.iter().find(|span| hex(&span.parent_span_id) == CALLER).expect("a span in the trace");
    assert_eq!(hex(&ours.trace_id), TRACE);
    let led = format!("00-{TRACE}-{}-01", hex(&ours.span_id));
    assert_eq!(parents, [Some(led), None, Some(format!("00-{TRACE}-{CALLER}-00"))]);
    let _ = std::fs::remove_file(path);
}

/// Waits for `count` spans, and for the first metrics that count `requests` requests.
fn heard(got: &Receiver<Got>, count: usize, requests: i64) -> (Vec<Span>, Vec<Metric>) {
    let (mut spans, mut metrics, since) = (Vec::new(), Vec::new(), Instant::now());
    while spans.len() < count || total(&metrics, "tersely.requests") < requests {
        assert!(since.elapsed() < Duration::from_mins(1), "{spans:?} {metrics:?}");
        let Ok(Got { path, headers, body }) = got.recv_timeout(Duration::from_mins(1)) else { continue };
        assert_eq!(headers["authorization"], "Bearer hush");
        assert_eq!(headers["content-type"], "application/x-protobuf");
        if path == "/v1/traces" {
            let request = ExportTraceServiceRequest::decode(&body[..]).expect("spans");
            for resource in request.resource_spans {
                let about = resource.resource.expect("who says it").attributes;
                assert_eq!(attribute(&about, "service.name"), "tersely");
                assert_eq!(attribute(&about, "deployment.environment.name"), "test");
                spans.extend(resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
            }
        } else {
            assert_eq!(path, "/v1/metrics");
            let request = ExportMetricsServiceRequest::decode(&body[..]).expect("metrics");
            let scopes = request.resource_metrics.into_iter().flat_map(|it| it.scope_metrics);
            metrics = scopes.flat_map(|scope| scope.metrics).collect();
        }
    }
    (spans, metrics)
}

fn agree(span: &Span, event: &Value) {
    let is = |key: &str| attribute(&span.attributes, key);
    assert_eq!(span.name, format!("chat {}", event["model"].as_str().expect("a model")));
    assert_eq!(
        (is("gen_ai.operation.name"), is("gen_ai.provider.name")),
        ("chat".into(), "anthropic".into())
    );
    assert_eq!(is("gen_ai.request.model"), event["model"]);
    assert_eq!(is("http.response.status_code"), event["status"]);
    assert_eq!(is("tersely.end"), event["end"]);
    assert_eq!(is("tersely.results"), event["results"]);
    assert_eq!(is("tersely.results.changed"), event["changed"]);
    for side in ["before", "after"] {
        assert_eq!(is(&format!("tersely.request.tokens.{side}")), event["request_tokens"][side]);
        assert_eq!(is(&format!("tersely.result.tokens.{side}")), event["result_tokens"][side]);
    }
    let at = event["timestamp_ms"].as_u64().expect("a time");
    assert_eq!(span.start_time_unix_nano / 1_000_000, at);
    let took = event["duration_us"].as_u64().expect("a time");
    assert_eq!((span.end_time_unix_nano - span.start_time_unix_nano) / 1_000, took);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// Behaviour 13.24: a collector that is unreachable or never answers delays no request.
#[test]
fn no_request_waits_for_a_collector() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let silent_address = silent.local_addr().expect("an address").to_string();
    for collector in [free(), silent_address] {
        let (upstream, _seen) = server();
        let endpoint = format!("http://{collector}");
        let (mut served, address) = gateway(
            &upstream.to_string(),
            &[("TERSELY_OTEL_ENDPOINT", &endpoint), ("TERSELY_OTEL_INTERVAL", "50ms")],
        );
        let since = Instant::now();
        for _ in 0..100 {
            ask(&address, "", "{\"model\":\"m\",\"messages\":[]}");
        }
        assert!(since.elapsed() < Duration::from_mins(1), "{:?}", since.elapsed());
        served.signal("INT");
        let since = Instant::now();
        assert_eq!(served.code(), Some(0));
        assert!(since.elapsed() < at_most(Duration::from_secs(5)), "it ends soon: {:?}", since.elapsed());
    }
}
