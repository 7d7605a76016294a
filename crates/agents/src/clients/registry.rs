//! Table: the supported clients.

use crate::clients::aider::Aider;
use crate::clients::claude::Claude;
use crate::clients::client::Client;
use crate::clients::cline::Cline;
use crate::clients::cn::Cn;
use crate::clients::codex::Codex;
use crate::clients::droid::Droid;
use crate::clients::gemini::GeminiCli;
use crate::clients::opencode::{KILO, OPENCODE};
use crate::clients::other::Other;
use crate::clients::pi::Pi;
use crate::clients::qwen::Qwen;
use crate::clients::variables::{AMP, COPILOT, GOOSE};

/// Every supported client.
pub const CLIENTS: [&dyn Client; 14] = [
    &Claude, &Codex, &OPENCODE, &GeminiCli, &GOOSE, &Cline, &Qwen, &Cn, &COPILOT, &Droid, &Pi, &KILO, &Aider,
    &AMP,
];

/// Finds a client by its name. Any other command is assumed to read the common variables.
pub fn find_client(name: &str) -> &'static dyn Client {
    let name = if name == "kilocode" { "kilo" } else { name };
    CLIENTS.into_iter().find(|client| client.name() == name).unwrap_or(&Other)
}
