//! The envelope of a message: what it is called, what it answers, and where its payload stands.

use std::borrow::Cow;

use tersely_json::{JsonNode, string};

/// The name of a request, which its answer repeats; a number and a text of the same digits are two names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RpcId {
    /// A number, as it was written.
    Number(String),
    /// A text.
    Text(String),
}

impl RpcId {
    /// The name as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        match self {
            Self::Number(digits) => digits.clone(),
            Self::Text(text) => string::quote(text),
        }
    }

    /// The name that stands here; `null` is none.
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

/// One message of a client or a server.
#[derive(Debug, Clone)]
pub(super) struct RpcMessage<'a> {
    pub(super) id: Option<RpcId>,
    /// The id as it stands in the message, to be said again.
    pub(super) spelled: &'a [u8],
    /// What is asked or told; an answer has none.
    pub(super) method: Option<Cow<'a, str>>,
    pub(super) params: Option<JsonNode<'a>>,
    /// What came of a request.
    pub(super) result: Option<JsonNode<'a>>,
}

impl<'a> RpcMessage<'a> {
    /// The messages in `body`: one, or as many as a batch of the revision of March 2025 holds. What is no message is
    /// none, and what has a name twice is read by nobody alike.
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

    /// The name by which its sender introduces itself: when it first speaks, or with every request.
    pub(super) fn client(&self) -> Option<Cow<'a, str>> {
        let [info, meta] = self.params.as_ref()?.get_all(["clientInfo", "_meta"])?;
        let info = info.or_else(|| meta?.get("io.modelcontextprotocol/clientInfo"));
        info?.get("name")?.text()
    }

    /// The name under which a request wants to be told of progress, as it is written.
    fn progress(&self) -> Option<Vec<u8>> {
        let token = self.params.as_ref()?.get("_meta")?.get("progressToken")?;
        Some(token.bytes().to_vec())
    }

    /// What a member of its parameters says.
    pub(super) fn param(&self, name: &str) -> Option<Cow<'a, str>> {
        self.params.as_ref()?.get(name)?.text()
    }
}

/// What a message is, to whoever has to find out where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RpcKind {
    /// A request: its name, what it asks for, and the name under which progress is told of it, as it is written.
    Request {
        /// Its name.
        id: RpcId,
        /// What it asks for.
        method: String,
        /// The name under which progress is told of it, as it is written.
        progress: Option<Vec<u8>>,
    },
    /// An answer to the request of this name.
    Answer(RpcId),
    /// News; of progress, with the name under which it is told.
    News {
        /// The name under which progress is told, as it is written.
        progress: Option<Vec<u8>>,
    },
    /// A batch with requests: the name of each, and the name under which progress is told of it, as it is written.
    Requests(Vec<(RpcId, Option<Vec<u8>>)>),
    /// A batch with answers, and none with requests: the names of the requests.
    Answers(Vec<RpcId>),
    /// A message that is none of these, or several of them.
    Other,
    /// No message.
    Nothing,
}

/// What `body` is.
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

/// What a batch is.
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
