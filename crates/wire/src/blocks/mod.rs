//! Messages made of content blocks: the code that Anthropic and Converse share.

pub(crate) mod events;
pub(crate) mod kind;
pub(crate) mod numbers;
pub(crate) mod round;
pub(crate) mod spelling;
pub(crate) mod turn;
pub(crate) mod whole;
