//! Determines what a client has signed: an upstream refuses a request if a signed part has changed.

use http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;

/// Headers that contain a signature or a digest of the body.
static DIGESTS: [HeaderName; 5] = [
    HeaderName::from_static("content-digest"),
    HeaderName::from_static("content-md5"),
    HeaderName::from_static("digest"),
    HeaderName::from_static("repr-digest"),
    HeaderName::from_static("x-amz-content-sha256"),
];

/// The prefix of AWS signature algorithms. Such a signature either covers the body or declares that it does not; in
/// both cases the body is left unchanged.
const AWS: &str = "AWS4-";

/// Query parameters that contain a signature.
const PARAMETERS: [&str; 2] = ["x-amz-algorithm", "x-amz-signature"];

/// True if the upstream would refuse a changed body.
pub(crate) fn covers_body(parts: &Parts) -> bool {
    DIGESTS.iter().any(|name| parts.headers.contains_key(name)) || is_aws(parts)
}

/// True if the request has an AWS signature.
fn is_aws(parts: &Parts) -> bool {
    let mut values = parts.headers.get_all(AUTHORIZATION).into_iter();
    values.any(|value| value.as_bytes().starts_with(AWS.as_bytes()))
        || parameters(parts).any(|(name, _)| PARAMETERS.iter().any(|it| name.eq_ignore_ascii_case(it)))
}

/// The headers that an AWS signature covers and that would otherwise be replaced or removed.
pub(crate) fn covered_headers(parts: &Parts) -> HeaderMap {
    if !is_aws(parts) {
        return HeaderMap::new();
    }
    let names = signed_names(parts);
    let names = names.iter().filter(|name| name.as_str().starts_with("x-tersely-"));
    let found = names.filter_map(|name| Some((name.clone(), parts.headers.get(name)?.clone())));
    // A signature always covers the host, but in HTTP/2 the host is part of the URI.
    let authority = || HeaderValue::from_str(parts.uri.authority()?.as_str()).ok();
    let host = parts.headers.get(HOST).cloned().or_else(authority);
    found.chain(host.map(|host| (HOST, host))).collect()
}

/// The names of the headers that a signature covers, from a list such as `SignedHeaders=host;x-amz-date`.
fn signed_names(parts: &Parts) -> Vec<HeaderName> {
    let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let in_header = header.split_once("SignedHeaders=").and_then(|(_, rest)| rest.split(',').next());
    let mut parameters = parameters(parts);
    let in_address = parameters.find(|(name, _)| name.eq_ignore_ascii_case("x-amz-signedheaders"));
    let names = in_header.or(in_address.map(|(_, value)| value)).unwrap_or_default();
    let names = names.replace("%3B", ";").replace("%3b", ";");
    names.split(';').filter_map(|name| name.trim().parse().ok()).collect()
}

fn parameters(parts: &Parts) -> impl Iterator<Item = (&str, &str)> {
    parts.uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='))
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn parts(uri: &str, headers: &[(&str, &str)]) -> Parts {
        let request = headers.iter().fold(Request::post(uri), |it, (name, value)| it.header(*name, *value));
        request.body(()).unwrap().into_parts().0
    }

    const SIGNED: &str = "AWS4-HMAC-SHA256 Credential=AK/20261116/us-east-1/bedrock/aws4_request, \
                          SignedHeaders=content-type;host;x-amz-date;x-tersely-mode, Signature=00";

    #[test]
    fn signatures_and_digests_are_known() {
        let signed = |uri: &str, name: &str, value: &str| covers_body(&parts(uri, &[(name, value)]));
        for value in [SIGNED, "AWS4-ECDSA-P256-SHA256 Credential=AK", "AWS4-X"] {
            assert!(signed("/model/m/converse", "authorization", value), "{value}");
        }
        for name in &DIGESTS {
            assert!(signed("/", name.as_str(), "UNSIGNED-PAYLOAD"), "{name}");
        }
        for uri in ["/?X-Amz-Signature=00", "/?a=b&X-Amz-Algorithm=AWS4-HMAC-SHA256", "/?x-amz-signature=1"] {
            assert!(signed(uri, "accept", "*/*"), "{uri}");
        }
        for value in ["Bearer AWS4-HMAC-SHA256", "Bearer bedrock-api-key-x", ""] {
            assert!(!signed("/?key=a&api-version=1", "authorization", value), "{value}");
        }
    }

    #[test]
    fn what_is_signed_goes_with_the_request() {
        let headers =
            [("authorization", SIGNED), ("host", "here:1"), ("x-tersely-mode", "safe"), ("te", "trailers")];
        let kept = covered_headers(&parts("/model/m/converse", &headers));
        assert_eq!(
            (kept.len(), &kept["host"], &kept["x-tersely-mode"]),
            (2, &"here:1".parse().unwrap(), &"safe".parse().unwrap())
        );
        let address = "http://there:2/?X-Amz-Signature=0&X-Amz-SignedHeaders=host%3Bx-tersely-mode";
        let kept = covered_headers(&parts(address, &[("x-tersely-mode", "safe")]));
        assert_eq!((kept.len(), &kept["host"]), (2, &"there:2".parse().unwrap()));
        assert!(covered_headers(&parts("/", &[("authorization", "Bearer x"), ("host", "h")])).is_empty());
    }
}
