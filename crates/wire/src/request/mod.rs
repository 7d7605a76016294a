//! Reads request bodies: tool results, calls, prompts, schemas and the model's name.

pub(crate) mod call;
pub(crate) mod command;
pub(crate) mod content;
pub(crate) mod context_management;
pub(crate) mod findings;
pub(crate) mod history;
pub(crate) mod model;
pub(crate) mod preamble;
pub(crate) mod prompt;
pub(crate) mod reading;
pub(crate) mod schema;
pub(crate) mod slot;
pub(crate) mod tools;
