//! Admission: every request to every listener passes one row of guards before it is answered.
//!
//! [`answer`] runs the row for all listeners, and [`guard`] holds the table of what does not apply where. A new guard is
//! written once and applies everywhere unless a listener is exempted there, with a reason.

mod cors;
mod guard;
mod handler;
mod health;
mod host_check;
mod rate_limit;
mod row;
mod state;

pub(crate) use guard::Listener;
pub(crate) use handler::Handler;
pub(crate) use host_check::Reach;
pub(crate) use rate_limit::Peer;
pub(crate) use row::answer;
pub(crate) use state::Admission;
