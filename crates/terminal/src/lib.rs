//! What a command has to do with a terminal: files in, words and tables out, faults that say what to do.

pub mod fault;
pub mod input;
pub mod number;
pub mod output;
pub mod page;
pub mod place;
pub mod progress;
pub mod screen;
pub mod share;
pub mod small;
pub mod table;
