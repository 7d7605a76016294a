//! The same in fewer tokens. What a form writes says, to who knows the notation, all that it read.

mod carried;
pub(crate) mod dictionary;
mod general;
mod json;
mod listing;
mod log;
mod minimize_table_whitespace;
mod normalize_whitespace;
pub(crate) mod numbered;
mod repeats;
mod schema;
mod search;
mod snapshot;
mod usual;
mod whitespace;

pub use dictionary::expand;
pub use numbered::NAME as NUMBERED;

use crate::stage::Stage;

/// The ways to write the same in fewer tokens; the first that does is taken.
pub static FORMS: &[&dyn Stage] = &[
    &json::Json,
    &json::JsonParts,
    &schema::Schema,
    &snapshot::Snapshot,
    &numbered::Numbered,
    &search::Search,
    &listing::Listing,
    &log::Log,
    &repeats::Repeats,
    &minimize_table_whitespace::MinimizeTableWhitespace,
    &normalize_whitespace::NormalizeWhitespace,
];

/// The form for any text, also for one that another form has written.
pub static GENERAL: &dyn Stage = &general::General;

/// Names for what comes often, where the general form is not used.
pub static DICTIONARY: &dyn Stage = &dictionary::Dictionary;

/// Both.
pub static ANY: &[&dyn Stage] = &[&general::General, &dictionary::Dictionary];

/// Those whose output is made of whole lines of another kind of text: who cuts lines leaves such a text alone.
pub(crate) static ROWS: &[&dyn Stage] = &[&listing::Listing, &search::Search];
