//! The gateway's listeners over real sockets against scripted upstreams.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails loudly, its scenery too"
)]

mod access;
mod admin;
mod admission;
mod caller;
mod clear;
mod cloud;
mod crowd;
mod fault;
mod forward;
mod hidden;
mod hostile;
mod inbound;
mod known;
mod late;
mod live;
mod load;
mod off;
mod rate;
mod remote;
mod scene;
mod sealed;
mod stream;
mod tenants;
mod tls;
mod two;
