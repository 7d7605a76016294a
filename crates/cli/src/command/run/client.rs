//! The clients that are known, and what each is told.

use crate::command::run::claude::Claude;
use crate::command::run::codex::Codex;
use crate::command::run::door::Doors;
use crate::command::run::gemini::Gemini;
use crate::command::run::opencode::OpenCode;
use crate::command::run::other::Other;
use crate::command::run::world::World;
use crate::fault::Fault;

/// A program that can be pointed at a gateway.
pub(crate) trait Client: Sync {
    /// The name of its command.
    fn name(&self) -> &'static str;

    /// The command that installs it, if there is one.
    fn install(&self) -> Option<&'static str>;

    /// What to tell it so that all it sends comes through doors of ours.
    fn point(&self, world: &World, doors: &mut Doors) -> Result<Told, Fault>;
}

/// What a client is told: variables, and arguments before the user's own.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) env: Vec<(String, String)>,
    pub(crate) args: Vec<String>,
}

/// Every client that is known.
pub(crate) const CLIENTS: [&dyn Client; 4] = [&Claude, &Codex, &OpenCode, &Gemini];

/// Variables that tell programs where a provider is, and where that is unless they say so.
pub(crate) const VARIABLES: [(&str, &str); 6] = [
    ("ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
    ("OPENAI_BASE_URL", "https://api.openai.com/v1"),
    ("OPENAI_API_BASE", "https://api.openai.com/v1"),
    ("GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com"),
    ("CODE_ASSIST_ENDPOINT", "https://cloudcode-pa.googleapis.com"),
    ("OLLAMA_HOST", "http://127.0.0.1:11434"),
];

/// The client of a name; any other command is one that reads the usual variables.
pub(crate) fn named(name: &str) -> &'static dyn Client {
    CLIENTS.into_iter().find(|client| client.name() == name).unwrap_or(&Other)
}

impl Told {
    /// Points variables at doors, each of which leads to where the variable pointed before.
    pub(crate) fn variables(world: &World, doors: &mut Doors, names: &[&str]) -> Result<Self, Fault> {
        let mut told = Self { env: direct(world), ..Self::default() };
        for (name, usual) in VARIABLES.iter().filter(|(name, _)| names.contains(name)) {
            let meant = world.url(name).unwrap_or_else(|| (*usual).to_owned());
            told.env.push(((*name).to_owned(), doors.open(name, &meant)?));
        }
        Ok(told)
    }
}

/// Keeps a client that uses a company's proxy from asking that for this machine.
pub(crate) fn direct(world: &World) -> Vec<(String, String)> {
    let proxied = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
    if !proxied.iter().any(|name| world.var(name).is_some()) {
        return Vec::new();
    }
    let add = |name: &str| {
        let hosts = world.var(name).map_or(String::new(), |hosts| format!("{hosts},"));
        (name.to_owned(), format!("{hosts}127.0.0.1,localhost"))
    };
    vec![add("NO_PROXY"), add("no_proxy")]
}
