//! The coding agents that `tersely run` and `tersely init` know: what points each of them at a gateway.

mod aider;
mod claude;
mod client;
mod cline;
mod cn;
mod codex;
mod door;
mod droid;
mod endpoints;
mod environment;
mod file;
mod gemini;
pub mod jsonc;
mod known;
mod opencode;
mod other;
mod pi;
mod planted;
mod qwen;
mod variables;
mod vendor;
mod yaml;

pub use client::{Client, ClientSettings, LaunchOptions};
pub use door::LocalEndpoints;
pub use environment::ClientEnvironment;
pub use file::PrivateFile;
pub use known::{CLIENTS, find_client};
pub use planted::{FolderTrust, PlantedAddress, find_unconfirmed};
pub use vendor::{VENDORS, VendorPlace, VendorVariables};

/// The variable by which the wrappers of MCP servers that an agent starts learn that its results are shortened already, on
/// their way to the model, and a run inside of this one which doors are ours.
pub const INSIDE: &str = "TERSELY_RUN";
