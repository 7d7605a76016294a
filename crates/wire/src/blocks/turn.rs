//! A turn of the model, put together to be sent again.

use serde::de::IgnoredAny;
use tersely_json::JsonNode;

use crate::blocks::kind::BlockKind;
use crate::blocks::spelling::KindOf;
use crate::hidden::names::HiddenNames;

/// The message of these blocks. Providers refuse texts with nothing in them, even if they wrote them.
pub(crate) fn said<'a>(kind: KindOf, blocks: impl Iterator<Item = &'a [u8]>) -> Option<String> {
    let blocks: Vec<_> = blocks.filter(|block| !is_blank(kind, block)).map(String::from_utf8_lossy).collect();
    let said = format!(r#"{{"role":"assistant","content":[{}]}}"#, blocks.join(","));
    serde_json::from_str::<IgnoredAny>(&said).is_ok().then_some(said)
}

fn is_blank(kind: KindOf, block: &[u8]) -> bool {
    let is_text = |block: &JsonNode<'_>| kind(block, HiddenNames::NONE) == BlockKind::Text;
    let text = JsonNode::object(block).filter(is_text).and_then(|block| block.get("text")?.text());
    text.is_some_and(|text| text.trim().is_empty())
}
