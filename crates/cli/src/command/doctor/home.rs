//! Provides an empty home directory for version checks: many programs write to the user's home when they start.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, io};

use tersely_agents::clients::PrivateFile;

/// A temporary folder, removed on drop.
pub(crate) struct EmptyHome(PrivateFile);

/// Variables for the user's home, or for a folder in it.
const HOMES: [&str; 6] =
    ["HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];

/// Variables that change the location of an agent's own folder.
const FOLDERS: [&str; 11] = [
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_DIR",
    "KILO_CONFIG_DIR",
    "GEMINI_CLI_HOME",
    "CLINE_DIR",
    "CLINE_DATA_DIR",
    "QWEN_HOME",
    "CONTINUE_GLOBAL_DIR",
    "PI_CODING_AGENT_DIR",
];

/// Variables that version managers use to find the programs that their shims start, and the default folders in the
/// home.
const MANAGERS: [(&str, &str); 6] = [
    ("VOLTA_HOME", ".volta"),
    ("ASDF_DATA_DIR", ".asdf"),
    ("MISE_DATA_DIR", ".local/share/mise"),
    ("PYENV_ROOT", ".pyenv"),
    ("NVM_DIR", ".nvm"),
    ("PROTO_HOME", ".proto"),
];

impl EmptyHome {
    /// Creates the folder.
    pub(crate) fn new() -> io::Result<Self> {
        PrivateFile::new("empty", "").map(Self)
    }

    fn path(&self) -> &Path {
        self.0.path().parent().unwrap_or(Path::new("/"))
    }

    /// Makes a command use this home.
    pub(crate) fn move_in<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let own = env::var_os("HOME").or_else(|| env::var_os("USERPROFILE")).map(PathBuf::from);
        for (name, place) in MANAGERS {
            if let (None, Some(own)) = (env::var_os(name), &own) {
                command.env(name, own.join(place));
            }
        }
        for name in FOLDERS {
            command.env_remove(name);
        }
        for name in HOMES {
            command.env(name, self.path());
        }
        command.current_dir(self.path())
    }
}
