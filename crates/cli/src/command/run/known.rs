//! Table: the clients that are known.

use crate::command::run::aider::Aider;
use crate::command::run::claude::Claude;
use crate::command::run::client::Client;
use crate::command::run::cline::Cline;
use crate::command::run::cn::Cn;
use crate::command::run::codex::Codex;
use crate::command::run::droid::Droid;
use crate::command::run::gemini::GeminiCli;
use crate::command::run::opencode::{KILO, OPENCODE};
use crate::command::run::other::Other;
use crate::command::run::pi::Pi;
use crate::command::run::qwen::Qwen;
use crate::command::run::variables::{AMP, COPILOT, GOOSE};

/// Every client that is known.
pub(crate) const CLIENTS: [&dyn Client; 14] = [
    &Claude, &Codex, &OPENCODE, &GeminiCli, &GOOSE, &Cline, &Qwen, &Cn, &COPILOT, &Droid, &Pi, &KILO, &Aider,
    &AMP,
];

/// The client of a name; any other command is one that reads the usual variables.
pub(crate) fn named(name: &str) -> &'static dyn Client {
    let name = if name == "kilocode" { "kilo" } else { name };
    CLIENTS.into_iter().find(|client| client.name() == name).unwrap_or(&Other)
}
