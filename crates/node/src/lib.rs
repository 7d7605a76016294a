//! The native part of the Node.js package: the library's calls, on the caller's thread or on another.

#![expect(clippy::needless_pass_by_value, reason = "what comes from JavaScript is copied")]

use std::sync::LazyLock;

use napi::bindgen_prelude::{AsyncTask, Buffer, Env, Error, Result, Status, Task, Uint8Array};
use napi_derive::napi;
use tersely_embed::{CallReply, EmbedError, Exchange, Library, NextStep};

static LIBRARY: LazyLock<Library> = LazyLock::new(Library::default);

/// The answer to a call.
#[napi(object)]
pub struct JsReply {
    /// An account, as JSON.
    pub about: String,
    /// A text, or JSON.
    pub payload: String,
}

/// A compressed request.
#[napi(object, object_from_js = false)]
pub struct JsOpened {
    /// An account, as JSON.
    pub about: String,
    /// The body to send.
    pub body: Buffer,
    /// The exchange, if the response is to be watched.
    pub exchange: Option<JsExchange>,
}

/// What follows the end of an upstream's response.
#[napi(object, object_from_js = false)]
pub struct JsStep {
    /// Bytes that the client gets now.
    pub out: Buffer,
    /// The body to send next.
    pub send: Option<Buffer>,
}

/// Runs an operation of the library.
///
/// # Errors
/// When an argument is wrong, or a text cannot be decoded.
#[napi]
pub fn call(operation: String, options: String, payload: String) -> Result<JsReply> {
    LIBRARY.call(&operation, &options, payload.as_bytes()).map(reply).map_err(|error| fault(&error))
}

/// Runs an operation of the library on another thread.
#[napi]
#[must_use]
pub fn call_async(operation: String, options: String, payload: String) -> AsyncTask<CallTask> {
    AsyncTask::new(CallTask { operation, options, payload })
}

/// A call that runs on another thread.
pub struct CallTask {
    operation: String,
    options: String,
    payload: String,
}

#[napi]
impl Task for CallTask {
    type Output = JsReply;
    type JsValue = JsReply;

    fn compute(&mut self) -> Result<JsReply> {
        let payload = self.payload.as_bytes();
        LIBRARY.call(&self.operation, &self.options, payload).map(reply).map_err(|error| fault(&error))
    }

    fn resolve(&mut self, _: Env, output: JsReply) -> Result<JsReply> {
        Ok(output)
    }
}

/// Compresses a request that is about to be sent, on another thread.
#[napi]
#[must_use]
pub fn open(options: String, body: Uint8Array) -> AsyncTask<OpenTask> {
    AsyncTask::new(OpenTask { options, body: body.to_vec() })
}

/// A request that is compressed on another thread.
pub struct OpenTask {
    options: String,
    body: Vec<u8>,
}

#[napi]
impl Task for OpenTask {
    type Output = (CallReply, Option<Exchange>);
    type JsValue = JsOpened;

    fn compute(&mut self) -> Result<(CallReply, Option<Exchange>)> {
        LIBRARY.open(&self.options, &self.body).map_err(|error| fault(&error))
    }

    fn resolve(&mut self, _: Env, (reply, exchange): (CallReply, Option<Exchange>)) -> Result<JsOpened> {
        Ok(JsOpened { about: reply.about, body: reply.payload.into(), exchange: exchange.map(JsExchange) })
    }
}

/// A request whose response is watched.
#[napi(js_name = "Exchange")]
pub struct JsExchange(Exchange);

#[napi]
impl JsExchange {
    /// Says how the response is framed, by its content type.
    #[napi]
    pub fn begin(&mut self, content_type: String) {
        self.0.begin(&content_type);
    }

    /// Takes bytes of the response, and returns those that the client gets now.
    #[napi]
    pub fn see(&mut self, data: Uint8Array) -> Buffer {
        self.0.see(&data).into()
    }

    /// The last bytes for the client, and the body to send next, if the model asked for omitted text.
    #[napi]
    pub fn end(&mut self) -> JsStep {
        let NextStep { out, send } = self.0.end();
        JsStep { out: out.into(), send: send.map(Buffer::from) }
    }

    /// The last bytes for the client when the next request failed.
    #[napi]
    pub fn fail(&mut self, status: u16, message: String) -> Buffer {
        self.0.fail(status, &message).into()
    }
}

fn reply(reply: CallReply) -> JsReply {
    // What the library returns is UTF-8, as its input was.
    JsReply { about: reply.about, payload: String::from_utf8_lossy(&reply.payload).into_owned() }
}

/// An error whose message begins with its kind.
fn fault(error: &EmbedError) -> Error {
    Error::new(Status::InvalidArg, format!("{}: {error}", error.kind()))
}
