//! Messages of content blocks: what is the same whoever spells them.

pub(crate) mod kind;
pub(crate) mod numbers;
pub(crate) mod spelling;
pub(crate) mod turn;
pub(crate) mod whole;
