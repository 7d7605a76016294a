//! The session of one client with one server: changes tool results, and stores the texts left out of them.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use tersely_account::RequestRecord;
use tersely_core::{Form, Loss, O200k, schema};
use tersely_engine::{ClientAnswer, Engine, KeptOriginal, SchemaMode, ServerAnswer, TOOL};
use tersely_history::HistorySink;
use tersely_wire::SlotCall;
use tersely_wire::mcp::{
    ExpectedAnswer, FromClient, FromServer, ListChanges, McpSession, RpcId, StructuredCopies, ToolKnowledge,
};

use crate::access::KnownTenant;
use crate::mcp::Originals;
use crate::record_cell::RecordCell;
use crate::settings::GatewaySettings;
use crate::worker_pool::{WorkerPool, catch_panic};

/// The route that rules match for MCP results.
const ROUTE: &str = "/mcp";

/// The session of one client with one server.
pub struct McpClientSession {
    engine: Arc<Engine>,
    workers: Arc<WorkerPool>,
    session: Mutex<McpSession>,
    originals: Originals,
    /// The form that the client requested, if any.
    form: Option<Form>,
    /// The authenticated tenant of the client, if any.
    tenant: Option<Arc<KnownTenant>>,
    /// What was done with the results so far, until it is taken.
    record: RecordCell,
    /// Records each result by itself, where no request is reported.
    history: Option<HistorySink>,
    /// True when no request takes the record, so that each message does.
    is_alone: bool,
}

/// The parts that a session is created from.
pub(crate) struct McpSessionStart {
    pub(crate) engine: Arc<Engine>,
    pub(crate) workers: Arc<WorkerPool>,
    pub(crate) copies: StructuredCopies,
    pub(crate) known: ToolKnowledge,
    pub(crate) form: Option<Form>,
    pub(crate) tenant: Option<Arc<KnownTenant>>,
}

impl McpClientSession {
    /// Creates a session. The settings limit the concurrent work.
    #[must_use]
    pub fn new(
        settings: &GatewaySettings,
        engine: Engine,
        copies: StructuredCopies,
        originals: Originals,
    ) -> Self {
        warm();
        let (engine, workers) = (Arc::new(engine), Arc::new(WorkerPool::new(settings)));
        Self::begin(
            McpSessionStart {
                engine,
                workers,
                copies,
                known: ToolKnowledge::default(),
                form: None,
                tenant: None,
            },
            originals,
        )
    }

    /// Creates a session that starts with earlier knowledge about the server's tools.
    pub(crate) fn begin(start: McpSessionStart, originals: Originals) -> Self {
        let McpSessionStart { engine, workers, copies, known, form, tenant } = start;
        let named = tenant.as_ref().map(|tenant| tenant.name.as_str());
        let tool = (engine.omits(ROUTE, named) && form.is_none()).then_some(TOOL);
        let minify =
            (engine.settings().schema == SchemaMode::Minify).then_some(schema::minify as fn(&str) -> _);
        let session = Mutex::new(McpSession::knowing(known, tool, ListChanges { copies, minify }));
        let record = RecordCell::default();
        Self { engine, workers, session, originals, form, tenant, record, history: None, is_alone: false }
    }

    /// The same, with a history that records each result by itself.
    #[must_use]
    pub fn recording(self, history: Option<HistorySink>) -> Self {
        Self { history, is_alone: true, ..self }
    }

    /// Frees the memory of omitted texts. Only for a session that shares them with no other, and has ended.
    pub(super) fn release(&self) {
        self.originals.release();
    }

    /// What was done with the results so far.
    pub(crate) fn record(&self) -> &RecordCell {
        &self.record
    }

    /// True if a response that we would change may still arrive.
    pub(crate) fn is_waiting(&self) -> bool {
        self.session().is_waiting()
    }

    /// What the server's tool lists have shown about its tools, if it sent any.
    pub(crate) fn learned_tools(&self) -> Option<ToolKnowledge> {
        self.session().tool_knowledge().cloned()
    }

    /// True if the client shows its model structured content instead of text.
    pub(crate) fn reads_structured(&self) -> bool {
        self.session().reads_structured()
    }

    /// Records that the client shows its model structured content instead of text.
    pub(crate) fn read_structured(&self) {
        self.session().read_structured();
    }

    /// Processes a message from the client; returns our response if the message was meant for us and not for the
    /// server.
    pub(crate) async fn on_client_message(&self, message: &[u8]) -> Option<Vec<u8>> {
        let heard = catch_panic(|| self.session().hear_client(message)).unwrap_or(FromClient::Pass);
        match heard {
            FromClient::Pass => None,
            FromClient::Own(call) => Some(call.answer(&self.originals.show(&call.arguments).await)),
        }
    }

    /// Processes a message from the server, and returns the changed message; `None` if it is left unchanged.
    pub(crate) async fn on_server_message(&self, message: &[u8]) -> Option<Bytes> {
        let begun = Instant::now();
        let awaited = catch_panic(|| self.session().hear_server(message)).unwrap_or_default();
        if awaited.is_empty() {
            return None;
        }
        let mut sent = None;
        for one in awaited {
            let now = sent.clone().unwrap_or_else(|| Bytes::copy_from_slice(message));
            sent = self.change(one, now).await.map(Bytes::from).or(sent);
        }
        if self.is_alone {
            let record = self.record.take();
            if let Some(history) = &self.history {
                history.hear_answer(record, begun.elapsed());
            }
        }
        sent
    }

    /// Changes one of the responses in a message; `None` if the message is left unchanged.
    async fn change(&self, ExpectedAnswer { id, what }: ExpectedAnswer, message: Bytes) -> Option<Vec<u8>> {
        let call = match what {
            FromServer::Listing { is_first } => {
                let listed = catch_panic(|| self.session().listing(&id, is_first, &message));
                return listed.ok().and_then(into_changed);
            }
            FromServer::Answer(call) => call,
        };
        let answer = CallAnswer { id, call, message };
        // Text is omitted only if the model can ask for it.
        let most = if self.session().is_offered() { Loss::Detail } else { Loss::Form };
        let begun = Instant::now();
        let mut done = self.compress(most, answer.clone()).await?;
        if !self.originals.keep(std::mem::take(&mut done.kept)).await {
            done = self.compress(Loss::Form, answer).await?;
        }
        let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        done.record.forms.iter_mut().for_each(|sum| sum.micros = micros);
        self.record.join(done.record);
        done.body
    }

    /// Compresses a response; `None` if there is no time or capacity for it.
    async fn compress(&self, most: Loss, answer: CallAnswer) -> Option<ChangedAnswer> {
        let CallAnswer { id, call, message } = answer;
        let (engine, form, bytes) = (Arc::clone(&self.engine), self.form, message.len());
        let (may_unstructure, tenant) = (self.session().may_unstructure(&call.tool), self.tenant.clone());
        let work = move || {
            let tenant = tenant.as_ref().map(|tenant| tenant.name.as_str());
            let (id, call, path) = (&id, &call, ROUTE);
            let answer = ServerAnswer { id, call, path, tenant, most, may_unstructure, form };
            let ClientAnswer { body, kept, record } = engine.answer(&answer, &message);
            ChangedAnswer { body: into_changed(body), kept, record }
        };
        self.workers.run(bytes, work).await.ok()
    }

    fn session(&self) -> MutexGuard<'_, McpSession> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server's response as the client gets it.
struct ChangedAnswer {
    /// The message; `None` if it is left unchanged.
    body: Option<Vec<u8>>,
    /// The texts left out of it.
    kept: Vec<KeptOriginal>,
    /// What was done.
    record: RequestRecord,
}

/// A server's response, and the tool call that it answers.
#[derive(Clone)]
struct CallAnswer {
    id: RpcId,
    call: Arc<SlotCall<'static>>,
    message: Bytes,
}

/// Loads the tokenizer's tables in advance, so that the first result does not wait for them.
pub(crate) fn warm() {
    std::thread::spawn(|| O200k.count("ready"));
}

fn into_changed(body: Cow<'_, [u8]>) -> Option<Vec<u8>> {
    match body {
        Cow::Borrowed(_) => None,
        Cow::Owned(new) => Some(new),
    }
}
