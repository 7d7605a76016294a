//! The ways to write a field of a list: in each record, or once for all records.

use std::collections::HashSet;

use crate::Value;

/// How a field is written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Hoist<'v> {
    /// The value is in each record.
    Stored,
    /// The value is in each record, without this prefix.
    Prefix(&'v str),
    /// The value is only in the records where it differs from this one.
    Usual(&'v Value<'v>),
    /// The value is only in the records where this template gives a different value.
    Mostly(String, HiddenValues<'v>),
    /// The value is written once, because it is the same in every record.
    Same(&'v Value<'v>),
    /// This template is written once; it gives the value of every record.
    Derived(String),
    /// Nothing is written: every record contains an object here, and all fields of these objects are written once.
    Implied,
}

/// The addresses of the values that a template gives.
pub(super) type HiddenValues<'v> = HashSet<*const Value<'v>>;

impl<'v> Hoist<'v> {
    /// True when at least some records contain the field or a part of it.
    pub(super) fn is_stored(&self) -> bool {
        matches!(self, Self::Stored | Self::Prefix(_)) || self.is_partial()
    }

    /// True when some records contain the field, and a line above the list covers the other records.
    pub(super) fn is_partial(&self) -> bool {
        matches!(self, Self::Usual(_) | Self::Mostly(..))
    }

    /// True when a line above the list covers `value`, a value of the field.
    pub(super) fn hides(&self, value: &Value<'v>) -> bool {
        match self {
            Self::Stored | Self::Prefix(_) => false,
            Self::Usual(usual) => *usual == value,
            Self::Mostly(_, hidden) => hidden.contains(&std::ptr::from_ref(value)),
            Self::Same(_) | Self::Derived(_) | Self::Implied => true,
        }
    }
}

/// The minimum number of values that justifies a line above the list.
pub(super) const MIN_RECORDS: usize = 2;
