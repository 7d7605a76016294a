//! Messages of content blocks: the parts that Anthropic and Converse have in common.

pub(crate) mod events;
pub(crate) mod kind;
pub(crate) mod numbers;
pub(crate) mod round;
pub(crate) mod spelling;
pub(crate) mod turn;
pub(crate) mod whole;
