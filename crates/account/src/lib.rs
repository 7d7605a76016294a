//! Accounting: what happened to tool results and what requests cost, as records, usage, prices and sums.
//!
//! The engine returns records, the gateway completes them, telemetry writes them, the history stores them, and every
//! report of savings adds them up. No type here can contain text of a request: only numbers, our own words, and short
//! plain names of models, tools and calls.

mod arm;
mod attribution;
mod cache_break;
mod clearing;
mod cost;
mod form_sum;
mod hash;
mod holdout;
mod limit;
mod money;
mod price;
mod prices;
mod prompt_cache;
mod remote;
mod request;
mod result;
mod rounds;
mod share;
mod shown_name;
mod status;
mod sums;
mod text_size;
mod tokens;
mod usage;

pub use arm::Arm;
pub use attribution::{Attribution, AttributionLabels, AttributionLimits, AttributionTable};
pub use cache_break::cause::{BreakCause, BreakOwner, PromptBreak};
pub use cache_break::change::PromptChange;
pub use cache_break::conversation::ConversationMatch;
pub use cache_break::diagnosis::CacheDiagnosis;
pub use cache_break::judge::{PromptTurn, judge};
pub use cache_break::marks::{
    LineMark, PartMark, PromptMarks, PromptOrder, PromptSettings, SystemLineKind, SystemMark, ToolMark,
};
pub use clearing::Clearing;
pub use cost::RequestCost;
pub use form_sum::FormSum;
pub use hash::{quick_hash, session_name, stable_hash};
pub use holdout::Holdout;
pub use limit::{LimitKind, LimitRise, LimitState, LimitUse, MAX_LIMITS};
pub use money::Money;
pub use price::{Price, TokenRates, per_million};
pub use prices::PriceTable;
pub use prompt_cache::{CacheKind, CacheRules, CachedBlocks, PromptCache};
pub use remote::{RemoteOutcome, RemoteSums};
pub use request::{FetchSum, RequestRecord, StageSaving};
pub use result::{GroupSum, ResultGroup, ResultPlace, ResultRecord};
pub use rounds::UsageRounds;
pub use share::HoldoutShare;
pub use shown_name::ShownName;
pub use status::ResultStatus;
pub use sums::{RequestSums, WouldSums};
pub use text_size::TextSize;
pub use tokens::TokenChange;
pub use usage::TokenUsage;
