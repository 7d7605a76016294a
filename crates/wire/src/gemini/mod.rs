//! Google's Gemini API, including its form on Vertex AI.

mod chunk;
mod events;
mod offer;
mod request;
mod turn;
mod whole;
mod words;

use tersely_account::PromptOrder;

use crate::hidden::hiding::ToolHiding;
use crate::provider::Provider;
use crate::request::history::HistoryPlace;
use crate::request::reading::RequestShape;
use crate::request::schema;

pub(crate) static PROVIDER: Provider = Provider {
    name: "gemini",
    claims,
    shape: RequestShape {
        walk: request::walk,
        head: request::head,
        history: |_| HistoryPlace::Here,
        drops_results: |_| false,
        order: PromptOrder::SystemFirst,
    },
    descriptions: |body| schema::find(body, request::tools),
    counts: &words::COUNTS,
    hides,
    bridges: None,
};

const METHODS: [&str; 3] = ["generateContent", "streamGenerateContent", "countTokens"];

fn claims(path: &str) -> bool {
    let method = path.rsplit('/').next().and_then(|end| end.split_once(':'));
    method.is_some_and(|(_, method)| METHODS.contains(&method))
}

fn hides(target: &str) -> Option<&'static ToolHiding> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let is_stream = path.trim_end_matches('/').ends_with(":streamGenerateContent");
    // Without this parameter, a stream is one JSON array, sent in pieces.
    let has_events = query.split('&').any(|pair| ["alt=sse", "$alt=sse", "%24alt=sse"].contains(&pair));
    (!is_stream || has_events).then_some(&offer::HIDING)
}
