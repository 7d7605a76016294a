//! Rewrites the body of a request whose head has been received, and records the result.

use std::time::Instant;

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response};
use tokio::runtime::Handle;

use crate::admission::attribute;
use crate::bypass::BypassReason;
use crate::error::{Error, Side};
use crate::http::response::Reply;
use crate::http::signature::covers_body;
use crate::llm::{
    GatewayState, Replacement, RequestEntry, Verdict, WholeBody, ask_rewriter, head, report_plain, seal,
    unread,
};
use crate::request_log::{Known, Visit, know};
use crate::vendor::Vendor;
use crate::worker_pool::catch_panic;

/// True if the body of a request should be rewritten; an error if it cannot be.
pub(super) fn wants(gate: &GatewayState, parts: &Parts) -> Result<bool, BypassReason> {
    let wants = catch_panic(|| gate.rewrite.wants(&head(gate, parts)))?;
    if wants && covers_body(parts) { Err(BypassReason::Signed) } else { Ok(wants) }
}

/// A request whose body has not been received yet.
pub(super) struct ExtprocRequest {
    parts: Parts,
    visit: Visit,
    known: Known,
}

impl ExtprocRequest {
    /// Creates a request with this head, which counts as in progress from now on.
    pub(super) fn new(gate: &GatewayState, parts: Parts) -> Self {
        let mut request = Request::from_parts(parts, ());
        let visit = Visit::begin(&gate.settings.telemetry, &mut request);
        attribute(&gate.settings, gate.admission.reach(), &request);
        let (parts, ()) = request.into_parts();
        let provider = Vendor::of(&parts.uri, &parts.headers).map(Vendor::name);
        Self { parts, visit, known: Known { provider, ..Known::default() } }
    }

    /// Processes a body, and returns the body to send instead, if there is one.
    ///
    /// # Errors
    /// Fails if the body had to be searched for secrets and could not be.
    pub(super) async fn process(
        mut self,
        gate: &GatewayState,
        whole: WholeBody,
    ) -> Result<Option<Bytes>, Error> {
        if !gate.rewrite.seals() || whole.bytes.is_empty() {
            return Ok(self.rewrite(gate, &whole.bytes).await);
        }
        let came = whole.bytes.clone();
        match seal(gate, &mut self.parts, whole).await {
            Ok(whole) => {
                let masked = Some(whole.bytes.clone()).filter(|bytes| *bytes != came);
                Ok(self.rewrite(gate, &whole.bytes).await.or(masked))
            }
            Err(error) => {
                self.fail(error.side, &error.message);
                Err(error)
            }
        }
    }

    /// Rewrites a body, and returns the shorter one, if there is one.
    async fn rewrite(mut self, gate: &GatewayState, body: &Bytes) -> Option<Bytes> {
        match wants(gate, &self.parts) {
            Ok(true) => {}
            Ok(false) => {
                let entry = unread(gate, &self.parts);
                self.record(entry);
                return None;
            }
            Err(why) => {
                self.bypass(gate, why);
                return None;
            }
        }
        let since = Instant::now();
        let mut left = AbandonGuard(Some((gate, &self.parts, body)));
        let verdict = ask_rewriter(gate, &mut self.known, &self.parts, body).await;
        left.0 = None;
        drop(left);
        self.known.ours = Some(since.elapsed());
        match verdict {
            Ok(Verdict::Replace(Replacement { body, entry, follow: None, .. })) => {
                self.record(entry);
                Some(body)
            }
            Ok(Verdict::Count(entry)) => {
                self.record(Some(entry));
                None
            }
            Ok(Verdict::Refuse(why)) => {
                self.fail(Side::Client, &why.message);
                None
            }
            // A replacement that requires us to see the response is not sent.
            Ok(Verdict::Replace(_) | Verdict::Keep | Verdict::Wait(_)) => {
                self.record(None);
                None
            }
            Err(why) => {
                self.bypass(gate, why);
                None
            }
        }
    }

    /// Records that the request was forwarded unchanged although it should have been rewritten.
    pub(super) fn bypass(mut self, gate: &GatewayState, why: BypassReason) {
        self.known.missed = Some(why);
        // The rewriter may just have panicked, and could panic again.
        let _ = catch_panic(|| gate.rewrite.on_bypass(&head(gate, &self.parts), why));
        self.record(None);
    }

    /// Records that the request was forwarded unchanged because of an error.
    pub(super) fn fail(mut self, side: Side, why: &str) {
        self.known.fault = Some((side, why.into()));
        self.record(None);
    }

    /// Records the request. The status of its response is unknown, because we do not see it.
    fn record(mut self, entry: Option<RequestEntry>) {
        let mut response = Response::new(Reply::Ours(None));
        if let Some(entry) = entry {
            self.known.session = entry.session();
            entry.sent().answer(&mut self.known, &mut response);
        }
        know(response.extensions_mut(), |known| *known = self.known);
        drop(self.visit.follow(None, response));
    }
}

/// When dropped, tells the rewriter that Envoy stopped waiting for the verdict and forwarded the body unchanged, so
/// that the rewriter treats the conversation as sent in its original form.
struct AbandonGuard<'g>(Option<(&'g GatewayState, &'g Parts, &'g Bytes)>);

impl Drop for AbandonGuard<'_> {
    fn drop(&mut self) {
        let Some((gate, parts, body)) = self.0.take() else { return };
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn_blocking(report_plain(gate, parts, body));
        }
    }
}
