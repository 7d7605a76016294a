//! Forms write the same information in fewer tokens. A reader who knows the notation can recover everything.

pub(crate) mod dictionary;
mod general;
mod json;
mod listing;
mod log;
mod minimize_table_whitespace;
mod normalize_whitespace;
pub(crate) mod numbered;
mod repeats;
mod row_defaults;
mod schema;
mod search;
mod snapshot;
mod verbatim;
mod whitespace;

pub use dictionary::expand;
pub use numbered::NAME as NUMBERED;

use crate::stage::Stage;

/// Forms for particular kinds of text; the first that saves tokens is used.
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

/// The form for any text, including text that another form has written.
pub static GENERAL: &dyn Stage = &general::General;

/// The form that gives names to frequent phrases, used where the general form is not.
pub static DICTIONARY: &dyn Stage = &dictionary::Dictionary;

/// Both forms for any text.
pub static ANY: &[&dyn Stage] = &[&general::General, &dictionary::Dictionary];

/// Forms whose output lines are in a different notation; stages that cut lines leave such text unchanged.
pub(crate) static ROWS: &[&dyn Stage] = &[&listing::Listing, &search::Search];
