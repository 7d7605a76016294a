//! Sessions of browsers that have logged in with the token.
//!
//! A cookie contains the time at which it was issued and a proof that this process issued it. Therefore nothing is
//! stored, and a restart ends all sessions.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::header::{COOKIE, HeaderMap};
use ring::hmac::{self, HMAC_SHA256, Key};
use ring::rand::SystemRandom;

/// How long a session lasts.
const COOKIE_LIFETIME: Duration = Duration::from_hours(12);

/// The name of the cookie.
const COOKIE_NAME: &str = "tersely_admin";

/// A cookie header that makes a browser delete the cookie.
pub(crate) const EXPIRED_COOKIE: &str = "tersely_admin=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0";

/// Issues and checks cookies. If the system provides no random numbers, there are no sessions.
pub(crate) struct Logins(Option<Key>);

impl Logins {
    pub(crate) fn new() -> Self {
        Self(Key::generate(HMAC_SHA256, &SystemRandom::new()).ok())
    }

    /// Creates a cookie for a browser that has sent the token.
    pub(crate) fn issue(&self) -> Option<String> {
        let key = self.0.as_ref()?;
        let at = format!("{:x}", now().as_secs());
        let proof = hex(hmac::sign(key, at.as_bytes()).as_ref());
        let life = COOKIE_LIFETIME.as_secs();
        Some(format!("{COOKIE_NAME}={at}.{proof}; HttpOnly; SameSite=Strict; Path=/; Max-Age={life}"))
    }

    /// True if the headers contain a valid cookie.
    pub(crate) fn know(&self, headers: &HeaderMap) -> bool {
        let all = headers.get_all(COOKIE).into_iter().filter_map(|cookie| cookie.to_str().ok());
        let mut ours = all.flat_map(|cookies| cookies.split(';')).filter_map(|cookie| {
            let (name, value) = cookie.split_once('=')?;
            (name.trim() == COOKIE_NAME).then_some(value.trim())
        });
        ours.any(|value| self.holds(value).unwrap_or(false))
    }

    fn holds(&self, value: &str) -> Option<bool> {
        let (at, proof) = value.split_once('.')?;
        let expected = hex(hmac::sign(self.0.as_ref()?, at.as_bytes()).as_ref());
        let since = Duration::from_secs(u64::from_str_radix(at, 16).ok()?);
        Some(is_same(proof.as_bytes(), expected.as_bytes()) && now().saturating_sub(since) < COOKIE_LIFETIME)
    }
}

/// The token in a submitted form.
pub(crate) fn form_token(form: &[u8]) -> Option<String> {
    let form = str::from_utf8(form).ok()?;
    let value = form.split('&').find_map(|field| field.strip_prefix("token="))?;
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// Compares two byte strings in constant time.
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && differences == 0
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn knows(logins: &Logins, cookie: &str) -> bool {
        let headers = HeaderMap::from_iter([(COOKIE, HeaderValue::from_str(cookie).unwrap())]);
        logins.know(&headers)
    }

    #[test]
    fn a_cookie_holds_where_it_was_issued_and_nowhere_else() {
        let (logins, others) = (Logins::new(), Logins::new());
        let issued = logins.issue().unwrap();
        let cookie = issued.split(';').next().unwrap();
        assert!(knows(&logins, cookie));
        assert!(knows(&logins, &format!("a=b; {cookie}; c=d")));
        assert!(!knows(&others, cookie));
        assert!(!knows(&logins, "tersely_admin="));
        assert!(!knows(&logins, &cookie.replace('=', "=f")));
        assert!(!knows(&logins, &cookie[..cookie.len() - 1]));
        assert!(issued.contains("HttpOnly") && issued.contains("SameSite=Strict"));
    }

    #[test]
    fn an_old_cookie_holds_no_longer() {
        let logins = Logins::new();
        let at = format!("{:x}", now().saturating_sub(COOKIE_LIFETIME).as_secs() - 1);
        let proof = hex(hmac::sign(logins.0.as_ref().unwrap(), at.as_bytes()).as_ref());
        assert!(!knows(&logins, &format!("{COOKIE_NAME}={at}.{proof}")));
    }

    #[test]
    fn a_form_is_read_as_browsers_write_it() {
        assert_eq!(form_token(b"token=a%2Fb+c%3D").as_deref(), Some("a/b c="));
        assert_eq!(form_token(b"x=1&token=t").as_deref(), Some("t"));
        for form in [&b""[..], b"token", b"token=%", b"token=%zz", b"token=%ff", b"\xff"] {
            assert_eq!(form_token(form), None, "{form:?}");
        }
    }
}
