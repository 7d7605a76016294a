//! The same in fewer tokens. What a form writes says, to who knows the notation, all that it read.

mod again;
mod carried;
mod codes;
mod csv;
mod csv_split;
pub(crate) mod dictionary;
mod diff_stat;
mod general;
mod git;
mod grid;
mod join;
mod json;
mod lead;
mod listing;
mod log;
mod minimize_table_whitespace;
mod normalize_whitespace;
pub(crate) mod numbered;
mod paths;
mod python;
mod repeats;
mod schema;
mod search;
mod shapes;
mod snapshot;
mod table;
mod tree;
mod tuples;
mod usual;
mod whitespace;
mod xml;

pub use dictionary::expand;
pub use numbered::NAME as NUMBERED;

use crate::stage::Stage;

/// The ways to write the same in fewer tokens; the first that does is taken.
pub static FORMS: &[&dyn Stage] = &[
    &json::JsonSplit,
    &json::Json,
    &json::JsonLines,
    &json::JsonParts,
    &json::JsonCut,
    &schema::Schema,
    &python::Python,
    &tuples::Tuples,
    &xml::Xml,
    &xml::XmlLines,
    &snapshot::Snapshot,
    &numbered::Numbered,
    &codes::Codes,
    &search::Search,
    &tree::Tree,
    &listing::Listing,
    &diff_stat::DiffStat,
    &again::Again,
    &paths::Paths,
    &csv_split::CsvSplit,
    &csv::Csv,
    &git::Blame,
    &git::Git,
    &table::Table,
    &shapes::Shapes,
    &log::Log,
    &repeats::Repeats,
    &minimize_table_whitespace::MinimizeTableWhitespace,
    &normalize_whitespace::NormalizeWhitespace,
    &dictionary::Dictionary,
];

/// The form for any text, also for one that another form has written.
pub static GENERAL: &dyn Stage = &general::General;

/// Those whose output is made of whole lines of another kind of text: who cuts lines leaves such a text alone.
pub(crate) static ROWS: &[&dyn Stage] =
    &[&csv::Csv, &csv_split::CsvSplit, &listing::Listing, &search::Search, &git::Blame, &git::Git];
