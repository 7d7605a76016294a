//! The Responses API of `OpenAI`.

mod bridge;
mod event;
mod events;
mod object;
mod offer;
mod request;
mod response_state;
mod turn;
mod whole;
mod words;

use tersely_account::PromptOrder;

use crate::hidden::hiding::ToolHiding;
use crate::provider::Provider;
use crate::request::reading::RequestShape;
use crate::request::schema;

pub(crate) static PROVIDER: Provider = Provider {
    name: "responses",
    claims: |path| PATHS.iter().any(|end| path.ends_with(end)),
    shape: RequestShape {
        walk: request::walk,
        head: request::head,
        history: request::history,
        drops_results: request::drops_results,
        order: PromptOrder::SystemFirst,
    },
    descriptions: |body| schema::find(body, request::tools),
    counts: &words::COUNTS,
    hides,
    bridges: Some(&bridge::BRIDGING),
};

const PATHS: [&str; 3] = ["/responses", "/responses/compact", "/responses/input_tokens"];

fn hides(target: &str) -> Option<&'static ToolHiding> {
    let path = target.split('?').next().unwrap_or_default();
    (!path.trim_end_matches('/').ends_with("/compact")).then_some(&offer::HIDING)
}
