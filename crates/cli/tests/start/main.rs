//! The commands that start or look for a gateway, run as people run them.

#![cfg(unix)]
#![expect(clippy::expect_used, clippy::panic, reason = "a test fails loudly, its helpers too")]

mod access;
mod board;
mod checklist;
mod collected;
mod compare;
mod compressed;
mod doctor;
mod doors;
mod envoy;
mod history;
mod hooked;
mod hostile;
mod hosts;
mod ledger;
mod limits;
mod numbers;
mod packed;
mod ports;
mod printed;
mod private;
mod processed;
mod records;
mod run;
mod seen;
mod serve;
mod set_up;
mod stage;
mod statusline;
mod trial;
mod watched;
mod why;
