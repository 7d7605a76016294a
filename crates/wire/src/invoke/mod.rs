//! Bedrock's `InvokeModel` API, when its bodies are Anthropic's Messages.
//!
//! The path does not show the format of a body. Anthropic's bodies contain the version of Anthropic's API; in other
//! bodies nothing is found.

mod request;

use self::request::is_anthropic;
use crate::anthropic;
use crate::provider::Provider;
use crate::request::reading::RequestShape;

pub(crate) static PROVIDER: Provider = Provider {
    name: "invoke",
    claims: |path| path.contains("/model/") && METHODS.iter().any(|method| path.ends_with(method)),
    shape: RequestShape { walk: request::walk, ..anthropic::PROVIDER.shape },
    descriptions: |body| {
        if is_anthropic(body)? { anthropic::PROVIDER.descriptions(body) } else { Ok(Vec::new()) }
    },
    bridges: None,
    ..anthropic::PROVIDER
};

const METHODS: [&str; 2] = ["/invoke", "/invoke-with-response-stream"];
