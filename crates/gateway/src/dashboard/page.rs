//! The page with its style and script, and a content security policy that allows nothing else.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};
use ring::digest::{SHA256, digest};
use tersely_core::about;

use crate::dashboard::with_security_headers;
use crate::http::response::Reply;

const STYLE: &str = include_str!("page.css");

/// The page for authenticated visitors.
static PAGE: LazyLock<SealedPage> = LazyLock::new(|| {
    let script = include_str!("page.js").replace("/*names*/", &names());
    SealedPage::of(include_str!("page.html"), STYLE, &script)
});

/// The page for all other visitors.
static LOGIN: LazyLock<SealedPage> = LazyLock::new(|| SealedPage::of(include_str!("login.html"), STYLE, ""));

/// An explanation of each name, as a JSON object.
fn names() -> String {
    let kinds = [("stage", about::STAGES), ("tool", about::TOOLS), ("text", about::TEXTS)];
    let kinds = kinds.map(|(kind, rows)| (kind, rows.iter().copied().collect::<BTreeMap<_, _>>()));
    // A script element ends at the first `</`, even inside a string.
    serde_json::to_string(&BTreeMap::from(kinds)).unwrap_or_default().replace('<', "\\u003c")
}

struct SealedPage {
    text: String,
    policy: Option<HeaderValue>,
}

impl SealedPage {
    /// Inserts the style and the script into the page.
    fn of(page: &str, style: &str, script: &str) -> Self {
        let text = page.replace("/*style*/", style).replace("/*script*/", script);
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; connect-src 'self'; \
             img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
            hash(style),
            hash(script)
        );
        Self { text, policy: HeaderValue::from_str(&policy).ok() }
    }

    fn answer(&self, text: String) -> Response<Reply> {
        let mut response = with_security_headers(Response::new(Reply::Ours(Some(Bytes::from(text)))));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        // A second policy would apply in addition to this one.
        if let Some(policy) = &self.policy {
            headers.insert(CONTENT_SECURITY_POLICY, policy.clone());
        }
        response
    }
}

/// The page, with a logout button if a token is required.
pub(crate) fn page(token: &str) -> Response<Reply> {
    let text = if token.is_empty() {
        PAGE.text.replace("<form class=\"logout\"", "<form hidden")
    } else {
        PAGE.text.clone()
    };
    PAGE.answer(text)
}

/// The page that asks for the token; it also reports that the last token was wrong.
pub(crate) fn login(status: StatusCode) -> Response<Reply> {
    let is_wrong = status == StatusCode::FORBIDDEN;
    let text = if is_wrong {
        LOGIN.text.replace("<p class=\"wrong\" hidden", "<p class=\"wrong\"")
    } else {
        LOGIN.text.clone()
    };
    let mut response = LOGIN.answer(text);
    *response.status_mut() = status;
    response
}

fn hash(text: &str) -> String {
    BASE64_STANDARD.encode(digest(&SHA256, text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_everything_in_it_and_nothing_from_elsewhere() {
        for page in [&PAGE.text, &LOGIN.text] {
            assert!(!page.contains("/*style*/") && !page.contains("/*script*/"));
            for word in ["http://", "https://", "//cdn", "@import", "url(", " style=", " onclick=", "eval("] {
                let found = page.match_indices(word).map(|(at, _)| &page[at..(at + 60).min(page.len())]);
                let found: Vec<_> =
                    found.filter(|text| !text.starts_with("http://www.w3.org/2000/svg")).collect();
                assert!(found.is_empty(), "{word}: {found:?}");
            }
            assert!(page.len() < 80_000, "{} bytes", page.len());
        }
    }

    /// Behaviour 13.25.
    #[test]
    fn names_are_explained_in_the_page() {
        assert!(!PAGE.text.contains("/*names*/"));
        for (_, sentence) in [about::STAGES, about::TOOLS, about::TEXTS].into_iter().flatten() {
            assert!(PAGE.text.contains(sentence), "{sentence}");
        }
    }

    #[test]
    fn the_policy_fits_what_is_in_the_page() {
        let policy = PAGE.policy.as_ref().unwrap().to_str().unwrap();
        let inside = |open: &str, close: &str| {
            let from = PAGE.text.find(open).unwrap() + open.len();
            PAGE.text[from..from + PAGE.text[from..].find(close).unwrap()].to_owned()
        };
        assert!(policy.contains(&hash(&inside("<style>", "</style>"))));
        assert!(policy.contains(&hash(&inside("<script>", "</script>"))));
        assert!(!policy.contains("unsafe"));
    }
}
