//! Finds tool results in a tree, as a reference for the scan.

use serde_json::Value;

/// A result's id, whether its tool failed, and its texts.
pub(crate) struct Answer {
    id: String,
    is_error: bool,
    texts: Vec<String>,
}

/// Every tool result of a body of Messages or Chat Completions; nothing of other bodies.
pub(crate) fn results(body: &Value) -> Option<Vec<Answer>> {
    Some(body["messages"].as_array()?.iter().flat_map(of_message).collect())
}

/// Its texts one by one; empty ones are not slots.
pub(crate) fn texts(answers: &[Answer]) -> Vec<(String, bool, String)> {
    let texts = answers.iter().flat_map(|it| it.texts.iter().map(move |text| (it, text)));
    let full = texts.filter(|(_, text)| !text.is_empty());
    full.map(|(it, text)| (it.id.clone(), it.is_error, text.clone())).collect()
}

/// Ids of the calls and results in a message, in order.
pub(crate) fn pairs(message: &Value) -> Vec<String> {
    let called = message["tool_calls"].as_array().into_iter().flatten().map(|call| &call["id"]);
    let blocks = message["content"].as_array().into_iter().flatten();
    let blocks = blocks.flat_map(|block| [&block["id"], &block["tool_use_id"]]);
    let ids = called.chain([&message["tool_call_id"]]).chain(blocks);
    ids.filter_map(Value::as_str).map(ToOwned::to_owned).collect()
}

fn of_message(message: &Value) -> Vec<Answer> {
    if message["role"] == "tool" {
        return vec![answer(&message["tool_call_id"], message)];
    }
    let blocks = message["content"].as_array().into_iter().flatten();
    let results = blocks.filter(|block| block["type"] == "tool_result");
    results.map(|block| answer(&block["tool_use_id"], block)).collect()
}

fn answer(id: &Value, holder: &Value) -> Answer {
    let id = id.as_str().unwrap_or_default().to_owned();
    Answer { id, is_error: holder["is_error"] == true, texts: of_content(&holder["content"]) }
}

fn of_content(content: &Value) -> Vec<String> {
    if let Some(text) = content.as_str() {
        return vec![text.to_owned()];
    }
    let blocks = content.as_array().into_iter().flatten().filter(|block| block["type"] == "text");
    blocks.filter_map(|block| block["text"].as_str()).map(ToOwned::to_owned).collect()
}
