//! Messages of content blocks, as far as Anthropic and Converse agree on them.

pub(crate) mod events;
pub(crate) mod kind;
pub(crate) mod numbers;
pub(crate) mod round;
pub(crate) mod spelling;
pub(crate) mod turn;
pub(crate) mod whole;
