//! Anthropic's Messages API.

mod bridge;
mod events;
pub(crate) mod offer;
pub(crate) mod request;
mod turn;
mod whole;
pub(crate) mod words;

use crate::provider::Provider;
use crate::request::history::HistoryPlace;
use crate::request::last_assistant;
use crate::request::preamble;
use crate::request::prompt;
use crate::request::schema;
use crate::request::slot;

pub(crate) static PROVIDER: Provider = Provider {
    name: "anthropic",
    claims,
    slots: |body| slot::find(body, request::results),
    descriptions: |body| schema::find(body, request::tools),
    prompts: |body| prompt::find(body, request::users),
    head: |body| preamble::beside(&[preamble::TOOLS, "system"], body),
    last_assistant_end: last_assistant::in_messages,
    history: |_| HistoryPlace::Here,
    drops_results: request::drops_results,
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
