//! One body through: slots, compress, keep, splice, record.

mod answer;
mod asked;
mod beside;
mod conversation;
mod crew;
mod engine;
mod filled;
mod guard;
mod hidden;
mod link;
mod memo;
mod object;
mod plain;
mod refused;
mod report;
mod request;
mod restore;
mod results;
mod scale;
mod scope;
mod seal;
mod session;
mod settings;
mod skip;

pub use answer::{ClientAnswer, ServerAnswer};
pub use asked::{Asked, AskedSession};
pub use engine::{Engine, Passed};
pub use hidden::{Answers, ELSEWHERE, Fetch, Fetched, Hidden, KeptOriginal, TOOL};
pub use memo::{Memo, Most, Recall};
pub use refused::Refused;
pub use report::{Report, ResultTally, Saving};
pub use request::Request;
pub use restore::{Unrestored, restore};
pub use seal::seal;
pub use settings::{Change, EngineSettings, Prompts, Rule, SchemaMode};
