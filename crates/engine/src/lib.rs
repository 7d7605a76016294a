//! Rewrites one request body: finds tool results, compresses them, splices them back and records what was saved.

mod answer;
mod beside;
pub(crate) mod candidates;
mod conversation;
mod engine;
pub(crate) mod expand_offer;
mod forward_body;
mod holdout;
mod mask;
mod memo;
mod memo_lookup;
mod model_tiers;
pub(crate) mod outcome;
mod overrides;
mod panic_guard;
mod parallel;
mod remote;
mod report;
mod request;
mod restore;
mod results;
pub(crate) mod scope;
mod sent_body;
mod session;
mod session_hash;
mod settings;
mod skip;
mod token_count;
mod tools;

pub use answer::{ClientAnswer, ServerAnswer};
pub use candidates::{Candidate, CompressorAsk};
pub use engine::Engine;
pub use expand_offer::ExpandOffer;
pub use forward_body::ForwardBody;
pub use mask::seal;
pub use memo::{Memo, MemoLimits, Recall};
pub use model_tiers::{KnownReaders, READERS, reader_of};
pub use overrides::body_object::{asks_in_body, may_ask_in};
pub use overrides::change::PlanOverride;
pub use overrides::error::OptionError;
pub use overrides::field::{FIELDS, PlanField};
pub use overrides::place::PlanPlace;
pub use overrides::request_options::{RequestOptions, SessionName};
pub use overrides::schema_mode::SchemaMode;
pub use remote::answers::{RemoteAnswer, RemoteAnswers};
pub use remote::strategy::{Fallback, RemotePlan, Strategy};
pub use report::{Report, ToolCount};
pub use request::Request;
pub use restore::{RestoreError, in_sight, restore};
pub use sent_body::SentBody;
pub use settings::{Discovery, EngineSettings, Prompts, Rule};
pub use tools::discovery::ToolCatalog;
pub use tools::retrieval::{
    Answers, DISCOVERY, ELSEWHERE, Fetch, Fetches, HiddenTools, HiddenWay, KeptOriginal, TOOL,
};
