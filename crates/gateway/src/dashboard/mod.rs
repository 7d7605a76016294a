//! The dashboard: a page, the figures that it shows, and a playground.
//!
//! The page is one file that loads nothing else. A user logs in with `admin.token` and gets a cookie that scripts
//! cannot read and other sites cannot send. A GET changes nothing, and every POST must come from the page itself.

mod feed;
mod login;
mod page;
mod path;
mod play;
mod source;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, LOCATION,
    ORIGIN, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use tokio::time::timeout;

use crate::dashboard::feed::Feeds;
use crate::dashboard::login::Logins;
use crate::dashboard::play::Playground;
use crate::dashboard::source::DashboardData;
use crate::display::Display;
use crate::error::{Error, Side};
use crate::http::response::Reply;
use crate::shutdown::Shutdown;

pub(crate) use login::is_same;
pub(crate) use path::DashboardPath;

/// Timeout for reading the body of a POST.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum size of the body of a POST, which may be a text for the playground.
const MAX_BODY_BYTES: usize = 2 << 20;

/// The delay before the response to a wrong token.
pub(crate) const WRONG_TOKEN_DELAY: Duration = Duration::from_millis(400);

/// The dashboard.
pub(crate) struct Dashboard {
    data: Arc<DashboardData>,
    play: Playground,
    logins: Logins,
    feeds: Feeds,
}

/// A request to the dashboard.
pub(crate) struct DashboardVisitor<'v> {
    /// The requested page.
    pub(crate) page: DashboardPath,
    /// True if the caller is authenticated.
    pub(crate) is_admitted: bool,
    /// The token that a visitor must send to log in.
    pub(crate) token: &'v str,
}

impl Dashboard {
    /// Creates a dashboard that shows this data.
    pub(crate) fn new(display: Display) -> Self {
        let play = Playground::new(display.engine.clone());
        Self { data: Arc::new(DashboardData::new(display)), play, logins: Logins::new(), feeds: Feeds::new() }
    }

    /// True if the browser is logged in.
    pub(crate) fn knows(&self, headers: &HeaderMap) -> bool {
        self.logins.know(headers)
    }

    /// Answers a visitor's request.
    pub(crate) async fn answer(
        &self,
        shutdown: &Shutdown,
        visitor: DashboardVisitor<'_>,
        request: Request<Incoming>,
    ) -> Result<Response<Reply>, Error> {
        let posts =
            matches!(visitor.page, DashboardPath::Login | DashboardPath::Logout | DashboardPath::Play);
        let method = if posts { &Method::POST } else { &Method::GET };
        let is_head = request.method() == Method::HEAD;
        if request.method() != method && (posts || !is_head) {
            return Err(Error::client(StatusCode::METHOD_NOT_ALLOWED, format!("use {method}")));
        }
        if posts && !is_own(request.headers()) {
            return Err(Error::client(StatusCode::FORBIDDEN, "only the dashboard may send this request"));
        }
        match visitor.page {
            DashboardPath::Home => return Ok(redirect()),
            DashboardPath::Login => return self.log_in(visitor.token, request).await,
            DashboardPath::Page if !visitor.is_admitted => return Ok(page::login(StatusCode::UNAUTHORIZED)),
            _ if !visitor.is_admitted => {
                return Err(Error::client(
                    StatusCode::UNAUTHORIZED,
                    "log in at /_tersely/, or send admin.token",
                ));
            }
            _ => {}
        }
        match visitor.page {
            DashboardPath::Page => Ok(page::page(visitor.token)),
            DashboardPath::Stats => Ok(json(self.data.stats().await?)),
            DashboardPath::Live => self.feeds.open(shutdown, Arc::clone(&self.data)),
            DashboardPath::Session(session) => Ok(json(self.data.session(session).await?)),
            DashboardPath::Logout => Ok(with_cookie(redirect(), login::EXPIRED_COOKIE)),
            DashboardPath::Play => Ok(json(self.play.try_out(body(request).await?).await?)),
            DashboardPath::Home | DashboardPath::Login => Ok(redirect()),
        }
    }

    async fn log_in(&self, token: &str, request: Request<Incoming>) -> Result<Response<Reply>, Error> {
        let said = login::form_token(&body(request).await?);
        if token.is_empty() || said.is_some_and(|said| is_same(said.as_bytes(), token.as_bytes())) {
            let cookie = self.logins.issue();
            return Ok(cookie.map_or_else(redirect, |cookie| with_cookie(redirect(), &cookie)));
        }
        tokio::time::sleep(WRONG_TOKEN_DELAY).await;
        Ok(page::login(StatusCode::FORBIDDEN))
    }
}

/// True if the request cannot come from a page of another origin: browsers send the origin with each POST.
fn is_own(headers: &HeaderMap) -> bool {
    let mut said = headers.get_all(ORIGIN).into_iter().peekable();
    if said.peek().is_none() {
        let mut sites = headers.get_all("sec-fetch-site").into_iter();
        return sites.all(|site| site == "same-origin");
    }
    let Some(host) = headers.get(HOST).and_then(|host| host.to_str().ok()) else { return false };
    said.all(|origin| {
        let origin = origin.to_str().unwrap_or_default();
        let name = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        name.is_some_and(|name| name.eq_ignore_ascii_case(host))
    })
}

async fn body(request: Request<Incoming>) -> Result<Bytes, Error> {
    let read = timeout(UPLOAD_TIMEOUT, Limited::new(request.into_body(), MAX_BODY_BYTES).collect());
    let read = read.await.map_err(|_| Error::late(Side::Client))?;
    let message = format!("the text is longer than {MAX_BODY_BYTES} bytes");
    read.map(http_body_util::Collected::to_bytes)
        .map_err(|_| Error::client(StatusCode::PAYLOAD_TOO_LARGE, message))
}

fn redirect() -> Response<Reply> {
    let mut response = with_security_headers(Response::new(Reply::Ours(None)));
    *response.status_mut() = StatusCode::SEE_OTHER;
    response.headers_mut().insert(LOCATION, HeaderValue::from_static("/_tersely/"));
    response
}

fn with_cookie(mut response: Response<Reply>, cookie: &str) -> Response<Reply> {
    response.headers_mut().extend(HeaderValue::from_str(cookie).ok().map(|cookie| (SET_COOKIE, cookie)));
    response
}

fn json(text: Bytes) -> Response<Reply> {
    let mut response = with_security_headers(Response::new(Reply::Ours(Some(text))));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Adds headers that prevent framing, content sniffing and caching.
fn with_security_headers(mut response: Response<Reply>) -> Response<Reply> {
    const SECURITY_HEADERS: [(HeaderName, &str); 4] = [
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        // Not `no-referrer`: with it, browsers send a null origin with forms, which would be refused.
        (REFERRER_POLICY, "same-origin"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    let headers = response.headers_mut();
    headers.extend(SECURITY_HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value))));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(headers: &[(&'static str, &str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        is_own(&map)
    }

    #[test]
    fn only_the_page_itself_may_post() {
        let host = ("host", "localhost:9464");
        assert!(check(&[host]), "no browser");
        assert!(check(&[host, ("origin", "http://localhost:9464")]));
        assert!(check(&[host, ("origin", "https://localhost:9464")]), "something before us may speak TLS");
        assert!(check(&[host, ("sec-fetch-site", "same-origin")]));
        for origin in [
            "http://localhost:3000",
            "http://127.0.0.1:9464",
            "http://localhost:9464.evil.example",
            "null",
            "",
            "ftp://localhost:9464",
        ] {
            assert!(!check(&[host, ("origin", origin)]), "{origin}");
        }
        assert!(!check(&[host, ("origin", "http://localhost:9464"), ("origin", "http://evil.example")]));
        assert!(!check(&[("origin", "http://localhost:9464")]), "nobody knows where it was sent");
        for site in ["cross-site", "same-site", "none"] {
            assert!(!check(&[host, ("sec-fetch-site", site)]), "{site}");
        }
    }
}
