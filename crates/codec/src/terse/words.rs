//! The words of the lines above a list's records, shared by who writes and who reads them.

/// Names the order of fields where it is not the usual one.
pub(super) const FIELDS: &str = "fields";

/// Before the path of the records whose fields are named.
pub(super) const OF: &str = " of ";

/// Instead of names: the fields stand in alphabetical order.
pub(super) const ALPHABETICAL: &str = "in alphabetical order";

/// Between a path and the template that makes its values.
pub(super) const MADE: &str = " = ";

/// Between a path and what all its values begin with.
pub(super) const BEGINS: &str = ": each begins with ";

/// Between one constant and the next.
pub(super) const NEXT: &str = ", ";

/// Before the header of keyed rows.
pub(super) const KEY: &str = "key: ";

/// Before what holds for the records that do not say otherwise.
pub(super) const UNLESS: &str = "unless given";

/// Behind what speaks for all records, before the path of what not all of them have.
pub(super) const HAVING: &str = " that has ";

/// The same for what holds for the records that do not say otherwise.
pub(super) const WHERE: &str = "where there is ";

/// Before the number of an item.
pub(super) const ITEM: &str = "item ";
