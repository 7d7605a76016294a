//! Ollama's chat API. It uses the messages of Chat Completions, but arguments are objects and results name their
//! tool.

mod words;

use crate::chat::request;
use tersely_account::PromptOrder;

use crate::provider::Provider;
use crate::request::context_management;
use crate::request::history::HistoryPlace;
use crate::request::reading::Reading;
use crate::request::reading::RequestShape;
use crate::request::schema;
use crate::request::tools::RequestHead;

pub(crate) static PROVIDER: Provider = Provider {
    name: "ollama",
    claims: |path| path.ends_with("/api/chat"),
    shape: RequestShape {
        walk: request::walk,
        head: |_| RequestHead::default(),
        history: |_| HistoryPlace::Here,
        drops_results,
        order: PromptOrder::ToolsFirst,
    },
    descriptions: |body| schema::find(body, request::tools),
    counts: &words::COUNTS,
    hides: |_| None,
    bridges: None,
};

/// True unless `truncate` is false: Ollama omits the oldest messages if the conversation does not fit.
fn drops_results(reading: &Reading<'_>) -> bool {
    context_management::member("truncate", reading).is_none_or(|how| how != false)
}
