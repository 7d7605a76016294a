//! Reads the envelope of a JSON-RPC message: its id, its method, and the position of its payload.

use std::borrow::Cow;

use tersely_json::{JsonNode, string};

/// The error code for a server that cannot be reached.
const UNREACHABLE: i32 = -32000;

/// The id of a request, which its answer repeats. The number `1` and the string `"1"` are different ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RpcId {
    /// A number, exactly as written in the JSON.
    Number(String),
    /// A string.
    Text(String),
}

impl RpcId {
    /// The id as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        match self {
            Self::Number(digits) => digits.clone(),
            Self::Text(text) => string::quote(text),
        }
    }

    /// The answer to the request with this id that its server cannot be reached.
    #[must_use]
    pub fn unreachable(&self, why: &str) -> String {
        let (id, why) = (self.to_json(), string::quote(why));
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{UNREACHABLE},"message":{why}}}}}"#)
    }

    /// Reads an id; `null` is not an id.
    fn read(node: &JsonNode<'_>) -> Option<Self> {
        if let Some(text) = node.text() {
            return Some(Self::Text(text.into_owned()));
        }
        let digits = str::from_utf8(node.bytes()).ok()?;
        digits
            .starts_with(|first: char| first == '-' || first.is_ascii_digit())
            .then(|| Self::Number(digits.into()))
    }
}

/// One message from a client or a server.
#[derive(Debug, Clone)]
pub(super) struct RpcMessage<'a> {
    pub(super) id: Option<RpcId>,
    /// The id exactly as written in the JSON, to be repeated in an answer.
    pub(super) spelled: &'a [u8],
    /// The method; `None` in an answer.
    pub(super) method: Option<Cow<'a, str>>,
    pub(super) params: Option<JsonNode<'a>>,
    /// The result in an answer.
    pub(super) result: Option<JsonNode<'a>>,
}

impl<'a> RpcMessage<'a> {
    /// The messages in `body`: one message, or a batch as defined in the March 2025 revision of the protocol. Other
    /// values, and objects with a duplicate name, are not messages.
    pub(super) fn all(body: &'a [u8]) -> Vec<Self> {
        match JsonNode::parse(body) {
            Some(top) if top.is_list() => top.items().iter().filter_map(Self::read).collect(),
            top => top.as_ref().and_then(Self::read).into_iter().collect(),
        }
    }

    fn read(node: &JsonNode<'a>) -> Option<Self> {
        let node = Some(node).filter(|node| node.is_object())?;
        let [id, method, params, result] = node.get_all(["id", "method", "params", "result"])?;
        Some(Self {
            spelled: id.as_ref().map_or(b"null", JsonNode::bytes),
            id: id.as_ref().and_then(RpcId::read),
            method: method.and_then(|method| method.text()),
            params,
            result,
        })
    }

    /// The client's name, from its first message or from the metadata of a request.
    pub(super) fn client(&self) -> Option<Cow<'a, str>> {
        let [info, meta] = self.params.as_ref()?.get_all(["clientInfo", "_meta"])?;
        let info = info.or_else(|| meta?.get("io.modelcontextprotocol/clientInfo"));
        info?.get("name")?.text()
    }

    /// The request's progress token, as JSON.
    fn progress(&self) -> Option<Vec<u8>> {
        let token = self.params.as_ref()?.get("_meta")?.get("progressToken")?;
        Some(token.bytes().to_vec())
    }

    /// Returns a parameter that is a string.
    pub(super) fn param(&self, name: &str) -> Option<Cow<'a, str>> {
        self.params.as_ref()?.get(name)?.text()
    }
}

/// The kind of a message, for routing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RpcKind {
    /// A request.
    Request {
        /// The id of the request.
        id: RpcId,
        /// The method of the request.
        method: String,
        /// The progress token of the request, as JSON.
        progress: Option<Vec<u8>>,
    },
    /// An answer to the request with this id.
    Answer(RpcId),
    /// A notification.
    News {
        /// The progress token of a progress notification, as JSON.
        progress: Option<Vec<u8>>,
    },
    /// A batch that contains requests, with the id and the progress token of each.
    Requests(Vec<(RpcId, Option<Vec<u8>>)>),
    /// A batch that contains answers but no requests, with the ids that are answered.
    Answers(Vec<RpcId>),
    /// Any other message.
    Other,
    /// Not a message.
    Nothing,
}

/// Returns the kind of the message in `body`.
#[must_use]
pub fn rpc_kind(body: &[u8]) -> RpcKind {
    let mut messages = RpcMessage::all(body);
    let message = match (messages.pop(), messages.is_empty()) {
        (Some(message), true) => message,
        (Some(message), false) => {
            messages.push(message);
            return batch(&messages);
        }
        (None, _) => return RpcKind::Nothing,
    };
    match (message.id.clone(), &message.method) {
        (Some(id), Some(method)) => {
            RpcKind::Request { id, method: method.clone().into_owned(), progress: message.progress() }
        }
        (Some(id), None) => RpcKind::Answer(id),
        (None, Some(_)) => {
            let token = message.params.as_ref().and_then(|params| params.get("progressToken"));
            RpcKind::News { progress: token.map(|token| token.bytes().to_vec()) }
        }
        (None, None) => RpcKind::Other,
    }
}

/// Returns the kind of a batch.
fn batch(messages: &[RpcMessage<'_>]) -> RpcKind {
    let named = |it: &RpcMessage<'_>, asks: bool| it.id.clone().filter(|_| it.method.is_some() == asks);
    let requests: Vec<_> = messages.iter().filter_map(|it| Some((named(it, true)?, it.progress()))).collect();
    let answers: Vec<_> = messages.iter().filter_map(|it| named(it, false)).collect();
    match (requests.is_empty(), answers.is_empty()) {
        (false, _) => RpcKind::Requests(requests),
        (true, false) => RpcKind::Answers(answers),
        (true, true) => RpcKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(body: &str) -> Vec<Option<RpcId>> {
        RpcMessage::all(body.as_bytes()).into_iter().map(|message| message.id).collect()
    }

    #[test]
    fn numbers_and_texts_are_different_names() {
        assert_eq!(ids(r#"{"id":7}"#), [Some(RpcId::Number("7".into()))]);
        assert_eq!(ids(r#"{"id":"\u0037"}"#), [Some(RpcId::Text("7".into()))]);
        assert_eq!(ids(r#"{"id":null}"#), [None]);
        assert_eq!(ids(r#"{"method":"x"}"#), [None]);
    }

    #[test]
    fn a_batch_says_whom_it_asks_and_whom_it_answers() {
        let [one, two] = ["1", "2"].map(|digits| RpcId::Number(digits.into()));
        let asks = br#"[{"id":1,"method":"a","params":{"_meta":{"progressToken":"t"}}},{"method":"n"},{"id":2,"method":"b"}]"#;
        let token = Some(br#""t""#.to_vec());
        assert_eq!(rpc_kind(asks), RpcKind::Requests(vec![(one.clone(), token), (two.clone(), None)]));
        let answers = br#"[{"id":1,"result":{}},{"method":"n"},{"id":2,"error":{}}]"#;
        assert_eq!(rpc_kind(answers), RpcKind::Answers(vec![one, two]));
    }

    #[test]
    fn what_is_no_message_is_none() {
        assert_eq!(rpc_kind(b"ready"), RpcKind::Nothing);
        let news = br#"[{"method":"a"},{"method":"b"}]"#;
        assert_eq!(rpc_kind(news), RpcKind::Other);
        for body in ["", "7", "\"x\"", "{", r#"{"id":1,"id":2}"#, "[1,2]", "no JSON"] {
            assert_eq!(ids(body), [], "{body}");
        }
        assert_eq!(ids(r#" [{"id":1}, 7, {"id":"b"}] "#).len(), 2);
    }
}
