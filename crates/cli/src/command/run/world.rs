//! What a command would find around it: variables, and files of settings.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Variables and folders.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) vars: BTreeMap<String, String>,
    pub(crate) folder: PathBuf,
}

impl World {
    /// This process's own.
    pub(crate) fn here() -> Self {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        let vars = std::env::vars_os().filter_map(text).collect();
        Self { vars, folder: std::env::current_dir().unwrap_or_default() }
    }

    /// A variable, if it is set to something.
    pub(crate) fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A variable that holds a URL; one without a scheme, as Ollama's may be, gets it.
    pub(crate) fn url(&self, name: &str) -> Option<String> {
        let value = self.var(name)?.trim();
        Some(if value.contains("://") { value.to_owned() } else { format!("http://{value}") })
    }

    /// A place in the user's home, or in the folder that `instead` names.
    pub(crate) fn home(&self, instead: &str, usual: &str) -> PathBuf {
        let home = || self.var("HOME").or_else(|| self.var("USERPROFILE")).unwrap_or_default();
        self.var(instead).map_or_else(|| PathBuf::from(home()).join(usual), PathBuf::from)
    }

    /// A file of JSON; nothing if there is none, or if it is not JSON.
    pub(crate) fn json(path: &PathBuf) -> serde_json::Value {
        let text = fs::read_to_string(path).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }
}
