//! Rewrites requests whose response we do not see.

use std::sync::Arc;

use bytes::Bytes;

use crate::bypass::BypassReason;
use crate::llm::{Head, Refusal, RequestEntry, Rewrite, Verdict};

/// A rewriter that makes only the changes that are possible without seeing the response.
pub(super) struct RequestOnly(pub(super) Arc<dyn Rewrite>);

impl Rewrite for RequestOnly {
    fn wants(&self, head: &Head<'_>) -> bool {
        self.0.wants(head)
    }

    fn rewrite(&self, head: &Head<'_>, body: &Bytes) -> Verdict {
        self.0.rewrite_unwatched(head, body)
    }

    fn unread(&self, head: &Head<'_>) -> Option<RequestEntry> {
        self.0.unread(head)
    }

    fn seals(&self) -> bool {
        self.0.seals()
    }

    fn seal(&self, body: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
        self.0.seal(body)
    }

    fn on_bypass(&self, head: &Head<'_>, why: BypassReason) {
        self.0.on_bypass(head, why);
    }

    fn sent_plain(&self, head: &Head<'_>, body: &Bytes) {
        self.0.sent_plain(head, body);
    }
}
