//! Ollama's chat API: the messages of Chat Completions, with arguments as objects and results that name their tool.

mod words;

use crate::chat::request;
use crate::provider::Provider;
use crate::request::context_management;
use crate::request::history::HistoryPlace;
use crate::request::last_assistant;
use crate::request::preamble::RequestHead;
use crate::request::prompt;
use crate::request::schema;
use crate::request::slot;

pub(crate) static PROVIDER: Provider = Provider {
    name: "ollama",
    claims: |path| path.ends_with("/api/chat"),
    slots: |body| slot::find(body, request::results),
    descriptions: |body| schema::find(body, request::tools),
    prompts: |body| prompt::find(body, request::users),
    head: |_| RequestHead::default(),
    last_assistant_end: last_assistant::in_messages,
    history: |_| HistoryPlace::Here,
    drops_results,
    counts: &words::COUNTS,
    hides: |_| None,
    bridges: None,
};

/// Ollama omits the oldest messages that do not fit, unless `truncate` is false.
fn drops_results(body: &[u8]) -> bool {
    context_management::member("truncate", body).is_none_or(|how| how != false)
}
