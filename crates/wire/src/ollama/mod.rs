//! Ollama's chat API. It uses the messages of Chat Completions, but arguments are objects and results name their
//! tool.

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

/// True unless `truncate` is false: Ollama omits the oldest messages if the conversation does not fit.
fn drops_results(body: &[u8]) -> bool {
    context_management::member("truncate", body).is_none_or(|how| how != false)
}
