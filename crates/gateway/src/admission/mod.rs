//! Admission: every request to every listener passes one row of guards before it is answered.
//!
//! [`answer`] runs the row for all listeners, and [`guard_table`] lists the guards and the listeners that are exempt from one. A new guard is
//! written once and applies everywhere unless a listener is exempted there, with a reason.

mod admit;
mod cors;
mod guard_table;
mod handler;
mod health;
mod host_check;
mod rate_limit;
mod state;

pub(crate) use admit::answer;
pub(crate) use guard_table::Listener;
pub(crate) use handler::Handler;
pub(crate) use host_check::Reach;
pub(crate) use rate_limit::Peer;
pub(crate) use state::Admission;
