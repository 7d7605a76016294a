//! User-defined filters: where they are found, how they are read, and which of them apply.
//!
//! A project's filters take precedence over the user's own, and the user's over the shipped ones. Of filters with the
//! same name, only the first applies. A project's filters apply only once the user trusts them: a downloaded folder
//! must not decide what a model sees.

mod file;
mod folder;
mod shelf;
mod trial;
mod trust;

pub use file::{FilterFile, FilterTest};
pub use shelf::{FilterPlace, FilterShelf, FilterState, FoundFilter, read_file};
pub use trial::{Trial, run as try_out};
pub use trust::{forget, record, write_lines};
