//! Ways to write a field of a list: in each record, or once for all.

use std::collections::HashSet;

use crate::Value;

/// How a field is written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Hoist<'v> {
    /// In each record.
    Stored,
    /// In each record, without this prefix.
    Prefix(&'v str),
    /// In the records with another value than this.
    Usual(&'v Value<'v>),
    /// In the records whose value this template does not make.
    Mostly(String, HiddenValues<'v>),
    /// Once: every record has this value.
    Same(&'v Value<'v>),
    /// Once: every record's value is made by this template.
    Derived(String),
    /// Not at all: every record has a record here, and all of its fields are written once.
    Implied,
}

/// The values that a template makes, by address.
pub(super) type HiddenValues<'v> = HashSet<*const Value<'v>>;

impl<'v> Hoist<'v> {
    /// True when records contain at least a part of the field.
    pub(super) fn is_stored(&self) -> bool {
        matches!(self, Self::Stored | Self::Prefix(_)) || self.is_partial()
    }

    /// True when some records contain the field, and a line above covers the others.
    pub(super) fn is_partial(&self) -> bool {
        matches!(self, Self::Usual(_) | Self::Mostly(..))
    }

    /// True when a line above covers `value`, a value of the field.
    pub(super) fn hides(&self, value: &Value<'v>) -> bool {
        match self {
            Self::Stored | Self::Prefix(_) => false,
            Self::Usual(usual) => *usual == value,
            Self::Mostly(_, hidden) => hidden.contains(&std::ptr::from_ref(value)),
            Self::Same(_) | Self::Derived(_) | Self::Implied => true,
        }
    }
}

/// Fewer values do not justify a line above them.
pub(super) const MIN_RECORDS: usize = 2;
