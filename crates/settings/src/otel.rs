//! Settings of the OpenTelemetry exporter.

use std::borrow::Cow;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use tersely_gateway::{CollectorSettings, Upstream};

/// Settings of the exporter while they are being read; empty strings are unset.
#[derive(Debug, Clone)]
pub(crate) struct OtelSettings {
    pub endpoint: String,
    pub traces: String,
    pub metrics: String,
    /// Headers, each as `name=value`.
    pub headers: Vec<String>,
    pub service: String,
    /// Attributes, each as `name=value`.
    pub attributes: Vec<String>,
    pub interval: Duration,
    pub timeout: Duration,
}

impl Default for OtelSettings {
    fn default() -> Self {
        let (endpoint, traces, metrics) = <(String, String, String)>::default();
        let (headers, attributes) = <(Vec<String>, Vec<String>)>::default();
        let (interval, timeout) = (Duration::from_mins(1), Duration::from_secs(10));
        let service = "tersely".to_owned();
        Self { endpoint, traces, metrics, headers, service, attributes, interval, timeout }
    }
}

impl OtelSettings {
    /// The finished settings; `None` without an endpoint. Every part was validated before it was stored here.
    pub(crate) fn finish(&self) -> Option<CollectorSettings> {
        let base = self.endpoint.trim_end_matches('/');
        let place = |own: &String, path: &str| match (own.is_empty(), base.is_empty()) {
            (false, _) => own.parse::<Upstream>().ok(),
            (true, false) => format!("{base}{path}").parse().ok(),
            (true, true) => None,
        };
        let (traces, metrics) = (place(&self.traces, "/v1/traces"), place(&self.metrics, "/v1/metrics"));
        if traces.is_none() && metrics.is_none() {
            return None;
        }
        let ours = [("service.name", self.service.as_str()), ("service.version", env!("CARGO_PKG_VERSION"))];
        let ours = ours.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let named = |(key, _): &(String, String)| !ours.iter().any(|(known, _)| known == key);
        let more = self.attributes.iter().filter_map(|it| pair(it)).filter(named);
        let about = more.chain(ours.clone()).collect();
        let headers = self.headers.iter().filter_map(|it| header(it).ok()).collect::<HeaderMap>();
        let (interval, timeout) = (self.interval, self.timeout);
        Some(CollectorSettings { traces, metrics, headers, about, interval, timeout })
    }
}

/// Checks that every item is a header. Headers may contain a key, so no message repeats them.
pub(crate) fn headers(list: Vec<String>) -> Result<Vec<String>, String> {
    list.iter().try_for_each(|it| header(it).map(|_| ()))?;
    Ok(list)
}

/// A header with its value masked.
pub(crate) fn mask_value(header: &str) -> String {
    format!("{}=***", header.split('=').next().unwrap_or_default().trim())
}

fn header(text: &str) -> Result<(HeaderName, HeaderValue), String> {
    let fault = || "is not a list of headers; write name=value,name=value".to_owned();
    let (name, value) = pair(text).ok_or_else(fault)?;
    Ok((name.parse().map_err(|_| fault())?, value.parse().map_err(|_| fault())?))
}

/// A name and its percent-decoded value.
fn pair(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    Some((name.trim().to_owned(), plain(value.trim())))
}

fn plain(value: &str) -> String {
    percent_decode_str(value).decode_utf8().map_or_else(|_| value.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_endpoint_is_for_both_and_each_may_have_its_own() {
        let urls = |settings: OtelSettings| {
            let found = settings.finish()?;
            Some([found.traces, found.metrics].map(|it| it.map(|it| it.url())))
        };
        let base = || OtelSettings { endpoint: "http://c:4318/".to_owned(), ..OtelSettings::default() };
        let both = ["http://c:4318/v1/traces", "http://c:4318/v1/metrics"].map(|it| Some(it.to_owned()));
        assert_eq!(urls(base()), Some(both.clone()));
        let own = "http://d/x".to_owned();
        let other = OtelSettings { traces: own.clone(), ..base() };
        assert_eq!(urls(other), Some([Some(own.clone()), both[1].clone()]));
        assert_eq!(
            urls(OtelSettings { metrics: own.clone(), ..OtelSettings::default() }),
            Some([None, Some(own)])
        );
        assert_eq!(urls(OtelSettings::default()), None);
    }

    #[test]
    fn headers_and_attributes_are_pairs() {
        let settings = OtelSettings {
            endpoint: "http://c".to_owned(),
            headers: vec!["authorization=Bearer%20x".to_owned()],
            attributes: vec!["a=b".to_owned(), "service.name=no".to_owned(), "nonsense".to_owned()],
            ..OtelSettings::default()
        };
        let found = settings.finish().unwrap();
        assert_eq!(found.headers["authorization"], "Bearer x");
        let names: Vec<_> = found.about.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(names, [("a", "b"), ("service.name", "tersely"), ("service.version", version)]);
        assert!(headers(vec!["no header".to_owned()]).is_err() && headers(vec!["a b=c".to_owned()]).is_err());
        assert_eq!(plain("a%+5b%2"), "a%+5b%2", "a sign is not a digit");
        assert_eq!(mask_value("authorization=Bearer x"), "authorization=***");
    }
}
