//! The door for models: an agent's requests to a provider's API.

mod books;
mod check;
mod compress;
mod compressor;
mod door;
mod entry;
mod expand;
mod gate;
mod keeper;
mod live;
pub(crate) mod local;
mod offer;
mod rate;
mod rewrite;
mod rounds;
mod said;
mod seal;
mod send;
mod setback;
pub(crate) mod shape;
mod signature;
mod totals;
mod trail;
mod whole;
mod whose;

pub use compress::{CompressQuestion, LoneAnswer};
pub use compressor::{Compressor, CompressorSettings, CompressorShape};
pub(crate) use door::{ModelDoor, forward};
pub use entry::RequestEntry;
pub(crate) use gate::{Gate, arriving};
pub use keeper::Keeper;
pub use live::Live;
pub(crate) use offer::{ask, head, told_plain};
pub(crate) use rate::Peer;
pub(crate) use rewrite::Untouched;
pub use rewrite::{
    Follow, Head, Pending, Refusal, Replacement, Rewrite, Round, Sought, Verdict, WaitingVerdict,
};
pub(crate) use seal::seal;
pub(crate) use send::send;
pub(crate) use signature::covers_body;
pub use totals::{Stages, Totals};
pub(crate) use whole::{Read, Whole, read};
