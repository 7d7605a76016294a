//! `POST /expand`: returns a text that was left out of a request, to the client that sent the request.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use serde_json::{Value, json};

use crate::admission::Reach;
use crate::error::Error;
use crate::http::idle_timeout::TimedBody;
use crate::http::response::Reply;
use crate::llm::offer::tenant;
use crate::llm::rewrite::{Head, RetrievalAnswer};
use crate::llm::state::GatewayState;

/// The path of the endpoint.
const PATH: &str = "/expand";

/// The maximum size of the body, which contains one id.
const MAX_QUESTION_BYTES: usize = 1024;

/// The maximum length of an id; our own ids are shorter.
const MAX_ID_CHARS: usize = 64;

/// True for a request to this path.
pub(crate) fn is_asked<B>(request: &Request<B>) -> bool {
    request.method() == Method::POST && request.uri().path() == PATH
}

/// Returns the text with the id in the body, if it was stored for this client.
pub(crate) async fn expand(
    gate: &GatewayState,
    request: Request<Incoming>,
) -> Result<Response<Reply>, Error> {
    let (parts, body) = request.into_parts();
    let id = id(gate.client_body(body)).await?;
    let text = original(gate, &parts, id.clone()).await?;
    let mut response =
        Response::new(Reply::Ours(Some(Bytes::from(json!({"id": id, "content": text}).to_string()))));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Returns the text with this id, if it was stored for this client.
pub(super) async fn original(gate: &GatewayState, parts: &Parts, id: String) -> Result<String, Error> {
    let Parts { method, uri, headers, .. } = parts;
    let tenant = tenant(parts).map(|tenant| &**tenant);
    let head = Head { method, uri, headers, upstream: None, tenant };
    match gate.rewrite.original(&head, id).await {
        RetrievalAnswer::Text(text) => Ok(text),
        RetrievalAnswer::Nothing => Err(absent("no text is stored under this id, or it has expired")),
        RetrievalAnswer::Nowhere => Err(absent("no text is stored here")),
        RetrievalAnswer::Nobodys if gate.admission.reach() == Reach::Open => {
            let message = "send the credential of the original request";
            Err(Error::client(StatusCode::UNAUTHORIZED, message))
        }
        RetrievalAnswer::Nobodys => Err(absent("no text is stored for requests without a credential")),
        RetrievalAnswer::Refused(message) => Err(Error::client(StatusCode::BAD_REQUEST, message)),
    }
}

fn absent(message: &str) -> Error {
    Error::client(StatusCode::NOT_FOUND, message)
}

/// Reads the id from a body such as `{"id":"shadow_…"}`.
async fn id(body: TimedBody) -> Result<String, Error> {
    let read = Limited::new(body, MAX_QUESTION_BYTES).collect().await.map_err(|error| {
        match error.downcast::<Error>() {
            Ok(own) => *own,
            Err(other) if other.is::<LengthLimitError>() => Error::client(
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("the body is longer than {MAX_QUESTION_BYTES} bytes"),
            ),
            Err(_) => Error::client(StatusCode::BAD_REQUEST, "the body ended early"),
        }
    })?;
    let body: Option<Value> = serde_json::from_slice(&read.to_bytes()).ok();
    let id =
        body.as_ref().and_then(|body| body["id"].as_str()).filter(|id| id.chars().count() <= MAX_ID_CHARS);
    id.map(str::to_owned).ok_or_else(|| {
        let message = format!("ask with {{\"id\":\"shadow_…\"}}, an id of at most {MAX_ID_CHARS} characters");
        Error::client(StatusCode::BAD_REQUEST, message)
    })
}
