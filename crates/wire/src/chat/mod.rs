//! The Chat Completions API of `OpenAI`, and of the servers that are compatible with it.

mod bridge;
mod calls;
mod chunk;
mod events;
mod merge;
mod offer;
mod pending_call;
pub(crate) mod request;
mod turn;
mod whole;
pub(crate) mod words;

use tersely_account::PromptOrder;

use crate::provider::Provider;
use crate::request::context_management;
use crate::request::history::HistoryPlace;
use crate::request::reading::RequestShape;
use crate::request::schema;

pub(crate) static PROVIDER: Provider = Provider {
    name: "chat",
    claims: |path| path.ends_with("/chat/completions"),
    shape: RequestShape {
        walk: request::walk,
        head: request::head,
        history: |_| HistoryPlace::Here,
        drops_results: context_management::is_squeezed,
        order: PromptOrder::ToolsFirst,
    },
    descriptions: |body| schema::find(body, request::tools),
    counts: &words::COUNTS,
    hides: |_| Some(&offer::HIDING),
    bridges: Some(&bridge::BRIDGING),
};
