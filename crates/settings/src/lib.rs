//! Settings of Tersely: read from flags, environment variables and a file, merged, checked and explained.
//!
//! Flags override the environment, the environment overrides the file, and the file overrides the defaults. One table,
//! `key_table::KEYS`, lists what can be set; loading, `config show`, the JSON schema and the reference page all use it.

mod all;
mod compat;
mod did_you_mean;
mod draft;
mod env;
mod field;
mod file;
pub mod filters;
mod flags;
mod foreign_compressor;
mod ignored;
mod key_table;
mod layer;
mod load;
mod merge;
mod node;
mod observability;
mod origin;
mod otel;
mod place;
mod problem;
mod reader;
mod reference;
mod remote;
mod rule;
mod schema;
pub mod server;
mod shape;
mod sources;
mod store;
mod substitute;
mod tenant;
mod toml;
mod tree;
pub mod watch;
mod words;
mod yaml;

pub use all::AllSettings;
pub use filters::write_lines;
pub use flags::Flags;
pub use load::{LoadedSettings, load, load_telling, shelf, state_folder, user_folder};
pub use merge::MergedEntry;
pub use observability::{HistoryChoice, SeenParts};
pub use origin::SettingOrigin;
pub use problem::{Problem, fault};
pub use reference::reference;
pub use schema::schema;
pub use sources::{FoundPolicy, SettingSources};
