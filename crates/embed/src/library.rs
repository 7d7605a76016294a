//! The library: every operation, and what is remembered between calls.

use std::sync::Arc;

use tersely_engine::{Memo, MemoLimits, Recall};

use crate::call::run;
use crate::error::EmbedError;
use crate::exchange::{Exchange, open};
use crate::reply::CallReply;
use crate::shelf::TextShelf;

/// How much is remembered of the latest conversations.
const MEMO: MemoLimits = MemoLimits { conversations: 16, bytes: 16 << 20 };

/// The library. One serves all threads of a program.
pub struct Library {
    memo: Memo,
    shelf: Arc<TextShelf>,
}

impl Default for Library {
    fn default() -> Self {
        Self { memo: Memo::new(MEMO), shelf: Arc::default() }
    }
}

impl Library {
    /// Runs one of [`OPERATIONS`](crate::OPERATIONS).
    ///
    /// # Errors
    /// When an argument is wrong, or when a text that is to be decoded cannot be.
    pub fn call(&self, operation: &str, options: &str, payload: &[u8]) -> Result<CallReply, EmbedError> {
        run(operation, options, payload, self.recall())
    }

    /// Compresses a request that is about to be sent to the path in the options. If the body offers the model a tool to
    /// fetch back what was omitted, the exchange hides that tool in the response.
    ///
    /// # Errors
    /// When an option is wrong.
    pub fn open(&self, options: &str, body: &[u8]) -> Result<(CallReply, Option<Exchange>), EmbedError> {
        open(options, body, self.recall(), &self.shelf)
    }

    fn recall(&self) -> Recall<'_> {
        Recall { memo: &self.memo, whose: b"" }
    }
}
