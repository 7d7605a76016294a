//! Explains why a prompt was not read from the provider's cache: compares a request with the one before it in the same
//! conversation, by hashes of its parts.

pub(crate) mod cause;
pub(crate) mod change;
pub(crate) mod conversation;
pub(crate) mod diagnosis;
pub(crate) mod judge;
pub(crate) mod marks;
