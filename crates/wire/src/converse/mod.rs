//! Bedrock's Converse API.

mod events;
mod offer;
mod request;
mod turn;
mod whole;
mod words;

use crate::provider::Provider;
use crate::request::history::HistoryPlace;
use crate::request::last_assistant;
use crate::request::preamble;
use crate::request::prompt;
use crate::request::schema;
use crate::request::slot;

pub(crate) static PROVIDER: Provider = Provider {
    name: "converse",
    claims: |path| path.contains("/model/") && METHODS.iter().any(|method| path.ends_with(method)),
    slots: |body| slot::find(body, request::results),
    descriptions: |body| schema::find(body, request::tools),
    prompts: |body| prompt::find(body, request::users),
    head: |body| preamble::beside(&[preamble::TOOL_CONFIG, "system"], body),
    last_assistant_end: last_assistant::in_messages,
    history: |_| HistoryPlace::Here,
    drops_results: |_| false,
    counts: &words::COUNTS,
    hides: |_| Some(&offer::HIDING),
    bridges: None,
};

const METHODS: [&str; 2] = ["/converse", "/converse-stream"];
