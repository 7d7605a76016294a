//! Chooses the server that a request is forwarded to, and builds the URL on that server.

use std::fmt;
use std::str::FromStr;

use http::uri::{Authority, PathAndQuery, Scheme};
use http::{StatusCode, Uri};
use percent_encoding::percent_decode;

use crate::error::Error;
use crate::vendor::Vendor;

/// The maximum number of times that a path may be percent-encoded; no legitimate path is encoded more often.
const MAX_DECODINGS: usize = 4;

/// A server that implements the APIs of one or several providers.
#[derive(Clone, Debug)]
pub struct Upstream {
    scheme: Scheme,
    authority: Authority,
    /// The path of the URL, without its trailing slash.
    base: String,
}

/// The servers that requests are forwarded to: one for all requests, or one for each provider.
#[derive(Clone, Debug)]
pub struct Upstreams {
    each: [Option<Upstream>; Vendor::ALL.len()],
    rest: Option<Upstream>,
}

impl Upstreams {
    /// Forwards every request to one server.
    #[must_use]
    pub fn one(upstream: Upstream) -> Self {
        Self { each: Default::default(), rest: Some(upstream) }
    }

    /// Also forwards requests of one provider to a server of their own.
    #[must_use]
    pub fn with(mut self, provider: Vendor, upstream: Upstream) -> Self {
        self.each[provider as usize] = Some(upstream);
        self
    }

    /// The server for a provider's requests.
    #[must_use]
    pub fn of(&self, provider: Vendor) -> Option<&Upstream> {
        self.choose(Some(provider)).ok()
    }

    /// The server for requests whose provider has no server of its own, if there is one.
    #[must_use]
    pub fn rest(&self) -> Option<&Upstream> {
        self.rest.as_ref()
    }

    /// The server for a request. If the provider is unknown, only a server for all requests is chosen, because a wrong
    /// guess would send one provider's key to another provider.
    pub(crate) fn choose(&self, provider: Option<Vendor>) -> Result<&Upstream, Error> {
        let own = provider.and_then(|provider| self.each[provider as usize].as_ref());
        own.or(self.rest.as_ref()).ok_or_else(|| {
            let advice = provider.map(|provider| format!("; {}", provider.advice())).unwrap_or_default();
            Error::client(StatusCode::NOT_FOUND, format!("no upstream is set for this path{advice}"))
        })
    }
}

/// The public addresses of the providers that have one; Ollama's address is on this machine.
impl Default for Upstreams {
    fn default() -> Self {
        Self { each: Vendor::ALL.map(|provider| provider.address()?.parse().ok()), rest: None }
    }
}

impl FromStr for Upstream {
    type Err = Error;

    fn from_str(url: &str) -> Result<Self, Error> {
        let fault =
            |what: &str| Error::setting(format!("the upstream {what}; write http://HOST or https://HOST"));
        let parts = url.parse::<Uri>().map_err(|_| fault("is not a URL"))?.into_parts();
        let scheme = parts.scheme.ok_or_else(|| fault("has no scheme"))?;
        let authority = parts.authority.ok_or_else(|| fault("has no host"))?;
        if scheme != Scheme::HTTP && scheme != Scheme::HTTPS {
            return Err(fault("is neither http nor https"));
        }
        if authority.as_str().contains('@') {
            return Err(fault("contains a user name and password"));
        }
        let path = parts.path_and_query.as_ref().map_or("", PathAndQuery::path);
        Ok(Self { scheme, authority, base: path.trim_end_matches('/').to_owned() })
    }
}

impl Upstream {
    /// The URL that this upstream was parsed from.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}://{}{}", self.scheme, self.authority, self.base)
    }

    /// The URL on this server for the path and query of `asked`.
    pub(crate) fn address(&self, asked: &Uri) -> Result<Uri, Error> {
        let path = match asked.path_and_query() {
            Some(path) if self.base.is_empty() => path.clone(),
            path => self.join(path.map_or("/", PathAndQuery::as_str))?,
        };
        let uri = Uri::builder().scheme(self.scheme.clone()).authority(self.authority.clone());
        uri.path_and_query(path).build().map_err(|error| bad_path().because(error))
    }

    /// The configured URL itself, with an optional query.
    pub(crate) fn endpoint(&self, query: Option<&str>) -> Result<Uri, Error> {
        let base = if self.base.is_empty() { "/" } else { &self.base };
        let path = query.map_or_else(|| base.to_owned(), |query| format!("{base}?{query}"));
        let uri = Uri::builder().scheme(self.scheme.clone()).authority(self.authority.clone());
        uri.path_and_query(path).build().map_err(|error| bad_path().because(error))
    }

    /// True if both are on the same server, even if their paths differ.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        self.scheme == other.scheme && self.authority == other.authority
    }

    /// True if the server uses TLS, so that it may support HTTP/2.
    pub(crate) fn is_secure(&self) -> bool {
        self.scheme == Scheme::HTTPS
    }

    /// Appends a path to the base path. If the last segment of the base equals the first segment of the path, it is
    /// written only once: people configure `https://api.openai.com/v1`, and clients request `/v1/responses`.
    fn join(&self, path: &str) -> Result<PathAndQuery, Error> {
        if climbs(path) {
            return Err(bad_path());
        }
        let last = self.base.rfind('/').map_or("", |at| &self.base[at..]);
        let rest = path.strip_prefix(last).filter(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
        let joined = format!("{}{}", self.base, rest.unwrap_or(path));
        PathAndQuery::try_from(joined).map_err(|error| bad_path().because(error))
    }
}

/// Writes the host, for messages.
impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.authority.as_str())
    }
}

/// True if any server could interpret the path as leaving the base path: some servers decode a path before they split
/// it, some decode it twice, some treat a backslash as a slash, and some ignore the text after a semicolon.
fn climbs(path: &str) -> bool {
    let mut path = path.split('?').next().unwrap_or_default().as_bytes().to_vec();
    for _ in 0..MAX_DECODINGS {
        let plain: Vec<u8> = percent_decode(&path).collect();
        if plain == path {
            return path.split(|byte| matches!(byte, b'/' | b'\\')).any(is_parent);
        }
        path = plain;
    }
    true
}

fn is_parent(segment: &[u8]) -> bool {
    segment.split(|byte| *byte == b';').next() == Some(b"..")
}

fn bad_path() -> Error {
    Error::client(StatusCode::BAD_REQUEST, "invalid path")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_and_a_path_meet_once() {
        let cases = [
            ("http://h", "/v1/messages?beta=true", "http://h/v1/messages?beta=true"),
            ("http://h/", "/", "http://h/"),
            ("http://h:1/api", "/v1/messages", "http://h:1/api/v1/messages"),
            ("http://h/api/", "/v1/messages", "http://h/api/v1/messages"),
            ("https://h/v1", "/v1/responses", "https://h/v1/responses"),
            ("https://h/v1", "/v1?x=/v1", "https://h/v1?x=/v1"),
            ("https://h/v1", "/v1beta/models", "https://h/v1/v1beta/models"),
            ("https://h/a/v1/", "/v1/v1/x", "https://h/a/v1/v1/x"),
            ("https://h", "/a/../b", "https://h/a/../b"),
        ];
        for (base, path, expected) in cases {
            let upstream: Upstream = base.parse().unwrap();
            assert_eq!(upstream.address(&path.parse().unwrap()).unwrap().to_string(), expected);
        }
    }

    #[test]
    fn an_absolute_request_does_not_choose_its_server() {
        let upstream: Upstream = "http://ours".parse().unwrap();
        let asked = "http://theirs/v1/messages".parse().unwrap();
        assert_eq!(upstream.address(&asked).unwrap().to_string(), "http://ours/v1/messages");
    }

    #[test]
    fn no_path_climbs_out_of_a_base() {
        let upstream: Upstream = "http://h/team".parse().unwrap();
        for path in [
            "/..",
            "/../x",
            "/a/%2E%2e/x",
            "/a/.%2e?x",
            "/a%2f../x",
            "/..%2fteam-b",
            "/..%2Fteam-b/v1",
            "/%2e%2e%2fteam-b",
            "/..%5cteam-b",
            "/..%5Cteam-b",
            "/a%5c..%5cb",
            "/..%252fteam-b",
            "/%252e%252e/team-b",
            "/%25252e%25252e/x",
            "/..;/team-b",
            "/..;x=1%2fteam-b",
            "/a%2f..",
            "/team/..%2f..%2fteam-b",
            "/%2525252525252e",
        ] {
            assert!(upstream.address(&path.parse().unwrap()).is_err(), "{path}");
        }
    }

    #[test]
    fn a_path_that_stays_below_its_base_goes_on_as_it_was_written() {
        let upstream: Upstream = "http://h/team".parse().unwrap();
        for path in [
            "/a%2fb",
            "/...",
            "/a..b",
            "/..a",
            "/v1/files/x%20y",
            "/100%25",
            "/a%",
            "/a%2",
            "/%zz",
            "/a;b=..",
            "/x?y=/../z",
            "/v1/models/m:generateContent",
            "/.%2f.",
            "/%c3%a9",
        ] {
            let address = upstream.address(&path.parse().unwrap()).unwrap();
            assert_eq!(address.to_string(), format!("http://h/team{path}"));
        }
        let bare: Upstream = "http://h".parse().unwrap();
        assert_eq!(bare.address(&"/..%2fx".parse().unwrap()).unwrap().to_string(), "http://h/..%2fx");
    }

    #[test]
    fn an_upstream_is_a_bare_web_address() {
        for url in ["", "h", "/v1", "ftp://h", "http://", "https://name:word@h"] {
            assert!(url.parse::<Upstream>().is_err(), "{url}");
        }
    }
}
