//! Tracks the messages between a client and a server: which answer belongs to which call, and whether the client has
//! seen our tool.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use tersely_json::{JsonNode, JsonScan, string};

use crate::hidden::HiddenTool;
use crate::mcp::list::{ListChanges, StructuredCopies, ToolListing};
use crate::mcp::message::{RpcId, RpcMessage};
use crate::request::call::SlotCall;
use crate::request::command;

/// The maximum number of requests, and of tasks, that are remembered; answers to forgotten ones pass unchanged.
const MAX_PENDING: usize = 512;

/// The maximum number of tools without an output schema that are remembered.
const MAX_TOOLS: usize = 10_000;

/// The maximum length of a command; longer commands are ignored.
const MAX_COMMAND_BYTES: usize = 16 << 10;

/// A session between one client and one server.
#[derive(Debug)]
pub struct McpSession {
    /// The tool that is added for the client's model; `None` if text is never omitted.
    tool: Option<HiddenTool>,
    changes: ListChanges,
    awaited: Vec<ExpectedAnswer>,
    /// Calls that continue as tasks, with the ids of the tasks.
    tasks: Vec<(String, Arc<SlotCall<'static>>)>,
    known: ToolKnowledge,
    /// True when the client shows its model the structured content instead of the texts.
    reads_structured: bool,
    /// True when the server has listed its tools in this session.
    has_listed: bool,
    /// The names of its tools in the order of the latest list. Not part of what other sessions learn: a client may reach
    /// several replicas, which would then list the tools in different orders.
    order: Vec<String>,
}

/// Clients that show their model the structured content of a result instead of its texts, whether or not the tool has
/// an output schema. They show the texts if there is no structured content.
const READ_STRUCTURED: [&str; 2] = ["claude-code", "codex-mcp-client"];

/// Facts learned from the server's lists of tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolKnowledge {
    /// The names of the tools without an output schema.
    plain: HashSet<String>,
    /// True when the client has seen a list that contains our tool.
    is_offered: bool,
}

impl ToolKnowledge {
    /// Assumes that every client has seen our tool: without sessions, it is unknown which client has seen which list.
    #[must_use]
    pub fn with_offer() -> Self {
        Self { is_offered: true, ..Self::default() }
    }
}

/// What to do with a client's message.
#[derive(Debug, PartialEq, Eq)]
pub enum FromClient {
    /// Forward the message to the server.
    Pass,
    /// Answer the message, because it calls our own tool.
    Own(OwnCall),
}

/// A request whose answer may be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedAnswer {
    /// The id of the request.
    pub id: RpcId,
    /// The content of the expected answer.
    pub what: FromServer,
}

/// The content of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FromServer {
    /// The result of this tool call.
    Answer(Arc<SlotCall<'static>>),
    /// A page of the list of tools.
    Listing {
        /// True for the first page.
        is_first: bool,
    },
}

/// A call of our own tool.
#[derive(Debug, PartialEq, Eq)]
pub struct OwnCall {
    spelled: Vec<u8>,
    is_stateless: bool,
    /// The arguments of the call, as JSON.
    pub arguments: String,
}

impl McpSession {
    /// Starts a session; `tool` is the tool that is added for the client's model.
    #[must_use]
    pub fn new(tool: Option<HiddenTool>, changes: ListChanges) -> Self {
        Self::knowing(ToolKnowledge::default(), tool, changes)
    }

    /// Starts a session that reuses facts learned in other sessions with the same server.
    #[must_use]
    pub fn knowing(known: ToolKnowledge, tool: Option<HiddenTool>, changes: ListChanges) -> Self {
        let (awaited, tasks) = (Vec::new(), Vec::new());
        let order = Vec::new();
        Self { tool, changes, awaited, tasks, known, reads_structured: false, has_listed: false, order }
    }

    /// The facts learned from the server's lists of tools in this session; `None` if the server sent no list.
    #[must_use]
    pub fn tool_knowledge(&self) -> Option<&ToolKnowledge> {
        self.has_listed.then_some(&self.known)
    }

    /// True when the client is known to show its model structured content instead of texts.
    #[must_use]
    pub fn reads_structured(&self) -> bool {
        self.reads_structured
    }

    /// Treats the client as one that shows its model structured content instead of texts.
    pub fn read_structured(&mut self) {
        self.reads_structured = true;
    }

    /// True while an answer is expected that may be changed.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        !self.awaited.is_empty()
    }

    /// True when the client's model can request omitted text.
    #[must_use]
    pub fn is_offered(&self) -> bool {
        self.tool.is_some() && self.known.is_offered
    }

    /// True when structured content that only repeats the text may be removed from a tool's result, because the
    /// client does not need it or the tool declares no output schema.
    #[must_use]
    pub fn may_unstructure(&self, tool: &str) -> bool {
        match self.changes.copies {
            StructuredCopies::Keep => false,
            StructuredCopies::Auto => self.reads_structured || self.known.plain.contains(tool),
            StructuredCopies::Drop => true,
        }
    }

    /// Takes a message from the client, and decides what to do with it.
    pub fn hear_client(&mut self, body: &[u8]) -> FromClient {
        let messages = RpcMessage::all(body);
        let is_alone = messages.len() == 1;
        for message in messages {
            if let Some(client) = message.client() {
                self.reads_structured = READ_STRUCTURED.contains(&&*client);
            }
            let (Some(method), Some(id)) = (message.method.as_deref(), message.id.clone()) else { continue };
            let what = match method {
                "tools/call" if is_alone && self.is_own(&message) => return FromClient::Own(own(&message)),
                "tools/call" => Some(FromServer::Answer(Arc::new(call(&message)))),
                "tools/list" => Some(FromServer::Listing { is_first: message.param("cursor").is_none() }),
                "tasks/result" => message.param("taskId").and_then(|task| self.task(&task)),
                _ => None,
            };
            if let Some(what) = what {
                remember(&mut self.awaited, ExpectedAnswer { id, what });
            }
        }
        FromClient::Pass
    }

    /// Takes a message from the server, and returns the answers in it that may be changed.
    pub fn hear_server(&mut self, body: &[u8]) -> Vec<ExpectedAnswer> {
        if self.awaited.is_empty() {
            return Vec::new();
        }
        let mut answers = Vec::new();
        for message in RpcMessage::all(body) {
            let Some(id) = message.id.filter(|_| message.method.is_none()) else { continue };
            let Some(at) = self.awaited.iter().position(|awaited| awaited.id == id) else { continue };
            let awaited = self.awaited.remove(at);
            let Some(result) = message.result else { continue };
            match (task_name(&result), &awaited.what) {
                (Some(task), FromServer::Answer(call)) => remember(&mut self.tasks, (task, Arc::clone(call))),
                _ => answers.push(awaited),
            }
        }
        answers
    }

    /// Changes a server's list of tools, and adds our tool at the end of the first page. If the server has a tool
    /// with the same name, our tool is not added.
    /// The tools keep the order of the list before.
    pub fn listing<'b>(&mut self, id: &RpcId, is_first: bool, body: &'b [u8]) -> Cow<'b, [u8]> {
        let Some(listing) = ToolListing::find(id, body) else { return Cow::Borrowed(body) };
        if let Some(sorted) = listing.in_order(&self.order).filter(|_| is_first) {
            return Cow::Owned(self.listing(id, is_first, &sorted).into_owned());
        }
        self.order = listing.whole().filter(|_| is_first).unwrap_or_default();
        self.has_listed = true;
        let is_taken = self.tool.as_ref().is_none_or(|tool| listing.has(tool.name));
        if is_first {
            self.known = ToolKnowledge { is_offered: !is_taken, ..ToolKnowledge::default() };
        } else if is_taken {
            self.known.is_offered = false;
        }
        let room = MAX_TOOLS.saturating_sub(self.known.plain.len());
        self.known.plain.extend(listing.plain().take(room).map(str::to_owned));
        listing.with(self.changes, self.tool.as_ref().filter(|_| is_first && self.known.is_offered))
    }

    fn is_own(&self, message: &RpcMessage<'_>) -> bool {
        let name = self.tool.as_ref().map(|tool| tool.name).filter(|_| self.known.is_offered);
        name.is_some() && message.param("name").as_deref() == name
    }

    fn task(&self, name: &str) -> Option<FromServer> {
        let (_, call) = self.tasks.iter().rev().find(|(task, _)| task == name)?;
        Some(FromServer::Answer(Arc::clone(call)))
    }
}

impl OwnCall {
    /// Writes the answer to this call for the client.
    #[must_use]
    pub fn answer(&self, words: &str) -> Vec<u8> {
        let complete = if self.is_stateless { r#","resultType":"complete""# } else { "" };
        let head = br#"{"jsonrpc":"2.0","id":"#;
        let rest = format!(
            r#","result":{{"content":[{{"type":"text","text":{}}}]{complete}}}}}"#,
            string::quote(words)
        );
        [head, &*self.spelled, rest.as_bytes()].concat()
    }
}

/// The member of `_meta` that every request of a stateless client contains.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

fn own(message: &RpcMessage<'_>) -> OwnCall {
    let [arguments, meta] =
        message.params.as_ref().and_then(|params| params.get_all(["arguments", "_meta"])).unwrap_or_default();
    let arguments = arguments.map_or("{}".into(), |given| String::from_utf8_lossy(given.bytes()));
    OwnCall {
        spelled: message.spelled.to_vec(),
        is_stateless: meta.is_some_and(|meta| meta.get(VERSION).is_some()),
        arguments: arguments.into_owned(),
    }
}

/// The parts of a call that are needed to process its result.
fn call(message: &RpcMessage<'_>) -> SlotCall<'static> {
    let tool = message.param("name").unwrap_or_default().into_owned();
    let arguments = message.params.as_ref().and_then(|params| params.get("arguments"));
    let given = arguments
        .and_then(|node| command::read_arguments(&mut JsonScan::new(node.bytes())).ok())
        .unwrap_or_default();
    let command = given.command.filter(|command| command.len() <= MAX_COMMAND_BYTES);
    let command = command.map(|command| Cow::Owned(command.into_owned()));
    SlotCall { id: Cow::Borrowed(""), tool: Cow::Owned(tool), command, is_part: given.is_part }
}

/// The id of the task, if the call was turned into a task.
fn task_name(result: &JsonNode<'_>) -> Option<String> {
    let [task, content] = result.get_all(["task", "content"])?;
    let name = task?.get("taskId")?.text()?.into_owned();
    content.is_none().then_some(name)
}

/// Adds one, and forgets the oldest if there are too many.
pub(super) fn remember<T>(all: &mut Vec<T>, one: T) {
    if all.len() >= MAX_PENDING {
        all.remove(0);
    }
    all.push(one);
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: HiddenTool = HiddenTool { name: "more", description: "More.", parameters: "{}" };
    const LIST: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

    fn session() -> McpSession {
        McpSession::new(Some(TOOL), ListChanges::default())
    }

    /// A session whose client has seen a list of these tools.
    fn session_with(tools: &str) -> McpSession {
        let mut session = session();
        assert_eq!(session.hear_client(LIST), FromClient::Pass);
        let page = format!(r#"{{"id":1,"result":{{"tools":{tools}}}}}"#);
        let [ExpectedAnswer { id, what: FromServer::Listing { is_first: true } }] =
            &session.hear_server(page.as_bytes())[..]
        else {
            panic!("no list: {page}")
        };
        session.listing(id, true, page.as_bytes());
        session
    }

    fn call(id: &str, name: &str, arguments: &str) -> String {
        format!(r#"{{"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}}},"id":{id}}}"#)
    }

    fn answer_of(session: &mut McpSession, body: &str) -> Option<SlotCall<'static>> {
        match session.hear_server(body.as_bytes()).pop()?.what {
            FromServer::Answer(call) => Some(SlotCall::clone(&call)),
            FromServer::Listing { .. } => None,
        }
    }

    #[test]
    fn an_answer_is_told_which_call_it_belongs_to() {
        let mut session = session();
        session.hear_client(call("0", "read_file", r#"{"path":"a.txt","head":3}"#).as_bytes());
        session.hear_client(call(r#""0""#, "sh", r#"{"command":"ls"}"#).as_bytes());
        let found = answer_of(&mut session, r#"{"result":{"content":[]},"id":"0"}"#).expect("a call");
        assert_eq!((&*found.tool, found.command.as_deref(), found.is_part), ("sh", Some("ls"), false));
        let found = answer_of(&mut session, r#"{"result":{"content":[]},"id":0}"#).expect("a call");
        assert_eq!(
            (&*found.tool, found.command.as_deref(), found.is_part),
            ("read_file", Some("a.txt"), true)
        );
        assert_eq!(answer_of(&mut session, r#"{"result":{"content":[]},"id":0}"#), None);
    }

    #[test]
    fn nothing_else_is_ours() {
        let mut session = session();
        session.hear_client(call("5", "x", "{}").as_bytes());
        for body in [
            r#"{"id":5,"method":"sampling/createMessage","params":{}}"#,
            r#"{"method":"notifications/progress","params":{"progressToken":5}}"#,
            r#"{"id":6,"result":{}}"#,
            "garbage",
            "",
        ] {
            assert_eq!(session.hear_server(body.as_bytes()), [], "{body}");
        }
        assert_eq!(session.hear_server(br#"{"id":5,"error":{"code":-1,"message":"no"}}"#), []);
    }

    #[test]
    fn our_own_tool_is_ours_once_it_was_listed() {
        let own = call("9", "more", r#"{"id":"shadow_1"}"#);
        assert_eq!(session().hear_client(own.as_bytes()), FromClient::Pass);
        let mut session = session_with(r#"[{"name":"a"}]"#);
        let FromClient::Own(call) = session.hear_client(own.as_bytes()) else { panic!("not ours") };
        assert_eq!(call.arguments, r#"{"id":"shadow_1"}"#);
        assert_eq!(
            String::from_utf8_lossy(&call.answer("a\n\"b\"")),
            r#"{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"a\n\"b\""}]}}"#
        );
        let mut taken = session_with(r#"[{"name":"more"}]"#);
        assert_eq!(taken.hear_client(own.as_bytes()), FromClient::Pass);
        assert!(!taken.is_offered());
    }

    #[test]
    fn a_stateless_client_is_told_that_the_result_is_complete() {
        let mut session = session_with("[]");
        let body = r#"{"id":"a","method":"tools/call","params":{"name":"more","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        let FromClient::Own(call) = session.hear_client(body.as_bytes()) else { panic!("not ours") };
        assert_eq!(call.arguments, "{}");
        assert!(String::from_utf8_lossy(&call.answer("x")).ends_with(r#"],"resultType":"complete"}}"#));
    }

    #[test]
    fn a_structured_part_stays_where_it_was_promised_or_nobody_knows() {
        let session = session_with(r#"[{"name":"a","outputSchema":{}},{"name":"b"}]"#);
        assert!(
            !session.may_unstructure("a") && session.may_unstructure("b") && !session.may_unstructure("c")
        );
    }

    #[test]
    fn a_structured_part_goes_where_the_client_would_show_it_instead_of_the_text() {
        let stateless = r#"{"method":"server/discover","id":0,"params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"claude-code"}}}}"#;
        let older = r#"{"method":"initialize","id":0,"params":{"clientInfo":{"name":"codex-mcp-client"}}}"#;
        let other = r#"{"method":"initialize","id":0,"params":{"clientInfo":{"name":"opencode"}}}"#;
        for (hello, goes) in [(stateless, true), (older, true), (other, false)] {
            let mut session = session_with(r#"[{"name":"a","outputSchema":{}}]"#);
            session.hear_client(hello.as_bytes());
            assert_eq!(session.may_unstructure("a"), goes, "{hello}");
        }
    }

    #[test]
    fn a_task_is_a_call_that_is_answered_later() {
        let mut session = session();
        session.hear_client(call("1", "slow", "{}").as_bytes());
        assert_eq!(
            session.hear_server(br#"{"id":1,"result":{"task":{"taskId":"t1","status":"working"}}}"#),
            []
        );
        session.hear_client(br#"{"id":2,"method":"tasks/result","params":{"taskId":"t1"}}"#);
        session.hear_client(br#"{"id":3,"method":"tasks/result","params":{"taskId":"t2"}}"#);
        let found = answer_of(&mut session, r#"{"id":2,"result":{"content":[]}}"#).expect("a call");
        assert_eq!(found.tool, "slow");
        assert_eq!(answer_of(&mut session, r#"{"id":3,"result":{"content":[]}}"#), None);
    }

    #[test]
    fn batches_are_heard_too() {
        let mut session = session();
        let batch = format!("[{},{}]", call("1", "a", "{}"), call("2", "b", "{}"));
        session.hear_client(batch.as_bytes());
        let answers = session.hear_server(br#"[{"id":2,"result":{}},{"id":1,"result":{}},{"method":"x"}]"#);
        assert_eq!(answers.len(), 2);
    }

    #[test]
    fn what_is_never_answered_is_forgotten_at_last() {
        let mut session = session();
        for id in 0..=MAX_PENDING {
            session.hear_client(call(&id.to_string(), "a", "{}").as_bytes());
        }
        assert_eq!(answer_of(&mut session, r#"{"id":0,"result":{}}"#), None);
        assert!(answer_of(&mut session, r#"{"id":1,"result":{}}"#).is_some());
        assert_eq!(session.awaited.len(), MAX_PENDING - 1);
    }
}
