//! One client's way to one server: its session, what its tools answer, and what was left out of that.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tersely_core::{Form, Loss, O200k, Tokens, schema};
use tersely_engine::{ClientAnswer, Engine, SchemaMode, ServerAnswer, TOOL};
use tersely_wire::mcp::{
    Awaited, FromClient, FromServer, ListChanges, McpSession, StructuredCopies, ToolKnowledge,
};
use tokio::task::block_in_place;

use crate::llm::guarded;
use crate::mcp::Originals;

/// The route of this door, as rules may name it.
const ROUTE: &str = "/mcp";

/// One client and one server.
pub struct McpDoor {
    engine: Arc<Engine>,
    session: Mutex<McpSession>,
    originals: Originals,
    /// The form that the client asked for by name.
    form: Option<Form>,
}

/// What a door needs to know before anybody speaks.
pub(crate) struct McpStart {
    pub(crate) engine: Arc<Engine>,
    pub(crate) copies: StructuredCopies,
    pub(crate) known: ToolKnowledge,
    pub(crate) form: Option<Form>,
}

impl McpDoor {
    /// A door at which nobody has spoken yet.
    #[must_use]
    pub fn new(engine: Engine, copies: StructuredCopies, originals: Originals) -> Self {
        warm();
        let known = ToolKnowledge::default();
        Self::begin(McpStart { engine: Arc::new(engine), copies, known, form: None }, originals)
    }

    /// A door in the middle of something.
    pub(crate) fn begin(start: McpStart, originals: Originals) -> Self {
        let McpStart { engine, copies, known, form } = start;
        let tool = (engine.omits(ROUTE) && form.is_none()).then_some(TOOL);
        let minify =
            (engine.settings().schema == SchemaMode::Minify).then_some(schema::minify as fn(&str) -> _);
        let session = Mutex::new(McpSession::knowing(known, tool, ListChanges { copies, minify }));
        Self { engine, session, originals, form }
    }

    /// True when an answer may come that is ours to change.
    pub(crate) fn is_waiting(&self) -> bool {
        self.session().is_waiting()
    }

    /// What the server's lists of tools told here, if it sent any.
    pub(crate) fn learned(&self) -> Option<ToolKnowledge> {
        self.session().learned().cloned()
    }

    /// True when the client shows its model structured parts in place of texts.
    pub(crate) fn reads_structured(&self) -> bool {
        self.session().reads_structured()
    }

    /// Takes the client for one that does.
    pub(crate) fn read_structured(&self) {
        self.session().read_structured();
    }

    /// Hears a message of the client; what it gets at once, if the message was for us and not for the server.
    pub(crate) async fn hear_client(&self, message: &[u8]) -> Option<Vec<u8>> {
        let heard = guarded(|| self.session().hear_client(message)).unwrap_or(FromClient::Pass);
        match heard {
            FromClient::Pass => None,
            FromClient::Own(call) => Some(call.answer(&self.originals.show(&call.arguments).await)),
        }
    }

    /// What the client gets for a message of the server.
    pub(crate) async fn hear_server<'m>(&self, message: &'m [u8]) -> Cow<'m, [u8]> {
        let awaited = guarded(|| self.session().hear_server(message)).unwrap_or_default();
        let mut sent = Cow::Borrowed(message);
        for one in awaited {
            if let Some(next) = self.change(&one, &sent).await {
                sent = Cow::Owned(next);
            }
        }
        sent
    }

    /// A message with one of its answers changed; `None` where it stays.
    async fn change(&self, Awaited { id, what }: &Awaited, message: &[u8]) -> Option<Vec<u8>> {
        let call = match what {
            FromServer::Listing { is_first } => {
                let listed = guarded(|| self.session().listing(id, *is_first, message));
                return listed.ok().and_then(owned);
            }
            FromServer::Answer(call) => call,
        };
        let (is_offered, may_unstructure) = {
            let session = self.session();
            (session.is_offered(), session.may_unstructure(&call.tool))
        };
        let compress = |most: Loss| {
            let answer = ServerAnswer { id, call, path: ROUTE, most, may_unstructure, form: self.form };
            block_in_place(|| guarded(|| self.engine.answer(&answer, message))).ok()
        };
        // What the model cannot ask for is not left out.
        let most = if is_offered { Loss::Detail } else { Loss::Form };
        let ClientAnswer { body, kept } = compress(most)?;
        if self.originals.keep(kept).await { owned(body) } else { owned(compress(Loss::Form)?.body) }
    }

    fn session(&self) -> MutexGuard<'_, McpSession> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the tokenizer's tables, so that the first result need not wait for them.
pub(crate) fn warm() {
    std::thread::spawn(|| O200k.count("ready"));
}

fn owned(body: Cow<'_, [u8]>) -> Option<Vec<u8>> {
    match body {
        Cow::Borrowed(_) => None,
        Cow::Owned(new) => Some(new),
    }
}
