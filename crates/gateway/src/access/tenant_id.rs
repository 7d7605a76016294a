//! Identifies the sender of a request by all credentials in it, and by the header that a proxy in front of us sets.
//!
//! Credentials are not verified here, and need not be: a sender who claims another's name does not have the other's
//! credential, and therefore gets a different identity. An authenticated tenant is part of the identity too. When a
//! login is renewed, the identity changes, and texts stored under the old token can no longer be found.

use http::header::{AUTHORIZATION, HeaderMap, HeaderName};
use http::uri::Uri;
use tersely_engine::OptionError;

/// Headers that contain a credential.
const CREDENTIALS: [HeaderName; 4] = [
    AUTHORIZATION,
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("api-key"),
    HeaderName::from_static("x-goog-api-key"),
];

/// True for a header that contains a credential.
pub(crate) fn is_credential(name: &HeaderName) -> bool {
    CREDENTIALS.contains(name)
}

/// The header with the account that a token belongs to; without a token, it is not a credential.
const ACCOUNT: HeaderName = HeaderName::from_static("chatgpt-account-id");

/// The beginning of the line for a login in an identity.
const LOGIN_LINE: &[u8] = b"authorization: ";

/// The prefix of a login that is an AWS signature. The name of the key follows, up to a slash.
const AWS_SIGNATURE: &[u8] = b"AWS4-";

/// The name of the line for an authenticated tenant; no header can have this name.
const TENANT_LINE: &str = ":tenant";

/// The query parameter that may contain a credential, in Google's APIs.
const KEY_PARAMETER: &str = "key";

/// The identity of a request's sender. It contains credentials, so do not log it.
#[derive(Clone, Default, Eq, PartialEq)]
pub(crate) struct TenantId {
    /// The identity in a canonical form, with one line for each credential.
    said: Vec<u8>,
    /// The identity without logins, because these can be renewed.
    lasting: Vec<u8>,
    is_known: bool,
}

impl TenantId {
    /// The identity of a request's sender. If a proxy in front of us sets `header`, it contains the tenant's name;
    /// `checked` is the authenticated tenant.
    ///
    /// # Errors
    /// Fails if a credential is sent twice, because the provider might use the other one.
    pub(crate) fn of(
        header: Option<&HeaderName>,
        uri: &Uri,
        headers: &HeaderMap,
        checked: Option<&str>,
    ) -> Result<Self, OptionError> {
        let mut said = Vec::new();
        let mut has_credential = add(&mut said, TENANT_LINE, checked.unwrap_or_default().as_bytes());
        has_credential |= say_parameter(&mut said, uri)?;
        for name in &CREDENTIALS {
            has_credential |= say(&mut said, name, headers)?;
        }
        say(&mut said, &ACCOUNT, headers)?;
        let is_known = match header {
            Some(name) => say(&mut said, name, headers)?,
            None => has_credential,
        };
        let lasting =
            said.split_inclusive(|byte| *byte == b'\n').filter(|line| !line.starts_with(LOGIN_LINE));
        Ok(Self { lasting: lasting.flatten().copied().collect(), said, is_known })
    }

    /// The full identity, which distinguishes clients.
    pub(crate) fn identity(&self) -> &[u8] {
        &self.said
    }

    /// The identity without the login, which may be renewed during a conversation. It distinguishes fewer senders, so
    /// it may only be used together with keys that nobody else can guess.
    pub(crate) fn lasting(&self) -> &[u8] {
        &self.lasting
    }

    /// The identity as the owner of stored texts; `None` if the sender is not identified.
    pub(crate) fn tenant(&self) -> Option<&[u8]> {
        self.is_known.then_some(&self.said)
    }

    /// The identity for rate limits. It contains only the key's name of an AWS signature, because the rest differs in
    /// each request. Anyone can claim that name, so this identity must not be used for anything else.
    pub(crate) fn rate_key(&self) -> Option<Vec<u8>> {
        let lines = self.tenant()?.split_inclusive(|byte| *byte == b'\n');
        let said = lines.map(|line| match line.strip_prefix(LOGIN_LINE) {
            Some(login) if login.starts_with(AWS_SIGNATURE) => {
                login.split(|byte| *byte == b'/').next().unwrap_or_default()
            }
            _ => line,
        });
        Some(said.flatten().copied().collect())
    }
}

/// Adds a header to the identity; returns false if it is empty or missing.
fn say(said: &mut Vec<u8>, name: &HeaderName, headers: &HeaderMap) -> Result<bool, OptionError> {
    let mut values = headers.get_all(name).into_iter();
    let value = values.next().map_or(&b""[..], |value| value.as_bytes());
    if values.next().is_some() {
        return Err(twice(name.as_str()));
    }
    Ok(add(said, name.as_str(), value))
}

fn say_parameter(said: &mut Vec<u8>, uri: &Uri) -> Result<bool, OptionError> {
    let pairs = uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    let mut values = pairs.filter(|(name, _)| *name == KEY_PARAMETER).map(|(_, value)| value);
    let value = values.next().unwrap_or_default();
    if values.next().is_some() {
        return Err(twice("the parameter key"));
    }
    Ok(add(said, "?key", value.as_bytes()))
}

/// Adds a line to the identity. Neither a name nor a value can contain a line end.
fn add(said: &mut Vec<u8>, name: &str, value: &[u8]) -> bool {
    if !value.is_empty() {
        said.extend([name.as_bytes(), b": ", value, b"\n"].concat());
    }
    !value.is_empty()
}

fn twice(name: &str) -> OptionError {
    OptionError { message: format!("{name}: sent twice; it identifies the caller, so send it once") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whose(header: Option<&str>, uri: &str, headers: &[(&str, &str)]) -> Result<TenantId, OptionError> {
        let headers = headers.iter().map(|(name, value)| {
            (name.parse::<HeaderName>().unwrap(), value.parse::<http::HeaderValue>().unwrap())
        });
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, value);
        }
        let header = header.map(|name| name.parse().unwrap());
        TenantId::of(header.as_ref(), &uri.parse().unwrap(), &map, None)
    }

    fn tenant(header: Option<&str>, uri: &str, headers: &[(&str, &str)]) -> Option<Vec<u8>> {
        whose(header, uri, headers).unwrap_or_else(|it| panic!("{}", it.message)).tenant().map(<[u8]>::to_vec)
    }

    #[test]
    fn requests_of_one_key_are_counted_together_however_they_are_signed() {
        let rate_key = |login: &str| whose(None, "/", &[("authorization", login)]).unwrap().rate_key();
        let signed = |key: &str, signature: &str| {
            format!(
                "AWS4-HMAC-SHA256 Credential={key}/20260101/us-east-1/bedrock/aws4_request, Signature={signature}"
            )
        };
        assert_eq!(rate_key(&signed("A", "1")), rate_key(&signed("A", "2")));
        assert_ne!(rate_key(&signed("A", "1")), rate_key(&signed("B", "1")));
        assert_ne!(rate_key("Bearer a/1"), rate_key("Bearer a/2"));
        assert_eq!(whose(None, "/", &[]).unwrap().rate_key(), None);
    }

    #[test]
    fn every_credential_and_every_name_makes_another_tenant() {
        let both = ("authorization", "Bearer a");
        let account = ("chatgpt-account-id", "acc");
        let all = [
            tenant(None, "/", &[("x-api-key", "a")]),
            tenant(None, "/", &[("x-api-key", "b")]),
            tenant(None, "/", &[("api-key", "a")]),
            tenant(None, "/", &[("x-goog-api-key", "a")]),
            tenant(None, "/?key=a", &[]),
            tenant(None, "/?key=b&alt=sse", &[]),
            tenant(None, "/", &[both]),
            tenant(None, "/", &[both, ("x-api-key", "a")]),
            tenant(None, "/", &[both, account]),
            tenant(None, "/", &[both, ("chatgpt-account-id", "other")]),
            tenant(None, "/", &[("authorization", "Bearer b"), account]),
            tenant(Some("x-tenant"), "/", &[both, ("x-tenant", "t")]),
            tenant(Some("x-tenant"), "/", &[("authorization", "Bearer b"), ("x-tenant", "t")]),
            tenant(Some("x-tenant"), "/", &[both, ("x-tenant", "u")]),
            tenant(Some("x-tenant"), "/", &[("x-tenant", "t")]),
        ];
        for (at, tenant) in all.iter().enumerate() {
            assert!(tenant.is_some() && !all[..at].contains(tenant), "tenant {at}");
        }
        assert_eq!(tenant(None, "/other?a=b&key=a", &[]), all[4]);
    }

    /// Behaviour 23.5.
    #[test]
    fn a_checked_tenant_is_somebody_and_nobody_else() {
        let of = |header: Option<&HeaderName>, checked: Option<&str>, login: &str| {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, login.parse().unwrap())]);
            let whose = TenantId::of(header, &Uri::default(), &headers, checked);
            whose.unwrap_or_default().tenant().map(<[u8]>::to_vec)
        };
        let header = HeaderName::from_static("x-tenant");
        let all = [
            of(None, Some("a"), ""),
            of(None, Some("b"), ""),
            of(None, Some("a"), "Bearer 1"),
            of(None, Some("b"), "Bearer 1"),
            of(None, None, "Bearer 1"),
        ];
        for (at, tenant) in all.iter().enumerate() {
            assert!(tenant.is_some() && !all[..at].contains(tenant), "tenant {at}");
        }
        assert_eq!(of(Some(&header), Some("a"), "Bearer 1"), None, "what stands before us says nothing");
    }

    #[test]
    fn a_name_without_a_credential_is_nobody() {
        assert_eq!(tenant(None, "/", &[]), None);
        assert_eq!(tenant(None, "/", &[("chatgpt-account-id", "acc")]), None);
        assert_eq!(tenant(None, "/?key=", &[("authorization", "")]), None);
        assert_eq!(tenant(Some("x-tenant"), "/", &[("authorization", "Bearer a")]), None);
        assert_eq!(tenant(Some("x-tenant"), "/", &[("x-tenant", ""), ("authorization", "Bearer a")]), None);
    }

    #[test]
    fn what_is_said_twice_is_refused() {
        for name in
            ["authorization", "x-api-key", "api-key", "x-goog-api-key", "chatgpt-account-id", "x-tenant"]
        {
            for second in ["a", "b", ""] {
                let refused = whose(Some("x-tenant"), "/", &[(name, "a"), (name, second)]).err();
                assert!(refused.is_some_and(|it| it.message.starts_with(name)), "{name}");
            }
        }
        assert!(whose(None, "/?key=a&key=b", &[]).is_err());
        assert!(whose(None, "/", &[("x-tenant", "a"), ("x-tenant", "b")]).is_ok(), "it names nobody here");
    }
}
