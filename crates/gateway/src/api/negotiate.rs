//! Determines the form that a client requests by its headers.

use http::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue, RANGE};
use http::{Method, Request};

use tersely_core::Form;

use crate::api::etag;
use crate::api::form::RequestedForm;

/// A header for clients whose HTTP library sets `Accept` itself.
pub(super) const PREFER: HeaderName = HeaderName::from_static("x-prefer-format");

/// The form that the client requested, if any.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct FormatPreference(pub(crate) Option<RequestedForm>);

impl FormatPreference {
    /// The form that the headers request. Our own header takes precedence, then the media type, then the content
    /// coding.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let prefers = headers.get(PREFER).and_then(|value| value.to_str().ok()).unwrap_or("");
        Self(match prefers.trim().to_ascii_lowercase().as_str() {
            "toon" => Some(RequestedForm::Toon),
            "stc" => Some(RequestedForm::Stc),
            "terse" => Some(RequestedForm::Terse),
            "json" => None,
            _ if wants_toon(headers) => Some(RequestedForm::Toon),
            _ if weight("stc", headers, &ACCEPT_ENCODING) > Some(0) => Some(RequestedForm::StcCoding),
            _ => None,
        })
    }

    /// The encoder's form for the requested form.
    pub(crate) fn form(self) -> Option<Form> {
        self.0.map(RequestedForm::form)
    }

    /// Determines the form that a request to an API asks for, and removes our own values from its headers. The upstream
    /// is asked for JSON without a content coding, because we have to rewrite it.
    pub(super) fn take<B>(request: &mut Request<B>) -> Self {
        let preference = Self::of(request.headers());
        let is_part = request.method() == Method::HEAD || request.headers().contains_key(RANGE);
        let headers = request.headers_mut();
        etag::forget(headers);
        strip(headers);
        let preference = Self(preference.0.filter(|_| !is_part));
        if preference.0.is_some() {
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
        preference
    }
}

/// Removes our own values from the headers, because the upstream does not know them.
pub(crate) fn strip(headers: &mut HeaderMap) {
    headers.remove(PREFER);
    without("text/toon", ACCEPT, "application/json", headers);
    without("stc", ACCEPT_ENCODING, "identity", headers);
}

/// True if TOON is accepted and JSON is not preferred.
fn wants_toon(headers: &HeaderMap) -> bool {
    let toon = weight("text/toon", headers, &ACCEPT).unwrap_or(0);
    toon > 0 && weight("application/json", headers, &ACCEPT).is_none_or(|json| json <= toon)
}

/// The quality value of an item, in thousandths. A `*` does not match, because our forms must be requested by name.
fn weight(wanted: &str, headers: &HeaderMap, name: &HeaderName) -> Option<u16> {
    let mut weights = items(headers, name).filter_map(|item| {
        let mut parts = item.split(';').map(str::trim);
        let is_it = parts.next().is_some_and(|it| it.eq_ignore_ascii_case(wanted));
        is_it.then(|| parts.find_map(quality).unwrap_or(1000))
    });
    weights.next()
}

fn items<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'h str> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim).filter(|item| !item.is_empty())
}

/// Parses a quality value such as `q=0.25`, in thousandths; an invalid value counts as 0.
fn quality(part: &str) -> Option<u16> {
    let (name, value) = part.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("q") {
        return None;
    }
    let value = value.trim().parse::<f32>().ok().filter(|value| (0.0..=1.0).contains(value)).unwrap_or(0.0);
    // The value is within bounds, so nothing is truncated.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a thousand")]
    Some((value * 1000.0).round() as u16)
}

/// Removes an item from a header; if it was the only item, `instead` replaces it.
fn without(item: &str, name: HeaderName, instead: &'static str, headers: &mut HeaderMap) {
    if weight(item, headers, &name).is_none() {
        return;
    }
    let is_other = |it: &&str| !it.split(';').next().is_some_and(|it| it.trim().eq_ignore_ascii_case(item));
    let others = items(headers, &name).filter(is_other).collect::<Vec<_>>().join(", ");
    let value = if others.is_empty() { Ok(HeaderValue::from_static(instead)) } else { others.parse() };
    if let Ok(value) = value {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &str) -> HeaderMap {
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").expect("a header");
            (name.parse::<HeaderName>().expect("a name"), value.parse::<HeaderValue>().expect("a value"))
        };
        lines.lines().map(header).collect()
    }

    /// Behaviour 10.3 and 10.5.
    #[test]
    fn what_is_asked_for_is_told_by_three_headers() {
        let (coding, stc, toon, terse) = (
            Some(RequestedForm::StcCoding),
            Some(RequestedForm::Stc),
            Some(RequestedForm::Toon),
            Some(RequestedForm::Terse),
        );
        for (lines, expected) in [
            ("", None),
            ("accept-encoding: stc", coding),
            ("accept-encoding: gzip, STC ;q=0.5", coding),
            ("accept-encoding: gzip\naccept-encoding: stc", coding),
            ("accept-encoding: stc;q=0", None),
            ("accept-encoding: stc; q=0.000, *", None),
            ("accept-encoding: stc;q=no", None),
            ("accept-encoding: *", None),
            ("accept-encoding: gzip, stcx", None),
            ("accept: text/toon", toon),
            ("accept: application/json;q=0.5, text/toon", toon),
            ("accept: application/json, text/toon;q=0.5", None),
            ("accept: text/toon;q=0, application/json", None),
            ("accept: text/*", None),
            ("x-prefer-format: TOON", toon),
            ("x-prefer-format: stc", stc),
            ("x-prefer-format: terse\naccept: text/toon", terse),
            ("x-prefer-format: json\naccept: text/toon\naccept-encoding: stc", None),
            ("x-prefer-format: yaml\naccept: text/toon", toon),
            ("x-prefer-format: yaml\naccept-encoding: stc", coding),
        ] {
            assert_eq!(FormatPreference::of(&headers(lines)).0, expected, "{lines}");
        }
    }

    #[test]
    fn the_upstream_is_asked_for_plain_json() {
        for (lines, expected) in [
            (
                "accept: text/toon\nx-prefer-format: toon",
                "accept: application/json\naccept-encoding: identity",
            ),
            ("accept: a/b, text/toon;q=1", "accept: a/b\naccept-encoding: identity"),
            ("accept-encoding: gzip, stc;q=0", "accept-encoding: gzip"),
            ("accept-encoding: gzip, stc\nrange: bytes=0-9", "accept-encoding: gzip\nrange: bytes=0-9"),
            (
                "accept: application/json\naccept-encoding: gzip, br",
                "accept: application/json\naccept-encoding: gzip, br",
            ),
        ] {
            let mut request = Request::new(());
            *request.headers_mut() = headers(lines);
            FormatPreference::take(&mut request);
            assert_eq!(*request.headers(), headers(expected), "{lines}");
        }
    }
}
