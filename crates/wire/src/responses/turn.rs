//! Puts together what a model said, as it must be sent again.

use serde_json::Value;
use tersely_json::{BytePatch, JsonNode};

use super::object::ResponseItem;
use crate::hidden::turn::HiddenAsk;

/// The call of the hidden tool that an item is.
pub(super) fn ask(item: &ResponseItem<'_>, data: &[u8]) -> HiddenAsk {
    let value: Value = serde_json::from_slice(&data[item.place.clone()]).unwrap_or_default();
    let input = value["arguments"].as_str().unwrap_or_default().to_owned();
    HiddenAsk { id: item.call.clone().into_owned(), tool: item.name.clone().into_owned(), input }
}

/// The item without its name, by which the provider would know what else was said.
pub(super) fn nameless(item: &ResponseItem<'_>, data: &[u8]) -> String {
    let mut patch = BytePatch::default();
    let item = &data[item.place.clone()];
    if let Some(item) = JsonNode::object(item) {
        patch.cut(&item, "id");
    }
    String::from_utf8_lossy(&patch.apply(item)).into_owned()
}

/// The items without thoughts that only a server which keeps them could read; `None` when there are none.
///
/// Other items name the thoughts they came from by their ids, so those go too.
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
