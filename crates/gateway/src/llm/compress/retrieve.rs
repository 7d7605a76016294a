//! `/v1/retrieve/ID`: returns a text that was left out of messages to the client that sent them.

use http::header::{CACHE_CONTROL, HeaderValue};
use http::{Request, Response};
use hyper::body::Incoming;
use percent_encoding::percent_decode_str;
use serde_json::json as said;
use tersely_core::expand::ExpandRequest;

use crate::error::Error;
use crate::http::response::Reply;
use crate::llm::compress::reply::json;
use crate::llm::expand::original;
use crate::llm::state::GatewayState;

/// The beginning of the path, which an id follows.
const PATH: &str = "/v1/retrieve/";

/// The optional prefix of our ids.
const PREFIX: &str = "shadow_";

/// The number of hex digits in an id, including the ids of other servers.
const DIGITS: std::ops::RangeInclusive<usize> = 12..=64;

/// The id in a path, if it is valid.
pub(super) fn id(path: &str) -> Option<String> {
    let name = path.strip_prefix(PATH)?;
    let digits = name.strip_prefix(PREFIX).unwrap_or(name);
    let is_one = DIGITS.contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_one.then(|| format!("{PREFIX}{}", digits.to_ascii_lowercase()))
}

/// Returns the text with this id, or the part of it that the query asks for.
pub(super) async fn retrieve(
    gate: &GatewayState,
    id: String,
    request: Request<Incoming>,
) -> Result<Response<Reply>, Error> {
    let (parts, _) = request.into_parts();
    let text = original(gate, &parts, id.clone()).await?;
    let wanted = parts.uri.query().and_then(part);
    let length = text.len();
    let shown = match wanted {
        None => text,
        Some(wanted) => {
            let (whole, wish) = (text.clone(), said!({"id": id, "part": wanted}).to_string());
            let show = move || ExpandRequest::read(&wish).map(|wish| wish.show(&whole).into_owned());
            // If the part cannot be searched for, the whole text is returned.
            gate.workers.run(length, show).await.ok().and_then(Result::ok).unwrap_or(text)
        }
    };
    let answer = said!({"id": id, "original_content": shown}).to_string();
    let mut response = json(gate, answer.into_bytes());
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// The decoded query parameter `query`; `None` if it is empty.
fn part(query: &str) -> Option<String> {
    let value = query.split('&').find_map(|pair| pair.strip_prefix("query="))?;
    // A plus sign means a space here; a literal plus sign is sent as `%2B`.
    let spaced = value.replace('+', " ");
    Some(percent_decode_str(&spaced).decode_utf8_lossy().into_owned()).filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behaviour 21.6.
    #[test]
    fn only_names_are_asked_for_here() {
        let digits = "00112233445566778899aabbccddeeff";
        let ours = format!("shadow_{digits}");
        for name in [digits, &ours, &digits.to_ascii_uppercase()] {
            assert_eq!(id(&format!("/v1/retrieve/{name}")).as_ref(), Some(&ours), "{name}");
        }
        assert!(id("/v1/retrieve/00112233445566778899aabb").is_some(), "it is answered that there is none");
        let long = format!("/v1/retrieve/{}", "0".repeat(65));
        for path in
            ["/v1/retrieve", "/v1/retrieve/", "/v1/retrieve/file", "/v1/retrieve/0011/2233", &long, "/"]
        {
            assert_eq!(id(path), None, "{path}");
        }
    }

    #[test]
    fn a_query_is_read_as_browsers_write_it() {
        for (query, expected) in [
            ("query=a+b%20c", Some("a b c")),
            ("x=1&query=10-40", Some("10-40")),
            ("query=%zz%2", Some("%zz%2")),
            ("query=%+5", Some("% 5")),
            ("query=%ff", Some("\u{fffd}")),
            ("query=", None),
            ("q=1", None),
        ] {
            assert_eq!(part(query).as_deref(), expected, "{query}");
        }
    }
}
