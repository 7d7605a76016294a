//! Reads the conversations of the corpus that stands beside the project.

use std::fs;
use std::path::{Path, PathBuf};

use tersely_wire::{PROVIDERS, Provider};

/// A request body of the corpus.
pub(crate) struct Conversation {
    pub(crate) name: String,
    pub(crate) body: Vec<u8>,
    pub(crate) provider: &'static dyn Provider,
}

/// Every conversation, in order; fails where there is no corpus.
pub(crate) fn conversations() -> Vec<Conversation> {
    let mut paths: Vec<_> = fs::read_dir(root().join("conversations"))
        .unwrap_or_else(|error| panic!("the corpus is needed at {}: {error}", root().display()))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths.iter().map(|path| conversation(path)).collect()
}

/// Where the corpus stands.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus")
}

fn conversation(path: &Path) -> Conversation {
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let provider = if name.contains(".anthropic.") { "anthropic" } else { "chat" };
    let provider = PROVIDERS.into_iter().find(|known| known.name() == provider).expect("a provider");
    Conversation { name, body: fs::read(path).expect("a body"), provider }
}
