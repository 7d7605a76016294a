//! Reads the W3C trace context of a request, and inserts our span into it.

use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use tersely_telemetry::TraceContext;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Returns the trace context of a request, if it has one. If we report a span `ours` and the trace is sampled, the
/// forwarded header contains that span as the parent; otherwise the header is left unchanged.
pub(crate) fn follow(ours: Option<u64>, headers: &mut HeaderMap) -> Option<TraceContext> {
    let mut said = headers.get_all(TRACEPARENT).iter();
    // A request with two headers is invalid.
    let (Some(header), None) = (said.next(), said.next()) else { return None };
    let trace = TraceContext::read(header.to_str().ok()?)?;
    if let Some(span) = ours.filter(|_| trace.is_sampled && !is_signed(headers)) {
        let led = HeaderValue::try_from(format!("00-{:032x}-{span:016x}-01", trace.trace)).ok()?;
        headers.insert(TRACEPARENT, led);
    }
    Some(trace)
}

/// True if an AWS signature covers the trace header, so that it must not be changed.
fn is_signed(headers: &HeaderMap) -> bool {
    let covers =
        |it: &HeaderValue| it.as_bytes().windows(11).any(|name| name == TRACEPARENT.as_str().as_bytes());
    headers.get(AUTHORIZATION).is_some_and(covers)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn check(ours: Option<u64>, said: &[&str], more: &str, expected: &[&str]) {
        let mut headers = HeaderMap::new();
        for value in said {
            headers.append(TRACEPARENT, value.parse().unwrap());
        }
        headers.insert(AUTHORIZATION, more.parse().unwrap());
        let trace = follow(ours, &mut headers);
        let sent: Vec<_> = headers.get_all(TRACEPARENT).iter().map(|it| it.to_str().unwrap()).collect();
        assert_eq!(sent, expected);
        assert_eq!(trace, (said.len() == 1).then(|| TraceContext::read(said[0])).flatten());
    }

    #[test]
    fn a_span_of_ours_stands_between_the_client_and_the_upstream() {
        let led = "00-4bf92f3577b34da6a3ce929d0e0e4736-000000000000000a-01";
        check(Some(10), &[SAID], "Bearer x", &[led]);
    }

    #[test]
    fn without_one_the_header_goes_on_as_it_came() {
        check(None, &[SAID], "Bearer x", &[SAID]);
        let later = SAID.replace("00-4", "cc-4") + "-what";
        check(None, &[&later], "Bearer x", &[&later]);
        check(Some(10), &[&SAID.replace("-01", "-00")], "Bearer x", &[&SAID.replace("-01", "-00")]);
        check(Some(10), &["nonsense"], "Bearer x", &["nonsense"]);
        check(Some(10), &[SAID, SAID], "Bearer x", &[SAID, SAID]);
        check(Some(10), &[], "Bearer x", &[]);
    }

    #[test]
    fn what_is_signed_stays() {
        let signed = "AWS4-HMAC-SHA256 Credential=x, SignedHeaders=host;traceparent, Signature=y";
        check(Some(10), &[SAID], signed, &[SAID]);
    }
}
