//! A body to forward, and what is known about it.

use crate::report::Report;
use crate::sent_body::SentBody;
use crate::tools::retrieval::HiddenTools;

/// A body to forward.
pub struct ForwardBody<'b> {
    /// The bytes to send.
    pub body: SentBody<'b>,
    /// The account of the changes.
    pub report: Report,
    /// The tools to hide in the response; `None` when no tool was added.
    pub hidden: Option<HiddenTools>,
}
