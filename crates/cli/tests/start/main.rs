//! The commands that start or look for a gateway, run as people run them.

#![cfg(unix)]
#![expect(clippy::expect_used, clippy::panic, reason = "a test fails loudly, its helpers too")]

mod checklist;
mod compare;
mod doctor;
mod hosts;
mod numbers;
mod printed;
mod private;
mod run;
mod seen;
mod serve;
mod stage;
