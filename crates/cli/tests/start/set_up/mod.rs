//! Tests `tersely init` and `tersely uninstall` in temporary homes, with stand-ins for the clients.

mod aliases;
mod home;
mod hooks;
#[cfg(target_os = "linux")]
mod service;
mod status_line;
mod undone;
