//! Authenticates a request by the key or the client certificate that was sent with it.

use std::sync::Arc;

use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use http::{Request, StatusCode};
use tersely_account::ShownName;

use super::certificate_names::CertificateNames;
use super::list::{FoundTenant, TenantList};
use super::tenant::{KnownTenant, MayAsk};
use crate::error::Error;

/// The header for the key. It is a header of our own, because `authorization` is meant for the provider.
const KEY: HeaderName = HeaderName::from_static("x-tersely-key");

/// The authentication scheme that precedes a bearer token.
const BEARER: &[u8] = b"bearer ";

/// The message for every unauthenticated caller, regardless of what the caller sent.
const UNKNOWN_MESSAGE: &str =
    "send a key for this gateway in the header x-tersely-key; ask its operator for one";

/// The headers in which a request may send its key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum KeyLocation {
    /// Only our own header.
    Own,
    /// Our own header, or a bearer token; for paths that are not forwarded.
    Bearer,
}

/// The name of the key or the certificate that a request was authenticated by.
#[derive(Clone, Debug)]
pub(crate) struct KeyName(pub(crate) ShownName);

/// Stores the tenant of a request in its extensions, and removes the key from the headers.
///
/// # Errors
/// Fails if tenants are configured and the request authenticates as none of them, or uses an option that its tenant may
/// not use.
pub(crate) fn identify<B>(
    tenants: &TenantList,
    place: KeyLocation,
    request: &mut Request<B>,
) -> Result<(), Error> {
    let keys: Vec<_> = request.headers().get_all(KEY).into_iter().cloned().collect();
    request.headers_mut().remove(KEY);
    let names = request.extensions().get::<CertificateNames>().cloned();
    let names = names.as_ref().map_or(&[][..], CertificateNames::all);
    if tenants.is_empty() {
        let tenant = names.first().map(|name| Arc::new(KnownTenant::new(name)));
        tenant.map(|tenant| request.extensions_mut().insert(tenant));
        return Ok(());
    }
    let tenant = match keys.as_slice() {
        [key] => tenants.by_key(key.as_bytes()),
        [] => bearer_tenant(tenants, place, request.headers_mut()).or_else(|| tenants.by_names(names)),
        // A request with several keys is refused.
        _ => None,
    };
    let FoundTenant { tenant, key } =
        tenant.ok_or_else(|| Error::client(StatusCode::UNAUTHORIZED, UNKNOWN_MESSAGE))?;
    let denied = check_allowed(&tenant, request.headers());
    let known = request.extensions_mut();
    known.insert(tenant);
    key.map(|key| known.insert(KeyName(key)));
    denied?;
    Ok(())
}

/// Finds the tenant whose key is the bearer token, and removes the token.
fn bearer_tenant(tenants: &TenantList, place: KeyLocation, headers: &mut HeaderMap) -> Option<FoundTenant> {
    let mut logins = headers.get_all(AUTHORIZATION).into_iter().map(HeaderValue::as_bytes);
    let (Some(login), None, KeyLocation::Bearer) = (logins.next(), logins.next(), place) else { return None };
    let (scheme, key) = login.split_at_checked(BEARER.len())?;
    let tenant = tenants.by_key(key).filter(|_| scheme.eq_ignore_ascii_case(BEARER))?;
    headers.remove(AUTHORIZATION);
    Some(tenant)
}

/// Returns an error if the request has a header that its tenant may not use.
fn check_allowed(tenant: &KnownTenant, headers: &HeaderMap) -> Result<(), Error> {
    let denied =
        MayAsk::NAMES.iter().find(|name| headers.contains_key(**name) && !tenant.may_ask.allows(name));
    denied.map_or(Ok(()), |name| Err(denied_at(name)))
}

/// The error for an option that the tenant may not use.
pub(crate) fn denied_at(name: &str) -> Error {
    Error::client(StatusCode::FORBIDDEN, format!("this key is not allowed to set {name}; remove it"))
}

#[cfg(test)]
mod tests {
    use super::super::key::KeyHash;
    use super::super::tenant::TenantSettings;
    use super::*;

    fn tenants() -> TenantList {
        let settings = |(name, may_ask): (&str, MayAsk)| TenantSettings {
            tenant: KnownTenant { may_ask, ..KnownTenant::new(name) },
            keys: vec![KeyHash::of(name.as_bytes()).into()],
            certificates: Vec::new(),
        };
        TenantList::new(
            [("all", MayAsk::All), ("some", MayAsk::Listed(vec!["x-tersely-mode"]))].map(settings).into(),
        )
    }

    /// Checks the tenant and the remaining headers, or the status of the error.
    fn check(place: KeyLocation, headers: &[(&str, &str)], expected: Result<(&str, &[&str]), u16>) {
        let request = headers.iter().fold(Request::post("/"), |it, (name, value)| it.header(*name, *value));
        let mut request = request.body(()).unwrap();
        let known = identify(&tenants(), place, &mut request).map_err(|error| error.status.as_u16());
        let left: Vec<_> = request.headers().keys().map(HeaderName::as_str).collect();
        let tenant = request.extensions().get::<Arc<KnownTenant>>().map(|tenant| tenant.name.clone());
        assert!(!left.contains(&KEY.as_str()), "{headers:?}");
        let found = known.map(|()| (tenant.unwrap(), left));
        assert_eq!(found, expected.map(|(name, left)| (name.to_owned(), left.to_vec())), "{headers:?}");
    }

    /// Behaviour 23.3.
    #[test]
    fn a_key_is_known_and_goes_no_further() {
        let own = KeyLocation::Own;
        check(
            own,
            &[("x-tersely-key", "all"), ("authorization", "Bearer p")],
            Ok(("all", &["authorization"])),
        );
        for headers in [
            &[][..],
            &[("x-tersely-key", "")],
            &[("x-tersely-key", "al")],
            &[("x-tersely-key", "alll")],
            &[("x-tersely-key", "ALL")],
            &[("x-tersely-key", "all,all")],
            &[("x-tersely-key", "Bearer all")],
            &[("x-tersely-key", "all"), ("x-tersely-key", "all")],
            &[("authorization", "Bearer all")],
            &[("x-api-key", "all")],
        ] {
            check(own, headers, Err(401));
        }
    }

    /// Behaviour 23.3.
    #[test]
    fn a_token_is_a_key_only_where_it_is_nobody_elses() {
        let bearer = KeyLocation::Bearer;
        check(bearer, &[("authorization", "bearer some")], Ok(("some", &[])));
        check(
            bearer,
            &[("x-tersely-key", "all"), ("authorization", "Bearer p")],
            Ok(("all", &["authorization"])),
        );
        for headers in [
            &[("authorization", "Bearer x")][..],
            &[("authorization", "Basic: all")],
            &[("authorization", "all")],
            &[("authorization", "Bearer all"), ("authorization", "Bearer all")],
            &[("x-tersely-key", "x"), ("authorization", "Bearer all")],
        ] {
            check(bearer, headers, Err(401));
        }
    }

    /// Behaviour 23.7.
    #[test]
    fn a_tenant_asks_what_it_may() {
        let own = KeyLocation::Own;
        let asks = |key: &'static str, name: &'static str| [("x-tersely-key", key), (name, "safe")];
        check(own, &asks("some", "x-tersely-mode"), Ok(("some", &["x-tersely-mode"])));
        for name in ["x-tersely-bypass", "x-tersely-reader", "x-compression-threshold"] {
            check(own, &asks("all", name), Ok(("all", &[name])));
            check(own, &asks("some", name), Err(403));
        }
    }

    #[test]
    fn without_tenants_everybody_comes_in_and_no_key_goes_on() {
        let mut request = Request::post("/").header("x-tersely-key", "x").body(()).unwrap();
        assert!(identify(&TenantList::default(), KeyLocation::Own, &mut request).is_ok());
        assert!(request.headers().is_empty() && request.extensions().get::<Arc<KnownTenant>>().is_none());
    }
}
