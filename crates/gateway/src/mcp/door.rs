//! One client's way to one server: its session, what its tools answer, and what was left out of that.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tersely_core::{Loss, O200k, Tokens, schema};
use tersely_engine::{Asked, ClientAnswer, Engine, SchemaMode, ServerAnswer, TOOL};
use tersely_wire::mcp::{Awaited, FromClient, FromServer, ListChanges, McpSession, StructuredCopies};
use tokio::task::block_in_place;

use crate::mcp::Originals;

/// The route of this door, as rules may name it.
const ROUTE: &str = "/mcp";

/// One client and one server.
pub struct McpDoor {
    engine: Engine,
    session: Mutex<McpSession>,
    originals: Originals,
}

impl McpDoor {
    /// A door at which nobody has spoken yet.
    #[must_use]
    pub fn new(engine: Engine, copies: StructuredCopies, originals: Originals) -> Self {
        // The first result should not wait for the tokenizer's tables.
        std::thread::spawn(|| O200k.count("ready"));
        let minify =
            (engine.settings().schema == SchemaMode::Minify).then_some(schema::minify as fn(&str) -> _);
        let session = Mutex::new(McpSession::new(TOOL, ListChanges { copies, minify }));
        Self { engine, session, originals }
    }

    /// Hears a message of the client; what it gets at once, if the message was for us and not for the server.
    pub(crate) async fn hear_client(&self, message: &[u8]) -> Option<Vec<u8>> {
        let heard = quiet(|| self.session().hear_client(message)).unwrap_or(FromClient::Pass);
        match heard {
            FromClient::Pass => None,
            FromClient::Own(call) => Some(call.answer(&self.originals.show(&call.arguments).await)),
        }
    }

    /// What the client gets for a message of the server.
    pub(crate) async fn hear_server<'m>(&self, message: &'m [u8]) -> Cow<'m, [u8]> {
        let awaited = quiet(|| self.session().hear_server(message)).unwrap_or_default();
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
                let listed = quiet(|| self.session().listing(id, *is_first, message));
                return listed.and_then(owned);
            }
            FromServer::Answer(call) => call,
        };
        let (is_offered, may_unstructure) = {
            let session = self.session();
            (session.is_offered(), session.may_unstructure(&call.tool))
        };
        let compress = |most: Loss| {
            let asked = Asked::default();
            let answer = ServerAnswer { id, call, path: ROUTE, asked, most, may_unstructure };
            block_in_place(|| quiet(|| self.engine.answer(&answer, message)))
        };
        // What the model cannot ask for is not left out.
        let most = if is_offered { Loss::Detail } else { Loss::Form };
        let ClientAnswer { body, kept, .. } = compress(most)?;
        if self.originals.keep(&kept).await { owned(body) } else { owned(compress(Loss::Form)?.body) }
    }

    fn session(&self) -> MutexGuard<'_, McpSession> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What `work` gives; a fault of ours passes the message as it came.
fn quiet<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

fn owned(body: Cow<'_, [u8]>) -> Option<Vec<u8>> {
    match body {
        Cow::Borrowed(_) => None,
        Cow::Owned(new) => Some(new),
    }
}
