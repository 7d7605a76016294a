//! How a field of a list of records is said: in each record, or once for all of them.

use std::collections::HashSet;

use crate::Value;

/// How a field is said.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Hoist<'v> {
    /// In each record.
    Stored,
    /// In each record, without this beginning.
    Prefix(&'v str),
    /// In the records that have another value than this.
    Usual(&'v Value<'v>),
    /// In the records whose value this template does not make.
    Mostly(String, HiddenValues<'v>),
    /// Once: every record has this value.
    Same(&'v Value<'v>),
    /// Once: every record's value is made by this template.
    Derived(String),
    /// Not at all: every record has a record here, and all of its fields are said once.
    Implied,
}

/// The values that a template makes, known by where they are.
pub(super) type HiddenValues<'v> = HashSet<*const Value<'v>>;

impl<'v> Hoist<'v> {
    /// True when something of the field stands in the records.
    pub(super) fn is_stored(&self) -> bool {
        matches!(self, Self::Stored | Self::Prefix(_)) || self.is_partial()
    }

    /// True when the field stands in some records, and a line above speaks for the others.
    pub(super) fn is_partial(&self) -> bool {
        matches!(self, Self::Usual(_) | Self::Mostly(..))
    }

    /// True when `value`, a value of the field, is said above.
    pub(super) fn hides(&self, value: &Value<'v>) -> bool {
        match self {
            Self::Stored | Self::Prefix(_) => false,
            Self::Usual(usual) => *usual == value,
            Self::Mostly(_, hidden) => hidden.contains(&std::ptr::from_ref(value)),
            Self::Same(_) | Self::Derived(_) | Self::Implied => true,
        }
    }
}

/// Fewer values than this are not worth a line above them.
pub(super) const MIN_RECORDS: usize = 2;
