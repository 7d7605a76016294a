//! Finds out whom a request is charged to. No credential is ever reported: a key has a name, and a credential that
//! nobody has named is reported by a short digest.

use std::sync::Arc;

use http::Request;
use http::header::{HeaderName, HeaderValue};
use ring::digest::{SHA256, digest};
use tersely_account::{Attribution, ShownName};

use super::host_check::Reach;
use crate::access::{KeyName, KnownTenant, TenantId};
use crate::attribution::AttributionCell;
use crate::settings::GatewaySettings;

/// The header in which a client names its project.
static PROJECT: HeaderName = HeaderName::from_static("x-tersely-project");

/// The beginning of the name of a tenant that only its credential identifies.
const DIGEST_PREFIX: &str = "credential-";

/// How many bytes of a digest are shown: enough to tell a few thousand credentials apart, too few to confirm a guess.
const DIGEST_BYTES: usize = 4;

/// Fills in whom a request is charged to, after it was authenticated.
pub(crate) fn attribute<B>(settings: &GatewaySettings, reach: Reach, request: &Request<B>) {
    if let Some(cell) = request.extensions().get::<AttributionCell>() {
        cell.set(of(settings, reach, request));
    }
}

/// Whom a request is charged to.
fn of<B>(settings: &GatewaySettings, reach: Reach, request: &Request<B>) -> Attribution {
    let known =
        request.extensions().get::<Arc<KnownTenant>>().and_then(|tenant| shown(tenant.name.as_bytes()));
    let value = |name| request.headers().get(name).map(HeaderValue::as_bytes).filter(|it| !it.is_empty());
    let named = || settings.tenant_header.as_ref().and_then(value).and_then(shown);
    let key = request.extensions().get().map(|KeyName(name)| name.clone());
    let project = value(&PROJECT).and_then(|name| ShownName::of(str::from_utf8(name).ok()?));
    Attribution { tenant: known.or_else(named).or_else(|| credential(reach, request)), key, project }
}

/// A digest of the credential. Whoever uses a loopback address is one person, whose login changes every few hours.
fn credential<B>(reach: Reach, request: &Request<B>) -> Option<ShownName> {
    if reach == Reach::Loopback {
        return None;
    }
    let whose = TenantId::of(None, request.uri(), request.headers(), None).ok()?;
    digested(&whose.rate_key()?)
}

/// A tenant's name, or a digest of it if it is not short and plain.
fn shown(name: &[u8]) -> Option<ShownName> {
    let plain = str::from_utf8(name).ok().and_then(ShownName::of);
    plain.or_else(|| digested(name))
}

fn digested(text: &[u8]) -> Option<ShownName> {
    let digest = digest(&SHA256, text);
    let digits = digest.as_ref().iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}"));
    ShownName::of(&digits.fold(DIGEST_PREFIX.to_owned(), |all, digits| all + &digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(reach: Reach, header: Option<&'static str>, headers: &[(&str, &str)]) -> [Option<String>; 3] {
        let tenant_header = header.map(HeaderName::from_static);
        let settings = GatewaySettings { tenant_header, ..GatewaySettings::default() };
        let request = headers.iter().fold(Request::post("/"), |it, (name, value)| it.header(*name, *value));
        let Attribution { tenant, key, project } = of(&settings, reach, &request.body(()).unwrap());
        [tenant, key, project].map(|name| name.map(|name| name.to_string()))
    }

    #[test]
    fn a_credential_is_shown_by_a_short_digest_only() {
        let bears = |key: &'static str| told(Reach::Open, None, &[("x-api-key", key)])[0].clone().unwrap();
        let one = bears("sk-secret-1");
        assert_eq!((&one[..11], one.len()), ("credential-", 19));
        assert_eq!(one, bears("sk-secret-1"));
        assert_ne!(one, bears("sk-secret-2"));
        assert_eq!(told(Reach::Loopback, None, &[("x-api-key", "sk-secret-1")])[0], None, "it is one person");
        assert_eq!(told(Reach::Open, None, &[])[0], None);
    }

    #[test]
    fn a_proxy_names_the_tenant_and_a_client_its_project() {
        let named = |headers: &[(&str, &str)]| told(Reach::Open, Some("x-team"), headers);
        let some = |name: &str| Some(name.to_owned());
        let both = [("x-team", "search"), ("x-tersely-project", "shop"), ("x-api-key", "k")];
        assert_eq!(named(&both), [some("search"), None, some("shop")]);
        let odd = named(&[("x-team", "a team \"x\""), ("x-tersely-project", "a b")]);
        assert!(odd[0].as_ref().is_some_and(|name| name.starts_with("credential-")), "{odd:?}");
        assert_eq!(odd[2], None);
    }
}
