//! The coding agents that `tersely run` and `tersely init` support, and how each of them is pointed at a gateway.

mod aider;
mod claude;
mod client;
mod cline;
mod cn;
mod codex;
mod default_endpoints;
mod droid;
mod environment;
mod gemini;
pub mod jsonc;
mod local_endpoints;
mod opencode;
mod other;
mod pi;
mod planted_address;
mod private_file;
mod qwen;
mod registry;
mod variables;
mod vendor;
mod yaml;

pub use client::{Client, ClientSettings, LaunchOptions};
pub use environment::ClientEnvironment;
pub use local_endpoints::LocalEndpoints;
pub use planted_address::{FolderTrust, PlantedAddress, find_unconfirmed};
pub use private_file::PrivateFile;
pub use registry::{CLIENTS, find_client};
pub use vendor::{VENDORS, VendorPlace, VendorVariables};

/// Set for every command that `tersely run` starts, to the addresses of its endpoints. If it is set, a nested `tersely
/// mcp` passes results unchanged, because they are compressed on their way to the model, and a nested run uses these
/// endpoints.
pub const INSIDE: &str = "TERSELY_RUN";

/// Set for clients whose hooks compress the results of all tools, also of MCP servers. If it is set, `tersely mcp`
/// passes results unchanged.
pub const HOOKED: &str = "TERSELY_HOOK";
