//! Forwards a request to an API, and writes the response in the form that the client requested.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{
    ACCEPT_RANGES, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, HeaderMap, HeaderName,
    HeaderValue, VARY,
};
use http::request::Parts;
use http::{Extensions, Request, Response, StatusCode, response};
use hyper::body::Incoming;
use tersely_account::{FormSum, RequestRecord};
use tersely_core::encode_json;
use tokio::net::TcpListener;

use crate::admission::{Admission, Handler, Listener, Reach};
use crate::api::etag;
use crate::api::form::RequestedForm;
use crate::api::negotiate::{FormatPreference, PREFER};
use crate::error::Error;
use crate::http::request_slots::RequestSlot;
use crate::http::response::Reply;
use crate::llm::{GatewayState, PassThrough, error_body, forward};
use crate::record_cell::RecordCell;
use crate::request_log::{Known, know};
use crate::serve::listen;
use crate::settings::GatewaySettings;
use crate::shutdown::Shutdown;

const RATIO: HeaderName = HeaderName::from_static("x-tersely-ratio");
const STC_RATIO: HeaderName = HeaderName::from_static("x-stc-ratio");
const STC_VERSION: HeaderName = HeaderName::from_static("x-stc-version");

/// Headers that describe the exact bytes of a response, so they are wrong for another form.
const DIGEST_HEADERS: [&str; 4] = ["content-md5", "digest", "content-digest", "repr-digest"];

/// Serves an API in the way that [`crate::serve`] serves models.
///
/// # Errors
/// Fails if a setting is invalid.
pub async fn serve_api(
    settings: GatewaySettings,
    listener: TcpListener,
    stop: impl Future<Output = Duration>,
) -> Result<(), Error> {
    let reach = Reach::of(&listener);
    let gate = Arc::new(GatewayState::new(settings, Arc::new(PassThrough), (Listener::Api, reach))?);
    listen(Arc::new(ApiHandler { gate }), listener, stop).await
}

struct ApiHandler {
    gate: Arc<GatewayState>,
}

impl Handler for ApiHandler {
    fn settings(&self) -> &GatewaySettings {
        &self.gate.settings
    }

    fn shutdown(&self) -> &Shutdown {
        &self.gate.shutdown
    }

    fn admission(&self) -> &Admission {
        &self.gate.admission
    }

    fn sender<B>(&self, request: &Request<B>) -> Option<Vec<u8>> {
        self.gate.sender(request)
    }

    fn refuse(&self, _: &Parts, error: &Error) -> Response<Reply> {
        error_body::answer(None, error)
    }

    async fn answer(self: Arc<Self>, mut request: Request<Incoming>, slot: RequestSlot) -> Response<Reply> {
        let preference = FormatPreference::take(&mut request);
        let answered = match forward(&self.gate, (None, &mut Known::default()), request, slot).await {
            Ok(response) => negotiate(&self.gate, preference, response).await,
            Err(error) => Err(error),
        };
        answered.unwrap_or_else(|error| error_body::answer(None, &error))
    }
}

/// Rewrites a response in the requested form, if the client requested one.
async fn negotiate(
    gate: &GatewayState,
    preference: FormatPreference,
    response: Response<Reply>,
) -> Result<Response<Reply>, Error> {
    let (mut parts, body) = response.into_parts();
    if is_json(&parts.headers) {
        vary(&mut parts.headers);
    }
    let Some(form) = preference.0 else { return Ok(Response::from_parts(parts, body)) };
    if parts.status == StatusCode::NOT_MODIFIED {
        etag::rename(form, &mut parts.headers);
    }
    let (mut body, slot) = match body {
        Reply::Theirs { body, _slot: slot } if can_change(&parts) => (body, slot),
        other => return Ok(Response::from_parts(parts, other)),
    };
    let Some(whole) = body.whole(&gate.space, gate.settings.limits.body).await? else {
        return Ok(Response::from_parts(parts, Reply::Theirs { body, _slot: slot }));
    };
    let since = Instant::now();
    let text = encode_as(gate, form, whole.clone()).await;
    let sum = FormSum::of(form.form().name(), whole.len(), text.as_ref().map(String::len));
    let micros = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
    record(&mut parts.extensions, FormSum { micros, ..sum });
    let Some(text) = text else {
        return Ok(Response::from_parts(parts, Reply::Ours(Some(whole))));
    };
    restate(form, (whole.len(), text.len()), &mut parts.headers);
    Ok(Response::from_parts(parts, Reply::Ours(Some(gate.space.hold(text)))))
}

/// Records that a response was to be written in a form.
fn record(extensions: &mut Extensions, sum: FormSum) {
    let cell = RecordCell::default();
    cell.join(RequestRecord { forms: vec![sum], ..RequestRecord::default() });
    know(extensions, |known| known.answer = Some(cell));
}

/// Encodes the JSON of a response in another form, if that costs fewer tokens and capacity is free; long responses are
/// encoded on a worker thread.
async fn encode_as(gate: &GatewayState, form: RequestedForm, whole: Bytes) -> Option<String> {
    let bytes = whole.len();
    let write = move || encode_json(form.form(), str::from_utf8(&whole).ok()?);
    gate.workers.run(bytes, write).await.ok().flatten()
}

/// Updates the headers to describe the new body.
fn restate(form: RequestedForm, (before, after): (usize, usize), headers: &mut HeaderMap) {
    for name in [CONTENT_LENGTH, ACCEPT_RANGES] {
        headers.remove(name);
    }
    for name in DIGEST_HEADERS {
        headers.remove(name);
    }
    headers.insert(CONTENT_TYPE, form.media_type());
    let ratio = HeaderValue::try_from(ratio(before, after));
    match form {
        RequestedForm::StcCoding | RequestedForm::Stc => {
            headers.insert(STC_VERSION, HeaderValue::from_static("1"));
            headers.extend(ratio.ok().map(|ratio| (STC_RATIO, ratio)));
        }
        RequestedForm::Toon | RequestedForm::Terse => headers.extend(ratio.ok().map(|ratio| (RATIO, ratio))),
    }
    if form == RequestedForm::StcCoding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("stc"));
    }
    etag::rename(form, headers);
}

/// The ratio of the two sizes, with two decimals.
fn ratio(before: usize, after: usize) -> String {
    let percent = (after * 100 + before / 2) / before.max(1);
    format!("{}.{:02}", percent / 100, percent % 100)
}

/// True if a response is JSON, complete, and has no content coding.
fn can_change(parts: &response::Parts) -> bool {
    let coded = parts.headers.get(CONTENT_ENCODING).is_some_and(|coding| coding != "identity");
    let has_body = !parts.status.is_informational()
        && ![StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED, StatusCode::PARTIAL_CONTENT]
            .contains(&parts.status);
    has_body && !coded && is_json(&parts.headers) && !parts.headers.contains_key(CONTENT_RANGE)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
    let kind = kind.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    kind == "application/json" || kind.ends_with("+json")
}

/// Tells caches that the same URL has several representations.
fn vary(headers: &mut HeaderMap) {
    let said: Vec<String> = headers
        .get_all(VARY)
        .into_iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    for name in ["accept", "accept-encoding", PREFER.as_str()] {
        if !said.iter().any(|it| it == name || it == "*")
            && let Ok(value) = HeaderValue::try_from(name)
        {
            headers.append(VARY, value);
        }
    }
}
