//! Estimates from a client's own history what Tersely would have saved, and finds waste. Nothing leaves the machine.

mod audit;
mod bill;
mod cause;
mod count;
mod estimate;
mod fit;
mod history;
mod numbers;
mod recording;
mod summary;
mod waste;

pub use audit::{Audit, AuditSum, AuditedConversation};
pub use bill::{ConversationBill, ReducedBill};
pub use count::{weigh, weigh_block};
pub use fit::TokenFit;
pub use history::{HistoryFile, MAX_LINE_BYTES, read};
pub use recording::{BodyShape, RecordedHead, RecordedTurn, Recording, ShownRequest, TurnLink};
pub use summary::{AuditSummary, BreakSum, CauseSum, DearBreak};
pub use waste::{CacheBreak, CostlyResult, FileReads, UnusedTool};
