//! Admission: every request to every listener passes the same sequence of guards before it is answered.
//!
//! [`answer`] runs the guards for all listeners, and [`guard_table`] lists the guards and the exemptions of listeners.
//! A new guard is written once and applies to every listener, unless the table exempts a listener and gives the reason.

mod admit;
mod attribute;
mod cors;
mod guard_table;
mod handler;
mod health;
mod host_check;
mod rate_limit;
mod state;

pub(crate) use admit::answer;
pub(crate) use attribute::attribute;
pub(crate) use guard_table::Listener;
pub(crate) use handler::Handler;
pub(crate) use host_check::Reach;
pub(crate) use rate_limit::Peer;
pub(crate) use state::Admission;
