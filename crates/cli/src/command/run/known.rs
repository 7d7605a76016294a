//! Table: the clients that are known.

use crate::command::run::claude::Claude;
use crate::command::run::client::Client;
use crate::command::run::codex::Codex;
use crate::command::run::gemini::GeminiCli;
use crate::command::run::opencode::OpenCode;
use crate::command::run::other::Other;

/// Every client that is known.
pub(crate) const CLIENTS: [&dyn Client; 4] = [&Claude, &Codex, &OpenCode, &GeminiCli];

/// The client of a name; any other command is one that reads the usual variables.
pub(crate) fn named(name: &str) -> &'static dyn Client {
    CLIENTS.into_iter().find(|client| client.name() == name).unwrap_or(&Other)
}
