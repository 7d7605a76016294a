//! The words in the lines above a list's records, which the encoder writes and the decoder reads.

/// Introduces the order of the fields, if it is not the default order.
pub(super) const FIELDS: &str = "fields";

/// Comes before the path of the records whose fields are listed.
pub(super) const OF: &str = " of ";

/// Replaces the list of fields when they are in alphabetical order.
pub(super) const ALPHABETICAL: &str = "in alphabetical order";

/// Comes between a path and the template that gives its values.
pub(super) const MADE: &str = " = ";

/// Comes between a path and the prefix of its values.
pub(super) const BEGINS: &str = ": each begins with ";

/// Comes between two constants.
pub(super) const NEXT: &str = ", ";

/// Comes before the header of keyed rows.
pub(super) const KEY: &str = "key: ";

/// Introduces a default, which applies to the records that do not contain the field.
pub(super) const UNLESS: &str = "unless given";

/// Comes before the path of a part that only some records have, in a line about the records that have it.
pub(super) const HAVING: &str = " that has ";

/// Comes before the path of a part that only some records have, in a line about defaults.
pub(super) const WHERE: &str = "where there is ";

/// Comes before the number of an item.
pub(super) const ITEM: &str = "item ";
