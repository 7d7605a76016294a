//! Adds a hidden tool to Anthropic's Messages in requests to Bedrock's `InvokeModel`.

use super::request::is_anthropic;
use crate::anthropic;
use crate::hidden::hiding::ToolHiding;

pub(super) static HIDING: ToolHiding = ToolHiding {
    offer: |tool, body| {
        if is_anthropic(body)? { anthropic::offer::HIDING.offer(tool, body) } else { Ok(None) }
    },
    ..anthropic::offer::HIDING
};
