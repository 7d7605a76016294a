//! Converts a model's output to input items, so that it can be sent back.

use serde_json::Value;
use tersely_json::{BytePatch, JsonNode};

use super::object::ResponseItem;
use crate::hidden::turn::HiddenAsk;

/// Reads the call of a hidden tool from an item.
pub(super) fn ask(item: &ResponseItem<'_>, data: &[u8]) -> HiddenAsk {
    let value: Value = serde_json::from_slice(&data[item.place.clone()]).unwrap_or_default();
    let input = value["arguments"].as_str().unwrap_or_default().to_owned();
    HiddenAsk { id: item.call.clone().into_owned(), tool: item.name.clone().into_owned(), input }
}

/// The item without its id, because the provider would use the id to find the rest of the response.
pub(super) fn nameless(item: &ResponseItem<'_>, data: &[u8]) -> String {
    let mut patch = BytePatch::default();
    let item = &data[item.place.clone()];
    if let Some(item) = JsonNode::object(item) {
        patch.cut(&item, "id");
    }
    String::from_utf8_lossy(&patch.apply(item)).into_owned()
}

/// Removes the reasoning that only a server with the stored response could read; `None` when there is no such
/// reasoning.
///
/// Other items refer to that reasoning by their ids, so these ids are removed too.
pub(super) fn without_lost(items: &str) -> Option<String> {
    let data = format!("[{items}]").into_bytes();
    let items = ResponseItem::list(&data);
    let is_lost = |item: &&ResponseItem<'_>| {
        let sealed = JsonNode::at(item.place.clone(), &data).get("encrypted_content");
        item.kind == "reasoning" && !sealed.is_some_and(|sealed| sealed.bytes().starts_with(b"\""))
    };
    items.iter().find(is_lost)?;
    let left = items.iter().filter(|item| !is_lost(item)).map(|item| nameless(item, &data));
    Some(left.collect::<Vec<_>>().join(","))
}
