//! Finds the texts of a tool's result in what a client tells its hooks, and writes the answer that replaces them.
//!
//! A client takes a replacement only if it has the shape of the tool's own result. So the answer is the result as it
//! came, with other texts in it. Shapes that were not learned from a real client are left alone.

mod call;
mod shape;

pub use call::{HookCall, OutputFile};
