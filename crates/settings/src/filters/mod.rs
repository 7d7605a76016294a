//! User-defined filters: where they are found, how they are read, and which of them apply.
//!
//! A project's filters go before the user's own, and those before ours; of one name, only the first counts. Those of a project
//! count once they are trusted: a folder that was merely downloaded does not decide what a model sees.

mod file;
mod folder;
mod shelf;
mod trial;
mod trust;

pub use file::{FilterFile, FilterTest};
pub use shelf::{FilterPlace, FilterShelf, FilterState, FoundFilter, read_file};
pub use trial::{Trial, run as try_out};
pub use trust::{forget, record, write_lines};
