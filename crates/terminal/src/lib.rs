//! Terminal input and output for commands: reads files, prints results, tables and progress, and reports errors with
//! hints.

pub mod command_help;
pub mod command_page;
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
