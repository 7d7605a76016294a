//! What is remembered of a server, so that a client does not notice that it was started again: how the client greeted
//! it, the requests that it has not answered, and its lists of tools.

use crate::mcp::message::{RpcId, RpcMessage};
use crate::mcp::session::remember;

/// The maximum number of pages that are remembered.
const MAX_PAGES: usize = 64;

/// The maximum length of a page of the list of tools, in bytes.
const MAX_PAGE_BYTES: usize = 4 << 20;

/// What is remembered of a server.
#[derive(Debug, Default)]
pub struct ServerMemory {
    /// The client's first request, with its line end, and its id.
    greeting: Option<(Vec<u8>, RpcId)>,
    /// The notification that follows it.
    greeted: Option<Vec<u8>>,
    /// True when the server has answered the greeting.
    is_ready: bool,
    waiting: Vec<WaitingCall>,
    /// The lists of tools, by cursor; that of the first page is empty.
    pages: Vec<(String, Vec<u8>)>,
}

/// A request that waits for its answer.
#[derive(Debug)]
struct WaitingCall {
    id: RpcId,
    /// The cursor of a request for a list of tools.
    page: Option<String>,
}

impl ServerMemory {
    /// Takes a message that goes to the server.
    pub fn hear_client(&mut self, line: &[u8]) {
        for message in RpcMessage::all(line) {
            match (message.method.as_deref(), message.id.clone()) {
                (Some("notifications/initialized"), None) => self.greeted = Some(line.to_vec()),
                (Some(method), Some(id)) => {
                    if method == "initialize" {
                        self.greeting = Some((line.to_vec(), id.clone()));
                    }
                    let page = (method == "tools/list").then(|| cursor(&message));
                    remember(&mut self.waiting, WaitingCall { id, page });
                }
                _ => {}
            }
        }
    }

    /// Takes a message from the server.
    pub fn hear_server(&mut self, line: &[u8]) {
        for message in RpcMessage::all(line) {
            let Some(id) = message.id.filter(|_| message.method.is_none()) else { continue };
            let Some(at) = self.waiting.iter().position(|waiting| waiting.id == id) else { continue };
            let WaitingCall { page, .. } = self.waiting.remove(at);
            let Some(result) = message.result else { continue };
            self.is_ready |= self.greeting.as_ref().is_some_and(|(_, greeting)| *greeting == id);
            if let Some(cursor) = page.filter(|_| result.bytes().len() <= MAX_PAGE_BYTES) {
                self.keep_page(cursor, result.bytes());
            }
        }
    }

    /// True when the server can be started again without the client: it has been greeted, and has answered.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// What a new server has to be told first: the greeting and its id, and what follows once it is answered.
    #[must_use]
    pub fn greeting(&self) -> Option<(&[u8], &RpcId, &[u8])> {
        let (line, id) = self.greeting.as_ref()?;
        Some((line, id, self.greeted.as_deref().unwrap_or_default()))
    }

    /// The answers to the requests that the server can no longer answer.
    #[must_use]
    pub fn lost(&mut self, why: &str) -> Vec<u8> {
        std::mem::take(&mut self.waiting).iter().flat_map(|waiting| error(&waiting.id, why)).collect()
    }

    /// The answers to a client's message while there is no server; empty if it needs none.
    #[must_use]
    pub fn answer_alone(&self, line: &[u8], why: &str) -> Vec<u8> {
        let answer = |message: RpcMessage<'_>| {
            let (Some(method), Some(id)) = (message.method.as_deref(), &message.id) else {
                return Vec::new();
            };
            let page = cursor(&message);
            let known =
                self.pages.iter().find(|(known, _)| *known == page).filter(|_| method == "tools/list");
            match known {
                Some((_, page)) => result(&id.to_json(), page),
                None if method == "ping" => result(&id.to_json(), b"{}"),
                None => error(id, why),
            }
        };
        RpcMessage::all(line).into_iter().flat_map(answer).collect()
    }

    fn keep_page(&mut self, cursor: String, page: &[u8]) {
        // A new first page begins a new list.
        if cursor.is_empty() {
            self.pages.clear();
        }
        if self.pages.len() < MAX_PAGES {
            self.pages.push((cursor, page.to_vec()));
        }
    }
}

fn cursor(message: &RpcMessage<'_>) -> String {
    message.param("cursor").unwrap_or_default().into_owned()
}

fn result(id: &str, result: &[u8]) -> Vec<u8> {
    [format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"#).as_bytes(), result, b"}\n"].concat()
}

fn error(id: &RpcId, why: &str) -> Vec<u8> {
    (id.unreachable(why) + "\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHY: &str = "it \"ended\"";

    fn greeted() -> ServerMemory {
        let mut memory = ServerMemory::default();
        memory.hear_client(b"{\"id\":0,\"method\":\"initialize\"}\n");
        assert!(!memory.is_ready());
        memory.hear_server(br#"{"id":0,"result":{}}"#);
        memory.hear_client(b"{\"method\":\"notifications/initialized\"}\n");
        memory
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8(bytes.to_vec()).expect("text")
    }

    #[test]
    fn a_server_is_greeted_as_its_client_did() {
        let memory = greeted();
        assert!(memory.is_ready());
        let (line, id, rest) = memory.greeting().expect("a greeting");
        assert_eq!(
            (text(line), id.to_json(), text(rest)),
            (
                "{\"id\":0,\"method\":\"initialize\"}\n".to_owned(),
                "0".to_owned(),
                "{\"method\":\"notifications/initialized\"}\n".to_owned(),
            )
        );
        let mut refused = ServerMemory::default();
        refused.hear_client(br#"{"id":0,"method":"initialize"}"#);
        refused.hear_server(br#"{"id":0,"error":{}}"#);
        assert!(!refused.is_ready());
    }

    #[test]
    fn what_was_asked_of_a_lost_server_is_answered_once() {
        let mut memory = greeted();
        memory.hear_client(br#"{"id":"a","method":"tools/call"}"#);
        memory.hear_client(br#"[{"id":2,"method":"x"},{"id":3,"method":"y"}]"#);
        memory.hear_server(br#"{"id":2,"result":{}}"#);
        let lost = text(&memory.lost(WHY));
        let ids: Vec<_> = lost.lines().map(|line| line.split(',').nth(1).unwrap_or_default()).collect();
        assert_eq!(ids, [r#""id":"a""#, r#""id":3"#]);
        assert!(lost.contains(r#""error":{"code":-32000,"message":"it \"ended\""}"#), "{lost}");
        assert_eq!(memory.lost(WHY), b"");
    }

    #[test]
    fn lists_are_answered_from_the_last_good_copy() {
        let mut memory = greeted();
        let ask = |cursor: &str| format!(r#"{{"id":5,"method":"tools/list","params":{{{cursor}}}}}"#);
        assert!(text(&memory.answer_alone(ask("").as_bytes(), WHY)).contains("error"));
        memory.hear_client(ask("").as_bytes());
        memory.hear_server(br#"{"id":5,"result":{"tools":[{"name":"a"}],"nextCursor":"n"}}"#);
        memory.hear_client(ask(r#""cursor":"n""#).as_bytes());
        memory.hear_server(br#"{"id":5,"result":{"tools":[]}}"#);
        let said = text(&memory.answer_alone(ask("").as_bytes(), WHY));
        assert_eq!(
            said,
            "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"tools\":[{\"name\":\"a\"}],\"nextCursor\":\"n\"}}\n"
        );
        assert!(
            text(&memory.answer_alone(ask(r#""cursor":"n""#).as_bytes(), WHY)).ends_with("{\"tools\":[]}}\n")
        );
        assert_eq!(
            text(&memory.answer_alone(br#"{"id":6,"method":"ping"}"#, WHY)),
            "{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{}}\n"
        );
        assert!(text(&memory.answer_alone(br#"{"id":7,"method":"tools/call"}"#, WHY)).contains("-32000"));
        assert_eq!(memory.answer_alone(br#"{"method":"notifications/cancelled"}"#, WHY), b"");
        assert_eq!(memory.answer_alone(b"garbage", WHY), b"");
    }
}
