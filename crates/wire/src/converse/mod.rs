//! Bedrock's Converse API.

mod events;
mod offer;
mod request;
mod turn;
mod whole;
mod words;

use tersely_account::PromptOrder;

use crate::provider::Provider;
use crate::request::history::HistoryPlace;
use crate::request::preamble;
use crate::request::reading::RequestShape;
use crate::request::schema;

pub(crate) static PROVIDER: Provider = Provider {
    name: "converse",
    claims: |path| path.contains("/model/") && METHODS.iter().any(|method| path.ends_with(method)),
    shape: RequestShape {
        walk: request::walk,
        head: |reading| preamble::around(&["toolConfig", "system"], reading),
        history: |_| HistoryPlace::Here,
        drops_results: |_| false,
        order: PromptOrder::ToolsFirst,
    },
    descriptions: |body| schema::find(body, request::tools),
    counts: &words::COUNTS,
    hides: |_| Some(&offer::HIDING),
    bridges: None,
};

const METHODS: [&str; 2] = ["/converse", "/converse-stream"];
