//! Anthropic's Messages API.

mod bridge;
mod events;
pub(crate) mod offer;
pub(crate) mod request;
mod turn;
mod whole;
pub(crate) mod words;

use tersely_account::PromptOrder;

use crate::provider::Provider;
use crate::request::history::HistoryPlace;
use crate::request::preamble;
use crate::request::reading::RequestShape;
use crate::request::schema;

pub(crate) static PROVIDER: Provider = Provider {
    name: "anthropic",
    claims,
    shape: RequestShape {
        walk: request::walk,
        head: |reading| preamble::beside(&["system"], reading),
        history: |_| HistoryPlace::Here,
        drops_results: request::drops_results,
        order: PromptOrder::ToolsFirst,
    },
    descriptions: |body| schema::find(body, request::tools),
    counts: &words::COUNTS,
    hides: |_| Some(&offer::HIDING),
    bridges: Some(&bridge::BRIDGING),
};

fn claims(path: &str) -> bool {
    let path = path.strip_suffix("/count_tokens").unwrap_or(path);
    let raw = path.ends_with(":rawPredict") || path.ends_with(":streamRawPredict");
    path.ends_with("/v1/messages")
        || ["/messages", "/anthropic/messages"].contains(&path)
        || (raw && path.contains("/publishers/anthropic/"))
}
