//! Finds out whom a request is charged to. No credential is ever reported: a key has a name, and a credential that
//! nobody has named is reported by a short digest.

use std::borrow::Cow;
use std::sync::Arc;

use http::Request;
use http::header::{HeaderName, HeaderValue};
use ring::digest::{SHA256, digest};
use tersely_account::{Attribution, ShownName};
use tersely_core::redact;

use super::host_check::Reach;
use crate::access::{KeyName, KnownTenant, TenantId, is_credential};
use crate::attribution::AttributionCell;
use crate::settings::GatewaySettings;

/// The header in which a client names its project.
static PROJECT: HeaderName = HeaderName::from_static("x-tersely-project");

/// The beginning of the name of a tenant that only its credential identifies.
const DIGEST_PREFIX: &str = "credential-";

/// From this length on, a word may be a key.
const MIN_KEY_BYTES: usize = 24;

/// How many bytes of a digest are shown: enough to tell a few thousand credentials apart.
const DIGEST_BYTES: usize = 4;

/// Fills in whom a request is charged to, after it was authenticated.
pub(crate) fn attribute<B>(settings: &GatewaySettings, reach: Reach, request: &Request<B>) {
    if let Some(cell) = request.extensions().get::<AttributionCell>() {
        cell.set(of(settings, reach, request));
    }
}

/// Whom a request is charged to.
fn of<B>(settings: &GatewaySettings, reach: Reach, request: &Request<B>) -> Attribution {
    let known = request.extensions().get::<Arc<KnownTenant>>();
    // Who may not come in could otherwise use up the names, or have what fails charged to somebody else.
    if known.is_none() && !settings.tenants.is_empty() {
        return Attribution::default();
    }
    let known = known.and_then(|tenant| shown(tenant.name.as_bytes()));
    let value = |name| request.headers().get(name).map(HeaderValue::as_bytes).filter(|it| !it.is_empty());
    let named = || {
        let header = settings.tenant_header.as_ref()?;
        let named = value(header)?;
        if is_credential(header) || is_secret(named) { digested(named) } else { shown(named) }
    };
    let key = request.extensions().get().map(|KeyName(name)| name.clone());
    let project = value(&PROJECT).filter(|name| !is_secret(name));
    let project = project.and_then(|name| ShownName::of(str::from_utf8(name).ok()?));
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

/// True when a text looks like a credential: people name tenants and projects with short words.
fn is_secret(text: &[u8]) -> bool {
    str::from_utf8(text).is_ok_and(|text| matches!(redact(text), Cow::Owned(_)) || is_random(text))
}

/// True for a long word of hexadecimal digits, or of digits, capitals and small letters, as most keys are.
fn is_random(text: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| text.bytes().any(|byte| kind(&byte));
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    text.len() >= MIN_KEY_BYTES && (is_mixed || text.bytes().all(|byte| byte.is_ascii_hexdigit()))
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
    use crate::access::{TenantList, TenantSettings};

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

    #[test]
    fn a_key_in_a_header_is_never_shown() {
        let known = tersely_testing::secrets::fill("ghp_{A36}", 1);
        for key in [known, "sk-ant-aB3".repeat(4), "0f3a".repeat(8)] {
            let headers = [("x-team", key.as_str()), ("x-tersely-project", key.as_str())];
            let [tenant, _, project] = told(Reach::Open, Some("x-team"), &headers);
            assert!(tenant.is_some_and(|name| name.starts_with("credential-")), "{key}");
            assert_eq!(project, None, "{key}");
        }
        let named = told(Reach::Open, Some("x-api-key"), &[("x-api-key", "plain")]);
        assert!(named[0].as_ref().is_some_and(|name| name.starts_with("credential-")), "{named:?}");
    }

    /// Where tenants are listed, nobody else has a name, whatever a request says.
    #[test]
    fn who_may_not_come_in_has_no_name() {
        let tenant = KnownTenant::new("search");
        let listed = TenantSettings { tenant, keys: Vec::new(), certificates: Vec::new() };
        let settings = GatewaySettings {
            tenants: TenantList::new(vec![listed]),
            tenant_header: Some(HeaderName::from_static("x-team")),
            ..GatewaySettings::default()
        };
        let request = Request::post("/").header("x-team", "search").header("x-api-key", "k");
        let request = request.header("x-tersely-project", "shop").body(()).unwrap();
        assert_eq!(of(&settings, Reach::Open, &request), Attribution::default());
    }
}
