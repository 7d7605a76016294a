//! The words in the lines above a list's records, for the encoder and the decoder.

/// Introduces the order of fields, where it is not the usual one.
pub(super) const FIELDS: &str = "fields";

/// Precedes the path of the records whose fields are listed.
pub(super) const OF: &str = " of ";

/// Replaces the list: the fields are in alphabetical order.
pub(super) const ALPHABETICAL: &str = "in alphabetical order";

/// Between a path and the template that makes its values.
pub(super) const MADE: &str = " = ";

/// Between a path and the prefix of its values.
pub(super) const BEGINS: &str = ": each begins with ";

/// Between one constant and the next.
pub(super) const NEXT: &str = ", ";

/// Precedes the header of keyed rows.
pub(super) const KEY: &str = "key: ";

/// Introduces what holds for records that do not give another value.
pub(super) const UNLESS: &str = "unless given";

/// Between what holds for all records and the path of a part that not all of them have.
pub(super) const HAVING: &str = " that has ";

/// The same for what holds for records that do not give another value.
pub(super) const WHERE: &str = "where there is ";

/// Precedes the number of an item.
pub(super) const ITEM: &str = "item ";
