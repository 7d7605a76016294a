//! The door for models: an agent's requests to a provider's API.

mod books;
mod check;
mod compress;
mod compressor;
mod entry;
pub(crate) mod error_body;
mod expand;
mod expansion;
mod gate;
mod handler;
mod keeper;
mod live;
mod mask;
mod offer;
mod read_body;
mod request_options;
mod rewrite;
mod round_error;
mod rounds;
mod send;
mod signature;
mod tenant_id;
mod totals;

pub use compress::{CompressQuestion, LoneAnswer};
pub use compressor::{Compressor, CompressorSettings, CompressorShape};
pub use entry::RequestEntry;
pub(crate) use gate::GatewayState;
pub(crate) use handler::{ModelDoor, forward};
pub use keeper::Keeper;
pub use live::EngineRewriter;
pub(crate) use mask::seal;
pub(crate) use offer::{ask, head, told_plain};
pub(crate) use read_body::{Read, Whole, read};
pub(crate) use rewrite::PassThrough;
pub use rewrite::{
    Follow, Head, Pending, Refusal, Replacement, RetrievalAnswer, Rewrite, Round, Verdict, WaitingVerdict,
};
pub(crate) use send::send;
pub(crate) use signature::covers_body;
pub use totals::{Stages, Totals};
